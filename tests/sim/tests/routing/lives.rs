//! Instances and late joiners beyond services are as they are without a service.
use crate::dice::Dice;
use crate::plans;
use crate::sample::{Keyed, Load, Shape, handle};
use crate::seeds;
use crate::world::{MS, Nature, SECOND, World};
use bytes::Bytes;
use dunlin::transport::Faults;
use dunlin::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, Durability, Duration,
    History, InstanceState, Reliability,
};
use std::collections::BTreeSet;
use std::time::Duration as Span;

/// Seeds that are run unless `DUNLIN_SIM_SEEDS` says otherwise.
const SEEDS: u64 = 30;
/// From 0 on: the hash of a key that is 0 is all zeros.
const INSTANCES: u32 = 3;

/// What a reader was shown: the instance, the number unless it is a notice, the state of the
/// instance, and its generations.
type Shown = (u32, Option<u32>, InstanceState, [i32; 2]);

/// What is done to a topic.
#[derive(Clone, Copy, Debug)]
enum Act {
    Join(usize),
    Leave(usize),
    Write(usize, u32),
    Dispose(usize, u32),
    Unregister(usize, u32),
    Read,
}

struct Script {
    acts: Vec<Act>,
    durability: Durability,
    history: History,
    /// The deletion of a writer disposes its instances, and so does unregistering one.
    autodisposes: bool,
}

impl Script {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let durable = dice.percent(60);
        let mut there = [false; 3];
        let reads = |acts: &[Act]| acts.iter().filter(|a| matches!(a, Act::Read)).count();
        let mut acts = vec![Act::Read, Act::Join(0)];
        there[0] = true;
        for _ in 0..dice.within(15, 40) {
            let who = dice.up_to(there.len() - 1);
            let instance = dice.within(0, u64::from(INSTANCES) - 1) as u32;
            let act = match (there[who], dice.within(0, 19)) {
                (false, 0..=4) => Act::Join(who),
                (true, 0) => Act::Leave(who),
                // One that joins late without history knows of fewer writers than a service.
                (_, 1) if durable && reads(&acts) < 3 => Act::Read,
                (true, 2..=4) => Act::Dispose(who, instance),
                (true, 5..=7) => Act::Unregister(who, instance),
                (true, _) => Act::Write(who, instance),
                (false, _) => continue,
            };
            match act {
                Act::Join(who) => there[who] = true,
                Act::Leave(who) => there[who] = false,
                _ => {}
            }
            acts.push(act);
        }
        Self {
            acts,
            durability: match durable {
                true => Durability::TransientLocal,
                false => Durability::Volatile,
            },
            history: dice.one_of(&[History::KeepLast(1), History::KeepLast(3), History::KeepAll]),
            autodisposes: dice.percent(50),
        }
    }
}

impl Script {
    /// Of each reader, whether something was done to the topic before it came.
    fn late_readers(&self) -> Vec<bool> {
        let mut done = false;
        let mut late = Vec::new();
        for act in &self.acts {
            match act {
                Act::Read => late.push(done),
                Act::Join(_) | Act::Leave(_) => {}
                Act::Write(..) | Act::Dispose(..) | Act::Unregister(..) => done = true,
            }
        }
        late
    }

    /// Do several writers have to do with an instance?
    fn is_shared(&self, instance: u32) -> bool {
        let whose = self.acts.iter().filter_map(|act| match *act {
            Act::Write(who, of) | Act::Dispose(who, of) | Act::Unregister(who, of) => {
                (of == instance).then_some(who)
            }
            _ => None,
        });
        whose.collect::<BTreeSet<_>>().len() > 1
    }

    /// What of this a reader that came late was promised: the histories of several writers come one
    /// by one, and which of them comes first is open. So is what each makes of the state of an
    /// instance that they share.
    fn promised(&self, shown: Vec<Shown>) -> Vec<Shown> {
        let mut promised: Vec<_> = shown
            .into_iter()
            .filter(|(instance, number, ..)| number.is_some() || !self.is_shared(*instance))
            .map(|one| match self.is_shared(one.0) {
                true => (one.0, one.1, InstanceState::Alive, [0, 0]),
                false => one,
            })
            .collect();
        // What is of an instance of one writer is in its order.
        let rank = |one: &Shown| (one.0, one.1.filter(|_| self.is_shared(one.0)));
        promised.sort_by_key(rank);
        promised
    }
}

fn of(instance: u32, writer: usize, number: u32) -> Keyed {
    Keyed::of(Load {
        instance,
        writer: writer as u32,
        number,
        rest: Bytes::new(),
    })
}

