//! Endpoints of one process: their samples reach each other although the network loses everything.
mod common;

use bytes::Bytes;
use common::{Keyed, Net, Plain, SOON, reader, reliable_all, take, writer};
use dunlin::*;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration as StdDuration, Instant};

/// One participant twice, and two participants, each pair on a network of its own.
fn pairs() -> [(Net, DomainParticipant, DomainParticipant); 2] {
    let nets = [(); 2].map(|()| Net::new(0.0));
    let [a, b, c] = [0, 1, 1].map(|n: usize| nets[n].within(ParticipantConfig::default()));
    let [one, two] = nets;
    [(one, a.clone(), a), (two, b, c)]
}

fn plain(number: u32, size: usize) -> Plain {
    let data = (0..size).map(|at| (at as u32 ^ number) as u8).collect();
    Plain { number, data }
}

fn matched<T: TopicData>(writer: &DataWriter<T>, reader: &DataReader<T>) {
    writer.wait_for_matched(1, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
}

fn listening<T: TopicData>(
    p: &DomainParticipant,
    topic: &str,
    qos: DataReaderQos,
    listener: impl Fn(&DataReader<T>) + Send + Sync + 'static,
) -> DataReader<T> {
    let topic = p.create_topic::<T>(topic, Default::default()).unwrap();
    p.create_subscriber(Default::default())
        .create_datareader_with_listener(&topic, qos, listener)
        .unwrap()
}

#[test]
fn samples_of_all_sizes_come_in_order_without_the_network() {
    for best_effort in [false, true] {
        for (net, a, b) in pairs() {
            let (mut wqos, mut rqos) = reliable_all();
            if best_effort {
                wqos.reliability = Reliability::BEST_EFFORT;
                rqos.reliability = Reliability::BEST_EFFORT;
            }
            let writer = writer::<Plain>(&a, "T", wqos);
            let readers = [(); 2].map(|()| reader::<Plain>(&b, "T", rqos.clone()));
            writer.wait_for_matched(2, SOON).unwrap();
            for reader in &readers {
                reader.wait_for_matched(1, SOON).unwrap();
            }
            net.set_drop(1.0);
            let sizes = [0, 1, 100, 5_000, 9_000, 20_000, 100_000, 3_000_000];
            let all: Vec<_> = (0..).zip(sizes).map(|(n, size)| plain(n, size)).collect();
            for sample in &all {
                writer.write(sample).unwrap();
            }
            for reader in &readers {
                // They are there when `write` returns.
                let got = reader.take();
                let got: Vec<_> = got.iter().map(|s| s.data().unwrap().clone()).collect();
                assert_eq!(got, all);
            }
            writer.wait_for_acknowledgments(SOON).unwrap();
            net.set_drop(0.0);
        }
    }
}

#[test]
fn a_batch_is_handed_over_when_it_is_sent_and_told_of_once() {
    let patient = ParticipantConfig {
        heartbeat_period: Duration::from_secs(1000),
        ..Default::default()
    };
    let net = Net::new(0.0);
    let [a, b] = [(); 2].map(|()| net.within(patient.clone()));
    let (wqos, rqos) = reliable_all();
    let batching = Batching { max_bytes: 20_000 };
    let writer = writer::<Plain>(&a, "T", DataWriterQos { batching, ..wqos });
    let reader = reader::<Plain>(&b, "T", rqos.clone());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = Arc::clone(&heard);
    let _listening = listening::<Plain>(&b, "T", rqos, move |reader| {
        ears.lock().unwrap().push(reader.take().len());
    });
    writer.wait_for_matched(2, SOON).unwrap();
    reader.wait_for_matched(1, SOON).unwrap();
    // More than are taken in under one lock.
    let all: Vec<_> = (0..100).map(|number| plain(number, 8)).collect();
    for sample in &all {
        writer.write(sample).unwrap();
    }
    assert!(reader.take().is_empty());
    writer.flush();
    let taken = reader.take();
    let got: Vec<_> = taken.iter().filter_map(Sample::data).cloned().collect();
    assert_eq!(got, all);
    assert_eq!(*heard.lock().unwrap(), [all.len()]);
    // What fills a batch sends it, with what stands before.
    writer.write(&plain(100, 8)).unwrap();
    writer.write(&plain(101, 20_000)).unwrap();
    assert_eq!(reader.take().len(), 2);
    assert_eq!(*heard.lock().unwrap(), [all.len(), 2]);
    writer.wait_for_acknowledgments(SOON).unwrap();
}

/// Whether there is a reader elsewhere, too, which gets them in fragments, or not.
#[test]
fn large_samples_are_the_same_bytes_for_all_readers() {
    for elsewhere in [false, true] {
        let [_, (net, a, b)] = pairs();
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Plain>(&a, "T", wqos);
        let mut readers: Vec<_> = (0..2)
            .map(|_| reader::<Plain>(&b, "T", rqos.clone()))
            .collect();
        if elsewhere {
            readers.push(reader::<Plain>(&net.participant(), "T", rqos));
        }
        writer.wait_for_matched(readers.len(), SOON).unwrap();
        for reader in &readers {
            reader.wait_for_matched(1, SOON).unwrap();
        }
        let large = plain(1, 1_000_000);
        writer.write(&large).unwrap();
        let near = readers.iter().take(2).map(|r| {
            let sample = r.take_next_sample().unwrap();
            sample.into_data().unwrap().data
        });
        let near: Vec<_> = near.collect();
        assert_eq!(near[0].as_ptr(), near[1].as_ptr());
        assert_eq!(near[0], large.data);
        for far in &readers[2..] {
            assert_eq!(take(far, 1)[0].data(), Some(&large));
        }
        writer.wait_for_acknowledgments(SOON).unwrap();
    }
}

#[test]
fn sample_info_and_instances_are_those_of_the_network() {
    let net = Net::new(0.0);
    let mut told = Vec::new();
    for local in [true, false] {
        let [a, b] = [(); 2].map(|()| {
            net.within(ParticipantConfig {
                transports: Transports {
                    local,
                    ..Default::default()
                },
                ..Default::default()
            })
        });
        let (wqos, rqos) = reliable_all();
        let writer = writer::<Keyed>(&a, "T", wqos);
        let reader = reader::<Keyed>(&b, "T", rqos);
        matched(&writer, &reader);
        let keyed = |name: &str, number| Keyed {
            name: name.into(),
            number,
        };
        writer.write(&keyed("a", 1)).unwrap();
        writer.write(&keyed("b", 2)).unwrap();
        writer.dispose(&keyed("a", 0)).unwrap();
        writer.unregister_instance(&keyed("b", 0)).unwrap();
        writer.write(&keyed("a", 3)).unwrap();
        writer.wait_for_acknowledgments(SOON).unwrap();
        let samples = reader.take();
        assert_eq!(writer.guid(), samples[0].info.publication);
        let words = samples.iter().map(|s| {
            // Whose it is and when it was written differ.
            let info = SampleInfo {
                publication: Guid::UNKNOWN,
                source_timestamp: None,
                ..s.info
            };
            format!("{:?} {:?} {info:?}", s.data(), s.key())
        });
        told.push(words.collect::<Vec<_>>());
        assert!(samples.iter().all(|s| s.info.source_timestamp.is_some()));
    }
    assert_eq!(told[0], told[1]);
}

#[test]
fn a_late_joiner_gets_the_history() {
    for (_net, a, b) in pairs() {
        let (wqos, rqos) = reliable_all();
        let wqos = DataWriterQos {
            durability: Durability::TransientLocal,
            ..wqos
        };
        let rqos = DataReaderQos {
            durability: Durability::TransientLocal,
            ..rqos
        };
        let writer = writer::<Plain>(&a, "T", wqos);
        for number in 0..1_000 {
            writer.write(&plain(number, 50)).unwrap();
        }
        let reader = reader::<Plain>(&b, "T", rqos);
        let got = take(&reader, 1_000);
        assert!(got.iter().map(|s| s.data().unwrap().number).eq(0..1_000));
    }
}

#[test]
fn a_writer_waits_for_a_reader_that_is_full() {
    for (_net, a, b) in pairs() {
        let (wqos, rqos) = reliable_all();
        let limits = ResourceLimits {
            max_samples: Some(5),
            ..Default::default()
        };
        let wqos = DataWriterQos {
            resource_limits: limits,
            reliability: Reliability {
                max_blocking_time: Duration::from_secs(300),
                ..Reliability::RELIABLE
            },
            ..wqos
        };
        let rqos = DataReaderQos {
            resource_limits: limits,
            ..rqos
        };
        let writer = writer::<Plain>(&a, "T", wqos);
        let reader = reader::<Plain>(&b, "T", rqos);
        matched(&writer, &reader);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..100 {
                    writer.write(&plain(number, 10)).unwrap();
                }
            });
            let got = take(&reader, 100);
            assert!(got.iter().map(|s| s.data().unwrap().number).eq(0..100));
        });
    }
}

