//! The built-in topics: one table of what each is called, which endpoints carry it, with which QoS,
//! who is matched, and who takes in what arrives (RTPS 2.5 8.5.4, 9.3.2).
//!
//! A further topic is one entry here and one handler.
use super::builtin::{KeyOf, endpoint_key_of, message_key_of};
use super::{Discovery, Event};
use crate::{Sample, Time};
use alloc::vec::Vec;
use dunlin_qos::{Durability, History, ReliabilityKind};
use dunlin_wire::{BuiltinEndpoints, EntityId, GuidPrefix, ParticipantData, Submessage};

/// One built-in topic.
#[derive(Debug)]
pub struct BuiltinTopicEntry {
    /// Its name, the standard's where it has one.
    pub name: &'static str,
    /// Its writer in each participant.
    pub writer: EntityId,
    /// Its reader in each participant.
    pub reader: EntityId,
    /// QoS of both.
    pub qos: BuiltinTopicQos,
    /// With which participants our endpoints are matched.
    pub matching: BuiltinMatching,
    /// Its samples describe endpoints: a participant that announces too many is heard no more.
    pub(super) describes_endpoints: bool,
    /// Who takes in what arrives.
    pub(super) handler: Handler,
}

/// QoS of the writer and the reader of a built-in topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltinTopicQos {
    /// RELIABILITY.
    pub reliability: ReliabilityKind,
    /// DURABILITY.
    pub durability: Durability,
    /// HISTORY.
    pub history: History,
    /// The topic has keys.
    pub keyed: bool,
}

/// With which participants the endpoints of a built-in topic are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinMatching {
    /// With those that announce the opposite endpoint (RTPS 2.5 9.3.2.12).
    EndpointSet {
        /// Bit of the writer.
        writer: BuiltinEndpoints,
        /// Bit of the reader.
        reader: BuiltinEndpoints,
        /// Bits of PID_BUILTIN_ENDPOINT_QOS that say that the reader is best effort (RTPS 2.5
        /// 9.3.2.13).
        best_effort: u32,
    },
    /// The same, once one has something to say to the other: participants that never do cost
    /// nothing. The topic carries requests or replies, and each participant is told its own.
    OnDemand {
        /// Bit of the writer.
        writer: BuiltinEndpoints,
        /// Bit of the reader.
        reader: BuiltinEndpoints,
    },
    /// With Dunlin's participants that listen to no multicast group, once one has the other among
    /// its peers.
    Neighbours,
    /// With none: each message names its destination.
    Stateless,
}

/// Who takes in what arrives. A handler sends nothing: to get an answer it pushes an event, and the
/// caller of `Discovery` brings what is to be sent.
#[derive(Clone, Copy, Debug)]
pub(super) enum Handler {
    /// SPDP: `Announcer` writes, and `Discovery::handle_announcement` takes in, also what comes
    /// from participants that are not known.
    Announcement,
    /// A `Writer` and a `Reader` of our own carry the topic.
    Endpoints {
        /// Names the instance of a sample that came without a key hash.
        key_of: KeyOf,
        /// Takes samples of participants that are known.
        take: fn(&mut Discovery, Time, Vec<Sample>, &mut Vec<Event>),
    },
    /// A `Reader` of our own, and a `Writer` for each participant that is told something.
    Service {
        /// Takes samples of participants that are known.
        take: fn(&mut Discovery, Time, Vec<Sample>, &mut Vec<Event>),
    },
    /// Each payload of a participant that is known goes to this function; there are no
    /// acknowledgements.
    Payloads(fn(&mut Discovery, Time, GuidPrefix, &[u8], &mut Vec<Event>)),
}

const RELIABLE: BuiltinTopicQos = BuiltinTopicQos {
    reliability: ReliabilityKind::Reliable,
    durability: Durability::TransientLocal,
    history: History::KeepLast(1),
    keyed: true,
};

