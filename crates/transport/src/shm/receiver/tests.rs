//! Peers that break the rules of a connection.
use super::*;
use crate::{Listen, Reach, ShmConfig, ShmTransport, Transport};
use dunlin_shm::{Class, Connection, Event, Limits, Pool, Rendezvous};

fn participant(name: u8) -> ShmTransport {
    let group = 0x4000_0000 | std::process::id();
    let name = [name; 12];
    ShmTransport::new(&ShmConfig { group, name }).unwrap()
}

/// Somebody of our user who speaks for itself, connected with one of a participant's ports.
fn intruder(name: u8, port: Identity) -> (Rendezvous, Connection) {
    let group = 0x4000_0000 | std::process::id();
    let own = identity([name; 12], Port::CALLER);
    let mut rendezvous = Rendezvous::new(group, own, Limits::default()).unwrap();
    rendezvous.dial(port, Instant::now()).unwrap();
    let limit = Instant::now() + Duration::from_secs(20);
    loop {
        match rendezvous.poll(Instant::now()).pop() {
            Some(Event::Joined(connection)) => return (rendezvous, *connection),
            Some(Event::Failed(_, error)) => panic!("{error}"),
            None => std::thread::sleep(Duration::from_millis(1)),
        }
        assert!(Instant::now() < limit, "no answer");
    }
}

#[test]
fn a_chunk_whose_memory_never_comes_ends_its_connection_and_spoils_no_other_datagram() {
    let class = Class {
        capacity: 4096,
        count: 2,
    };
    let pool = Pool::new(5, &[class]).unwrap();
    let chunk = pool.allocate(4096).unwrap().publish();
    for (at, inline) in [b"".as_slice(), b"around it"].into_iter().enumerate() {
        let b = participant(0xb2 + at as u8);
        let mut receiver = b.listen(&[Listen::Unicast { port: 0 }]).unwrap();
        receiver.wake_by_doorbell();
        let port = super::super::identity_at(&receiver.locators()[0]).unwrap();
        let (_alive, mut intruder) = intruder(0xc2 + at as u8, port);
        let sender = &mut intruder.sender;
        sender
            .try_send_attached(&[inline], 0, chunk.clone(), 0..4096)
            .unwrap();
        let mut buffer = BytesMut::with_capacity(64 * 1024);
        let limit = Instant::now() + Duration::from_secs(20);
        while b.refused() == 0 {
            let soon = Wait::Until(Some(Instant::now() + Duration::from_millis(5)));
            assert_eq!(receiver.receive(&mut buffer, soon).unwrap(), None);
            assert!(Instant::now() < limit, "it waits for ever");
        }
        assert!(buffer.is_empty() && receiver.is_alone());
        assert_eq!((b.refused(), receiver.announced()), (1, 0));
    }
}

/// Receives until the peer is refused.
fn is_refused(b: &ShmTransport, receiver: &mut ShmReceiver, mut again: impl FnMut()) {
    let mut buffer = BytesMut::with_capacity(1024);
    let limit = Instant::now() + Duration::from_secs(20);
    while b.refused() == 0 {
        again();
        let soon = Wait::Until(Some(Instant::now() + Duration::from_millis(1)));
        assert_eq!(receiver.receive(&mut buffer, soon).unwrap(), None);
        assert!(Instant::now() < limit, "it is believed");
    }
    assert!(receiver.is_alone());
    assert_eq!(b.refused(), 1);
}

#[test]
fn who_withdraws_what_it_never_announced_or_announces_without_end_is_refused() {
    let class = Class {
        capacity: 4096,
        count: 1,
    };
    let pool = Pool::new(5, &[class]).unwrap();
    for often in [false, true] {
        let b = participant(0xb9 + u8::from(often));
        let mut receiver = b.listen(&[Listen::Unicast { port: 0 }]).unwrap();
        receiver.wake_by_doorbell();
        let port = super::super::identity_at(&receiver.locators()[0]).unwrap();
        let (_alive, mut intruder) = intruder(0xc9 + u8::from(often), port);
        let mut rounds = 0;
        is_refused(&b, &mut receiver, || {
            if often {
                // Refused connections take no more.
                let _ = intruder.line.announce(&pool);
            }
            let _ = intruder.sender.try_withdraw(5);
            rounds += 1;
        });
        assert!(!often || rounds >= 32, "{rounds}");
    }
}

#[test]
fn who_calls_a_participant_that_only_calls_is_refused() {
    let b = participant(0xb4);
    let (_alive, intruder) = intruder(0xc4, identity([0xb4; 12], Port::CALLER));
    let limit = Instant::now() + Duration::from_secs(20);
    while !matches!(intruder.line.control(), Ok(Some(Control::End))) {
        assert!(Instant::now() < limit, "it is sent what is for others");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(b.refused(), 1);
}

#[test]
fn a_sender_whose_connection_is_closed_goes_another_way() {
    let (a, b) = (participant(0xa1), participant(0xb1));
    let mut receiver = b.listen(&[Listen::Unicast { port: 0 }]).unwrap();
    receiver.wake_by_doorbell();
    let to = receiver.locators()[0];
    assert_eq!(a.reaches(&to), Reach::Memory);
    let limit = Instant::now() + Duration::from_secs(20);
    let soon = || Wait::Until(Some(Instant::now() + Duration::from_millis(5)));
    while receiver.is_alone() {
        assert!(Instant::now() < limit, "nobody came");
        let mut buffer = BytesMut::with_capacity(1024);
        assert_eq!(receiver.receive(&mut buffer, soon()).unwrap(), None);
    }
    let ReceiveChannel { peer, .. } = receiver.inlets.remove(0);
    let error = Violation::Kind.into();
    receiver.table.note_violation(&receiver.inbox, peer, &error);
    while a.reaches(&to) == Reach::Memory {
        assert!(Instant::now() < limit, "it sends to nobody");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!((a.reaches(&to), b.refused()), (Reach::No, 1));
}

#[test]
fn a_reader_that_two_threads_find_breaking_the_rules_is_refused_once() {
    let (a, b) = (participant(0xa5), participant(0xb5));
    let receiver = b.listen(&[Listen::Unicast { port: 0 }]).unwrap();
    let to = receiver.locators()[0];
    let send_channel = a.table.connect(&to).unwrap();
    for _ in 0..2 {
        a.table.break_with(&send_channel, "a cursor that goes back");
    }
    assert_eq!((a.reaches(&to), a.refused()), (Reach::No, 1));
}