/// Two readers, each of whose listeners writes to the other: it must end neither the stack nor the
/// patience of who began.
#[test]
fn listeners_that_answer_each_other_for_ever_hold_nobody_up() {
    for (_net, a, b) in pairs() {
        let rallies = Arc::new(AtomicU32::new(0));
        let over = Arc::new(AtomicU32::new(0));
        let side = |p: &DomainParticipant, from: &str, to: &str| {
            let writer = writer::<Plain>(p, to, DataWriterQos::default());
            let (rallies, over) = (Arc::clone(&rallies), Arc::clone(&over));
            let back = writer.clone();
            let reader = listening(p, from, DataReaderQos::default(), move |r| {
                while let Some(sample) = r.take_next_sample() {
                    rallies.fetch_add(1, SeqCst);
                    if let Some(ball) = sample.data().filter(|_| over.load(SeqCst) == 0) {
                        back.write(ball).unwrap();
                    }
                }
            });
            (writer, reader)
        };
        let sides = [side(&a, "Ping", "Pong"), side(&b, "Pong", "Ping")];
        for (writer, reader) in &sides {
            matched(writer, reader);
        }
        let first = writer::<Plain>(&a, "Ping", DataWriterQos::default());
        first.wait_for_matched(1, SOON).unwrap();
        sides[0].1.wait_for_matched(2, SOON).unwrap();
        first.write(&plain(1, 10)).unwrap();
        let returned = rallies.load(SeqCst);
        let start = Instant::now();
        while rallies.load(SeqCst) < returned + 10_000 && start.elapsed().as_secs() < 300 {
            std::thread::sleep(StdDuration::from_millis(1));
        }
        let now = rallies.load(SeqCst);
        assert!(now >= returned + 10_000, "{returned} {now}");
        over.store(1, SeqCst);
    }
}

