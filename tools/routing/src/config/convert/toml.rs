//! A plan in the short form.
use super::policies::{self, Policy};
use super::{Converted, time};
use crate::adapter;
use crate::config::values::CREATION_MODES;
use crate::plan::{
    AutoRoute, Connection, ConnectionKind, CreationMode, EndpointQos, Filter, FilterPropagation,
    Input, Limits, Output, ParticipantPlan, Pattern, Plan, Plugin, Route, RouteSettings, Session,
    Writers,
};
use dunlin::{DataRepresentation, Transports};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Writes a plan.
pub(super) fn write(plan: &Plan) -> Converted {
    let mut writer = Writer {
        text: String::new(),
        lost: Vec::new(),
    };
    writer.service(plan);
    Converted {
        text: writer.text,
        lost: writer.lost,
    }
}

struct Writer {
    text: String,
    lost: Vec<String>,
}

/// A text in quotes.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            character if character.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(character));
            }
            character => out.push(character),
        }
    }
    out.push('"');
    out
}

/// A key, in quotes if it needs them.
fn key(text: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !text.is_empty() && text.chars().all(bare) {
        true => text.to_owned(),
        false => quoted(text),
    }
}

fn array<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts: Vec<_> = texts.into_iter().map(quoted).collect();
    format!("[{}]", texts.join(", "))
}

fn patterns(patterns: &[Pattern]) -> String {
    array(patterns.iter().map(Pattern::text))
}

impl Writer {
    fn line(&mut self, key: &str, value: impl AsRef<str>) {
        let _ = writeln!(self.text, "{key} = {}", value.as_ref());
    }

    /// Something has no counterpart.
    fn lose(&mut self, what: String) {
        let _ = writeln!(self.text, "# no counterpart: {}", what.replace('\n', " "));
        self.lost.push(what);
    }

    fn service(&mut self, plan: &Plan) {
        self.line("name", quoted(&plan.name));
        if plan.group != plan.name {
            self.line("group", quoted(&plan.group));
        }
        if !plan.enabled {
            self.line("enabled", "false");
        }
        let mut files = plan.types.files();
        if files.remove("<types>") {
            self.lose("<types>: write them as IDL, and name the file in idl_files".to_owned());
        }
        if !files.is_empty() {
            self.line("idl_files", array(files));
        }
        self.waiting(plan);
        let sessions: Vec<_> = plan
            .domain_routes
            .iter()
            .flat_map(|route| {
                route
                    .sessions
                    .iter()
                    .map(|session| (session, &*route.connections))
            })
            .collect();
        if sessions.len() > 1 {
            let count = sessions.len();
            self.lose(format!("{count} sessions: their routes are put together"));
        }
        if let Some((session, _)) = sessions.first() {
            self.threads(session);
        }
        self.service_tables(plan);
        let several = plan.domain_routes.len() > 1;
        for route in &plan.domain_routes {
            for connection in &route.connections {
                self.participant(connection, &prefix(several, &route.name));
            }
        }
        for route in &plan.domain_routes {
            let prefix = prefix(several, &route.name);
            for session in &route.sessions {
                self.session(session, &route.connections, &prefix);
            }
        }
    }

    fn waiting(&mut self, plan: &Plan) {
        let connections = plan
            .domain_routes
            .iter()
            .flat_map(|route| &route.connections);
        let waiting = connections.filter_map(|connection| connection.kind.participant()?.waiting);
        if let Some(waiting) = { waiting }.next() {
            self.line("waiting", quoted(&waiting.text()));
        }
    }

    fn threads(&mut self, session: &Session) {
        if session.threads.size != 1 {
            self.line("threads", session.threads.size.to_string());
        }
        if !session.threads.processors.is_empty() {
            let processors = session.threads.processors.iter().map(usize::to_string);
            let processors: Vec<_> = processors.collect();
            self.line("cpu", array(processors.iter().map(String::as_str)));
        }
    }

