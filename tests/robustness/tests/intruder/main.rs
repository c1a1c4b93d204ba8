//! A participant with a healthy partner in shared memory, while somebody of the same user connects
//! and breaks every rule there is.
mod callers;
mod forge;
#[path = "../hostile/packet.rs"]
#[allow(dead_code, reason = "most of it is for packets that come by UDP")]
mod packet;
mod readers;

use callers::{BESIDE, Due, KINDS, Scene};
use dunlin_robustness_tests::{Answer, Holdings, Patience, Place, Process, in_namespace};
use forge::{Dice, Identity, Line, Listener};
use packet::Prefix;
use readers::{ANSWERS, Honest, LIES, Reader};
use std::time::Duration;

const PEER: &str = env!("CARGO_BIN_EXE_robust_peer");
/// Of each kind.
const RUNS: usize = 200;
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;
/// What remains of all that, in KiB: the victim notes what it has received, and keeps buffers.
const GROWTH: i64 = 8 << 10;

/// Two that write to each other 1000 times a second, one of which is attacked.
struct Pair {
    victim: Process,
    healthy: Process,
    prefix: Prefix,
    ports: Vec<Identity>,
    caller: Identity,
    before: (Holdings, Answer, i64),
}

impl Pair {
    /// What the victim writes fills a ring within 15 samples.
    fn new(transports: &str) -> Self {
        let start = |role| Place::HERE.start(PEER, &format!("{role} transports={transports}"));
        // What it keeps for a partner that waits for a processor is bounded, and is no growth.
        let mut victim = start("write=B read=A keep=0 size=3900 limit=300 block=300000");
        let mut healthy = start("write=A read=B keep=0");
        for peer in [&mut victim, &mut healthy] {
            peer.wait("matched");
        }
        for peer in [&mut victim, &mut healthy] {
            peer.ask("write 10000000 1000");
        }
        let prefix = prefix(&victim);
        let own = forge::listening()
            .into_iter()
            .filter(|one| one[..12] == prefix);
        let (callers, ports): (Vec<_>, Vec<_>) = own.partition(|one| one[12..] == [0, 0, 0, 1]);
        assert!(ports.len() >= 2 && callers.len() == 1, "{ports:x?}");
        // Until everything that is made once has been made.
        victim.wait("received 2000");
        let before = (
            victim.holdings(),
            victim.ask("report"),
            victim.private_kib(),
        );
        Self {
            victim,
            healthy,
            prefix,
            ports,
            caller: callers[0],
            before,
        }
    }

    fn scene(&self) -> Scene {
        Scene {
            ports: self.ports.clone(),
            caller: self.caller,
            dice: Dice(SEED),
            run: 0,
        }
    }

    /// How much of these the victim has counted since the beginning.
    fn counted(&mut self, what: &str) -> i64 {
        self.victim.ask("report").number(what) - self.before.1.number(what)
    }

