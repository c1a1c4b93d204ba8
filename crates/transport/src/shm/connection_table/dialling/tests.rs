//! Dials that nobody waits for.
use super::*;
use crate::shm::{Port, identity};
use crate::{Listen, Reach, Receiver, ShmConfig, ShmTransport, Transport, Watcher};
use dunlin_shm::{Event, Limits, Rendezvous, Violation};
use std::sync::Mutex;

const LIMIT: Duration = Duration::from_secs(20);
const INSTANT: Duration = Duration::from_millis(1);
/// Participants that are known.
const FEW: usize = 3;

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
    assert_eq!([a.begin(&to, FEW), a.begin(&to, FEW)], [Begun::Awaited; 2]);
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
    assert_eq!(a.begin(&to, FEW), Begun::Known);
    assert_eq!(a.table.conversations(), (0, 0));
}

#[test]
fn where_nobody_listens_nobody_is_waited_for_or_tried_again() {
    let a = participant(0x13);
    let nobody = locator(&identity([0x14; 12], Port::of(7411)));
    assert_eq!(a.begin(&nobody, FEW), Begun::Known);
    assert_eq!(a.reaches(&nobody), Reach::No);
    assert_eq!(a.table.conversations(), (0, 0));
    let elsewhere = Locator::udp_v4([127, 0, 0, 1].into(), 7411);
    assert_eq!(a.begin(&elsewhere, FEW), Begun::Known);
}

/// Lets all of a crowd answer until `done`.
fn answer(crowd: &mut [(Rendezvous, Locator)], done: impl Fn() -> bool) -> Vec<Event> {
    let mut joined = Vec::new();
    let limit = Instant::now() + LIMIT;
    while !done() {
        for (peer, _) in &mut *crowd {
            joined.extend(peer.poll(Instant::now()));
        }
        assert!(Instant::now() < limit, "some are never connected");
        std::thread::sleep(INSTANT);
    }
    joined
}

#[test]
fn of_a_crowd_few_are_greeted_at_a_match_and_all_in_the_end_if_wanted() {
    const CROWD: u8 = 120;
    let a = participant(0x20);
    let mut crowd: Vec<_> = (0..CROWD).map(|number| silent(0x21 + number)).collect();
    let places: Vec<Locator> = crowd.iter().map(|(_, to)| *to).collect();
    let (few, others) = places.split_at(AT_A_MATCH);
    assert!(few.iter().all(|to| a.begin(to, FEW) == Begun::Awaited));
    assert!(others.iter().all(|to| a.begin(to, FEW) == Begun::PutOff));
    // Nobody who was put off is waited for.
    let begin = Instant::now();
    assert!(others.iter().all(|to| a.reaches(to) == Reach::No));
    assert!(begin.elapsed() < PATIENCE * (CROWD / 2).into());
    let is_reached = |to: &Locator| a.reaches(to) == Reach::Memory;
    let connected = answer(&mut crowd, || few.iter().all(is_reached));
    assert!(others.iter().all(|to| a.begin(to, FEW) == Begun::PutOff));
    assert_eq!(a.table.conversations(), (0, 0));
    a.want(others);
    a.want(others);
    let all = answer(&mut crowd, || {
        let (greeted, _) = a.table.conversations();
        assert!(greeted <= AT_ONCE, "{greeted}");
        places.iter().all(is_reached)
    });
    assert_eq!(connected.len() + all.len(), usize::from(CROWD));
    assert_eq!(a.table.conversations(), (0, 0));
}

#[test]
fn of_a_large_crowd_nobody_is_greeted_at_a_match() {
    let a = participant(0xf0);
    let mut crowd = [silent(0xf1)];
    let place = crowd[0].1;
    assert_eq!(a.begin(&place, CROWD + 1), Begun::PutOff);
    assert_eq!(a.table.conversations(), (0, 0));
    a.want(&[place]);
    let _connected = answer(&mut crowd, || a.reaches(&place) == Reach::Memory);
    assert_eq!(a.begin(&place, CROWD + 1), Begun::Known, "it is there");
}

#[test]
fn who_was_put_off_is_called_back() {
    let a = participant(0xa0);
    let receiver = a.listen_alone(&[Listen::Unicast { port: 7411 }]).unwrap();
    let mut few: Vec<_> = (0..AT_A_MATCH as u8).map(|n| silent(0xa1 + n)).collect();
    assert!(few.iter().all(|(_, to)| a.begin(to, FEW) == Begun::Awaited));
    let (b, c) = (participant(0xe0), participant(0xe1));
    let receivers = [&b, &c].map(|peer| peer.listen_alone(&[Listen::Unicast { port: 7411 }]));
    let [to_b, to_c] = receivers
        .each_ref()
        .map(|of| of.as_ref().unwrap().locators()[0]);
    assert_eq!(
        [a.begin(&to_b, FEW), a.begin(&to_c, FEW)],
        [Begun::PutOff; 2]
    );
    assert_eq!(b.begin(&receiver.locators()[0], FEW), Begun::Awaited);
    let _connected = answer(&mut few, || a.reaches(&to_b) == Reach::Memory);
    assert_eq!(a.reaches(&to_c), Reach::No, "it has not called");
}

#[test]
fn who_has_called_is_an_acquaintance() {
    let a = participant(0xe4);
    let receiver = a.listen_alone(&[Listen::Unicast { port: 7411 }]).unwrap();
    let callers: Vec<_> = (0..AT_A_MATCH as u8 / 2)
        .map(|n| participant(0xe5 + n))
        .collect();
    let own = receiver.locators()[0];
    assert!(
        callers
            .iter()
            .all(|caller| caller.reaches(&own) == Reach::Memory)
    );
    let count = |table: &ConnectionTable| table.state().acquaintances();
    let limit = Instant::now() + LIMIT;
    while count(&a.table) < callers.len() {
        assert!(Instant::now() < limit, "{}", count(&a.table));
        std::thread::sleep(INSTANT);
    }
    // Both ways with one participant count once.
    let back = callers[0].listen_alone(&[Listen::Unicast { port: 7411 }]);
    let _ = a.begin(&back.unwrap().locators()[0], FEW);
    assert_eq!(count(&a.table), callers.len());
}

#[test]
fn no_more_than_so_many_are_remembered_for_later() {
    let mut dialling = Dialling::default();
    let peer = |number: u32| {
        identity(
            number.to_be_bytes().repeat(3).try_into().unwrap(),
            Port::of(7411),
        )
    };
    for number in 0..=MOST as u32 {
        dialling.put_off(peer(number));
    }
    assert_eq!(dialling.put_off.len(), 1);
    assert!(dialling.want([peer(MOST as u32), peer(0)]));
    assert!(!dialling.want([peer(MOST as u32)]), "once is enough");
    assert_eq!(dialling.queue, [peer(MOST as u32)]);
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
