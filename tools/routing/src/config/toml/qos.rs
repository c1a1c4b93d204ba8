//! QoS of endpoints, policy by policy.
use super::Reader;
use super::table::{Item, Table};
use crate::config::values;
use crate::plan::EndpointQos;
use dunlin::{
    DataReaderQos, DataRepresentation, DataWriterQos, DestinationOrder, Durability, History,
    Liveliness, LivelinessKind, Ownership, ReliabilityKind, ResourceLimits,
};
use dunlin_profiles::{Entity, Loader};

const COMMON: [&str; 11] = [
    "reliability",
    "max_blocking_time",
    "durability",
    "history",
    "resource_limits",
    "deadline",
    "latency_budget",
    "liveliness",
    "ownership",
    "destination_order",
    "representation",
];
const OF_READERS: [&str; 1] = ["time_based_filter"];
const OF_WRITERS: [&str; 4] = [
    "lifespan",
    "transport_priority",
    "ownership_strength",
    "batch_bytes",
];

/// The policies that readers and writers have alike.
#[derive(Default)]
struct Policies {
    reliability: Option<ReliabilityKind>,
    max_blocking_time: Option<dunlin::Duration>,
    durability: Option<Durability>,
    history: Option<History>,
    resource_limits: Option<ResourceLimits>,
    deadline: Option<dunlin::Duration>,
    latency_budget: Option<dunlin::Duration>,
    liveliness: Option<Liveliness>,
    ownership: Option<Ownership>,
    destination_order: Option<DestinationOrder>,
}

/// Lays the common policies over those of an endpoint.
macro_rules! lay {
    ($policies:ident over $qos:ident) => {{
        let policies = $policies;
        if let Some(kind) = policies.reliability {
            $qos.reliability.kind = kind;
        }
        if let Some(time) = policies.max_blocking_time {
            $qos.reliability.max_blocking_time = time;
        }
        lay!(policies, $qos: durability, history, resource_limits, deadline, latency_budget);
        lay!(policies, $qos: liveliness, ownership, destination_order);
    }};
    ($policies:ident, $qos:ident: $($policy:ident),*) => {
        $(if let Some(policy) = $policies.$policy { $qos.$policy = policy; })*
    };
}