    /// Waits until the victim has counted so many.
    fn counts(&mut self, what: &str, due: i64, kind: &str) {
        let mut patience = Patience::begin();
        // What it remembers of each sample makes reports slow.
        self.victim.ask("restart");
        loop {
            let counted = self.counted(what);
            if counted >= due {
                return assert_eq!(counted, due, "{what}: {kind}");
            }
            assert!(
                patience.lasts(counted),
                "{counted} instead of {due} {what}: {kind}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends the conversation: nothing is missing, both still share memory, and the victim holds
    /// what it held before.
    fn check(mut self, what: &str) {
        self.victim.comes_back_to(self.before.0);
        let grown = self.victim.private_kib() - self.before.2;
        assert_eq!(self.healthy.ask("report").number("refused"), 0);
        let wrote = [self.healthy.ask("stop"), self.victim.ask("stop")];
        let peers = [&mut self.victim, &mut self.healthy];
        for (peer, wrote) in peers.into_iter().zip(&wrote) {
            assert_eq!(wrote.get("error"), "none", "{}", wrote.text);
            peer.wait(&format!("received {}", wrote.number("wrote")));
            let report = peer.ask("report");
            for fault in ["missing", "doubled", "disordered", "damaged", "lost"] {
                assert_eq!(report.number(fault), 0, "{}", report.text);
            }
        }
        println!(
            "FIGURE {what}: healthy peer at 1 kHz lost 0 of {}, longest write of the victim {} us, {grown:+} KiB of its own",
            wrote[0].get("wrote"),
            wrote[1].get("longest"),
        );
        assert!(grown <= GROWTH, "{grown} KiB more than before");
    }
}

fn prefix(peer: &Process) -> Prefix {
    let hex = peer.greeting.get("writer");
    let byte = |at: usize| u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).expect("digits");
    std::array::from_fn(byte)
}

fn attack_by_calls(transports: &str) {
    let mut pair = Pair::new(transports);
    let mut scene = pair.scene();
    let mut due = [0, 0];
    let beside = BESIDE.iter().filter(|_| transports.contains("udp"));
    for (kind, what, act) in KINDS.iter().chain(beside) {
        for run in 0..RUNS {
            scene.run = run;
            let line = act(&mut scene);
            match what {
                Due::Refused => assert!(line.is_dropped(), "run {run} of {kind}"),
                // What it has said is read though it has gone.
                Due::Malformed | Due::Nothing => assert!(line.hear(), "run {run} of {kind}"),
            }
        }
        let runs = i64::try_from(RUNS).expect("few");
        due[0] += runs * i64::from(*what == Due::Refused);
        due[1] += runs * i64::from(*what == Due::Malformed);
        pair.counts("refused", due[0], kind);
        pair.counts("malformed", due[1], kind);
    }
    // Once all of them are given up or have made room: 64 at once, for a second.
    let silent: Vec<_> = (0..RUNS)
        .map(|run| Line::to(&pair.ports[run % pair.ports.len()]))
        .collect();
    for line in &silent {
        assert!(line.is_dropped(), "somebody who says nothing");
    }
    pair.counts("refused", due[0] + 200, "somebody who says nothing");
    drop(silent);
    // Whether the victim hears of these before they have gone is chance.
    for run in 0..RUNS {
        scene.run = run;
        callers::leaves(&mut scene);
    }
    pair.check(&format!(
        "{} kinds of callers x {RUNS}, {transports}: all refused that break a rule, {} malformed messages",
        KINDS.len() + 2,
        due[1]
    ));
}

fn attack_by_reading(transports: &str) {
    let mut pair = Pair::new(transports);
    let mut dice = Dice(SEED);
    let mut due = 0;
    for (kind, ends, lie) in LIES {
        for run in 0..RUNS {
            let mut reader = Reader::new(&mut dice);
            let rendezvous = Honest::listens(reader.port());
            reader.come(pair.prefix, &pair.ports);
            let mut honest = Honest::answers(rendezvous);
            reader.answer(pair.prefix, &pair.ports, &mut honest);
            lie(&mut honest, &mut dice);
            assert!(!ends || honest.is_dropped(), "run {run} of {kind}");
            due += i64::from(*ends);
        }
        pair.counts("refused", due, kind);
    }
    for (kind, answer) in ANSWERS {
        for _ in 0..RUNS {
            let mut reader = Reader::new(&mut dice);
            let listener = Listener::at(&reader.port());
            reader.come(pair.prefix, &pair.ports);
            let line = listener.accept();
            answer(&line, reader.port(), &mut dice);
            let silent = kind.starts_with("an end");
            assert!(silent || line.is_dropped(), "{kind}");
            due += 1;
        }
        pair.counts("refused", due, kind);
    }
    pair.check(&format!(
        "{} kinds of readers x {RUNS}, {transports}",
        LIES.len() + ANSWERS.len()
    ));
}

#[test]
fn no_caller_harms_a_participant_in_shared_memory_alone() {
    let name = "no_caller_harms_a_participant_in_shared_memory_alone";
    in_namespace(name, || attack_by_calls("shmem"));
}

#[test]
fn no_caller_harms_a_participant() {
    in_namespace("no_caller_harms_a_participant", || {
        attack_by_calls("udp,shmem")
    });
}

#[test]
fn no_reader_harms_a_participant_that_sends_to_it() {
    let name = "no_reader_harms_a_participant_that_sends_to_it";
    in_namespace(name, || attack_by_reading("shmem"));
}
