//! Dials that nobody waits for.
use super::*;
use crate::shm::{Port, identity};
use crate::{Reach, ShmConfig, ShmTransport, Transport, Watcher};
use dunlin_shm::{Limits, Rendezvous, Violation};
use std::sync::Mutex;

const LIMIT: Duration = Duration::from_secs(20);
const INSTANT: Duration = Duration::from_millis(1);

fn group() -> u32 {
    0x6000_0000 | std::process::id()
}

fn participant(name: u8) -> ShmTransport {
    let (group, name) = (group(), [name; 12]);
    ShmTransport::new(&ShmConfig { group, name }).unwrap()
}

/// Somebody who listens, and answers when `poll` is called and not before.
fn silent(name: u8) -> (Rendezvous, Locator) {
    let own = identity([name; 12], Port::of(7411));
    let silent = Rendezvous::new(group(), own, Limits::default()).unwrap();
    (silent, locator(&own))
}

/// Of whom it was told that they have answered.
#[derive(Default)]
struct Told(Mutex<Vec<[u8; 12]>>);

impl Watcher for Told {
    fn changed(&self, peer: &Locator, _: bool) {
        panic!("nobody has ended: {peer:?}");
    }

    fn answered(&self, peer: &Locator) {
        let told = identity_at(peer).map(|peer| name(&peer));
        self.0.lock().unwrap().extend(told);
    }

    fn failed(&self, why: &str) {
        panic!("{why}");
    }
}

#[test]
fn a_dial_that_was_begun_holds_nobody_up_and_its_answer_is_told() {
    let a = participant(0x11);
    let told = Arc::new(Told::default());
    let watcher: Arc<dyn Watcher> = told.clone();
    a.watch(Arc::downgrade(&watcher));
    let (mut b, to) = silent(0x12);
    assert!(a.begin(&to) && a.begin(&to));
    // The peer answers in this thread, so nothing has come.
    assert_eq!(a.reaches(&to), Reach::No);
    assert!(a.lane(&to).is_none() && told.0.lock().unwrap().is_empty());
    let mut joined = Vec::new();
    let limit = Instant::now() + LIMIT;
    while a.reaches(&to) == Reach::No || told.0.lock().unwrap().is_empty() {
        joined.extend(b.poll(Instant::now()));
        assert!(Instant::now() < limit, "it is never connected");
        std::thread::sleep(INSTANT);
    }
    assert_eq!(told.0.lock().unwrap().last(), Some(&[0x12; 12]));
    assert!(a.lane(&to).is_some());
    assert!(!a.begin(&to), "it is known");
    assert_eq!(a.table.conversations(), (0, 0));
}

#[test]
fn where_nobody_listens_nobody_is_waited_for_or_tried_again() {
    let a = participant(0x13);
    let nobody = locator(&identity([0x14; 12], Port::of(7411)));
    assert!(!a.begin(&nobody));
    assert_eq!(a.reaches(&nobody), Reach::No);
    assert_eq!(a.table.conversations(), (0, 0));
    assert!(!a.begin(&Locator::udp_v4([127, 0, 0, 1].into(), 7411)));
}

#[test]
fn of_a_crowd_few_are_greeted_at_once_and_all_are_in_the_end() {
    const CROWD: u8 = 60;
    let a = participant(0x20);
    let mut crowd: Vec<_> = (0..CROWD).map(|number| silent(0x21 + number)).collect();
    assert!(crowd.iter().all(|(_, to)| a.begin(to)));
    let mut joined = Vec::new();
    let limit = Instant::now() + LIMIT;
    loop {
        let (greeted, _) = a.table.conversations();
        assert!(greeted <= AT_ONCE, "{greeted}");
        if crowd.iter().all(|(_, to)| a.reaches(to) == Reach::Memory) {
            break;
        }
        for (peer, _) in &mut crowd {
            joined.extend(peer.poll(Instant::now()));
        }
        assert!(Instant::now() < limit, "some are never connected");
        std::thread::sleep(INSTANT);
    }
    assert_eq!(a.table.conversations(), (0, 0));
}

#[test]
fn who_fails_is_tried_again_after_pauses_that_grow() {
    let mut dialling = Dialling::default();
    let (peer, busy) = ([1; 16], Error::Limit("too many peers"));
    let (mut now, mut pauses) = (Instant::now(), Vec::new());
    for round in 0..11 {
        let told = dialling.note_failed(peer, round == 0, &busy, now);
        assert_eq!(told, round == 0, "the participant knows it since the first");
        let at = dialling.next_timeout().unwrap();
        assert!(dialling.is_refused(&peer, at - INSTANT));
        assert_eq!(dialling.next(at - INSTANT), None);
        assert_eq!(dialling.next(at), Some(peer));
        assert!(!dialling.is_refused(&peer, at));
        pauses.push((at - now).as_millis());
        now = at;
    }
    let longest = [64_000; 3];
    let growing = [250, 500, 1000, 2000, 4000, 8000, 16_000, 32_000];
    assert_eq!(pauses, [&growing[..], &longest].concat());
    dialling.note_joined(&peer);
    assert_eq!((dialling.next_timeout(), dialling.next(now)), (None, None));
    assert!(!dialling.is_refused(&peer, now));
}

#[test]
fn who_is_gone_breaks_the_rules_or_is_not_wanted_is_not_tried_again() {
    let now = Instant::now();
    let rows = [
        (true, Error::Gone, false),
        (true, Violation::Kind.into(), true),
        (false, Error::Limit("too many peers"), false),
    ];
    for (wanted, error, for_ever) in rows {
        let mut dialling = Dialling::default();
        let peer = [2; 16];
        assert_eq!(dialling.note_failed(peer, wanted, &error, now), wanted);
        assert_eq!(dialling.next_timeout(), None, "{error:?}");
        assert!(dialling.is_refused(&peer, now));
        assert_eq!(dialling.is_refused(&peer, now + LONGEST_PAUSE), for_ever);
    }
}