    fn service_tables(&mut self, plan: &Plan) {
        let (limits, default) = (plan.limits, Limits::default());
        if limits != default {
            let Limits {
                routes,
                endpoints,
                payload_bytes,
                endpoints_per_second,
            } = limits;
            self.line(
                "limits",
                format!(
                    "{{ routes = {routes}, endpoints = {endpoints}, payload_bytes = {payload_bytes}, \
                     endpoints_per_second = {endpoints_per_second} }}"
                ),
            );
        }
        let own = plan.administration.iter().map(|one| &one.participant);
        let own = own.chain(plan.monitoring.iter().map(|one| &one.participant));
        if own
            .into_iter()
            .any(|one| **one != ParticipantPlan::default())
        {
            self.lose("participants of administration and monitoring".to_owned());
        }
        if let Some(administration) = &plan.administration {
            let changes = match administration.allows_changes {
                true => ", allow_changes = true",
                false => "",
            };
            let domain = administration.domain;
            self.line(
                "administration",
                format!("{{ domain = {domain}{changes} }}"),
            );
        }
        if let Some(monitoring) = &plan.monitoring {
            let domain = monitoring.domain;
            let publication = time(monitoring.publication_period);
            let sampling = time(monitoring.sampling_period);
            self.line(
                "monitoring",
                format!(
                    "{{ domain = {domain}, publication_period = \"{publication}\", \
                     sampling_period = \"{sampling}\" }}"
                ),
            );
        }
    }

    fn participant(&mut self, connection: &Connection, prefix: &str) {
        let name = format!("{prefix}{}", connection.name);
        let _ = write!(self.text, "\n[participants.{}]\n", key(&name));
        let participant = match &connection.kind {
            ConnectionKind::Participant(participant) => participant,
            ConnectionKind::Adapter(plugin) => return self.adapter(plugin),
        };
        self.line("domain", participant.domain.to_string());
        if !participant.qos.entity_name.is_empty() {
            self.line("name", quoted(&participant.qos.entity_name));
        }
        if let Some(transports) = participant.transports {
            self.line("transports", quoted(&transport_names(transports)));
        }
        for (name, list) in [
            ("interfaces", &participant.interfaces),
            ("peers", &participant.peers),
        ] {
            if !list.is_empty() {
                self.line(name, array(list.iter().map(String::as_str)));
            }
        }
        if let Some(multicast) = participant.multicast {
            self.line("multicast", multicast.to_string());
        }
        if let Some(tcp) = &participant.tcp {
            self.line("tcp.port", tcp.port.to_string());
            if let Some(public) = tcp.public {
                self.line("tcp.public_address", quoted(&public.to_string()));
            }
            if let Some(tls) = &tcp.tls {
                for (name, file) in [
                    ("tcp.tls.ca", &tls.authorities),
                    ("tcp.tls.certificate", &tls.certificates),
                    ("tcp.tls.key", &tls.key),
                ] {
                    self.line(name, quoted(&file.display().to_string()));
                }
            }
        }
        let properties: Vec<_> = participant.qos.property.propagated().collect();
        for property in properties {
            let name = format!("properties.{}", key(&property.name));
            self.line(&name, quoted(&property.value));
        }
    }

    /// What an adapter reaches.
    fn adapter(&mut self, plugin: &Plugin) {
        match plugin.class == adapter::ZENOH {
            true => self.line("zenoh", table(&plugin.properties)),
            false => self.lose(format!("adapter {}", plugin.class)),
        }
    }

    fn session(&mut self, session: &Session, connections: &[Connection], prefix: &str) {
        for (what, partition) in [
            ("publisher", &session.publisher.partition),
            ("subscriber", &session.subscriber.partition),
        ] {
            if !partition.0.is_empty() {
                let names = partition.0.join(", ");
                self.lose(format!("partitions of the {what}: {names}"));
            }
        }
        for route in &session.routes {
            self.route(route, connections, prefix);
        }
        for route in &session.auto_routes {
            self.auto_route(route, connections, prefix);
        }
    }

    /// An auto route for the one topic of a route.
    fn route(&mut self, route: &Route, connections: &[Connection], prefix: &str) {
        for (index, input) in route.inputs.iter().enumerate() {
            let name = match index {
                0 => route.name.clone(),
                _ => format!("{}-{}", route.name, input.name),
            };
            self.begin(
                &name,
                route.enabled,
                input,
                &route.outputs,
                connections,
                prefix,
            );
            self.line("topics", array([&*input.topic]));
            if let Some(type_name) = &input.type_name {
                self.line("types", array([&**type_name]));
            }
            let renamed = route
                .outputs
                .iter()
                .find(|output| output.topic != input.topic);
            if let Some(output) = renamed {
                let rename = format!("{{ {} = {} }}", key(&input.topic), quoted(&output.topic));
                self.line("rename", rename);
                if route
                    .outputs
                    .iter()
                    .any(|other| other.topic != output.topic)
                {
                    self.lose("outputs with different topics: the first name counts".to_owned());
                }
            }
            self.rest(&route.settings, input, &route.outputs);
        }
    }

