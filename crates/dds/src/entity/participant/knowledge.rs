//! What a participant knows of others, entity by entity, and what it does not want to know (DDS 1.4
//! 2.2.2.2.1.14 to .17, .29 to .32).
use super::DomainParticipant;
use crate::discovery::builtin_topics::{ParticipantBuiltinTopicData, TopicBuiltinTopicData};
use dunlin_rtps::InstanceHandle;
use dunlin_rtps::discovery::Discovery;
use dunlin_wire::{Guid, ParticipantData};
use std::collections::BTreeSet;

impl DomainParticipant {
    /// The other participants.
    pub fn discovered_participants(&self) -> Vec<Guid> {
        self.known(|discovery| discovery.participants().map(|data| data.guid).collect())
    }

    /// What those say of themselves that are ignored for a property
    /// ([`ParticipantConfig::ignored_properties`](crate::ParticipantConfig::ignored_properties)),
    /// as long as they announce themselves; 32 at most.
    pub fn ignored_participants(&self) -> Vec<ParticipantData> {
        let now = self.guard.shared.clock.now();
        self.known(|discovery| discovery.avoided_participants(now).cloned().collect())
    }

    /// What another participant says of itself; `None` if it is not known.
    pub fn discovered_participant_data(
        &self,
        participant: Guid,
    ) -> Option<ParticipantBuiltinTopicData> {
        let of = ParticipantBuiltinTopicData::of;
        self.known(|discovery| discovery.participant(participant.prefix).map(of))
    }

    /// Names and types of the topics of which others have writers or readers.
    pub fn discovered_topics(&self) -> Vec<(String, String)> {
        let own = self.guard.shared.prefix;
        let topics: BTreeSet<(String, String)> = self.known(|discovery| {
            let writers = discovery.writers().filter(|w| w.guid.prefix != own);
            let readers = discovery.readers().filter(|r| r.guid.prefix != own);
            let writers = writers.map(|w| (w.topic.clone(), w.type_name.clone()));
            let readers = readers.map(|r| (r.topic.clone(), r.type_name.clone()));
            writers.chain(readers).collect()
        });
        topics.into_iter().collect()
    }

    /// What is known of a topic of which others have writers or readers (DDS 1.4 2.2.2.2.1.32), as
    /// the built-in topic DCPSTopic has it; `None` if nobody has it.
    pub fn discovered_topic_data(
        &self,
        name: &str,
        type_name: &str,
    ) -> Option<TopicBuiltinTopicData> {
        let own = self.guard.shared.prefix;
        let topic_data = self.known(|discovery| {
            let mut writers = discovery.writers().filter(|w| w.guid.prefix != own);
            let mut readers = discovery.readers().filter(|r| r.guid.prefix != own);
            let writer = writers.find(|w| w.topic == name && w.type_name == type_name);
            let reader = readers.find(|r| r.topic == name && r.type_name == type_name);
            let by_reader = || reader.map(|r| r.topic_data.clone());
            writer.map(|w| w.topic_data.clone()).or_else(by_reader)
        });
        topic_data.map(|data| TopicBuiltinTopicData::of(name, type_name, &data))
    }

    /// From now on nothing is heard of another participant, as if it were not there, for as long as
    /// this one lives.
    pub fn ignore_participant(&self, participant: InstanceHandle) {
        self.ignore(participant);
    }

    /// From now on nothing is heard of a writer of another participant.
    pub fn ignore_publication(&self, writer: InstanceHandle) {
        self.ignore(writer);
    }

    /// From now on nothing is heard of a reader of another participant.
    pub fn ignore_subscription(&self, reader: InstanceHandle) {
        self.ignore(reader);
    }

    /// From now on nothing is heard of the writers and readers that others have of this topic.
    pub fn ignore_topic(&self, name: &str) {
        let shared = &self.guard.shared;
        shared.discover(|matching, _| matching.ignore_topic(name));
    }

    fn ignore(&self, handle: InstanceHandle) {
        let guid = Guid::from_bytes(handle.0);
        let shared = &self.guard.shared;
        shared.discover(|matching, now| matching.ignore(now, guid));
    }

    fn known<R>(&self, ask: impl FnOnce(&Discovery) -> R) -> R {
        ask(self.guard.shared.matching.lock().knowledge())
    }
}
