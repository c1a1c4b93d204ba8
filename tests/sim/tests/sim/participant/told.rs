//! What the listeners of a participant are told.
use super::{News, taken};
use crate::sample::Shape;
use dunlin::simulation::{self, Writer};
use dunlin::{
    DataReader, DataReaderListener, DataWriter, DataWriterListener, DeadlineMissedStatus, Guid,
    IncompatibleQosStatus, InconsistentTopicStatus, InstanceState, LivelinessChangedStatus,
    LivelinessLostStatus, MatchedStatus, TopicListener, UntypedTopic,
};
use std::sync::{Arc, Mutex};

/// What listeners were told, in order.
#[derive(Clone, Default)]
pub(super) struct Told(pub(super) Arc<Mutex<Vec<News>>>);

impl Told {
    pub(super) fn add(&self, news: News) {
        self.0.lock().unwrap().push(news);
    }
}

impl<T: Shape> DataWriterListener<T> for Told {
    fn on_publication_matched(&self, writer: &DataWriter<T>, status: &MatchedStatus) {
        let (writer, last) = (
            writer.guid(),
            simulation::writer(writer, Writer::last_sequence),
        );
        let reader = status.last_endpoint;
        self.add(match status.current_count_change {
            1 => News::ReaderMatched {
                writer,
                reader,
                last,
            },
            -1 => News::ReaderUnmatched { writer, reader },
            _ => panic!("told of several: {status:?}"),
        });
    }

    fn on_offered_incompatible_qos(&self, writer: &DataWriter<T>, status: &IncompatibleQosStatus) {
        self.add(News::Incompatible {
            local: writer.guid(),
            remote: status.last_endpoint,
        });
    }

    fn on_offered_deadline_missed(&self, writer: &DataWriter<T>, status: &DeadlineMissedStatus) {
        self.add(News::DeadlinesMissed {
            endpoint: writer.guid(),
            count: status.total_count_change,
        });
    }

    fn on_liveliness_lost(&self, writer: &DataWriter<T>, _: &LivelinessLostStatus) {
        let writer = writer.guid();
        self.add(News::LivelinessLost { writer });
    }
}

impl TopicListener for Told {
    fn on_inconsistent_topic(&self, topic: &UntypedTopic, status: &InconsistentTopicStatus) {
        self.add(News::InconsistentTopic {
            topic: topic.name().into(),
            remote: status.last_endpoint,
        });
    }
}

pub(super) struct Listening {
    pub(super) told: Told,
    /// Samples are taken as they come.
    pub(super) takes: bool,
}

impl Listening {
    fn take<T: Shape>(&self, reader: &DataReader<T>) {
        let samples = taken(reader, usize::MAX);
        if !samples.is_empty() {
            let reader = reader.guid();
            self.told.add(News::Taken { reader, samples });
        }
    }
}

impl<T: Shape> DataReaderListener<T> for Listening {
    fn on_data_available(&self, reader: &DataReader<T>) {
        match self.takes {
            true => self.take(reader),
            false => self.told.add(News::Data {
                reader: reader.guid(),
            }),
        }
    }

    fn on_subscription_matched(&self, reader: &DataReader<T>, status: &MatchedStatus) {
        let writer = status.last_endpoint;
        let guid = reader.guid();
        match status.current_count_change {
            1 => self.told.add(News::WriterMatched {
                reader: guid,
                writer,
            }),
            -1 => {
                // Samples of the time before must not be mixed with those of the next match.
                self.take(reader);
                self.told.add(News::WriterUnmatched {
                    reader: guid,
                    writer,
                });
            }
            _ => panic!("told of several: {status:?}"),
        }
    }

    fn on_requested_deadline_missed(&self, reader: &DataReader<T>, status: &DeadlineMissedStatus) {
        self.told.add(News::DeadlinesMissed {
            endpoint: reader.guid(),
            count: status.total_count_change,
        });
    }

    fn on_liveliness_changed(&self, reader: &DataReader<T>, status: &LivelinessChangedStatus) {
        self.told.add(News::Liveliness {
            reader: reader.guid(),
            writer: status.last_writer,
            alive: status.alive_count_change > 0,
        });
    }

    fn on_requested_incompatible_qos(
        &self,
        reader: &DataReader<T>,
        status: &IncompatibleQosStatus,
    ) {
        self.told.add(News::Incompatible {
            local: reader.guid(),
            remote: status.last_endpoint,
        });
    }
}

pub(super) fn note_participants(
    reader: &DataReader<dunlin::ParticipantBuiltinTopicData>,
    told: &Told,
) {
    for sample in reader.take() {
        let state = sample.info.instance_state;
        if state != InstanceState::Alive {
            let prefix = Guid::from_bytes(sample.info.instance.0).prefix;
            let silent = state == InstanceState::NotAliveNoWriters;
            told.add(News::ParticipantLost { prefix, silent });
        }
    }
}