const STATELESS: BuiltinTopicQos = BuiltinTopicQos {
    reliability: ReliabilityKind::BestEffort,
    durability: Durability::Volatile,
    history: History::KeepLast(1),
    keyed: false,
};

const SERVICE: BuiltinTopicQos = BuiltinTopicQos {
    reliability: ReliabilityKind::Reliable,
    durability: Durability::Volatile,
    history: History::KeepAll,
    keyed: false,
};

/// All built-in topics. What is done for each is done in this order.
pub const BUILTIN_TOPICS: &[BuiltinTopicEntry] = &[
    // An instance is a participant.
    BuiltinTopicEntry {
        name: "DCPSParticipant",
        writer: EntityId::SPDP_WRITER,
        reader: EntityId::SPDP_READER,
        qos: BuiltinTopicQos {
            reliability: ReliabilityKind::BestEffort,
            ..RELIABLE
        },
        matching: BuiltinMatching::EndpointSet {
            writer: BuiltinEndpoints::PARTICIPANT_ANNOUNCER,
            reader: BuiltinEndpoints::PARTICIPANT_DETECTOR,
            best_effort: 0,
        },
        describes_endpoints: false,
        handler: Handler::Announcement,
    },
    // An instance is a writer.
    BuiltinTopicEntry {
        name: "DCPSPublication",
        writer: EntityId::SEDP_PUBLICATIONS_WRITER,
        reader: EntityId::SEDP_PUBLICATIONS_READER,
        qos: RELIABLE,
        matching: BuiltinMatching::EndpointSet {
            writer: BuiltinEndpoints::PUBLICATIONS_ANNOUNCER,
            reader: BuiltinEndpoints::PUBLICATIONS_DETECTOR,
            best_effort: 0,
        },
        describes_endpoints: true,
        handler: Handler::Endpoints {
            key_of: endpoint_key_of,
            take: Discovery::take_publications,
        },
    },
    // An instance is a reader.
    BuiltinTopicEntry {
        name: "DCPSSubscription",
        writer: EntityId::SEDP_SUBSCRIPTIONS_WRITER,
        reader: EntityId::SEDP_SUBSCRIPTIONS_READER,
        qos: RELIABLE,
        matching: BuiltinMatching::EndpointSet {
            writer: BuiltinEndpoints::SUBSCRIPTIONS_ANNOUNCER,
            reader: BuiltinEndpoints::SUBSCRIPTIONS_DETECTOR,
            best_effort: 0,
        },
        describes_endpoints: true,
        handler: Handler::Endpoints {
            key_of: endpoint_key_of,
            take: Discovery::take_subscriptions,
        },
    },
    // An instance is a participant and a kind of liveliness (RTPS 2.5 8.4.13).
    BuiltinTopicEntry {
        name: "DCPSParticipantMessage",
        writer: EntityId::PARTICIPANT_MESSAGE_WRITER,
        reader: EntityId::PARTICIPANT_MESSAGE_READER,
        qos: RELIABLE,
        matching: BuiltinMatching::EndpointSet {
            writer: BuiltinEndpoints::PARTICIPANT_MESSAGE_WRITER,
            reader: BuiltinEndpoints::PARTICIPANT_MESSAGE_READER,
            best_effort: 1,
        },
        describes_endpoints: false,
        handler: Handler::Endpoints {
            key_of: message_key_of,
            take: Discovery::take_messages,
        },
    },
    // Dunlin's own; an instance is a participant and who tells of it.
    BuiltinTopicEntry {
        name: "DunlinIntroduction",
        writer: EntityId::INTRODUCTIONS_WRITER,
        reader: EntityId::INTRODUCTIONS_READER,
        qos: RELIABLE,
        matching: BuiltinMatching::Neighbours,
        describes_endpoints: false,
        handler: Handler::Endpoints {
            key_of: endpoint_key_of,
            take: Discovery::take_introductions,
        },
    },
    // Dunlin's own: requests of the diagnostics protocol.
    BuiltinTopicEntry {
        name: "DunlinDiagnosticRequest",
        writer: EntityId::QUESTIONS_WRITER,
        reader: EntityId::QUESTIONS_READER,
        qos: STATELESS,
        matching: BuiltinMatching::Stateless,
        describes_endpoints: false,
        handler: Handler::Payloads(Discovery::take_request),
    },
    // Dunlin's own: its replies.
    BuiltinTopicEntry {
        name: "DunlinDiagnosticReply",
        writer: EntityId::ANSWERS_WRITER,
        reader: EntityId::ANSWERS_READER,
        qos: STATELESS,
        matching: BuiltinMatching::Stateless,
        describes_endpoints: false,
        handler: Handler::Payloads(Discovery::take_reply),
    },
    // Requests of the TypeLookup service (DDS-XTypes 1.3 7.6.3.3).
    BuiltinTopicEntry {
        name: "TypeLookupRequest",
        writer: EntityId::TYPE_LOOKUP_REQUEST_WRITER,
        reader: EntityId::TYPE_LOOKUP_REQUEST_READER,
        qos: SERVICE,
        matching: BuiltinMatching::OnDemand {
            writer: BuiltinEndpoints::TYPE_LOOKUP_REQUEST_WRITER,
            reader: BuiltinEndpoints::TYPE_LOOKUP_REQUEST_READER,
        },
        describes_endpoints: false,
        handler: Handler::Service {
            take: Discovery::take_type_requests,
        },
    },
    // Its replies.
    BuiltinTopicEntry {
        name: "TypeLookupReply",
        writer: EntityId::TYPE_LOOKUP_REPLY_WRITER,
        reader: EntityId::TYPE_LOOKUP_REPLY_READER,
        qos: SERVICE,
        matching: BuiltinMatching::OnDemand {
            writer: BuiltinEndpoints::TYPE_LOOKUP_REPLY_WRITER,
            reader: BuiltinEndpoints::TYPE_LOOKUP_REPLY_READER,
        },
        describes_endpoints: false,
        handler: Handler::Service {
            take: Discovery::take_type_replies,
        },
    },
];

