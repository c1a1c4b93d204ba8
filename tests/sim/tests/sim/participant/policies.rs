//! What an application may do with its endpoints besides writing and taking: change their QoS, say
//! that they live, ask what was missed.
use super::{News, Participant};
use dunlin_qos::{Duration, ReaderDataLifecycle};
use dunlin_rtps::discovery::Event;
use dunlin_rtps::{MissedDeadlines, Time};
use dunlin_wire::{EntityId, Guid, ReaderData, Submessage, WriterData};

impl Participant {
    /// The QoS of a writer is another one.
    pub(crate) fn change_writer(&mut self, now: Time, data: WriterData) {
        let local = self.writers.get_mut(&data.guid.entity).unwrap();
        let (lifespan, deadline) = (data.qos.lifespan, data.qos.deadline);
        local.writer.set_timing(now, lifespan, deadline);
        let Self {
            discovery,
            datagrams,
            events,
            ..
        } = self;
        discovery.add_writer(now, data, datagrams, events).unwrap();
        self.settle(now);
    }

    /// The QoS of a reader is another one.
    pub(crate) fn change_reader(
        &mut self,
        now: Time,
        data: ReaderData,
        lifecycle: ReaderDataLifecycle,
    ) {
        let local = self.readers.get_mut(&data.guid.entity).unwrap();
        let (deadline, filter): (Duration, Duration) =
            (data.qos.deadline, data.qos.time_based_filter);
        local.reader.set_timing(now, deadline, filter, lifecycle);
        let Self {
            discovery,
            datagrams,
            events,
            ..
        } = self;
        discovery.add_reader(now, data, datagrams, events).unwrap();
        self.settle(now);
    }

    /// A writer lives: it wrote, or the application says so.
    pub(crate) fn assert_writer(&mut self, now: Time, writer: Guid) {
        let Self {
            discovery,
            datagrams,
            events,
            ..
        } = self;
        discovery.assert_writer(now, writer, datagrams, events);
        self.settle(now);
    }

    /// The application says that a writer lives, and the writer that it does.
    pub(crate) fn assert_liveliness(&mut self, now: Time, writer: Guid) {
        let local = self.writers.get_mut(&writer.entity).unwrap();
        local.writer.assert_liveliness(&mut self.datagrams);
        self.send(now, Some(writer.entity));
        self.assert_writer(now, writer);
    }

    /// The application says that the participant lives.
    pub(crate) fn assert_participant(&mut self, now: Time) {
        let Self {
            discovery,
            datagrams,
            events,
            ..
        } = self;
        discovery.assert_participant(now, datagrams, events);
        self.settle(now);
    }

    /// What a writer says shows that it lives.
    pub(super) fn note_life(&mut self, now: Time, from: Guid, message: &Submessage<'_>) {
        let shows_life = match message {
            Submessage::Data(_) | Submessage::DataFrag(_) => true,
            Submessage::Heartbeat(heartbeat) => heartbeat.liveliness,
            _ => false,
        };
        let data = self.discovery.writer(from);
        let finite = |data: &WriterData| !data.qos.liveliness.lease_duration.is_infinite();
        if shows_life && data.is_some_and(finite) {
            self.assert_writer(now, from);
        }
    }

    pub(super) fn apply_status(&mut self, now: Time, event: Event) {
        match event {
            Event::LivelinessChanged {
                reader,
                writer,
                alive,
            } => {
                let local = self.readers.get_mut(&reader.entity).unwrap();
                if !alive && local.reader.silence_writer(now, writer).available {
                    self.news.push(News::Data { reader });
                }
                self.news.push(News::Liveliness {
                    reader,
                    writer,
                    alive,
                });
            }
            Event::LivelinessLost { writer } => self.news.push(News::LivelinessLost { writer }),
            Event::InconsistentTopic { local, remote, .. } => {
                self.news.push(News::InconsistentTopic { local, remote });
            }
            Event::ParticipantFound { .. } | Event::ParticipantChanged { .. } => {}
            other => panic!("unexpected: {other:?}"),
        }
    }

    pub(crate) fn missed_by_writer(&mut self, writer: EntityId) -> Option<MissedDeadlines> {
        let local = self.writers.get_mut(&writer).unwrap();
        local.writer.take_missed_deadlines()
    }

    pub(crate) fn missed_by_reader(&mut self, reader: EntityId) -> Option<MissedDeadlines> {
        let local = self.readers.get_mut(&reader).unwrap();
        local.reader.take_missed_deadlines()
    }
}
