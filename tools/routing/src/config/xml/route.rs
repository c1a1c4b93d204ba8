//! Routes and auto routes, their inputs and outputs.
use super::domain_route::Connections;
use super::plugins::Kind;
use super::{Reader, each, path};
use crate::config::values;
use crate::plan::{
    AutoRoute, ContentFilter, CreationMode, EndpointQos, Filter, FilterPropagation, Input, Output,
    Pattern, Route, RouteSettings, Writers,
};
use dunlin_document::{Element, Problem, Value, did_you_mean, quoted};

const INPUTS: [&str; 2] = ["input", "dds_input"];
const OUTPUTS: [&str; 2] = ["output", "dds_output"];
/// Classes of filters, as products call that of DDS annex B.
const SQL: [&str; 3] = ["builtin.sql", "DDSSQL", "SQL"];

impl Reader<'_> {
    pub(super) fn route(
        &mut self,
        element: Element<'_>,
        name: String,
        path: &str,
        connections: &Connections<'_>,
    ) -> Route {
        let mut inputs = Vec::new();
        for (position, child) in each(element, &INPUTS) {
            let mut input = self.input(child, position, connections);
            input.topic = self.topic(child);
            self.once(child, "input", &path::input(path, &input.name));
            inputs.extend(Some(input));
        }
        let mut outputs = Vec::new();
        for (position, child) in each(element, &OUTPUTS) {
            let mut output = self.output(child, position, connections);
            output.topic = self.topic(child);
            self.transformation_types(child, &mut output, |name| {
                let mut types = inputs
                    .iter()
                    .map(|input: &Input| input.type_name.as_deref());
                types.any(|known| known.is_none_or(|known| known == name))
            });
            self.once(child, "output", &path::output(path, &output.name));
            outputs.push(output);
        }
        for (is_empty, what) in [(inputs.is_empty(), "input"), (outputs.is_empty(), "output")] {
            if is_empty {
                self.missing(element, what);
            }
        }
        Route {
            name,
            enabled: self.enabled(element),
            settings: self.settings(element),
            inputs,
            outputs,
        }
    }

    /// `None` after an error.
    pub(super) fn auto_route(
        &mut self,
        element: Element<'_>,
        name: String,
        path: &str,
        connections: &Connections<'_>,
    ) -> Option<AutoRoute> {
        let inputs = each(element, &INPUTS);
        let outputs = each(element, &OUTPUTS);
        if let Some((_, second)) = inputs.get(1) {
            let message = "an auto route has one input";
            let help = "write another auto route".to_owned();
            self.problems
                .push(Problem::error(second.span(), message).help(help));
        }
        let Some((_, from)) = inputs.first() else {
            self.missing(element, "input");
            return None;
        };
        if outputs.is_empty() {
            self.missing(element, "output");
        }
        let input = self.input(*from, 0, connections);
        self.once(*from, "input", &path::input(path, &input.name));
        let mut topics = self.filter_of(*from, &["topic_name_filter", "stream_name_filter"]);
        let mut types = self.filter_of(*from, &["registered_type_name_filter"]);
        let mut all = Vec::new();
        for (position, child) in outputs {
            let mut output = self.output(child, position, connections);
            self.once(child, "output", &path::output(path, &output.name));
            self.transformation_types(child, &mut output, |name| types.passes(name));
            all.push(output);
            let narrower = self.filter_of(child, &["topic_name_filter", "stream_name_filter"]);
            self.narrow(child, &mut topics, narrower);
            let narrower = self.filter_of(child, &["registered_type_name_filter"]);
            self.narrow(child, &mut types, narrower);
        }
        Some(AutoRoute {
            name,
            enabled: self.enabled(element),
            settings: self.settings(element),
            topics,
            types,
            input,
            outputs: all,
            renames: Vec::new(),
        })
    }

    fn missing(&mut self, element: Element<'_>, what: &str) {
        let message = format!("{} has no {what}", element.name());
        let help = format!("add <{what} participant=\"..\">");
        self.problems
            .push(Problem::error(element.span(), message).help(help));
    }

    /// Lays the patterns of an output over those of the input.
    fn narrow(&mut self, output: Element<'_>, filter: &mut Filter, other: Filter) {
        for pattern in other.deny {
            if !filter.deny.contains(&pattern) {
                filter.deny.push(pattern);
            }
        }
        let everything = Filter::default().allow;
        if other.allow == everything || other.allow == filter.allow {
            return;
        }
        if filter.allow == everything {
            filter.allow = other.allow;
            return;
        }
        let message = "what the output allows is ignored: the patterns of the input count";
        self.problems.push(Problem::warning(output.span(), message));
    }

    /// What `allow_..` and `deny_..` say, by the first of these names that is there.
    fn filter_of(&mut self, element: Element<'_>, names: &[&str]) -> Filter {
        let mut filter = Filter::default();
        for name in names {
            if let Some(text) = self.text(element, &format!("allow_{name}")) {
                filter.allow = self.patterns(text);
            }
            if let Some(text) = self.text(element, &format!("deny_{name}")) {
                filter.deny = self.patterns(text);
            }
        }
        filter
    }

    fn patterns(&mut self, text: Value<'_>) -> Vec<Pattern> {
        Pattern::parse_list(text.text).unwrap_or_else(|error| {
            self.error(text.span, error.to_string());
            Vec::new()
        })
    }

    fn input(&mut self, element: Element<'_>, position: usize, all: &Connections<'_>) -> Input {
        let connection = self.connection(element, all);
        let type_name = self.text(element, "registered_type_name");
        Input {
            name: self.name(element, position),
            connection,
            topic: String::new(),
            type_name: type_name.map(|name| name.text.to_owned()),
            keyed: type_name.and_then(|name| self.keyed(name, connection, all)),
            mode: self.mode(element),
            qos: EndpointQos::Explicit(Box::new(self.reader_qos(element))),
            filter: self.content_filter(element),
            max_rate: None,
            partitions: None,
        }
    }

    fn output(&mut self, element: Element<'_>, position: usize, all: &Connections<'_>) -> Output {
        let type_name = self.text(element, "registered_type_name");
        let transformation = element.child("transformation");
        let connection = self.connection(element, all);
        Output {
            name: self.name(element, position),
            connection,
            topic: String::new(),
            type_name: type_name.map(|name| name.text.to_owned()),
            keyed: type_name.and_then(|name| self.keyed(name, connection, all)),
            mode: self.mode(element),
            qos: EndpointQos::Explicit(Box::new(self.writer_qos(element))),
            writers: Writers::One,
            transformation: transformation.and_then(|t| self.plugin(t, Kind::Transformation)),
            representation: None,
            partitions: Vec::new(),
        }
    }

    /// Whether a registered type has a key, if its participant or `<types>` says.
    fn keyed(&self, name: Value<'_>, connection: usize, all: &Connections<'_>) -> Option<bool> {
        let registered = all
            .types
            .get(connection)
            .and_then(|types| types.get(name.text));
        let known = || self.types.get(name.text).copied();
        registered.copied().flatten().or_else(known)
    }

    /// The topic: `topic_name`, `stream_name`, or the name of the input or output.
    fn topic(&mut self, element: Element<'_>) -> String {
        let text = self.first_text(element, &["topic_name", "stream_name"]);
        if let Some(text) = text.or_else(|| element.attribute("name")) {
            return text.text.to_owned();
        }
        if element.child("topic_name").is_none() {
            let message = format!("{} has no topic_name", element.name());
            self.error(element.span(), message);
        }
        String::new()
    }

    /// The position of the participant or connection that an element names; 0 after an error.
    fn connection(&mut self, element: Element<'_>, all: &Connections<'_>) -> usize {
        let named = element.attribute("participant");
        let Some(named) = named.or_else(|| element.attribute("connection")) else {
            let message = format!("{} names no participant", element.name());
            let help = format!("write <{} participant=\"..\">", element.name());
            self.problems
                .push(Problem::error(element.span(), message).help(help));
            return 0;
        };
        let found = all.all.iter().position(|one| one.name == named.text);
        if let Some(found) = found {
            return found;
        }
        let names = || all.all.iter().map(|one| &*one.name);
        let near = dunlin_document::nearest(named.text, names());
        let at = near.and_then(|near| names().position(|name| name == near));
        let at = at.and_then(|at| all.elements.get(at));
        let help = did_you_mean(named.text, names()).unwrap_or_else(|| {
            let names: Vec<_> = names().collect();
            match names.is_empty() {
                true => "it has none".to_owned(),
                false => format!("it has {}", names.join(", ")),
            }
        });
        let message = format!(
            "participant {} is not one of this domain route's",
            quoted(named.text)
        );
        let mut problem = Problem::error(named.span, message).help(help);
        if let Some(at) = at {
            problem = problem.help_at(at.span());
        }
        self.problems.push(problem);
        0
    }

    fn mode(&mut self, element: Element<'_>) -> CreationMode {
        let Some(text) = self.text(element, "creation_mode") else {
            return CreationMode::Immediate;
        };
        values::creation_mode(text.text).unwrap_or_else(|(message, help)| {
            self.undefined(text, message, Some(help));
            CreationMode::Immediate
        })
    }

    fn content_filter(&mut self, element: Element<'_>) -> Option<ContentFilter> {
        let filter = element.child("content_filter")?;
        let Some(expression) = filter.child("expression") else {
            let message = "the content filter has no expression";
            self.error(filter.span(), message);
            return None;
        };
        if let Some(kind) = filter.attribute("kind")
            && !SQL.contains(&kind.text)
        {
            let message = format!("filters of class {} are not judged", quoted(kind.text));
            let help = format!("those of {} are", SQL.join(", "));
            self.undefined(kind, message, Some(help));
        }
        let expression = expression.text().map_or("", |text| text.text).to_owned();
        let lists = filter.children();
        let lists = lists.filter(|c| matches!(c.name(), "expression_parameters" | "parameter"));
        let mut parameters = Vec::new();
        for list in lists {
            let mut elements: Vec<_> = list.children().collect();
            if elements.is_empty() && list.name() == "parameter" {
                elements.push(list);
            }
            let texts = elements.iter().map(|one| one.text());
            parameters.extend(texts.map(|text| text.map_or("", |text| text.text).to_owned()));
        }
        Some(ContentFilter {
            expression,
            parameters,
        })
    }

    /// What a transformation says of its types: `takes` tells whether an input may have one.
    fn transformation_types(
        &mut self,
        element: Element<'_>,
        output: &mut Output,
        takes: impl Fn(&str) -> bool,
    ) {
        let Some(transformation) = element.child("transformation") else {
            return;
        };
        if let Some(name) = self.text(transformation, "input_type_name")
            && !takes(name.text)
        {
            let message = format!("no input of the route has the type {}", quoted(name.text));
            let help = "registered_type_name of the input says which it has".to_owned();
            self.undefined(name, message, Some(help));
        }
        let Some(name) = self.text(transformation, "output_type_name") else {
            return;
        };
        let own = output.type_name.get_or_insert_with(|| name.text.to_owned());
        if own != name.text {
            let message = format!("the type of the output is {}", quoted(own));
            let help = "write the same in registered_type_name, or nothing".to_owned();
            self.undefined(name, message, Some(help));
        }
    }

    fn settings(&mut self, element: Element<'_>) -> RouteSettings {
        let base = RouteSettings::xml();
        let processor = element.child("processor");
        RouteSettings {
            route_types: self.boolean(element, "route_types", base.route_types),
            original_info: self.boolean(element, "publish_with_original_info", base.original_info),
            original_timestamp: self.boolean(
                element,
                "publish_with_original_timestamp",
                base.original_timestamp,
            ),
            propagate_dispose: self.boolean(element, "propagate_dispose", base.propagate_dispose),
            propagate_unregister: self.boolean(
                element,
                "propagate_unregister",
                base.propagate_unregister,
            ),
            filter_propagation: self.filter_propagation(element),
            processor: processor.and_then(|processor| self.plugin(processor, Kind::Processor)),
            period: self.period(element),
            ..base
        }
    }

    fn filter_propagation(&mut self, route: Element<'_>) -> Option<FilterPropagation> {
        let element = route.child("filter_propagation")?;
        let attribute = element.attribute("enabled");
        let by_attribute = attribute.is_some_and(|value| self.truth(value, false));
        let enabled = self.boolean(element, "enabled", by_attribute);
        let count = self.text(element, "max_event_count");
        let count = count.and_then(|count| self.number(count, u64::from(u32::MAX)));
        let delay = element.child("max_event_delay");
        let delay = delay.and_then(|delay| self.duration(delay));
        let base = FilterPropagation::default();
        enabled.then(|| FilterPropagation {
            max_event_count: count.map_or(base.max_event_count, |count| count as u32),
            max_event_delay: delay.unwrap_or(base.max_event_delay),
        })
    }
}
