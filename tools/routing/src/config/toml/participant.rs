//! `[participants.NAME]`.
use super::table::{Item, Table};
use super::{Reader, path};
use crate::adapter;
use crate::plan::{Connection, ConnectionKind, ParticipantPlan, Plugin, Waiting};
use dunlin::transport::TlsConfig;
use dunlin::{TcpSettings, Transports};
use dunlin_document::Problem;
use std::collections::BTreeMap;

const PARTICIPANT: [&str; 9] = [
    "domain",
    "name",
    "transports",
    "interfaces",
    "peers",
    "multicast",
    "tcp",
    "properties",
    "zenoh",
];

impl Reader<'_> {
    /// The connections, in the order of the file.
    pub(super) fn participants(
        &mut self,
        service: &Table<'_>,
        domain_route: &str,
        waiting: Option<Waiting>,
    ) -> Vec<Connection> {
        let item = service.get("participants");
        let Some(table) = item.and_then(|item| item.table(self.problems)) else {
            if item.is_none() {
                let problem = Problem::error(service.span, "there are no participants");
                let help = "add [participants.NAME] with domain = 0, one for each domain";
                self.problems.push(problem.help(help.to_owned()));
            }
            return Vec::new();
        };
        let mut connections = Vec::new();
        for item in &table.items {
            if let Some(name) = self.checked_name(item.key, item.key_span) {
                let connection = path::connection(domain_route, name);
                self.places.set(connection, item.key_span);
            }
            let what = format!("participant {}", item.key);
            if let Some(table) = item.table_called(what, self.problems) {
                let own = path::connection(domain_route, item.key);
                connections.push(Connection {
                    name: item.key.to_owned(),
                    kind: self.participant(&table, &own, waiting),
                });
            }
        }
        connections
    }

    fn participant(
        &mut self,
        table: &Table<'_>,
        path: &str,
        waiting: Option<Waiting>,
    ) -> ConnectionKind {
        if let Some(item) = table.get("zenoh")
            && adapter::find(adapter::ZENOH).is_some()
        {
            table.allow(&["zenoh"], self.problems);
            let mut properties = BTreeMap::new();
            if let Some(table) = item.table(self.problems) {
                self.adapter_properties(&table, "", path, &mut properties);
            }
            return ConnectionKind::Adapter(Plugin {
                class: adapter::ZENOH.to_owned(),
                properties,
            });
        }
        table.allow(&PARTICIPANT, self.problems);
        if let Some(item) = table.get("zenoh") {
            let message = "this program has no adapter for zenoh";
            let help = "tools/routing-zenoh makes one that has: docs/sites.md".to_owned();
            self.problems
                .push(Problem::error(item.key_span, message).help(help));
            return ConnectionKind::Participant(Box::default());
        }
        let mut plan = ParticipantPlan {
            domain: self.domain(table),
            waiting,
            ..Default::default()
        };
        let name = table.get("name");
        if let Some(name) = name.and_then(|item| item.text("a name in quotes", self.problems)) {
            name.clone_into(&mut plan.qos.entity_name);
        }
        plan.transports = table
            .get("transports")
            .and_then(|item| self.transports(&item));
        plan.interfaces = self.list(table, "interfaces", "interfaces such as [\"eth0\"]");
        plan.peers = self.list(table, "peers", "peers such as [\"192.168.1.7\"]");
        let multicast = table.get("multicast");
        plan.multicast = multicast.and_then(|item| item.boolean(self.problems));
        plan.tcp = table.get("tcp").and_then(|item| self.tcp(&item));
        let properties = table.get("properties");
        if let Some(table) = properties.and_then(|item| item.table(self.problems)) {
            for item in &table.items {
                if let Some(value) = item.text("a value in quotes", self.problems) {
                    let property = std::mem::take(&mut plan.qos.property);
                    plan.qos.property = property.with(item.key, value);
                }
            }
        }
        ConnectionKind::Participant(Box::new(plan))
    }

    /// What a connection of an adapter has, each by its whole name; a list becomes one text.
    fn adapter_properties(
        &mut self,
        table: &Table<'_>,
        prefix: &str,
        path: &str,
        into: &mut BTreeMap<String, String>,
    ) {
        for item in &table.items {
            let name = format!("{prefix}{}", item.key);
            if item.is_table() {
                // Tables in tables end with this one: nothing has more names than two.
                if let (true, Some(table)) = (prefix.is_empty(), item.table(self.problems)) {
                    self.adapter_properties(&table, &format!("{name}."), path, into);
                }
                continue;
            }
            self.places.set(format!("{path}/{name}"), item.span);
            let value = match (item.as_boolean(), item.as_number()) {
                (Some(value), _) => Some(value.to_string()),
                (None, Some(value)) => Some(value.to_string()),
                (None, None) => {
                    let texts = item.texts("a text in quotes, or several in [..]", self.problems);
                    let texts = texts.map(|all| all.into_iter().map(|(text, _)| text));
                    texts.map(|all| all.collect::<Vec<_>>().join(","))
                }
            };
            into.extend(value.map(|value| (name, value)));
        }
    }

    fn transports(&mut self, item: &Item<'_>) -> Option<Transports> {
        let expected = "transports such as \"udp,shmem\"";
        let names = item.texts(expected, self.problems)?;
        let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        let parsed = Transports::parse(&names.join(","));
        parsed
            .map_err(|message| item.wrong(message, self.problems))
            .ok()
    }

    pub(super) fn list(&mut self, table: &Table<'_>, key: &str, expected: &str) -> Vec<String> {
        let item = table.get(key);
        let texts = item.and_then(|item| item.texts(expected, self.problems));
        let texts = texts.into_iter().flatten();
        let names = texts.flat_map(|(text, _)| text.split(','));
        names.map(|name| name.trim().to_owned()).collect()
    }

    fn tcp(&mut self, item: &Item<'_>) -> Option<TcpSettings> {
        let table = item.table(self.problems)?;
        table.allow(&["port", "public_address", "tls"], self.problems);
        let mut tcp = TcpSettings::default();
        if let Some(item) = table.get("port")
            && let Some(port) = item.integer(0..=65_535, self.problems)
        {
            tcp.port = port as u16;
        }
        if let Some(item) = table.get("public_address") {
            let expected = "an address such as \"203.0.113.7:7400\"";
            let text = item.text(expected, self.problems)?;
            match text.parse() {
                Ok(address) => tcp.public = Some(address),
                Err(_) => {
                    let message = "an IPv4 address and a port are needed: \"203.0.113.7:7400\"";
                    item.wrong(message, self.problems);
                }
            }
        }
        if let Some(item) = table.get("tls") {
            tcp.tls = self.tls(&item);
        }
        Some(tcp)
    }

    fn tls(&mut self, item: &Item<'_>) -> Option<TlsConfig> {
        const FILES: [&str; 3] = ["ca", "certificate", "key"];
        let table = item.table(self.problems)?;
        table.allow(&FILES, self.problems);
        let [authorities, certificates, key] = FILES.map(|name| {
            let Some(item) = table.get(name) else {
                let message = format!("tls has no {name}");
                let help = format!("it needs all of {}: files in PEM", FILES.join(", "));
                self.problems
                    .push(Problem::error(table.span, message).help(help));
                return None;
            };
            let file = item.text("the name of a file", self.problems)?;
            Some(file.into())
        });
        Some(TlsConfig {
            authorities: authorities?,
            certificates: certificates?,
            key: key?,
        })
    }
}
