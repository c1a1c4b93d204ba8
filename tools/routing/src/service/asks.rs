//! Readers that ask other services for sources: they say that somebody wants what an input is for,
//! and nothing comes by them.
use super::ends::{EndError, Endpoint};
use super::site;
use crate::table::{Design, Via};
use dunlin::{DataReaderQos, DomainParticipant, SubscriberQos};
use std::sync::Arc;

/// Their partition: nobody writes there.
const PARTITION: &str = "dunlin.route.asks";

/// Makes one.
pub(super) fn reader(
    participant: &DomainParticipant,
    topic: &str,
    design: &Design,
) -> Result<Endpoint, EndError> {
    let topic = site::topic(participant, topic, &design.ty, None)?;
    let (reader, subscriber) = qos(design);
    let subscriber = participant.create_subscriber(subscriber);
    let reader = subscriber.create_untyped_datareader(&topic, reader)?;
    Ok(Endpoint::Reader(reader, Arc::default()))
}

/// What it announces.
pub(super) fn qos(design: &Design) -> (DataReaderQos, SubscriberQos) {
    let mut reader = DataReaderQos::default();
    let mut subscriber = SubscriberQos::default();
    subscriber.partition.0 = vec![PARTITION.to_owned()];
    reader.property = reader.property.with(Via::PROPERTY, design.via.text());
    (reader, subscriber)
}