    fn auto_route(&mut self, route: &AutoRoute, connections: &[Connection], prefix: &str) {
        let (input, outputs) = (&route.input, &route.outputs);
        self.begin(
            &route.name,
            route.enabled,
            input,
            outputs,
            connections,
            prefix,
        );
        self.line("topics", patterns(&route.topics.allow));
        if !route.topics.deny.is_empty() {
            self.line("deny", patterns(&route.topics.deny));
        }
        if route.types.allow != Filter::default().allow {
            self.line("types", patterns(&route.types.allow));
        }
        if !route.types.deny.is_empty() {
            self.line("deny_types", patterns(&route.types.deny));
        }
        self.renames("rename", &route.renames);
        self.rest(&route.settings, input, outputs);
    }

    fn begin(
        &mut self,
        name: &str,
        is_enabled: bool,
        input: &Input,
        outputs: &[Output],
        connections: &[Connection],
        prefix: &str,
    ) {
        let participant = |connection: usize| {
            let name = connections.get(connection).map_or("", |found| &found.name);
            format!("{prefix}{name}")
        };
        self.text.push_str("\n[[routes]]\n");
        self.line("name", quoted(name));
        if !is_enabled {
            self.line("enabled", "false");
        }
        self.line("from", quoted(&participant(input.connection)));
        let mut to: Vec<String> = Vec::new();
        for output in outputs {
            let name = participant(output.connection);
            match to.contains(&name) {
                true => self.lose(format!("a second output to {name}")),
                false => to.push(name),
            }
        }
        self.line("to", array(to.iter().map(String::as_str)));
    }

    /// What follows the topics of a route.
    fn rest(&mut self, settings: &RouteSettings, input: &Input, outputs: &[Output]) {
        self.settings(settings);
        let output = outputs.first();
        self.modes(input.mode, output.map_or(input.mode, |output| output.mode));
        if let EndpointQos::Explicit(qos) = &input.qos {
            let (policies, more) = policies::of_reader(qos);
            self.qos("qos.reader", &policies, more);
        }
        if let Some(rate) = input.max_rate {
            self.line("max_rate", quoted(&format!("{rate}/s per instance")));
        }
        if let Some(filter) = &input.filter {
            let parameters = array(filter.parameters.iter().map(String::as_str));
            let expression = quoted(&filter.expression);
            let table = format!("{{ expression = {expression}, parameters = {parameters} }}");
            self.line("filter", table);
        }
        let Some(output) = output else { return };
        if let EndpointQos::Explicit(qos) = &output.qos {
            let (policies, more) = policies::of_writer(qos);
            self.qos("qos.writer", &policies, more);
        }
        match output.writers {
            Writers::One => self.line("writers", quoted("one")),
            Writers::Mirror => self.line("writers", quoted("mirror")),
            Writers::Group => {}
        }
        if let Some(transformation) = &output.transformation {
            match &*transformation.class {
                "map" => self.line("map", table(&transformation.properties)),
                class => self.lose(format!("transformation {class}")),
            }
            // With another one the type would not be understood.
            let other = output.type_name.as_ref();
            let other = other.filter(|_| transformation.class == "map");
            if let Some(name) = other.filter(|name| input.type_name.as_ref() != Some(name)) {
                self.line("output_type", quoted(name));
            }
        }
        match output.representation {
            Some(DataRepresentation::Xcdr1) => self.line("representation", quoted("xcdr1")),
            Some(DataRepresentation::Xcdr2) => self.line("representation", quoted("xcdr2")),
            _ => {}
        }
        self.renames("partitions", &output.partitions);
        if outputs
            .iter()
            .any(|other| other.qos != output.qos || other.mode != output.mode)
        {
            self.lose("outputs that differ: the first one counts".to_owned());
        }
    }