impl Reader<'_> {
    /// QoS of a route's readers and writers: as the source's, unless something is written.
    pub(super) fn endpoint_qos(
        &mut self,
        route: &Table<'_>,
    ) -> (EndpointQos<DataReaderQos>, EndpointQos<DataWriterQos>) {
        let profile = route.get("profile").and_then(|item| self.profile(&item));
        let item = route.get("qos");
        let table = item.and_then(|item| item.table(self.problems));
        if let Some(table) = &table {
            table.allow(&["reader", "writer"], self.problems);
        }
        let own = |end: &str| table.as_ref().and_then(|table| table.get(end));
        let (reader, writer) = profile.unzip();
        let base = std::mem::take(&mut self.base);
        let reader = match own("reader") {
            Some(item) => self.reader_qos(&item, reader.or(base.reader).unwrap_or_default()),
            None => reader,
        };
        let writer = match own("writer") {
            Some(item) => self.writer_qos(&item, writer.or(base.writer).unwrap_or_default()),
            None => writer,
        };
        let reader = reader.map(|qos| EndpointQos::Explicit(Box::new(qos)));
        let writer = writer.map(|qos| EndpointQos::Explicit(Box::new(qos)));
        (
            reader.unwrap_or(EndpointQos::AsSource),
            writer.unwrap_or(EndpointQos::AsSource),
        )
    }

    /// QoS of the reader and the writer of a profile.
    fn profile(&mut self, item: &Item<'_>) -> Option<(DataReaderQos, DataWriterQos)> {
        let name = item.text("\"Library::Profile\"", self.problems)?;
        if self.profiles.is_none() {
            let files = self.qos_files.iter();
            let loader = Loader::with_variables(self.variables.clone()).default_files();
            match files.fold(loader, Loader::file).load() {
                Ok(profiles) => self.profiles = Some(profiles),
                Err(error) => {
                    let message = format!("the profiles cannot be read: {error}");
                    item.wrong(message, self.problems);
                    return None;
                }
            }
        }
        let profiles = self.profiles.as_ref()?;
        let settings = |entity| profiles.settings(name, entity, None);
        let read = settings(Entity::Reader).and_then(|settings| settings.reader());
        let written = settings(Entity::Writer).and_then(|settings| settings.writer());
        match (read, written) {
            (Ok(reader), Ok(writer)) => Some((reader, writer)),
            (Err(problem), _) | (_, Err(problem)) => {
                item.wrong(problem.message, self.problems);
                None
            }
        }
    }

    fn reader_qos(&mut self, item: &Item<'_>, mut qos: DataReaderQos) -> Option<DataReaderQos> {
        let table = item.table_called("qos.reader", self.problems)?;
        table.allow(&[&COMMON[..], &OF_READERS].concat(), self.problems);
        let policies = self.policies(&table);
        lay!(policies over qos);
        if let Some(time) = self.duration(&table, "time_based_filter") {
            qos.time_based_filter = time;
        }
        if let Some(one) = self.representation(&table) {
            qos.representation = vec![one];
        }
        if let Err(error) = qos.validate() {
            item.wrong(error.to_string(), self.problems);
        }
        Some(qos)
    }

    fn writer_qos(&mut self, item: &Item<'_>, mut qos: DataWriterQos) -> Option<DataWriterQos> {
        let table = item.table_called("qos.writer", self.problems)?;
        table.allow(&[&COMMON[..], &OF_WRITERS].concat(), self.problems);
        let policies = self.policies(&table);
        lay!(policies over qos);
        if let Some(time) = self.duration(&table, "lifespan") {
            qos.lifespan = time;
        }
        let whole = i64::from(i32::MIN)..=i64::from(i32::MAX);
        let number = |reader: &mut Self, key: &str| {
            let number = table.get(key)?.integer(whole.clone(), reader.problems)?;
            Some(number as i32)
        };
        if let Some(priority) = number(self, "transport_priority") {
            qos.transport_priority = priority;
        }
        if let Some(strength) = number(self, "ownership_strength") {
            qos.ownership_strength = strength;
        }
        if let Some(bytes) = self.count(&table, "batch_bytes", 1 << 20) {
            qos.batching.max_bytes = bytes as u32;
        }
        if let Some(one) = self.representation(&table) {
            qos.representation = one;
        }
        if let Err(error) = qos.validate() {
            item.wrong(error.to_string(), self.problems);
        }
        Some(qos)
    }

    fn policies(&mut self, table: &Table<'_>) -> Policies {
        let reliability = [
            ("best_effort", ReliabilityKind::BestEffort),
            ("reliable", ReliabilityKind::Reliable),
        ];
        let durability = [
            ("volatile", Durability::Volatile),
            ("transient_local", Durability::TransientLocal),
            ("transient", Durability::Transient),
            ("persistent", Durability::Persistent),
        ];
        let ownership = [
            ("shared", Ownership::Shared),
            ("exclusive", Ownership::Exclusive),
        ];
        let order = [
            (
                "by_reception_timestamp",
                DestinationOrder::ByReceptionTimestamp,
            ),
            ("by_source_timestamp", DestinationOrder::BySourceTimestamp),
        ];
        Policies {
            reliability: self.choice(table, "reliability", "reliability", &reliability),
            max_blocking_time: self.duration(table, "max_blocking_time"),
            durability: self.choice(table, "durability", "durability", &durability),
            history: table.get("history").and_then(|item| self.history(&item)),
            resource_limits: self.resource_limits(table),
            deadline: self.duration(table, "deadline"),
            latency_budget: self.duration(table, "latency_budget"),
            liveliness: table
                .get("liveliness")
                .and_then(|item| self.liveliness(&item)),
            ownership: self.choice(table, "ownership", "ownership", &ownership),
            destination_order: self.choice(table, "destination_order", "order", &order),
        }
    }

    fn history(&mut self, item: &Item<'_>) -> Option<History> {
        let expected = "\"keep_all\" or { keep_last = 5 }";
        if item.as_text() == Some("keep_all") {
            return Some(History::KeepAll);
        }
        if !item.is_table() {
            item.wrong(format!("a history is {expected}"), self.problems);
            return None;
        }
        let table = item.table(self.problems)?;
        table.allow(&["keep_last"], self.problems);
        let Some(depth) = table.get("keep_last") else {
            item.wrong(format!("a history is {expected}"), self.problems);
            return None;
        };
        let depth = depth.integer(1..=i64::from(i32::MAX), self.problems)?;
        Some(History::KeepLast(depth as u32))
    }

    fn resource_limits(&mut self, table: &Table<'_>) -> Option<ResourceLimits> {
        let table = table.get("resource_limits")?.table(self.problems)?;
        let known = ["max_samples", "max_instances", "max_samples_per_instance"];
        table.allow(&known, self.problems);
        let [max_samples, max_instances, max_samples_per_instance] = known.map(|key| {
            let count = self.count(&table, key, i64::from(i32::MAX))?;
            Some(count as u32)
        });
        Some(ResourceLimits {
            max_samples,
            max_instances,
            max_samples_per_instance,
        })
    }

    fn liveliness(&mut self, item: &Item<'_>) -> Option<Liveliness> {
        let table = item.table(self.problems)?;
        table.allow(&["kind", "lease_duration"], self.problems);
        let kinds = [
            ("automatic", LivelinessKind::Automatic),
            ("manual_by_participant", LivelinessKind::ManualByParticipant),
            ("manual_by_topic", LivelinessKind::ManualByTopic),
        ];
        let mut liveliness = Liveliness::default();
        if let Some(kind) = self.choice(&table, "kind", "liveliness", &kinds) {
            liveliness.kind = kind;
        }
        if let Some(lease) = self.duration(&table, "lease_duration") {
            liveliness.lease_duration = lease;
        }
        Some(liveliness)
    }

    fn representation(&mut self, table: &Table<'_>) -> Option<DataRepresentation> {
        let both = values::REPRESENTATIONS;
        self.choice(table, "representation", "representation", &both)
    }
}