fn take(reader: &DataReader<Keyed>, shown: &mut Vec<Shown>) {
    for sample in reader.take() {
        let info = sample.info;
        let load = sample.into_data().map(Shape::load);
        let mut all = 0..INSTANCES;
        let instance = all.find(|i| handle(Some(*i)) == info.instance);
        let generations = [
            info.disposed_generation_count,
            info.no_writers_generation_count,
        ];
        let instance = instance.expect("an instance of the script");
        let number = load.map(|load| load.number);
        shown.push((instance, number, info.instance_state, generations));
    }
}

/// Plays a script; applications that write and those that read have so many services between them.
fn play(seed: u64, script: &Script, hops: u32) -> Vec<Vec<Shown>> {
    let world = World::new(Nature {
        seed,
        faults: Faults {
            delay: Span::from_micros(300),
            ..Faults::default()
        },
        whole: None,
        lease: Duration::from_secs(10),
    });
    for hop in 0..hops {
        let plan = plans::one_way(&format!("service {hop}"), hop, hop + 1, "");
        world.start(plan);
    }
    let mut wqos = DataWriterQos {
        reliability: Reliability::RELIABLE,
        durability: script.durability,
        history: script.history,
        ..DataWriterQos::default()
    };
    wqos.writer_data_lifecycle
        .autodispose_unregistered_instances = script.autodisposes;
    let rqos = DataReaderQos {
        reliability: Reliability::RELIABLE,
        durability: script.durability,
        history: History::KeepAll,
        ..DataReaderQos::default()
    };
    let mut writers: [Option<(DataWriter<Keyed>, DomainParticipant)>; 3] = [None, None, None];
    let mut readers: Vec<(DataReader<Keyed>, DomainParticipant, Vec<Shown>)> = Vec::new();
    let mut number = 0;
    for act in &script.acts {
        number += 1;
        let writer = |who: usize| &writers[who].as_ref().unwrap().0;
        let pause = match *act {
            Act::Join(who) => {
                let participant = world.join(0);
                let writer = participant.writer_with("Square", wqos.clone()).unwrap();
                writers[who] = Some((writer, participant));
                // Until it is announced beyond.
                10 * SECOND
            }
            Act::Leave(who) => {
                let (writer, participant) = writers[who].take().unwrap();
                drop(writer);
                world.leave(&participant);
                10 * SECOND
            }
            Act::Write(who, instance) => {
                writer(who).write(&of(instance, who, number)).unwrap();
                200 * MS
            }
            Act::Dispose(who, instance) => {
                writer(who).dispose(&of(instance, who, number)).unwrap();
                200 * MS
            }
            Act::Unregister(who, instance) => {
                // One that it does not have is no mistake of the service's.
                let _ = writer(who).unregister_instance(&of(instance, who, number));
                200 * MS
            }
            Act::Read => {
                let participant = world.join(hops);
                let reader = participant.reader_with("Square", rqos.clone()).unwrap();
                readers.push((reader, participant, Vec::new()));
                10 * SECOND
            }
        };
        world.run_for(pause);
        for (reader, _, shown) in &mut readers {
            take(reader, shown);
        }
    }
    world.run_for(20 * SECOND);
    let seen = readers.iter_mut().map(|(reader, _, shown)| {
        take(reader, shown);
        // Instances come in any order; what is of one is in its own.
        shown.sort_by_key(|(instance, ..)| *instance);
        std::mem::take(shown)
    });
    let seen = seen.collect();
    assert_eq!(world.losses(), [""; 0]);
    seen
}

fn story(seed: u64) {
    let script = Script::new(seed);
    let direct = play(seed, &script, 0);
    let hops = 1 + (seed % 3) as u32;
    let routed = play(seed, &script, hops);
    let late = script.late_readers();
    for (nth, (direct, routed)) in direct.into_iter().zip(routed).enumerate() {
        let (direct, routed) = match late[nth] {
            true => (script.promised(direct), script.promised(routed)),
            false => (direct, routed),
        };
        let Script {
            acts,
            durability,
            history,
            autodisposes,
        } = &script;
        assert_eq!(
            routed, direct,
            "seed {seed}, {hops} hops, reader {nth}: routed on the left, without a service on the right; {durability:?} \
             {history:?} {autodisposes}; {acts:?}"
        );
    }
}

#[test]
fn instances_and_late_joiners_end_as_without_a_service() {
    let test = "instances_and_late_joiners_end_as_without_a_service";
    seeds::run(test, SEEDS, story);
}
