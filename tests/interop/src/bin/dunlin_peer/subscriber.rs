//! The subscriber's side.

use crate::options::{Options, property};
use crate::run::{Endpoint, Failure, Run};
use crate::samples::{PeerSample, instance_name, payload};
use dunlin::{
    DataReader, DataReaderQos, DomainParticipant, IncompatibleQosStatus, InstanceState,
    MatchedStatus, Sample, SubscriberQos, Topic,
};
use std::collections::HashSet;
use std::time::Duration as Time;

pub(crate) fn open<T: PeerSample>(
    participant: &DomainParticipant,
    topic: &Topic<T>,
    options: &Options,
) -> Result<DataReader<T>, Failure> {
    let qos = DataReaderQos {
        reliability: options.reliability(),
        durability: options.durability(),
        history: options.history,
        deadline: options.deadline(),
        ownership: options.ownership(),
        property: property(),
        entity_name: "dunlin peer".into(),
        time_based_filter: options.time_filter(),
        representation: vec![options.representation()],
        ..Default::default()
    };
    let subscriber = participant.create_subscriber(SubscriberQos {
        partition: options.partition(),
        ..Default::default()
    });
    let Some(filter) = &options.filter else {
        return Ok(subscriber.create_datareader(topic, qos)?);
    };
    let none: [&str; 0] = [];
    let part = participant.create_contentfilteredtopic("Part", topic, filter, &none)?;
    Ok(subscriber.create_datareader(&part, qos)?)
}

pub(crate) fn run<T: PeerSample>(run: &mut Run<'_>, reader: &DataReader<T>) -> Result<(), Failure> {
    if run.options.expect_nothing {
        run.expect_nothing(reader)?;
        return run.wait_for_release(reader);
    }
    if run.options.expect_incompatible {
        run.wait_for_incompatible(reader)?;
        return run.wait_for_release(reader);
    }
    run.wait_for_match(reader)?;
    std::thread::sleep(Time::from_millis(run.options.take_delay_ms.into()));
    let mut tally = Tally::new(run.options);
    run.wait_until(reader, "samples", |_| {
        reader
            .take()
            .iter()
            .for_each(|sample| tally.receive(sample));
        Ok(tally.is_complete())
    })?;
    run.wait_for_missed_deadline(reader)?;
    println!("done received={}", tally.received);
    if tally.corrupt {
        return Err(Failure::Corrupt);
    }
    run.wait_for_release(reader)
}

/// What has come.
struct Tally<'a> {
    options: &'a Options,
    received: i32,
    corrupt: bool,
    disposed: HashSet<String>,
    no_writers: HashSet<String>,
}

impl<'a> Tally<'a> {
    fn new(options: &'a Options) -> Self {
        Self {
            options,
            received: 0,
            corrupt: false,
            disposed: HashSet::new(),
            no_writers: HashSet::new(),
        }
    }

    fn receive<T: PeerSample>(&mut self, sample: &Sample<T>) {
        if let Some(data) = sample.data() {
            self.receive_data(data);
        }
        if T::HAS_KEY && sample.info.instance_state != InstanceState::Alive {
            self.receive_end(sample);
        }
    }

    fn receive_data<T: PeerSample>(&mut self, data: &T) {
        let good = self.is_good(data);
        self.received += 1;
        self.corrupt |= !good;
        println!(
            "sample seq={} size={} hash={:016x} key={} state=alive content={}",
            data.seq(),
            data.data().len(),
            fnv1a(data.data()),
            if data.name().is_empty() {
                "-"
            } else {
                data.name()
            },
            if good { "good" } else { "bad" },
        );
    }

    fn receive_end<T: PeerSample>(&mut self, sample: &Sample<T>) {
        let name = sample.key().map_or("unknown", |key| key.name()).to_owned();
        let (ended, state) = match sample.info.instance_state {
            InstanceState::NotAliveDisposed => (&mut self.disposed, "disposed"),
            _ => (&mut self.no_writers, "no_writers"),
        };
        if ended.insert(name.clone()) {
            println!("instance key={name} state={state}");
        }
    }

    fn is_good<T: PeerSample>(&self, data: &T) -> bool {
        let name = match T::HAS_KEY {
            true => instance_name((data.seq() - 1) % self.options.instances),
            false => String::new(),
        };
        data.members_good()
            && data.name() == name
            && data.data() == &payload(data.seq(), self.options.size)
    }

    fn is_complete(&self) -> bool {
        let all = |ended: &HashSet<String>| ended.len() >= self.options.instances as usize;
        self.received >= self.options.count
            && (!self.options.dispose || all(&self.disposed))
            && (!self.options.unregister || all(&self.no_writers))
    }
}

fn fnv1a(data: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    data.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

impl<T: PeerSample> Endpoint for DataReader<T> {
    fn matched(&self) -> MatchedStatus {
        self.subscription_matched_status()
    }

    fn incompatible(&self) -> IncompatibleQosStatus {
        self.requested_incompatible_qos_status()
    }

    fn deadlines_missed(&self) -> i32 {
        self.requested_deadline_missed_status().total_count
    }

    fn explain(&self) -> Vec<String> {
        self.explain_matching()
    }
}
