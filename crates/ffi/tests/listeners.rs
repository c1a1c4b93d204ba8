//! Functions of the application are called, replaced and released.
mod common;
use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin_ffi::*;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

/// What a listener has heard.
#[derive(Default)]
struct Heard {
    data: AtomicU32,
    statuses: AtomicU32,
    entity: AtomicU64,
    current: AtomicU32,
    released: AtomicU32,
    /// What `on_data` closes.
    closes: AtomicU64,
}

unsafe fn heard<'a>(context: *mut c_void) -> &'a Heard {
    // SAFETY: each context of these tests is one that outlives the listener.
    unsafe { &*context.cast::<Heard>() }
}

unsafe extern "C" fn on_data(context: *mut c_void, reader: u64) {
    // SAFETY: as `heard` says.
    let heard = unsafe { heard(context) };
    heard.entity.store(reader, SeqCst);
    while let Ok(mut samples) = take(reader, &all(), 4) {
        heard.data.fetch_add(samples.len() as u32, SeqCst);
        ok(give_back(reader, &mut samples));
    }
    match heard.closes.swap(0, SeqCst) {
        0 => {}
        closed => ok(dunlin_close(closed)),
    }
}

unsafe extern "C" fn on_status(context: *mut c_void, entity: u64, status: *const dunlin_status) {
    // SAFETY: as `heard` says; the status is there during the call.
    let (heard, status) = unsafe { (heard(context), &*status) };
    heard.statuses.fetch_or(status.kind, SeqCst);
    heard.entity.store(entity, SeqCst);
    heard.current.store(status.count[2] as u32, SeqCst);
}

unsafe extern "C" fn on_data_on_readers(context: *mut c_void, subscriber: u64) {
    // SAFETY: as `heard` says.
    unsafe { heard(context) }.entity.store(subscriber, SeqCst);
    ok(dunlin_subscriber_notify_readers(subscriber));
}

/// Takes all, writes one sample more, and is not called again.
unsafe extern "C" fn on_data_once(context: *mut c_void, reader: u64) {
    // SAFETY: as `heard` says.
    let heard = unsafe { heard(context) };
    let mut samples = take(reader, &all(), 4).unwrap();
    heard.data.fetch_add(samples.len() as u32, SeqCst);
    ok(give_back(reader, &mut samples));
    let payload = position(9, b"");
    let sent = Array::from(&payload[..]);
    ok(dunlin_write(heard.entity.load(SeqCst), sent, 16, Out::NULL));
    ok(dunlin_set_listener(reader, In::NULL));
    assert_eq!(heard.released(), 0, "released within its own call");
}

unsafe extern "C" fn release(context: *mut c_void) {
    // SAFETY: as `heard` says.
    unsafe { heard(context) }.released.fetch_add(1, SeqCst);
}

impl Heard {
    fn listener(&self, mask: u32) -> dunlin_listener {
        dunlin_listener {
            size: size_of::<dunlin_listener>() as u32,
            mask,
            context: std::ptr::from_ref(self).cast_mut().cast(),
            on_data: Some(on_data),
            on_data_on_readers: None,
            on_status: Some(on_status),
            release: Some(release),
        }
    }

    fn released(&self) -> u32 {
        self.released.load(SeqCst)
    }