impl BuiltinTopicEntry {
    /// Whether our reader is to be matched with the writer of a participant that has these
    /// endpoints.
    pub(super) fn has_writer(&self, endpoints: BuiltinEndpoints) -> bool {
        match self.matching {
            BuiltinMatching::EndpointSet { writer, .. } => endpoints.contains(writer),
            _ => false,
        }
    }

    /// Whether our writer is to be matched with the reader of a participant that has these
    /// endpoints.
    pub(super) fn has_reader(&self, endpoints: BuiltinEndpoints) -> bool {
        match self.matching {
            BuiltinMatching::EndpointSet { reader, .. } => endpoints.contains(reader),
            _ => false,
        }
    }

    /// Whether our endpoint is matched, as soon as there is something to say, with the one that a
    /// participant with these endpoints speaks by in a message of this topic.
    pub(super) fn is_on_demand(
        &self,
        endpoints: BuiltinEndpoints,
        message: &Submessage<'_>,
    ) -> bool {
        let BuiltinMatching::OnDemand { writer, reader } = self.matching else {
            return false;
        };
        match message {
            Submessage::AckNack(_) | Submessage::NackFrag(_) => endpoints.contains(reader),
            _ => endpoints.contains(writer),
        }
    }

    /// Whether the reader of a participant acknowledges what it gets.
    pub(super) fn is_reliable_to(&self, peer: &ParticipantData) -> bool {
        let best_effort = match self.matching {
            BuiltinMatching::EndpointSet { best_effort, .. } => best_effort,
            _ => 0,
        };
        self.qos.reliability == ReliabilityKind::Reliable
            && peer.builtin_endpoint_qos & best_effort == 0
    }
}

