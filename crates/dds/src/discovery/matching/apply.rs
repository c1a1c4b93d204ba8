//! Carries out what discovery has decided: proxies, statuses, what is told to whom.
use super::{MatchedReader, MatchedWriter, Matching, MatchingEvent, OwnParticipant, WriterEnd};
use crate::status::WriterChange;
use dunlin_qos::Incompatibility;
use dunlin_rtps::discovery::{Event, LossReason, UnmatchReason};
use dunlin_rtps::{ReaderProxyConfig, Time, WriterProxyConfig};
use dunlin_transport::panics::log;
use dunlin_wire::{Guid, ReaderData, VendorId, WriterData};
use std::collections::BTreeSet;
use std::sync::Arc;

impl<P: OwnParticipant> Matching<P> {
    pub(super) fn apply(
        &mut self,
        participant: &P,
        now: Time,
        event: Event,
        matching_events: &mut Vec<MatchingEvent<P>>,
    ) {
        match event {
            // Together with others: `apply_all`.
            Event::ReaderMatched { .. } => {}
            Event::ReaderChanged { writer, reader }
                if self.waiting.contains(writer, reader.guid) =>
            {
                if !self.awaits_way_to(participant, now, writer, &reader) {
                    self.waiting.remove(writer, reader.guid);
                    self.match_readers(participant, now, &[(writer, reader)], matching_events);
                }
            }
            Event::ReaderChanged { writer, reader } => {
                if let Some(core) = self.writers.get(&writer.entity) {
                    core.note_filter(&reader);
                }
                self.add_sink(participant, writer, &reader);
                self.set_destinations(participant, writer.entity);
                if let Some(core) = self.writers.get(&writer.entity) {
                    core.change_filter(reader.guid);
                    self.set_destinations(participant, writer.entity);
                }
            }
            Event::ReaderUnmatched { writer, reader, .. }
                if self.waiting.remove(writer, reader) => {}
            Event::ReaderUnmatched {
                writer,
                reader,
                reason,
            } => {
                log::debug!(%writer, %reader, ?reason, "reader unmatched");
                self.remove_sink(participant, writer, reader);
                if let Some(core) = self.writers.get(&writer.entity) {
                    core.remove_reader(reader);
                    matching_events.push(MatchingEvent::<P>::writer_matched(core, reader, -1));
                }
            }
            Event::WriterMatched { reader, writer } => {
                self.add_source(participant, reader, &writer);
                if let Some(core) = self.readers.get(&reader.entity) {
                    let vendor = self.discovery.vendor(writer.guid.prefix);
                    let layout = writer.layout.filter(|_| vendor == VendorId::DUNLIN);
                    core.note_layout(writer.guid, layout);
                    core.note_publisher(writer.guid, writer.group);
                    core.add_writer(now, proxy_of(&writer, vendor), &mut self.datagrams);
                    matching_events.push(MatchingEvent::<P>::reader_matched(core, writer.guid, 1));
                    matching_events.extend(MatchingEvent::<P>::liveliness(
                        core,
                        writer.guid,
                        WriterChange::Matched,
                    ));
                }
            }
            Event::WriterChanged { reader, writer } => {
                self.add_source(participant, reader, &writer);
                if let Some(core) = self.readers.get(&reader.entity) {
                    let vendor = self.discovery.vendor(writer.guid.prefix);
                    core.add_writer(now, proxy_of(&writer, vendor), &mut self.datagrams);
                }
            }
            Event::WriterUnmatched {
                reader,
                writer,
                reason,
            } => {
                log::debug!(%reader, %writer, ?reason, "writer unmatched");
                let disposes = is_deletion(reason) && self.disposing.contains(&writer);
                self.remove_source(reader, writer);
                if let Some(core) = self.readers.get(&reader.entity) {
                    let end = match reason {
                        UnmatchReason::ParticipantLost(
                            LossReason::LeaseExpired | LossReason::Silent,
                        ) => WriterEnd::Silent,
                        _ if disposes => WriterEnd::Disposes,
                        _ => WriterEnd::Gone,
                    };
                    if core.remove_writer(now, writer, end) {
                        matching_events.push(MatchingEvent::Data(Arc::clone(core)));
                    }
                    matching_events.push(MatchingEvent::<P>::reader_matched(core, writer, -1));
                    matching_events.extend(MatchingEvent::<P>::liveliness(
                        core,
                        writer,
                        WriterChange::Unmatched,
                    ));
                }
            }
            Event::IncompatibleQos {
                local,
                remote,
                mismatches,
            } => {
                self.note_incompatible(local, remote, mismatches, matching_events);
            }
            Event::LivelinessChanged {
                reader,
                writer,
                alive,
            } => {
                if let Some(core) = self.readers.get(&reader.entity) {
                    let life = if alive {
                        WriterChange::Heard
                    } else {
                        WriterChange::Silent
                    };
                    matching_events.extend(MatchingEvent::<P>::liveliness(core, writer, life));
                    if !alive && core.silence_writer(now, writer) {
                        matching_events.push(MatchingEvent::Data(Arc::clone(core)));
                    }
                }
            }
            Event::InconsistentTopic {
                local,
                remote,
                topic,
                difference,
            } => {
                let who = self.discovery.called(remote);
                let difference = difference.seen_by(local.entity.is_writer());
                log::warn!(%local, remote = who, topic, difference, "a topic of this name has another type");
                let core = self.topic(&topic);
                matching_events.extend(
                    core.map(|core| MatchingEvent::InconsistentTopic(core, remote, difference)),
                );
            }
            Event::ParticipantFound {
                prefix,
                vendor,
                name,
            } => {
                log::debug!(?prefix, ?vendor, name, "participant found");
                self.note_participant(prefix, false);
                self.peers.remove(&prefix);
            }
            Event::ParticipantChanged { prefix } => {
                log::debug!(?prefix, "participant changed");
                self.note_participant(prefix, false);
                self.peers.remove(&prefix);
                self.change_routes_to(prefix);
            }
            Event::ParticipantLost { prefix, reason } => {
                log::debug!(?prefix, ?reason, "participant lost");
                self.note_participant(prefix, reason == LossReason::Goodbye);
                self.peers.remove(&prefix);
                self.neighbours.forget(&prefix);
            }
            Event::TooManyEndpoints { prefix } => {
                log::warn!(
                    ?prefix,
                    "participant announces too many endpoints; the rest is ignored"
                );
            }
            Event::Asked { from, question } => self.hear_question(participant, from, &question),
            Event::Answered { answer } => self.hear_answer(answer),
            Event::LivelinessLost { writer } => {
                log::debug!(%writer, "liveliness lost");
                let core = self.writers.get(&writer.entity);
                matching_events.extend(core.map(MatchingEvent::<P>::liveliness_lost));
            }
        }
    }

