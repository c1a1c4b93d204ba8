//! Does a writer suit a reader? Requested versus offered (DDS 1.4 2.2.3, DDS-XTypes 1.3 7.6.3.1.1).
use crate::{
    DataReaderQos, DataRepresentation, DataWriterQos, PolicyId, PublisherQos, SubscriberQos,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

/// What a writer offers: its own QoS and its publisher's.
#[derive(Clone, Copy, Debug)]
pub struct WriterSide<'a> {
    /// QoS of the writer.
    pub writer: &'a DataWriterQos,
    /// QoS of its publisher.
    pub publisher: &'a PublisherQos,
}

/// What a reader requests: its own QoS and its subscriber's.
#[derive(Clone, Copy, Debug)]
pub struct ReaderSide<'a> {
    /// QoS of the reader.
    pub reader: &'a DataReaderQos,
    /// QoS of its subscriber.
    pub subscriber: &'a SubscriberQos,
}

/// A policy with which a writer does not satisfy a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incompatibility {
    /// Which policy.
    pub policy: PolicyId,
    /// The writer's value.
    pub offered: String,
    /// The reader's value.
    pub requested: String,
}

impl fmt::Display for Incompatibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: the writer offers {}, the reader requests {}",
            self.policy, self.offered, self.requested
        )
    }
}

/// Every policy with which `offered` does not satisfy `requested`, in the order of the policies'
/// numbers; empty if they suit each other.
///
/// A reader with an empty list of data representations understands none; who reads the standard's
/// "empty means XCDR1" (DDS-XTypes 1.3 7.6.3.1.1) from somewhere says so by a list of one.
///
/// Partitions are not among the policies: endpoints of different partitions ignore each other
/// without a report, see [`Partition::matches`](crate::Partition::matches).
pub fn check(offered: &WriterSide<'_>, requested: &ReaderSide<'_>) -> Vec<Incompatibility> {
    let (w, r) = (offered.writer, requested.reader);
    let (wp, rp) = (
        offered.publisher.presentation,
        requested.subscriber.presentation,
    );
    let presentation = wp.access_scope >= rp.access_scope
        && wp.coherent_access >= rp.coherent_access
        && wp.ordered_access >= rp.ordered_access;
    let liveliness = w.liveliness.kind >= r.liveliness.kind
        && w.liveliness.lease_duration <= r.liveliness.lease_duration;

    let mut found = Findings(Vec::new());
    found.unless(
        w.durability >= r.durability,
        PolicyId::Durability,
        &w.durability,
        &r.durability,
    );
    found.unless(presentation, PolicyId::Presentation, &wp, &rp);
    found.unless(
        w.deadline <= r.deadline,
        PolicyId::Deadline,
        &w.deadline,
        &r.deadline,
    );
    found.unless(
        w.latency_budget <= r.latency_budget,
        PolicyId::LatencyBudget,
        &w.latency_budget,
        &r.latency_budget,
    );
    found.unless(
        w.ownership == r.ownership,
        PolicyId::Ownership,
        &w.ownership,
        &r.ownership,
    );
    found.unless(
        liveliness,
        PolicyId::Liveliness,
        &w.liveliness,
        &r.liveliness,
    );
    found.unless(
        w.reliability.kind >= r.reliability.kind,
        PolicyId::Reliability,
        &w.reliability.kind,
        &r.reliability.kind,
    );
    found.unless(
        w.destination_order >= r.destination_order,
        PolicyId::DestinationOrder,
        &w.destination_order,
        &r.destination_order,
    );
    found.unless(
        r.representation.contains(&w.representation),
        PolicyId::DataRepresentation,
        &w.representation,
        &Representations(&r.representation),
    );
    found.0
}

struct Findings(Vec<Incompatibility>);

impl Findings {
    fn unless(
        &mut self,
        suits: bool,
        policy: PolicyId,
        offered: &dyn fmt::Display,
        requested: &dyn fmt::Display,
    ) {
        if !suits {
            self.0.push(Incompatibility {
                policy,
                offered: offered.to_string(),
                requested: requested.to_string(),
            });
        }
    }
}

struct Representations<'a>(&'a [DataRepresentation]);

impl fmt::Display for Representations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none that is known");
        }
        let names: Vec<String> = self.0.iter().map(|r| format!("{r}")).collect();
        f.write_str(&names.join(" or "))
    }
}
