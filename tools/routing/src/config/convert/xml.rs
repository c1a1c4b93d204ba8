//! A plan as XML.
use super::Converted;
use super::policies::{self, Policy, duration_tag};
use crate::config::values::CREATION_MODES;
use crate::plan::{
    AutoRoute, Connection, ConnectionKind, ContentFilter, CreationMode, DomainRoute, EndpointQos,
    Filter, Input, Limits, Output, ParticipantPlan, Pattern, Plan, Plugin, Route, RouteSettings,
    Session, Writers,
};
use dunlin::{DomainParticipantQos, Partition, Transports};
use std::fmt::Write;

/// An element to be written.
#[derive(Clone, Debug)]
pub(super) struct Tag {
    name: String,
    attributes: Vec<(&'static str, String)>,
    text: Option<String>,
    children: Vec<Tag>,
    /// What cannot be said of it.
    comments: Vec<String>,
}

impl Tag {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            attributes: Vec::new(),
            text: None,
            children: Vec::new(),
            comments: Vec::new(),
        }
    }

    pub(super) fn text(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::new(name)
        }
    }

    pub(super) fn with(mut self, child: Self) -> Self {
        self.children.push(child);
        self
    }

    fn attribute(mut self, name: &'static str, value: &str) -> Self {
        self.attributes.push((name, value.to_owned()));
        self
    }

    fn push(&mut self, child: Self) {
        self.children.push(child);
    }

    /// A child with text, unless the value is the default.
    fn unless<T: PartialEq + ToString>(&mut self, name: &str, value: T, default: T) {
        if value != default {
            self.push(Self::text(name, value.to_string()));
        }
    }

    fn render(&self, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let _ = write!(out, "{indent}<{}", self.name);
        for (name, value) in &self.attributes {
            let _ = write!(out, " {name}=\"{}\"", escaped(value));
        }
        if let Some(text) = &self.text {
            let _ = writeln!(out, ">{}</{}>", escaped(text), self.name);
            return;
        }
        if self.children.is_empty() && self.comments.is_empty() {
            out.push_str("/>\n");
            return;
        }
        out.push_str(">\n");
        for comment in &self.comments {
            // `--` would end a comment.
            let comment = comment.replace("--", "- -");
            let _ = writeln!(out, "{indent}  <!-- {comment} -->");
        }
        for child in &self.children {
            child.render(depth + 1, out);
        }
        let _ = writeln!(out, "{indent}</{}>", self.name);
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// What an adapter reaches.
fn adapter(name: &str, plugin: &Plugin) -> Tag {
    let mut tag = Tag::new("connection")
        .attribute("name", name)
        .attribute("plugin_name", &plugin.class);
    let mut value = Tag::new("value");
    for (name, text) in &plugin.properties {
        let name = Tag::text("name", name);
        let element = Tag::new("element").with(name);
        value.push(element.with(Tag::text("value", text)));
    }
    if !value.children.is_empty() {
        tag.push(Tag::new("property").with(value));
    }
    tag
}

/// Writes a plan.
pub(super) fn write(plan: &Plan) -> Converted {
    let mut writer = Writer { lost: Vec::new() };
    let service = writer.service(plan);
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    Tag::new("dds").with(service).render(0, &mut text);
    Converted {
        text,
        lost: writer.lost,
    }
}

struct Writer {
    lost: Vec<String>,
}

impl Writer {
    /// Something of `tag` has no counterpart.
    fn lose(&mut self, tag: &mut Tag, what: String) {
        let name = tag.attributes.iter().find(|(name, _)| *name == "name");
        let name = name.map_or("", |(_, name)| name);
        self.lost.push(format!("{} {name}: {what}", tag.name));
        tag.comments.push(format!("no counterpart: {what}"));
    }

    fn service(&mut self, plan: &Plan) -> Tag {
        let mut tag = Tag::new("routing_service").attribute("name", &plan.name);
        if !plan.group.is_empty() {
            tag = tag.attribute("group_name", &plan.group);
        }
        if !plan.enabled {
            tag = tag.attribute("enabled", "false");
        }
        for file in plan.types.files() {
            self.lose(&mut tag, format!("types of {file}"));
        }
        if plan.limits != Limits::default() {
            self.lose(&mut tag, "limits".to_owned());
        }
        if let Some(administration) = &plan.administration {
            let domain = administration.domain.to_string();
            let mut inside = Tag::new("administration").with(Tag::text("domain_id", domain));
            if administration.allows_changes {
                inside.push(Tag::text("allow_changes", "true".to_owned()));
            }
            self.participant(&mut inside, &administration.participant);
            tag.push(inside);
        }
        if let Some(monitoring) = &plan.monitoring {
            let domain = Tag::text("domain_id", monitoring.domain.to_string());
            let publication =
                duration_tag("status_publication_period", monitoring.publication_period);
            let sampling = duration_tag("statistics_sampling_period", monitoring.sampling_period);
            let inside = Tag::new("monitoring").with(domain);
            let mut inside = inside.with(publication).with(sampling);
            self.participant(&mut inside, &monitoring.participant);
            tag.push(inside);
        }
        for route in &plan.domain_routes {
            let route = self.domain_route(route);
            tag.push(route);
        }
        tag
    }

    fn domain_route(&mut self, route: &DomainRoute) -> Tag {
        let mut tag = named("domain_route", &route.name, route.enabled);
        for connection in &route.connections {
            let connection = self.connection(connection);
            tag.push(connection);
        }
        for session in &route.sessions {
            let session = self.session(session, &route.connections);
            tag.push(session);
        }
        tag
    }

    fn connection(&mut self, connection: &Connection) -> Tag {
        let participant = match &connection.kind {
            ConnectionKind::Participant(participant) => participant,
            ConnectionKind::Adapter(plugin) => return adapter(&connection.name, plugin),
        };
        let mut tag = Tag::new("participant").attribute("name", &connection.name);
        tag.push(Tag::text("domain_id", participant.domain.to_string()));
        self.participant(&mut tag, participant);
        tag
    }

    /// What an element says of its participant, but for the domain.
    fn participant(&mut self, tag: &mut Tag, participant: &ParticipantPlan) {
        let mut qos = Tag::new("domain_participant_qos");
        qos.children.extend(
            self.participant_qos(&participant.qos)
                .into_iter()
                .flat_map(|qos| qos.children),
        );
        if let Some(transports) = participant.transports {
            let names = transport_names(transports);
            if !names.is_empty() {
                let mask = Tag::text("mask", names);
                qos.push(Tag::new("transport_builtin").with(mask));
            }
            if transports.tcp {
                self.lose(tag, "transport tcp".to_owned());
            }
        }
        if !participant.peers.is_empty() {
            let peers = list("initial_peers", &participant.peers);
            qos.push(Tag::new("discovery").with(peers));
        }
        if !qos.children.is_empty() {
            tag.push(qos);
        }
        if !participant.interfaces.is_empty() {
            let interfaces = participant.interfaces.join(", ");
            self.lose(tag, format!("interfaces {interfaces}"));
        }
        if participant.peers.is_empty() && participant.multicast == Some(false) {
            self.lose(tag, "multicast = false".to_owned());
        }
        if let Some(tcp) = &participant.tcp {
            self.lose(tag, format!("tcp, port {}", tcp.port));
        }
        if let Some(waiting) = participant.waiting {
            self.lose(tag, format!("waiting: {}", waiting.text()));
        }
    }

    fn participant_qos(&mut self, qos: &DomainParticipantQos) -> Option<Tag> {
        let mut tag = Tag::new("domain_participant_qos");
        if !qos.entity_name.is_empty() {
            let name = Tag::text("name", &*qos.entity_name);
            tag.push(Tag::new("participant_name").with(name));
        }
        let mut value = Tag::new("value");
        for property in qos.property.propagated() {
            value.push(
                Tag::new("element")
                    .with(Tag::text("name", &*property.name))
                    .with(Tag::text("value", &*property.value))
                    .with(Tag::text("propagate", "true")),
            );
        }
        if !value.children.is_empty() {
            tag.push(Tag::new("property").with(value));
        }
        (!tag.children.is_empty()).then_some(tag)
    }

    fn session(&mut self, session: &Session, connections: &[Connection]) -> Tag {
        let mut tag = named("session", &session.name, session.enabled);
        let threads = &session.threads;
        if threads.size != 1 || !threads.processors.is_empty() {
            let mut pool =
                Tag::new("thread_pool").with(Tag::text("size", threads.size.to_string()));
            if !threads.processors.is_empty() {
                let processors = threads.processors.iter().map(usize::to_string);
                pool.push(list("cpu_list", &processors.collect::<Vec<_>>()));
            }
            tag.push(pool);
        }
        for (name, partition) in [
            ("publisher_qos", &session.publisher.partition),
            ("subscriber_qos", &session.subscriber.partition),
        ] {
            tag.children.extend(partition_tag(name, partition));
        }
        if let Some(period) = session.period {
            tag.push(duration_tag("periodic_action", period));
        }
        for route in &session.routes {
            let route = self.route(route, connections);
            tag.push(route);
        }
        for route in &session.auto_routes {
            let route = self.auto_route(route, connections);
            tag.push(route);
        }
        tag
    }

    fn route(&mut self, route: &Route, connections: &[Connection]) -> Tag {
        let mut tag = named("topic_route", &route.name, route.enabled);
        self.settings(&mut tag, &route.settings);
        for input in &route.inputs {
            let input = self.input(input, connections, None);
            tag.push(input);
        }
        for output in &route.outputs {
            let output = self.output(output, connections);
            tag.push(output);
        }
        tag
    }

    fn auto_route(&mut self, route: &AutoRoute, connections: &[Connection]) -> Tag {
        let mut tag = named("auto_topic_route", &route.name, route.enabled);
        self.settings(&mut tag, &route.settings);
        let filters = Some((&route.topics, &route.types));
        let input = self.input(&route.input, connections, filters);
        tag.push(input);
        for output in &route.outputs {
            let output = self.output(output, connections);
            tag.push(output);
        }
        for (pattern, name) in &route.renames {
            self.lose(&mut tag, format!("rename {} to {name}", pattern.text()));
        }
        tag
    }

    fn settings(&mut self, tag: &mut Tag, settings: &RouteSettings) {
        let base = RouteSettings::xml();
        tag.unless("route_types", settings.route_types, base.route_types);
        tag.unless(
            "publish_with_original_info",
            settings.original_info,
            base.original_info,
        );
        tag.unless(
            "publish_with_original_timestamp",
            settings.original_timestamp,
            base.original_timestamp,
        );
        tag.unless(
            "propagate_dispose",
            settings.propagate_dispose,
            base.propagate_dispose,
        );
        tag.unless(
            "propagate_unregister",
            settings.propagate_unregister,
            base.propagate_unregister,
        );
        if let Some(propagation) = settings.filter_propagation {
            let count = propagation.max_event_count.to_string();
            tag.push(
                Tag::new("filter_propagation")
                    .with(Tag::text("enabled", "true"))
                    .with(Tag::text("max_event_count", count))
                    .with(duration_tag("max_event_delay", propagation.max_event_delay)),
            );
        }
        if let Some(processor) = &settings.processor {
            tag.push(plugin("processor", processor));
        }
        if let Some(period) = settings.period {
            tag.push(duration_tag("periodic_action", period));
        }
        for (is_lost, what) in [
            (settings.linger != base.linger, "linger"),
            (settings.backlog != base.backlog, "backlog"),
            (
                settings.stall_timeout != base.stall_timeout,
                "stall_timeout",
            ),
            (
                settings.unregister_delay != base.unregister_delay,
                "unregister_delay",
            ),
            (settings.reassert != base.reassert, "reassert"),
        ] {
            if is_lost {
                self.lose(tag, what.to_owned());
            }
        }
    }

    fn input(
        &mut self,
        input: &Input,
        connections: &[Connection],
        filters: Option<(&Filter, &Filter)>,
    ) -> Tag {
        let mut tag = end("input", &input.name, input.connection, connections);
        if let Some((topics, types)) = filters {
            filter_tags(&mut tag, "topic_name_filter", topics);
            filter_tags(&mut tag, "registered_type_name_filter", types);
        }
        topic(&mut tag, &input.topic, input.type_name.as_deref());
        self.mode(&mut tag, input.mode);
        match &input.qos {
            EndpointQos::AsSource => self.lose(&mut tag, "QoS as the sources'".to_owned()),
            EndpointQos::Explicit(qos) => {
                let (policies, more) = policies::of_reader(qos);
                self.qos(&mut tag, "datareader_qos", policies, more);
            }
        }
        if let Some(filter) = &input.filter {
            tag.push(content_filter(filter));
        }
        if let Some(rate) = input.max_rate {
            self.lose(&mut tag, format!("max_rate = {rate}"));
        }
        tag
    }

    fn output(&mut self, output: &Output, connections: &[Connection]) -> Tag {
        let mut tag = end("output", &output.name, output.connection, connections);
        match (&output.type_name, output.topic.is_empty()) {
            // Auto routes have no types of their own.
            (Some(name), true) => self.lose(&mut tag, format!("output_type {name}")),
            (name, _) => topic(&mut tag, &output.topic, name.as_deref()),
        }
        self.mode(&mut tag, output.mode);
        match &output.qos {
            EndpointQos::AsSource => self.lose(&mut tag, "QoS as the sources'".to_owned()),
            EndpointQos::Explicit(qos) => {
                let (policies, more) = policies::of_writer(qos);
                self.qos(&mut tag, "datawriter_qos", policies, more);
            }
        }
        if let Some(transformation) = &output.transformation {
            tag.push(plugin("transformation", transformation));
        }
        match output.writers {
            Writers::One => {}
            Writers::Group => self.lose(&mut tag, "a writer for each group of sources".to_owned()),
            Writers::Mirror => self.lose(&mut tag, "a writer for each source".to_owned()),
        }
        if let Some(representation) = output.representation {
            self.lose(&mut tag, format!("representation {representation:?}"));
        }
        for (pattern, name) in &output.partitions {
            let what = format!("partition {} becomes {name}", pattern.text());
            self.lose(&mut tag, what);
        }
        tag
    }

    fn mode(&mut self, tag: &mut Tag, mode: CreationMode) {
        if let CreationMode::OnDemand { .. } = mode {
            // On demand is nearest to it: an endpoint while somebody is there.
            tag.push(Tag::text("creation_mode", "ON_DOMAIN_MATCH"));
            return self.lose(tag, "created on demand".to_owned());
        }
        let named = CREATION_MODES.iter().find(|(_, other)| *other == mode);
        if let Some((name, _)) = named.filter(|_| mode != CreationMode::Immediate) {
            tag.push(Tag::text("creation_mode", *name));
        }
    }

    fn qos(&mut self, tag: &mut Tag, name: &str, policies: Vec<Policy>, more: bool) {
        if more {
            self.lose(tag, format!("further policies of {name}"));
        }
        if !policies.is_empty() {
            let mut qos = Tag::new(name);
            qos.children
                .extend(policies.into_iter().map(|policy| policy.xml));
            tag.push(qos);
        }
    }
}

fn named(tag: &str, name: &str, is_enabled: bool) -> Tag {
    let tag = Tag::new(tag).attribute("name", name);
    match is_enabled {
        true => tag,
        false => tag.attribute("enabled", "false"),
    }
}

fn end(tag: &str, name: &str, connection: usize, connections: &[Connection]) -> Tag {
    let participant = connections.get(connection).map_or("", |found| &found.name);
    let tag = Tag::new(tag).attribute("name", name);
    tag.attribute("participant", participant)
}

fn topic(tag: &mut Tag, topic: &str, type_name: Option<&str>) {
    if !topic.is_empty() {
        tag.push(Tag::text("topic_name", topic));
    }
    if let Some(type_name) = type_name {
        tag.push(Tag::text("registered_type_name", type_name));
    }
}

fn filter_tags(tag: &mut Tag, name: &str, filter: &Filter) {
    let text = |patterns: &[Pattern]| {
        let texts: Vec<_> = patterns.iter().map(Pattern::text).collect();
        texts.join(",")
    };
    if filter.allow != Filter::default().allow {
        tag.push(Tag::text(format!("allow_{name}"), text(&filter.allow)));
    }
    if !filter.deny.is_empty() {
        tag.push(Tag::text(format!("deny_{name}"), text(&filter.deny)));
    }
}

fn content_filter(filter: &ContentFilter) -> Tag {
    let tag = Tag::new("content_filter").with(Tag::text("expression", &*filter.expression));
    match filter.parameters.is_empty() {
        true => tag,
        false => tag.with(list("expression_parameters", &filter.parameters)),
    }
}

fn plugin(tag: &str, plugin: &Plugin) -> Tag {
    let tag = Tag::new(tag).attribute("plugin_name", &plugin.class);
    let mut value = Tag::new("value");
    for (name, text) in &plugin.properties {
        let element = Tag::new("element").with(Tag::text("name", &**name));
        value.push(element.with(Tag::text("value", &**text)));
    }
    match value.children.is_empty() {
        true => tag,
        false => tag.with(Tag::new("property").with(value)),
    }
}

fn partition_tag(name: &str, partition: &Partition) -> Option<Tag> {
    let names = list("name", &partition.0);
    let tag = Tag::new(name).with(Tag::new("partition").with(names));
    (!partition.0.is_empty()).then_some(tag)
}

fn list(name: &str, elements: &[String]) -> Tag {
    let mut tag = Tag::new(name);
    for element in elements {
        tag.push(Tag::text("element", &**element));
    }
    tag
}

fn transport_names(transports: Transports) -> String {
    let all = [(transports.udp, "UDPv4"), (transports.shmem, "SHMEM")];
    let names = all.into_iter().filter(|(is_used, _)| *is_used);
    let names: Vec<_> = names.map(|(_, name)| name).collect();
    names.join("|")
}