    fn wait(&self, done: impl Fn(&Self) -> bool) {
        let begin = std::time::Instant::now();
        while !done(self) {
            assert!(begin.elapsed().as_secs() < 20, "nothing was heard");
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_listener_hears_of_data_and_is_released_once() {
    in_namespace(
        "a_listener_hears_of_data_and_is_released_once",
        LOOPBACK,
        || {
            let world = World::new();
            let (first, second) = (Heard::default(), Heard::default());
            let listener = first.listener(DUNLIN_DATA_AVAILABLE);
            ok(dunlin_set_listener(world.reader, In::from(&listener)));
            world.write(1, b"");
            first.wait(|heard| heard.data.load(SeqCst) == 1);
            assert_eq!(first.entity.load(SeqCst), world.reader);
            let listener = second.listener(DUNLIN_DATA_AVAILABLE);
            ok(dunlin_set_listener(world.reader, In::from(&listener)));
            assert_eq!((first.released(), second.released()), (1, 0));
            world.write(2, b"");
            second.wait(|heard| heard.data.load(SeqCst) == 1);
            ok(dunlin_set_listener(world.reader, In::NULL));
            assert_eq!((first.released(), second.released()), (1, 1));
            world.close();
            assert_eq!((first.released(), second.released()), (1, 1));
        },
    );
}

#[test]
fn a_new_reader_is_heard_of_from_its_first_match_on() {
    in_namespace(
        "a_new_reader_is_heard_of_from_its_first_match_on",
        LOOPBACK,
        || {
            let world = World::new();
            let own = Heard::default();
            let listener = own.listener(DUNLIN_SUBSCRIPTION_MATCHED);
            let reader = reader(world.participant, world.topic, In::from(&listener));
            own.wait(|heard| heard.statuses.load(SeqCst) == DUNLIN_SUBSCRIPTION_MATCHED);
            assert_eq!(own.entity.load(SeqCst), reader);
            assert_eq!(own.current.load(SeqCst), 1);
            world.close();
            assert_eq!(own.released(), 1);
        },
    );
}

#[test]
fn a_participant_hears_of_what_nobody_below_wants() {
    in_namespace(
        "a_participant_hears_of_what_nobody_below_wants",
        LOOPBACK,
        || {
            let world = World::new();
            let heard = Heard::default();
            let listener = heard.listener(DUNLIN_PUBLICATION_MATCHED);
            ok(dunlin_set_listener(world.participant, In::from(&listener)));
            let _reader = reader(world.participant, world.topic, In::NULL);
            heard.wait(|heard| heard.current.load(SeqCst) == 2);
            assert_eq!(heard.entity.load(SeqCst), world.writer);
            world.close();
            assert_eq!(heard.released(), 1);
        },
    );
}

#[test]
fn a_subscriber_is_told_that_its_readers_have_data() {
    in_namespace(
        "a_subscriber_is_told_that_its_readers_have_data",
        LOOPBACK,
        || {
            let world = World::new();
            let (above, own) = (Heard::default(), Heard::default());
            let (mut subscriber, mut count, mut readers) = (0, 0, [0; 2]);
            ok(dunlin_parent(world.reader, Out::from(&mut subscriber)));
            let listener = own.listener(DUNLIN_DATA_AVAILABLE);
            ok(dunlin_set_listener(world.reader, In::from(&listener)));
            let listener = dunlin_listener {
                on_data_on_readers: Some(on_data_on_readers),
                ..above.listener(DUNLIN_DATA_ON_READERS)
            };
            ok(dunlin_set_listener(subscriber, In::from(&listener)));
            world.write(1, b"");
            own.wait(|heard| heard.data.load(SeqCst) == 1);
            assert_eq!(above.entity.load(SeqCst), subscriber);
            ok(dunlin_subscriber_readers(
                subscriber,
                In::NULL,
                OutArray::from(&mut readers[..]),
                2,
                Out::from(&mut count),
            ));
            assert_eq!(count, 0);
            world.close();
        },
    );
}

#[test]
fn a_callback_may_close_its_reader_and_its_participant() {
    in_namespace(
        "a_callback_may_close_its_reader_and_its_participant",
        LOOPBACK,
        || {
            let world = World::new();
            let heard = Heard::default();
            let listener = heard.listener(DUNLIN_DATA_AVAILABLE);
            let second = reader(world.participant, world.topic, In::from(&listener));
            ok(dunlin_writer_wait_for_matched(world.writer, 2, 10 * SECOND));
            heard.closes.store(second, SeqCst);
            world.write(1, b"");
            heard.wait(|heard| heard.released() == 1);
            assert_eq!(dunlin_close(second), DUNLIN_ALREADY_DELETED);

            let last = Heard::default();
            last.closes.store(world.participant, SeqCst);
            let listener = last.listener(DUNLIN_DATA_AVAILABLE);
            ok(dunlin_set_listener(world.reader, In::from(&listener)));
            world.write(2, b"");
            last.wait(|heard| heard.released() == 1);
            fails(
                dunlin_take(world.reader, In::NULL, OutArray::NULL, 0, Out::NULL),
                DUNLIN_ALREADY_DELETED,
                &["a reader", "closed"],
            );
            ok(dunlin_close(world.ty));
            last.wait(|_| leaks().0 == 0);
        },
    );
}

#[test]
fn a_listener_that_is_refused_stays_the_callers() {
    in_namespace(
        "a_listener_that_is_refused_stays_the_callers",
        LOOPBACK,
        || {
            let world = World::new();
            let heard = Heard::default();
            let listener = heard.listener(DUNLIN_DATA_AVAILABLE);
            let qos = dunlin_reader_qos {
                deadline: 1,
                minimum_separation: 2,
                ..Default::default()
            };
            let mut reader = 0;
            fails(
                dunlin_reader_new(
                    world.participant,
                    world.topic,
                    In::from(&qos),
                    In::from(&listener),
                    Out::from(&mut reader),
                ),
                DUNLIN_INCONSISTENT_POLICY,
                &["DEADLINE", "TIME_BASED_FILTER"],
            );
            assert_eq!((reader, heard.released()), (0, 0));
            assert_eq!(
                dunlin_set_listener(world.ty, In::from(&listener)),
                DUNLIN_BAD_PARAMETER
            );
            assert_eq!(heard.released(), 0);
            world.close();
        },
    );
}

#[test]
fn a_callback_may_write_and_take_itself_away() {
    let name = "a_callback_may_write_and_take_itself_away";
    in_namespace(name, LOOPBACK, || {
        let world = World::new();
        let heard = Heard::default();
        heard.entity.store(world.writer, SeqCst);
        let listener = dunlin_listener {
            on_data: Some(on_data_once),
            ..heard.listener(DUNLIN_DATA_AVAILABLE)
        };
        ok(dunlin_set_listener(world.reader, In::from(&listener)));
        world.write(1, b"");
        heard.wait(|heard| heard.released() == 1);
        assert_eq!(heard.data.load(SeqCst), 1);
        wait_for_data(world.reader);
        let mut samples = take(world.reader, &all(), 4).unwrap();
        assert_eq!(samples[0].info.instance, instance(9));
        ok(give_back(world.reader, &mut samples));
        world.close();
        assert_eq!(heard.released(), 1);
    });
}