/// The topic that a submessage belongs to, in either direction.
pub(super) fn topic_of(message: &Submessage<'_>) -> Option<&'static BuiltinTopicEntry> {
    let (_, writer) = message.endpoints()?;
    BUILTIN_TOPICS.iter().find(|topic| topic.writer == writer)
}

/// The built-in endpoints that we announce; those of the TypeLookup service only if we ask and
/// answer.
pub(super) fn endpoint_set(type_lookup: bool) -> BuiltinEndpoints {
    let all = BUILTIN_TOPICS.iter().map(|topic| match topic.matching {
        BuiltinMatching::EndpointSet { writer, reader, .. } => writer.0 | reader.0,
        BuiltinMatching::OnDemand { writer, reader } if type_lookup => writer.0 | reader.0,
        _ => 0,
    });
    BuiltinEndpoints(all.fold(0, |set, bits| set | bits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use dunlin_wire::EntityKind;

    #[test]
    fn what_is_announced_is_what_the_table_has() {
        assert_eq!(endpoint_set(false), BuiltinEndpoints(0xc3f));
        assert_eq!(endpoint_set(true), BuiltinEndpoints(0xfc3f));
    }

    #[test]
    fn each_name_bit_and_endpoint_belongs_to_one_topic() {
        let names: BTreeSet<_> = BUILTIN_TOPICS.iter().map(|topic| topic.name).collect();
        assert_eq!(names.len(), BUILTIN_TOPICS.len());
        let ends = BUILTIN_TOPICS.iter().flat_map(|t| [t.writer, t.reader]);
        assert_eq!(
            ends.collect::<BTreeSet<_>>().len(),
            2 * BUILTIN_TOPICS.len()
        );
        let mut taken = 0;
        for topic in BUILTIN_TOPICS {
            if let BuiltinMatching::EndpointSet { writer, reader, .. }
            | BuiltinMatching::OnDemand { writer, reader } = topic.matching
            {
                assert_eq!(writer.0 & reader.0, 0, "{}", topic.name);
                assert_eq!(taken & (writer.0 | reader.0), 0, "{}", topic.name);
                taken |= writer.0 | reader.0;
            }
        }
    }

    /// The receive path passes on what `is_builtin` recognizes, and nothing else.
    #[test]
    fn entity_ids_are_built_in_and_of_the_kind_that_the_qos_says() {
        for topic in BUILTIN_TOPICS {
            assert!(topic.writer.is_builtin(), "{}", topic.name);
            assert!(topic.reader.is_builtin(), "{}", topic.name);
            let kinds = match topic.qos.keyed {
                true => (EntityKind::WriterWithKey, EntityKind::ReaderWithKey),
                false => (EntityKind::WriterNoKey, EntityKind::ReaderNoKey),
            };
            let named = (topic.writer.kind(), topic.reader.kind());
            assert_eq!(named, kinds, "{}", topic.name);
        }
    }

    #[test]
    fn topics_with_endpoints_of_their_own_are_reliable() {
        for topic in BUILTIN_TOPICS {
            let has_endpoints = matches!(
                topic.handler,
                Handler::Endpoints { .. } | Handler::Service { .. }
            );
            let reliable = topic.qos.reliability == ReliabilityKind::Reliable;
            assert_eq!(has_endpoints, reliable, "{}", topic.name);
        }
    }

    #[test]
    fn a_best_effort_reader_of_participant_messages_concerns_no_other_topic() {
        let peer = ParticipantData {
            builtin_endpoint_qos: 1,
            ..ParticipantData::new(GuidPrefix([1; 12]))
        };
        let reliable = BUILTIN_TOPICS.iter().filter(|t| t.is_reliable_to(&peer));
        let names: Vec<_> = reliable.map(|topic| topic.name).collect();
        assert_eq!(
            names,
            [
                "DCPSPublication",
                "DCPSSubscription",
                "DunlinIntroduction",
                "TypeLookupRequest",
                "TypeLookupReply"
            ]
        );
    }
}
