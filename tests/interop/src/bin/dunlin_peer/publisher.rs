//! The publisher's side.

use crate::options::{Options, property};
use crate::run::{Endpoint, Failure, Run};
use crate::samples::{PeerSample, instance_name, payload};
use bytes::Bytes;
use dunlin::{
    DataWriter, DataWriterQos, DomainParticipant, Duration, Error, IncompatibleQosStatus,
    MatchedStatus, PublisherQos, Topic, WriterDataLifecycle,
};
use std::time::{Duration as Time, Instant};

pub(crate) fn open<T: PeerSample>(
    participant: &DomainParticipant,
    topic: &Topic<T>,
    options: &Options,
) -> Result<DataWriter<T>, Failure> {
    let qos = DataWriterQos {
        reliability: options.reliability(),
        durability: options.durability(),
        history: options.history,
        deadline: options.deadline(),
        lifespan: options.lifespan(),
        ownership: options.ownership(),
        property: property(),
        entity_name: "dunlin peer".into(),
        ownership_strength: options.strength(),
        representation: options.representation(),
        writer_data_lifecycle: WriterDataLifecycle {
            autodispose_unregistered_instances: options.delete,
        },
        ..Default::default()
    };
    let publisher = participant.create_publisher(PublisherQos {
        partition: options.partition(),
        ..Default::default()
    });
    Ok(publisher.create_datawriter(topic, qos)?)
}

pub(crate) fn run<T: PeerSample>(run: &mut Run<'_>, writer: &DataWriter<T>) -> Result<(), Failure> {
    let options = run.options;
    if options.expect_nothing {
        run.expect_nothing(writer)?;
        return run.wait_for_release(writer);
    }
    if options.expect_incompatible {
        run.wait_for_incompatible(writer)?;
        return run.wait_for_release(writer);
    }
    run.wait_for_match(writer)?;
    std::thread::sleep(Time::from_millis(options.settle_ms.into()));
    write_all(run, writer)?;
    end_instances(options, writer)?;
    run.wait_until(writer, "acknowledgments", |_| is_acknowledged(writer))?;
    run.wait_for_missed_deadline(writer)?;
    if let Some(publisher) = writer.publisher().filter(|_| options.delete) {
        publisher.delete_datawriter(writer)?;
    }
    println!("done sent={}", options.count);
    run.wait_for_release(writer)
}

fn write_all<T: PeerSample>(run: &mut Run<'_>, writer: &DataWriter<T>) -> Result<(), Failure> {
    let options = run.options;
    for seq in 1..=options.count {
        let name = instance_name((seq - 1) % options.instances);
        writer.write(&T::make(seq, &name, payload(seq, options.size)))?;
        if options.period_us > 0 {
            std::thread::sleep(Time::from_micros(options.period_us.into()));
        }
        run.poll(writer);
        if Instant::now() >= run.end {
            return Err(Failure::Timeout("room to write".into()));
        }
    }
    println!("written {}", options.count);
    Ok(())
}

fn end_instances<T: PeerSample>(options: &Options, writer: &DataWriter<T>) -> Result<(), Failure> {
    let key = |instance| T::make(0, &instance_name(instance), Bytes::new());
    for instance in (0..options.instances).filter(|_| options.dispose) {
        writer.dispose(&key(instance))?;
    }
    for instance in (0..options.instances).filter(|_| options.unregister) {
        writer.unregister_instance(&key(instance))?;
    }
    Ok(())
}

fn is_acknowledged<T: PeerSample>(writer: &DataWriter<T>) -> Result<bool, Failure> {
    match writer.wait_for_acknowledgments(Duration::from_millis(1)) {
        Ok(()) => Ok(true),
        Err(Error::Timeout { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl<T: PeerSample> Endpoint for DataWriter<T> {
    fn matched(&self) -> MatchedStatus {
        self.publication_matched_status()
    }

    fn incompatible(&self) -> IncompatibleQosStatus {
        self.offered_incompatible_qos_status()
    }

    fn deadlines_missed(&self) -> i32 {
        self.offered_deadline_missed_status().total_count
    }

    fn explain(&self) -> Vec<String> {
        self.explain_matching()
    }
}