/// Otherwise a listener that takes a lock which is held around `write` would wait for ever.
#[test]
fn listeners_may_be_left_to_the_threads_that_receive() {
    for listener_thread in [ListenerThread::Writing, ListenerThread::Receiving] {
        let net = Net::new(0.0);
        let p = net.within(ParticipantConfig {
            listener_thread,
            ..ParticipantConfig::default()
        });
        let leaves = listener_thread == ListenerThread::Receiving;
        let lock = Arc::new(Mutex::new(()));
        let (send, called) = channel();
        let inside = Arc::clone(&lock);
        let writing = std::thread::current().id();
        let heard = listening::<Plain>(&p, "T", reliable_all().1, move |r| {
            let is_writing = std::thread::current().id() == writing;
            let _guard = (!is_writing).then(|| inside.lock().unwrap());
            while let Some(sample) = r.take_next_sample() {
                let number = sample.data().unwrap().number;
                send.send((is_writing, number)).unwrap();
            }
        });
        // Who has no listener finds its samples at once, whoever calls the others.
        let silent = reader::<Plain>(&p, "T", reliable_all().1);
        let writer = writer::<Plain>(&p, "T", reliable_all().0);
        writer.wait_for_matched(2, SOON).unwrap();
        heard.wait_for_matched(1, SOON).unwrap();
        silent.wait_for_matched(1, SOON).unwrap();
        for number in 0..100 {
            let guard = lock.lock().unwrap();
            writer.write(&plain(number, 10)).unwrap();
            drop(guard);
            let first = called.recv_timeout(StdDuration::from_secs(60)).unwrap();
            assert_eq!(first, (!leaves, number));
            assert!(silent.take_next_sample().is_some());
        }
    }
}

