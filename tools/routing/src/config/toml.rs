//! The short form: a service in TOML.
//!
//! It has one domain route and one session. Each of its routes becomes an auto route for each
//! participant that it comes from.
use super::places::{Places, path};
use super::values;
use crate::plan::{
    Administration, Connection, DomainRoute, Limits, Monitoring, Plan, Session, ThreadPool, Waiting,
};
use ::toml::de::DeTable;
use dunlin::{Duration, PublisherQos, SubscriberQos};
use dunlin_document::{Problem, Problems, SourceId, Span, Variables, quoted};
use dunlin_profiles::Profiles;
use table::{Item, Table};

mod idl;
pub(super) mod part;
mod participant;
mod qos;
mod route;
mod table;

const SERVICE: [&str; 13] = [
    "name",
    "group",
    "enabled",
    "waiting",
    "cpu",
    "threads",
    "administration",
    "monitoring",
    "limits",
    "qos_files",
    "idl_files",
    "participants",
    "routes",
];

/// The name of the one domain route and of the one session.
const ONLY: &str = "default";

/// Reads a service. `None` after an error.
pub(super) fn read(
    source: SourceId,
    text: &str,
    fallback: &str,
    variables: &Variables,
    places: &mut Places,
    problems: &mut Problems,
) -> Option<Plan> {
    let table = match DeTable::parse(text) {
        Ok(table) => table,
        Err(error) => {
            let span = error.span().map(|range| Span::new(source, range));
            problems.push(Problem::error(span, error.message()));
            return None;
        }
    };
    let range = 0..text.find('\n').unwrap_or(text.len());
    let table = Table::new(source, "a service", table.get_ref(), range);
    let mut reader = Reader {
        places,
        problems,
        variables,
        qos_files: Vec::new(),
        profiles: None,
        base: part::Base::default(),
        is_partial: false,
    };
    let plan = reader.service(&table, fallback);
    (!problems.has_errors()).then_some(plan)
}

struct Reader<'r> {
    places: &'r mut Places,
    problems: &'r mut Problems,
    variables: &'r Variables,
    /// Where profiles are, beside the usual files.
    qos_files: Vec<String>,
    /// Profiles, once one is asked for.
    profiles: Option<Profiles>,
    /// What policies of a route are laid over.
    base: part::Base,
    /// What is read changes a route that is there, so it need not say everything.
    is_partial: bool,
}

