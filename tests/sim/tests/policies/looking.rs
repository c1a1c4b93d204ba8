//! How tests write, and what they see.
use crate::participant::Taken;
use crate::sample::{SMALLEST, Written};
use crate::stage::Stage;
use dunlin_qos::{DataReaderQos, DataWriterQos, Duration, History, Reliability};
use dunlin_rtps::{ChangeKind, InstanceState, Writer};
use dunlin_wire::{Guid, Timestamp};

pub(crate) fn seconds(seconds: u32) -> Duration {
    Duration::from_secs(seconds)
}

/// Both reliable, keeping all.
pub(crate) fn reliable() -> (DataWriterQos, DataReaderQos) {
    let writer = DataWriterQos {
        history: History::KeepAll,
        ..DataWriterQos::default()
    };
    let reader = DataReaderQos {
        history: History::KeepAll,
        reliability: Reliability::RELIABLE,
        ..DataReaderQos::default()
    };
    (writer, reader)
}

/// The number of a sample that `write` wrote.
pub(crate) fn number_of(sample: &Taken) -> u32 {
    sample.load.as_ref().unwrap().number
}

/// A sample of that instance.
pub(crate) fn sample(timestamp: Timestamp, instance: u32, number: u32) -> Written {
    Written {
        kind: ChangeKind::Alive,
        instance: Some(instance),
        timestamp,
        writer: 0,
        number,
        size: SMALLEST,
    }
}

impl Stage {
    /// A writer at the first participant and a reader at the second, matched.
    pub(crate) fn pair(
        change: impl FnOnce(&mut DataWriterQos, &mut DataReaderQos),
    ) -> (Self, Guid, Guid) {
        let (mut wqos, mut rqos) = reliable();
        change(&mut wqos, &mut rqos);
        let mut stage = Self::new(2);
        let writer = stage.writer(0, wqos);
        let reader = stage.reader(1, rqos);
        stage.run_for(crate::stage::SECOND);
        assert!(stage.is_matched(writer, reader));
        (stage, writer, reader)
    }

    /// Do both sides say so, as of the last that they said?
    pub(crate) fn is_matched(&self, writer: Guid, reader: Guid) -> bool {
        let side = |writers: bool| {
            let mut last = false;
            for (_, news) in &self.news {
                last |= news.matched() == Some((writer, reader, writers));
                last &= news.unmatched() != Some((writer, reader, writers));
            }
            last
        };
        side(true) && side(false)
    }

    pub(crate) fn sample(&mut self, writer: Guid, instance: u32, number: u32) {
        let sample = sample(self.wall(), instance, number);
        assert!(self.write(writer, &sample));
    }

    pub(crate) fn end(&mut self, writer: Guid, kind: ChangeKind, instance: u32) {
        let end = Written {
            kind,
            ..sample(self.wall(), instance, 0)
        };
        assert!(self.write(writer, &end));
    }

    pub(crate) fn take(&self, reader: Guid) -> Vec<Taken> {
        self.of(reader).take(reader.entity, usize::MAX)
    }

    /// Numbers of samples.
    pub(crate) fn numbers(&self, reader: Guid) -> Vec<u32> {
        let samples = self.take(reader).into_iter();
        let valid = samples.filter(|sample| sample.info.valid_data);
        valid.map(|sample| number_of(&sample)).collect()
    }

    /// States of which there is a notice without data.
    pub(crate) fn notices(&self, reader: Guid) -> Vec<InstanceState> {
        let samples = self.take(reader).into_iter();
        let notices = samples.filter(|sample| !sample.info.valid_data);
        notices.map(|notice| notice.info.instance_state).collect()
    }

    /// How many samples a reader holds.
    pub(crate) fn held(&self, reader: Guid) -> usize {
        let participant = self.of(reader);
        participant.reader(reader.entity, |r| r.holdings().samples)
    }

    /// How many changes a writer keeps.
    pub(crate) fn kept(&self, writer: Guid) -> usize {
        self.of(writer).writer(writer.entity, Writer::kept)
    }
}