/// A listener that asks a question and waits for the answer, which another listener of the same
/// process gives.
#[test]
fn a_listener_may_wait_for_what_another_listener_says() {
    for (_net, a, b) in pairs() {
        let (wqos, rqos) = reliable_all();
        let answers = writer::<Plain>(&b, "Answer", wqos.clone());
        let answering = answers.clone();
        let responder = listening::<Plain>(&b, "Question", rqos.clone(), move |r| {
            for question in r.take().iter().filter_map(Sample::data) {
                answering.write(question).unwrap();
            }
        });
        let questions = writer::<Plain>(&a, "Question", wqos.clone());
        let replies = reader::<Plain>(&a, "Answer", rqos.clone());
        matched(&questions, &responder);
        matched(&answers, &replies);
        let (done, result) = channel();
        let replies = Mutex::new(replies);
        let asker = listening::<Plain>(&a, "Start", rqos, move |r| {
            for sample in r.take().iter().filter_map(Sample::data) {
                questions.write(sample).unwrap();
                let got = take(&replies.lock().unwrap(), 1);
                done.send(got[0].data().unwrap().number).unwrap();
            }
        });
        let start = writer::<Plain>(&a, "Start", wqos);
        matched(&start, &asker);
        start.write(&plain(7, 10)).unwrap();
        assert_eq!(result.recv_timeout(StdDuration::from_secs(300)), Ok(7));
    }
}

#[test]
fn many_writing_threads_share_a_listener() {
    const THREADS: u32 = 4;
    const EACH: u32 = 2_000;
    for (_net, a, b) in pairs() {
        let (wqos, rqos) = reliable_all();
        let seen = Arc::new(Mutex::new(vec![Vec::new(); THREADS as usize]));
        let sink = Arc::clone(&seen);
        let reader = listening::<Plain>(&b, "T", rqos, move |r| {
            for sample in r.take().iter().filter_map(Sample::data) {
                let number = sample.number;
                sink.lock().unwrap()[(number / EACH) as usize].push(number % EACH);
            }
        });
        let writer = writer::<Plain>(&a, "T", wqos);
        matched(&writer, &reader);
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let writer = &writer;
                scope.spawn(move || {
                    for number in 0..EACH {
                        writer.write(&plain(thread * EACH + number, 10)).unwrap();
                    }
                });
            }
        });
        let all = || seen.lock().unwrap().iter().map(Vec::len).sum::<usize>();
        let start = Instant::now();
        while all() < (THREADS * EACH) as usize && start.elapsed().as_secs() < 300 {
            std::thread::sleep(StdDuration::from_millis(1));
        }
        for numbers in seen.lock().unwrap().iter() {
            assert!(numbers.iter().copied().eq(0..EACH));
        }
    }
}

#[test]
fn readers_here_and_elsewhere_get_the_same() {
    let net = Net::new(0.1);
    let [a, b] = [(); 2].map(|()| net.within(ParticipantConfig::default()));
    let elsewhere = net.participant();
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Plain>(&a, "T", wqos);
    let readers = [&a, &b, &elsewhere].map(|p| reader::<Plain>(p, "T", rqos.clone()));
    writer.wait_for_matched(3, SOON).unwrap();
    for reader in &readers {
        reader.wait_for_matched(1, SOON).unwrap();
    }
    let sizes = [10, 1_000, 10_000, 40_000, 500_000];
    for number in 0..50 {
        writer
            .write(&plain(number, sizes[number as usize % 5]))
            .unwrap();
    }
    for reader in &readers {
        let got = take(reader, 50);
        let right = |(number, sample): (u32, &Sample<Plain>)| {
            sample.data().unwrap() == &plain(number, sizes[number as usize % 5])
        };
        assert_eq!(got.len(), 50);
        assert!((0..).zip(&got).all(right));
    }
}