impl Reader<'_> {
    fn service(&mut self, table: &Table<'_>, fallback: &str) -> Plan {
        table.allow(&SERVICE, self.problems);
        let name = self.name(table, "name").unwrap_or(fallback).to_owned();
        // An empty one is none.
        let group = match table.get("group").and_then(|item| item.as_text()) {
            Some("") => Some(""),
            _ => self.name(table, "group"),
        };
        let group = group.unwrap_or(&name).to_owned();
        let service = path::service(&name);
        self.places.set(&*service, table.span);
        let domain_route = path::domain_route(&service, ONLY);
        self.qos_files = self.list(table, "qos_files", "files such as [\"fleet.xml\"]");
        self.qos_files
            .iter()
            .for_each(|file| self.places.read(file));
        let waiting = table.get("waiting").and_then(|item| self.waiting(&item));
        let connections = self.participants(table, &domain_route, waiting);
        let session = self.session(table, &domain_route, &connections);
        Plan {
            enabled: self.boolean(table, "enabled", true),
            administration: self.administration(table),
            monitoring: self.monitoring(table),
            limits: self.limits(table),
            types: self.idl_files(table),
            domain_routes: vec![DomainRoute {
                name: ONLY.to_owned(),
                enabled: true,
                connections,
                sessions: vec![session],
            }],
            name,
            group,
        }
    }

    fn session(
        &mut self,
        table: &Table<'_>,
        domain_route: &str,
        connections: &[Connection],
    ) -> Session {
        let session = path::session(domain_route, ONLY);
        let auto_routes = match table.get("routes") {
            Some(item) => self.routes(&item, &session, connections),
            None => {
                let problem = Problem::error(table.span, "there are no routes");
                let help = "add [[routes]] with from = .., to = .. and topics = [..]";
                self.problems.push(problem.help(help.to_owned()));
                Vec::new()
            }
        };
        Session {
            name: ONLY.to_owned(),
            enabled: true,
            threads: self.threads(table),
            publisher: PublisherQos::default(),
            subscriber: SubscriberQos::default(),
            period: None,
            routes: Vec::new(),
            auto_routes,
        }
    }

    fn threads(&mut self, table: &Table<'_>) -> ThreadPool {
        let mut threads = ThreadPool::default();
        if let Some(item) = table.get("threads")
            && let Some(size) = item.integer(1..=64, self.problems)
        {
            threads.size = size as usize;
        }
        if let Some(item) = table.get("cpu")
            && let Some(list) = item.texts("processors such as \"0\" or \"2-3\"", self.problems)
        {
            for (text, span) in list {
                match values::processors(text) {
                    Ok(processors) => threads.processors.extend(processors),
                    Err(message) => self.problems.push(Problem::error(span, message)),
                }
            }
        }
        threads
    }

    fn waiting(&mut self, item: &Item<'_>) -> Option<Waiting> {
        let text = item.text(
            "\"block\", \"spin\", \"spin-then-block\" or \"shared\"",
            self.problems,
        )?;
        let parsed = Waiting::parse(text);
        parsed
            .map_err(|message| item.wrong(message, self.problems))
            .ok()
    }

    fn administration(&mut self, table: &Table<'_>) -> Option<Administration> {
        let table = table.get("administration")?.table(self.problems)?;
        table.allow(&["domain", "allow_changes"], self.problems);
        Some(Administration {
            domain: self.domain(&table),
            participant: Box::default(),
            allows_changes: self.boolean(&table, "allow_changes", false),
        })
    }

    fn monitoring(&mut self, table: &Table<'_>) -> Option<Monitoring> {
        let table = table.get("monitoring")?.table(self.problems)?;
        let known = ["domain", "publication_period", "sampling_period"];
        table.allow(&known, self.problems);
        let publication_period = self.duration(&table, "publication_period");
        let sampling_period = self.duration(&table, "sampling_period");
        Some(Monitoring {
            domain: self.domain(&table),
            participant: Box::default(),
            publication_period: publication_period.unwrap_or(Duration::from_secs(5)),
            sampling_period: sampling_period.unwrap_or(Duration::from_secs(1)),
        })
    }

    fn limits(&mut self, table: &Table<'_>) -> Limits {
        let mut limits = Limits::default();
        let item = table.get("limits");
        let Some(table) = item.and_then(|item| item.table(self.problems)) else {
            return limits;
        };
        let known = [
            "routes",
            "endpoints",
            "payload_bytes",
            "endpoints_per_second",
        ];
        table.allow(&known, self.problems);
        if let Some(count) = self.count(&table, "routes", 1 << 20) {
            limits.routes = count;
        }
        if let Some(count) = self.count(&table, "endpoints", 1 << 20) {
            limits.endpoints = count;
        }
        if let Some(count) = self.count(&table, "endpoints_per_second", 1_000_000) {
            limits.endpoints_per_second = count as u32;
        }
        if let Some(bytes) = self.bytes(&table, "payload_bytes") {
            limits.payload_bytes = bytes;
        }
        limits
    }

    /// A domain that is needed; 0 after an error.
    fn domain(&mut self, table: &Table<'_>) -> u32 {
        let Some(item) = table.get("domain") else {
            let problem = Problem::error(table.span, format!("{} has no domain", table.what));
            self.problems
                .push(problem.help("add domain = 0".to_owned()));
            return 0;
        };
        let most = i64::from(dunlin::ParticipantConfig::MAX_DOMAIN);
        item.integer(0..=most, self.problems).unwrap_or(0) as u32
    }

    /// A name that a path may have.
    fn name<'t>(&mut self, table: &Table<'t>, key: &str) -> Option<&'t str> {
        let item = table.get(key)?;
        let text = item.text("a name in quotes", self.problems)?;
        self.checked_name(text, item.span)
    }

    fn checked_name<'t>(&mut self, name: &'t str, span: Span) -> Option<&'t str> {
        match values::name(name) {
            Ok(()) => Some(name),
            Err(message) => {
                self.problems.push(Problem::error(span, message));
                None
            }
        }
    }

    fn boolean(&mut self, table: &Table<'_>, key: &str, default: bool) -> bool {
        let item = table.get(key);
        let value = item.and_then(|item| item.boolean(self.problems));
        value.unwrap_or(default)
    }

    fn duration(&mut self, table: &Table<'_>, key: &str) -> Option<Duration> {
        table.get(key)?.duration(self.problems)
    }

    fn count(&mut self, table: &Table<'_>, key: &str, most: i64) -> Option<usize> {
        let count = table.get(key)?.integer(1..=most, self.problems)?;
        Some(count as usize)
    }

    fn bytes(&mut self, table: &Table<'_>, key: &str) -> Option<usize> {
        let item = table.get(key)?;
        let Some(text) = item.as_text() else {
            return self.count(table, key, i64::MAX);
        };
        let bytes = values::bytes(text);
        bytes
            .map_err(|message| item.wrong(message, self.problems))
            .ok()
    }

    /// One of several names.
    fn choice<T: Copy>(
        &mut self,
        table: &Table<'_>,
        key: &str,
        what: &str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let item = table.get(key)?;
        let text = item.text(&format!("a {what} in quotes"), self.problems)?;
        match values::choice(what, text, choices) {
            Ok(value) => Some(value),
            Err((message, help)) => {
                self.problems
                    .push(Problem::error(item.span, message).help(help));
                None
            }
        }
    }

    /// Reports a name that is defined nowhere.
    fn undefined(&mut self, what: &str, name: &str, span: Span, help: String) {
        let message = format!("there is no {what} {}", quoted(name));
        self.problems.push(Problem::error(span, message).help(help));
    }
}
