//! QoS within a configuration: in place, by `base_name`, or as the default profile says.
use super::Reader;
use crate::plan::ParticipantPlan;
use dunlin::{DataReaderQos, DataWriterQos, PublisherQos, SubscriberQos, TcpSettings};
use dunlin_document::{Element, Problem};
use dunlin_profiles::{Entity, Settings};
use std::collections::BTreeSet;

impl Reader<'_> {
    /// QoS of the participant of an element, and how it sends and receives.
    pub(super) fn participant_qos(&mut self, element: Element<'_>) -> ParticipantPlan {
        let qos = element.child("domain_participant_qos");
        let qos = qos.or_else(|| element.child("participant_qos"));
        let settings = self.qos_settings(qos, Entity::Participant);
        let Some(config) = self.built(settings.participant()) else {
            return ParticipantPlan::default();
        };
        let says = |path: &str| settings.get(path).is_some();
        let discovery =
            says("discovery/initial_peers") || says("discovery/multicast_receive_addresses");
        ParticipantPlan {
            domain: 0,
            transports: says("transport_builtin/mask").then_some(config.transports),
            interfaces: config.interfaces,
            peers: config.peers,
            multicast: discovery.then_some(config.multicast),
            tcp: (config.tcp != TcpSettings::default()).then_some(config.tcp),
            waiting: None,
            qos: config.qos,
        }
    }

    pub(super) fn publisher_qos(&mut self, session: Element<'_>) -> PublisherQos {
        let settings = self.qos_settings(session.child("publisher_qos"), Entity::Publisher);
        self.built(settings.publisher()).unwrap_or_default()
    }

    pub(super) fn subscriber_qos(&mut self, session: Element<'_>) -> SubscriberQos {
        let settings = self.qos_settings(session.child("subscriber_qos"), Entity::Subscriber);
        self.built(settings.subscriber()).unwrap_or_default()
    }

    pub(super) fn reader_qos(&mut self, input: Element<'_>) -> DataReaderQos {
        let settings = self.qos_settings(input.child("datareader_qos"), Entity::Reader);
        self.built(settings.reader()).unwrap_or_default()
    }

    pub(super) fn writer_qos(&mut self, output: Element<'_>) -> DataWriterQos {
        let settings = self.qos_settings(output.child("datawriter_qos"), Entity::Writer);
        self.built(settings.writer()).unwrap_or_default()
    }

    /// What an element says over the default profile.
    fn qos_settings(&mut self, element: Option<Element<'_>>, entity: Entity) -> Settings {
        let default = self.profiles.default_profile();
        let default = default.and_then(|name| self.profiles.settings(&name, entity, None).ok());
        let mut settings = default.unwrap_or_default();
        if let Some(element) = element {
            let own = self.profiles.inline(element, entity, self.problems);
            match element.attribute("base_name") {
                Some(_) => settings = own,
                None => settings.overlay(&own),
            }
        }
        settings
    }

    fn built<T>(&mut self, built: Result<T, Box<Problem>>) -> Option<T> {
        built.map_err(|problem| self.problems.push(*problem)).ok()
    }

    /// Says what has no effect in QoS, each thing once.
    pub(super) fn noted(&mut self) {
        let mut told = BTreeSet::new();
        let notes = self.profiles.notes().iter();
        for note in notes.filter(|note| Some(note.span.source) != self.built_in) {
            if told.insert(&note.path) {
                let message = format!("{} is ignored: {}", note.path, note.says);
                self.problems.push(Problem::warning(note.span, message));
            }
        }
    }
}