    /// Carries out what discovery has decided, and matches that have waited long enough. In a crowd
    /// many readers of a writer come together, and are entered together where samples go.
    pub(super) fn apply_all(
        &mut self,
        participant: &P,
        now: Time,
        matching_events: &mut Vec<MatchingEvent<P>>,
    ) {
        let mut matched = Vec::new();
        for event in std::mem::take(&mut self.events) {
            match event {
                Event::ReaderMatched { writer, reader } => {
                    if !self.awaits_way_to(participant, now, writer, &reader) {
                        matched.push((writer, reader));
                    }
                }
                // Nothing of this is about readers.
                Event::WriterMatched { .. }
                | Event::WriterChanged { .. }
                | Event::ParticipantFound { .. } => {
                    self.apply(participant, now, event, matching_events);
                }
                event => {
                    self.match_readers(participant, now, &matched, matching_events);
                    matched.clear();
                    self.apply(participant, now, event, matching_events);
                }
            }
        }
        matched.extend(self.late_matches(now));
        self.match_readers(participant, now, &matched, matching_events);
    }

    /// Carries out matches of writers with readers of others, or of this process.
    fn match_readers(
        &mut self,
        participant: &P,
        now: Time,
        matched: &[(Guid, Box<ReaderData>)],
        matching_events: &mut Vec<MatchingEvent<P>>,
    ) {
        let mut writers = BTreeSet::new();
        for (writer, reader) in matched {
            if let Some(core) = self.writers.get(&writer.entity) {
                core.note_filter(reader);
                core.settle_filters();
            }
            self.add_sink(participant, *writer, reader);
            writers.insert(writer.entity);
        }
        for writer in writers {
            self.set_destinations(participant, writer);
        }
        for (writer, reader) in matched {
            if let Some(core) = self.writers.get(&writer.entity) {
                let proxy = ReaderProxyConfig {
                    guid: reader.guid,
                    reliable: reader.qos.reliability.is_reliable(),
                    durability: reader.qos.durability,
                    expects_inline_qos: reader.expects_inline_qos,
                    vendor: self.discovery.vendor(reader.guid.prefix),
                };
                if let Some(peer) = self.discovery.participant(reader.guid.prefix) {
                    core.note_product(reader.guid, peer);
                }
                let limit = reader.max_sample_size;
                core.add_reader(now, proxy, limit, &mut self.datagrams);
                matching_events.push(MatchingEvent::<P>::writer_matched(core, reader.guid, 1));
            }
        }
    }

    fn note_incompatible(
        &self,
        local: Guid,
        remote: Guid,
        mismatches: Vec<Incompatibility>,
        matching_events: &mut Vec<MatchingEvent<P>>,
    ) {
        if let Some(core) = self.writers.get(&local.entity) {
            matching_events.push(MatchingEvent::WriterIncompatible(
                Arc::clone(core),
                remote,
                mismatches,
            ));
        } else if let Some(core) = self.readers.get(&local.entity) {
            matching_events.push(MatchingEvent::ReaderIncompatible(
                Arc::clone(core),
                remote,
                mismatches,
            ));
        }
    }
}

/// Did the writer's application delete it? A participant that says goodbye has deleted its writers
/// before.
fn is_deletion(reason: UnmatchReason) -> bool {
    matches!(
        reason,
        UnmatchReason::Deleted | UnmatchReason::ParticipantLost(LossReason::Goodbye)
    )
}

/// A writer as a reader has to know it.
fn proxy_of(writer: &WriterData, vendor: VendorId) -> WriterProxyConfig {
    WriterProxyConfig {
        guid: writer.guid,
        reliable: writer.qos.reliability.is_reliable(),
        durability: writer.qos.durability,
        ownership_strength: writer.qos.ownership_strength,
        lifespan: writer.qos.lifespan,
        vendor,
    }
}