#[test]
fn endpoints_come_and_go_while_samples_are_written() {
    let [_, (_net, a, b)] = pairs();
    let (wqos, rqos) = reliable_all();
    let writer = writer::<Plain>(&a, "T", wqos);
    let stop = AtomicU32::new(0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                writer.write(&plain(number, 100)).unwrap();
                if stop.load(SeqCst) == 1 {
                    break;
                }
            }
        });
        for turn in 0..20 {
            let reader = reader::<Plain>([&a, &b][turn % 2], "T", rqos.clone());
            let got = take(&reader, 100);
            let numbers: Vec<_> = got.iter().map(|s| s.data().unwrap().number).collect();
            assert!(numbers.windows(2).all(|n| n[0] + 1 == n[1]), "{numbers:?}");
            assert!(numbers.len() >= 100);
        }
        stop.store(1, SeqCst);
    });
    let data = Bytes::from_static(b"x");
    writer.write(&Plain { number: 1, data }).unwrap();
}

/// Writes between two calls of `getppid`, each sample taken by a listener.
fn write_between_marks(reliable: bool) {
    let net = Net::new(0.0);
    let [a, b] = [(); 2].map(|()| {
        net.within(ParticipantConfig {
            heartbeat_period: Duration::from_secs(1000),
            ..Default::default()
        })
    });
    let (mut wqos, mut rqos) = reliable_all();
    if !reliable {
        wqos.reliability = Reliability::BEST_EFFORT;
        rqos.reliability = Reliability::BEST_EFFORT;
    }
    let seen = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&seen);
    let reader = listening::<Plain>(&b, "T", rqos, move |r| {
        while let Some(sample) = r.take_next_sample() {
            count.fetch_add(sample.data().map_or(0, |s| s.number), SeqCst);
        }
    });
    let writer = writer::<Plain>(&a, "T", wqos);
    matched(&writer, &reader);
    let sample = plain(1, 1_000);
    for _ in 0..2 {
        for _ in 0..SAMPLES {
            writer.write(&sample).unwrap();
        }
        // The second time is what counts.
        let _mark = std::os::unix::process::parent_id();
    }
    assert_eq!(seen.load(SeqCst), 2 * SAMPLES);
}

const SAMPLES: u32 = 20_000;

#[test]
fn a_sample_costs_no_system_call() {
    const MARK: &str = "DUNLIN_TEST_MARKS";
    if let Ok(reliable) = std::env::var(MARK) {
        return write_between_marks(reliable == "true");
    }
    for reliable in ["true", "false"] {
        let traced = Command::new("strace")
            .args(["-f", "-qq"])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "a_sample_costs_no_system_call"])
            .env(MARK, reliable)
            .output();
        let Ok(traced) = traced else {
            return println!("SKIPPED a_sample_costs_no_system_call: there is no strace");
        };
        let lines = String::from_utf8_lossy(&traced.stderr).into_owned();
        assert!(traced.status.success(), "{lines}");
        // `[pid 17] getppid() = 16`; what two threads do at a time is two lines.
        let of = |line: &str| line.split(']').next().map(str::to_owned);
        let is_mark = |line: &&str| line.contains("getppid(");
        let marks: Vec<_> = lines.lines().filter(is_mark).collect();
        let thread = of(marks.last().expect("a mark"));
        // The second line of a call.
        let is_end = |line: &str| line.contains(" resumed>");
        let its = lines
            .lines()
            .filter(|line| of(line) == thread && !is_end(line));
        let calls: Vec<_> = its.skip_while(|line| !is_mark(line)).skip(1).collect();
        let until = calls.iter().position(is_mark);
        let calls = &calls[..until.expect("two marks")];
        // The timer may have to be woken for the next heartbeat, once.
        assert!(calls.len() <= 1, "reliable {reliable}: {calls:#?}");
    }
}
