//! `[[routes]]`.
use super::table::{Item, Table};
use super::{Reader, path};
use crate::config::values;
use crate::plan::{
    AutoRoute, Backlog, Connection, ConnectionKind, ContentFilter, CreationMode, Filter,
    FilterPropagation, Input, Output, Pattern, Plugin, RouteSettings, Writers,
};
use dunlin_document::{Problem, Span, did_you_mean, quoted};
use std::collections::BTreeMap;

pub(super) const ROUTE: [&str; 33] = [
    "name",
    "enabled",
    "from",
    "to",
    "topics",
    "deny",
    "types",
    "deny_types",
    "rename",
    "partitions",
    "writers",
    "qos",
    "profile",
    "filter",
    "max_rate",
    "processor",
    "map",
    "output_type",
    "period",
    "creation_mode",
    "announce",
    "original_info",
    "original_timestamp",
    "route_types",
    "propagate_dispose",
    "propagate_unregister",
    "linger",
    "unregister_delay",
    "reassert",
    "backlog",
    "filter_propagation",
    "stall_timeout",
    "representation",
];

const WRITERS: [(&str, Writers); 3] = [
    ("one", Writers::One),
    ("group", Writers::Group),
    ("mirror", Writers::Mirror),
];

/// The most ways, from a participant to another one, of all routes.
const MOST_WAYS: usize = 4096;

/// A connection of a route, by position, and where it is named.
pub(super) type End = (usize, Span);