    fn settings(&mut self, settings: &RouteSettings) {
        let base = RouteSettings::toml();
        for (name, value, default) in [
            ("route_types", settings.route_types, base.route_types),
            ("original_info", settings.original_info, base.original_info),
            (
                "original_timestamp",
                settings.original_timestamp,
                base.original_timestamp,
            ),
            (
                "propagate_dispose",
                settings.propagate_dispose,
                base.propagate_dispose,
            ),
            (
                "propagate_unregister",
                settings.propagate_unregister,
                base.propagate_unregister,
            ),
            ("reassert", settings.reassert, base.reassert),
        ] {
            if value != default {
                self.line(name, value.to_string());
            }
        }
        for (name, value, default) in [
            ("linger", settings.linger, base.linger),
            ("stall_timeout", settings.stall_timeout, base.stall_timeout),
            (
                "unregister_delay",
                settings.unregister_delay,
                base.unregister_delay,
            ),
        ] {
            if value != default {
                self.line(name, quoted(&time(value)));
            }
        }
        if settings.backlog != base.backlog {
            let backlog = settings.backlog;
            let (samples, bytes) = (backlog.samples, backlog.bytes);
            self.line(
                "backlog",
                format!("{{ samples = {samples}, bytes = {bytes} }}"),
            );
        }
        if let Some(processor) = &settings.processor {
            self.processor(processor);
        }
        if let Some(period) = settings.period {
            self.line("period", quoted(&time(period)));
        }
        if let Some(propagation) = settings.filter_propagation {
            let count = propagation.max_event_count;
            let delay = quoted(&time(propagation.max_event_delay));
            let terms = format!("{{ max_event_count = {count}, max_event_delay = {delay} }}");
            let is_usual = propagation == FilterPropagation::default();
            let value = if is_usual { "true".to_owned() } else { terms };
            self.line("filter_propagation", value);
        }
    }

    fn processor(&mut self, processor: &Plugin) {
        let class = quoted(&processor.class);
        match processor.properties.is_empty() {
            true => self.line("processor", class),
            false => {
                let properties = table(&processor.properties);
                let text = format!("{{ class = {class}, properties = {properties} }}");
                self.line("processor", text);
            }
        }
    }

    fn modes(&mut self, input: CreationMode, output: CreationMode) {
        let name = |mode| {
            let named = CREATION_MODES.iter().find(|(_, other)| *other == mode);
            named.map(|(name, _)| *name)
        };
        if let CreationMode::OnDemand { always: true } = input {
            self.line("announce", quoted("always"));
        }
        match (name(input), name(output)) {
            (Some(input), Some(output)) if input == output => {
                self.line("creation_mode", quoted(input));
            }
            (None, None) => {}
            (input, output) => {
                let inside = [("input", input), ("output", output)];
                let inside = inside
                    .into_iter()
                    .filter_map(|(end, name)| Some(format!("{end} = {}", quoted(name?))));
                let inside: Vec<_> = inside.collect();
                self.line("creation_mode", format!("{{ {} }}", inside.join(", ")));
            }
        }
    }

    fn qos(&mut self, name: &str, policies: &[Policy], more: bool) {
        let inside: Vec<_> = policies.iter().map(|policy| &*policy.toml).collect();
        match inside.is_empty() {
            true => self.line(name, "{}"),
            false => self.line(name, format!("{{ {} }}", inside.join(", "))),
        }
        if more {
            self.lose(format!("further policies of {name}"));
        }
    }

    fn renames(&mut self, name: &str, renames: &[(Pattern, String)]) {
        if renames.is_empty() {
            return;
        }
        let pairs = renames.iter();
        let pairs = pairs.map(|(from, to)| format!("{} = {}", key(from.text()), quoted(to)));
        let pairs: Vec<_> = pairs.collect();
        self.line(name, format!("{{ {} }}", pairs.join(", ")));
    }
}

/// In front of the names of participants, if there are several domain routes.
fn prefix(several: bool, domain_route: &str) -> String {
    match several {
        true => format!("{domain_route}-"),
        false => String::new(),
    }
}

fn table(properties: &BTreeMap<String, String>) -> String {
    let pairs = properties.iter();
    let pairs = pairs.map(|(name, value)| format!("{} = {}", key(name), quoted(value)));
    let pairs: Vec<_> = pairs.collect();
    match pairs.is_empty() {
        true => "{}".to_owned(),
        false => format!("{{ {} }}", pairs.join(", ")),
    }
}

fn transport_names(transports: Transports) -> String {
    let all = [
        (transports.udp, "udp"),
        (transports.shmem, "shmem"),
        (transports.tcp, "tcp"),
        (transports.local, "local"),
    ];
    let names = all.into_iter().filter(|(is_used, _)| *is_used);
    let names: Vec<_> = names.map(|(_, name)| name).collect();
    names.join(",")
}