impl Reader<'_> {
    pub(super) fn routes(
        &mut self,
        item: &Item<'_>,
        session: &str,
        connections: &[Connection],
    ) -> Vec<AutoRoute> {
        let tables = item.tables("route", self.problems).unwrap_or_default();
        if tables.is_empty() {
            item.wrong("there are no routes", self.problems);
        }
        let mut routes: Vec<AutoRoute> = Vec::new();
        let mut ways = 0;
        for (index, table) in tables.iter().enumerate() {
            let default = format!("route_{}", index + 1);
            let name = self.name(table, "name").unwrap_or(&default).to_owned();
            for route in self.route(table, &name, connections) {
                ways += route.outputs.len();
                let at = path::auto_route(session, &route.name);
                if routes.iter().any(|other| other.name == route.name) {
                    let message = format!("there are two routes {}", quoted(&route.name));
                    let span = table.get("name").map_or(table.span, |item| item.span);
                    self.problems.push(Problem::error(span, message));
                }
                let from = table.get("from").map_or(table.span, |item| item.span);
                self.places.set(path::input(&at, &route.input.name), from);
                self.places.set(at, table.span);
                routes.push(route);
            }
            if ways > MOST_WAYS {
                let message = format!("the routes have more than {MOST_WAYS} ways");
                self.problems.push(Problem::error(table.span, message));
                break;
            }
        }
        routes
    }

    pub(super) fn route(
        &mut self,
        table: &Table<'_>,
        name: &str,
        all: &[Connection],
    ) -> Vec<AutoRoute> {
        table.allow(&ROUTE, self.problems);
        let from = self.ends(table, "from", all);
        let to = self.ends(table, "to", all);
        for (connection, span) in &to {
            if from.iter().any(|(from, _)| from == connection) {
                let participant = all.get(*connection).map_or("", |found| &*found.name);
                let message =
                    format!("route {name} leads from {participant} to {participant} itself");
                let help = "name different participants in from and to".to_owned();
                self.problems
                    .push(Problem::error(*span, message).help(help));
            }
        }
        if from.len() * to.len() > MOST_WAYS {
            let message = format!("the route has more than {MOST_WAYS} ways");
            self.problems.push(Problem::error(table.span, message));
            return Vec::new();
        }
        let template = self.template(table, name, &to, all);
        let several = from.len() > 1;
        let from = from.into_iter().map(|(connection, _)| {
            let mut route = template.clone();
            let participant = all.get(connection).map_or("", |found| &*found.name);
            if several {
                route.name = format!("{name}-{participant}");
            }
            participant.clone_into(&mut route.input.name);
            route.input.connection = connection;
            route
        });
        from.collect()
    }

    /// The route, but for what it comes from.
    pub(super) fn template(
        &mut self,
        table: &Table<'_>,
        name: &str,
        to: &[End],
        all: &[Connection],
    ) -> AutoRoute {
        if table.get("topics").is_none() && !self.is_partial {
            let problem = Problem::error(table.span, format!("route {name} has no topics"));
            let help = "add topics = [\"*\"], or the patterns that you want".to_owned();
            self.problems.push(problem.help(help));
        }
        let (reader, writer) = self.endpoint_qos(table);
        let (input_mode, output_mode) = self.modes(table);
        let input = Input {
            name: String::new(),
            connection: 0,
            topic: String::new(),
            type_name: None,
            keyed: None,
            mode: input_mode,
            qos: reader,
            filter: self.filter(table),
            max_rate: self.max_rate(table),
            partitions: None,
        };
        let output = Output {
            name: String::new(),
            connection: 0,
            topic: String::new(),
            type_name: self.output_type(table),
            keyed: None,
            mode: output_mode,
            qos: writer,
            writers: self
                .choice(table, "writers", "set of writers", &WRITERS)
                .unwrap_or(Writers::Group),
            transformation: self.map(table),
            representation: self.choice(
                table,
                "representation",
                "representation",
                &values::REPRESENTATIONS,
            ),
            partitions: self.renames(table, "partitions"),
        };
        let outputs = to.iter().map(|(connection, _)| Output {
            name: all
                .get(*connection)
                .map_or(String::new(), |c| c.name.clone()),
            connection: *connection,
            mode: match (&output.mode, all.get(*connection).map(|found| &found.kind)) {
                // Nobody beyond can want what nobody offers.
                (CreationMode::OnDemand { .. }, Some(ConnectionKind::Adapter(_))) => {
                    CreationMode::OnDemand { always: true }
                }
                (mode, _) => *mode,
            },
            ..output.clone()
        });
        AutoRoute {
            name: name.to_owned(),
            enabled: self.boolean(table, "enabled", true),
            settings: self.settings(table),
            topics: self.names(table, "topics", "deny"),
            types: self.names(table, "types", "deny_types"),
            input,
            outputs: outputs.collect(),
            renames: self.renames(table, "rename"),
        }
    }

    /// The participants that a key names.
    fn ends(&mut self, table: &Table<'_>, key: &str, all: &[Connection]) -> Vec<End> {
        let Some(item) = table.get(key) else {
            let problem = Problem::error(table.span, format!("{} has no {key}", table.what));
            let help = format!("add {key} = \"PARTICIPANT\"");
            self.problems.push(problem.help(help));
            return Vec::new();
        };
        let expected = "the name of a participant, or several in [..]";
        let texts = item.texts(expected, self.problems);
        if texts.as_ref().is_some_and(Vec::is_empty) {
            item.wrong(format!("{key} names no participant"), self.problems);
        }
        let mut ends: Vec<End> = Vec::new();
        for (name, span) in texts.unwrap_or_default() {
            match all.iter().position(|connection| connection.name == name) {
                Some(position) if ends.iter().any(|(other, _)| *other == position) => {
                    let message = format!("{key} names {} twice", quoted(name));
                    self.problems.push(Problem::error(span, message));
                }
                Some(position) => ends.push((position, span)),
                None => {
                    let names = || all.iter().map(|connection| &*connection.name);
                    let defined = names().collect::<Vec<_>>().join(", ");
                    let help = did_you_mean(name, names());
                    let help = help.unwrap_or_else(|| match all.is_empty() {
                        true => "none is defined".to_owned(),
                        false => format!("there are {defined}"),
                    });
                    self.undefined("participant", name, span, help);
                }
            }
        }
        ends
    }

    fn names(&mut self, table: &Table<'_>, allow: &str, deny: &str) -> Filter {
        let mut filter = Filter::default();
        if let Some(item) = table.get(allow) {
            filter.allow = self.patterns(&item);
        }
        if let Some(item) = table.get(deny) {
            filter.deny = self.patterns(&item);
        }
        filter
    }

    fn patterns(&mut self, item: &Item<'_>) -> Vec<Pattern> {
        let expected = "a pattern such as \"rt/*\", or several in [..]";
        let texts = item.texts(expected, self.problems);
        if texts.as_ref().is_some_and(Vec::is_empty) {
            item.wrong(
                format!("{} has no pattern", quoted(item.key)),
                self.problems,
            );
        }
        let texts = texts.unwrap_or_default();
        let parsed = texts.into_iter().map(|(text, span)| {
            let patterns = Pattern::parse_list(text);
            patterns.unwrap_or_else(|error| {
                self.problems.push(Problem::error(span, error.to_string()));
                Vec::new()
            })
        });
        parsed.flatten().collect()
    }

    /// Patterns and what takes the place of a name that fits, in the order of the file.
    fn renames(&mut self, table: &Table<'_>, key: &str) -> Vec<(Pattern, String)> {
        let item = table.get(key);
        let Some(table) = item.and_then(|item| item.table(self.problems)) else {
            return Vec::new();
        };
        let mut renames = Vec::new();
        for item in &table.items {
            let pattern = match Pattern::parse(item.key) {
                Ok(pattern) => pattern,
                Err(error) => {
                    let message = error.to_string();
                    self.problems.push(Problem::error(item.key_span, message));
                    continue;
                }
            };
            let Some(name) = item.as_text() else {
                item.wrong_kind("the new name in quotes", self.problems);
                continue;
            };
            if name.matches('*').count() > item.key.matches('*').count() {
                let message = format!("{} has more * than {}", quoted(name), quoted(item.key));
                item.wrong(message, self.problems);
                continue;
            }
            renames.push((pattern, name.to_owned()));
        }
        renames
    }

    fn modes(&mut self, table: &Table<'_>) -> (CreationMode, CreationMode) {
        let announces = [("always", true), ("on demand", false)];
        let always = self.choice(table, "announce", "way to announce", &announces);
        let always = always.unwrap_or(false);
        let demand = CreationMode::OnDemand { always };
        let Some(item) = table.get("creation_mode") else {
            return (demand, demand);
        };
        let both = values::CREATION_MODES;
        if !item.is_table() {
            let mode = self.choice(table, "creation_mode", "creation mode", &both);
            let mode = mode.unwrap_or(demand);
            return (mode, mode);
        }
        let Some(modes) = item.table(self.problems) else {
            return (demand, demand);
        };
        modes.allow(&["input", "output"], self.problems);
        let input = self.choice(&modes, "input", "creation mode", &both);
        let output = self.choice(&modes, "output", "creation mode", &both);
        (input.unwrap_or(demand), output.unwrap_or(demand))
    }

    fn filter(&mut self, table: &Table<'_>) -> Option<ContentFilter> {
        let item = table.get("filter")?;
        if !item.is_table() {
            let expression = item.text("an expression such as \"x > 5\"", self.problems)?;
            return Some(ContentFilter {
                expression: expression.to_owned(),
                parameters: Vec::new(),
            });
        }
        let table = item.table(self.problems)?;
        table.allow(&["expression", "parameters"], self.problems);
        let Some(expression) = table.get("expression") else {
            item.wrong("the filter has no expression", self.problems);
            return None;
        };
        let expected = "an expression such as \"x > %0\"";
        let expression = expression.text(expected, self.problems)?;
        let parameters = table.get("parameters");
        let parameters = parameters.and_then(|item| item.texts("parameters", self.problems));
        let parameters = parameters.unwrap_or_default();
        Some(ContentFilter {
            expression: expression.to_owned(),
            parameters: parameters.into_iter().map(|p| p.0.to_owned()).collect(),
        })
    }

    fn max_rate(&mut self, table: &Table<'_>) -> Option<f64> {
        let item = table.get("max_rate")?;
        let rate = match (item.as_text(), item.as_number()) {
            (Some(text), _) => values::rate(text),
            (None, Some(number)) => {
                let rate = values::checked_rate(number);
                rate.ok_or_else(|| "a rate is 0.001 to 1,000,000,000 samples a second".to_owned())
            }
            (None, None) => {
                item.wrong_kind("\"20/s per instance\"", self.problems);
                return None;
            }
        };
        rate.map_err(|message| item.wrong(message, self.problems))
            .ok()
    }

    /// The type that a map makes.
    fn output_type(&mut self, table: &Table<'_>) -> Option<String> {
        let item = table.get("output_type")?;
        let name = item.text("the name of a type", self.problems)?;
        if table.get("map").is_none() && !self.is_partial {
            let message = "output_type without a map: samples stay of the type that they have";
            self.problems.push(Problem::error(item.key_span, message));
        }
        Some(name.to_owned())
    }

    fn map(&mut self, table: &Table<'_>) -> Option<Plugin> {
        let table = table.get("map")?.table(self.problems)?;
        Some(Plugin {
            class: "map".to_owned(),
            properties: self.properties(&table),
        })
    }

    fn processor(&mut self, table: &Table<'_>) -> Option<Plugin> {
        let item = table.get("processor")?;
        if let Some(rate) = table.get("max_rate") {
            let message = "max_rate and a processor do not go together";
            self.problems.push(Problem::error(rate.key_span, message));
        }
        let known = crate::config::plugins::processors();
        let (text, span, properties) = if item.is_table() {
            let table = item.table(self.problems)?;
            table.allow(&["class", "properties"], self.problems);
            let Some(class) = table.get("class") else {
                item.wrong("the processor has no class", self.problems);
                return None;
            };
            let text = class.text("the name of a processor", self.problems)?;
            let properties = table.get("properties");
            let properties = properties.and_then(|item| item.table(self.problems));
            let properties = properties.map(|table| self.properties(&table));
            (text, class.span, properties.unwrap_or_default())
        } else {
            let text = item.text("the name of a processor", self.problems)?;
            (text, item.span, BTreeMap::new())
        };
        if !known.contains(&text) {
            let all = || format!("built in are {}", known.join(", "));
            let help = did_you_mean(text, known.iter().copied()).unwrap_or_else(all);
            self.undefined("processor", text, span, help);
            return None;
        }
        Some(Plugin {
            class: text.to_owned(),
            properties,
        })
    }

    fn properties(&mut self, table: &Table<'_>) -> BTreeMap<String, String> {
        let mut properties = BTreeMap::new();
        for item in &table.items {
            let value = match (item.as_text(), item.as_number(), item.as_boolean()) {
                (Some(text), ..) => text.to_owned(),
                (None, Some(number), _) => number.to_string(),
                (None, None, Some(is_true)) => is_true.to_string(),
                (None, None, None) => {
                    item.wrong_kind("a value in quotes", self.problems);
                    continue;
                }
            };
            properties.insert(item.key.to_owned(), value);
        }
        properties
    }

    fn settings(&mut self, table: &Table<'_>) -> RouteSettings {
        let base = RouteSettings::toml();
        RouteSettings {
            route_types: self.boolean(table, "route_types", base.route_types),
            original_info: self.boolean(table, "original_info", base.original_info),
            original_timestamp: self.boolean(table, "original_timestamp", base.original_timestamp),
            propagate_dispose: self.boolean(table, "propagate_dispose", base.propagate_dispose),
            propagate_unregister: self.boolean(
                table,
                "propagate_unregister",
                base.propagate_unregister,
            ),
            filter_propagation: self.filter_propagation(table),
            processor: self.processor(table),
            period: self.duration(table, "period"),
            linger: self.duration(table, "linger").unwrap_or(base.linger),
            backlog: self.backlog(table),
            stall_timeout: self
                .duration(table, "stall_timeout")
                .unwrap_or(base.stall_timeout),
            unregister_delay: self
                .duration(table, "unregister_delay")
                .unwrap_or(base.unregister_delay),
            reassert: self.boolean(table, "reassert", base.reassert),
        }
    }

    /// `true`, or a table of its terms.
    fn filter_propagation(&mut self, table: &Table<'_>) -> Option<FilterPropagation> {
        let item = table.get("filter_propagation")?;
        let mut propagation = FilterPropagation::default();
        if !item.is_table() {
            let enabled = self.boolean(table, "filter_propagation", false);
            return enabled.then_some(propagation);
        }
        let table = item.table(self.problems)?;
        table.allow(&["max_event_count", "max_event_delay"], self.problems);
        if let Some(count) = self.count(&table, "max_event_count", i64::from(u32::MAX)) {
            propagation.max_event_count = count as u32;
        }
        if let Some(delay) = self.duration(&table, "max_event_delay") {
            propagation.max_event_delay = delay;
        }
        Some(propagation)
    }

    fn backlog(&mut self, table: &Table<'_>) -> Backlog {
        let mut backlog = Backlog::default();
        let item = table.get("backlog");
        let Some(table) = item.and_then(|item| item.table(self.problems)) else {
            return backlog;
        };
        table.allow(&["samples", "bytes"], self.problems);
        if let Some(samples) = self.count(&table, "samples", 1 << 20) {
            backlog.samples = samples;
        }
        if let Some(bytes) = self.bytes(&table, "bytes") {
            backlog.bytes = bytes;
        }
        backlog
    }
}
