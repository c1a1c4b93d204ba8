//! How often participants announce themselves, and to whom.
mod common;

use common::Net;
use common::watching::Watching;
use dunlin::transport::Outgoing;
use dunlin::*;
use dunlin_wire::EntityId;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[test]
fn who_is_heard_by_multicast_is_announced_to_alone_now_and_then() {
    let net = Net::new(0.0);
    let [to_group, alone] = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let config = || ParticipantConfig {
        announce_period: Duration::from_millis(20),
        transports: Transports {
            local: false,
            ..Transports::default()
        },
        ..ParticipantConfig::default()
    };
    // Announcements of participants: those to a group, and those to one alone.
    let counts = [&to_group, &alone].map(Arc::clone);
    let sees = move |datagram: &Outgoing<'_>| {
        let writer = EntityId::SPDP_WRITER.0;
        let bytes = datagram.to_vec();
        if bytes.windows(writer.len()).any(|part| part == writer) {
            let is_alone = !datagram.to.is_multicast();
            counts[usize::from(is_alone)].fetch_add(1, SeqCst);
        }
    };
    let inner = net.host();
    let counted = DomainParticipant::with_config(
        0,
        ParticipantConfig {
            transport: Some(Arc::new(Watching { inner, sees })),
            ..config()
        },
    )
    .unwrap();
    let others = [(); 4].map(|()| net.configured(config()));
    let until = |condition: &dyn Fn() -> bool| {
        let limit = std::time::Instant::now() + std::time::Duration::from_secs(60);
        while !condition() {
            assert!(std::time::Instant::now() < limit);
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    };
    until(&|| {
        let known = counted.domain().participants;
        known.len() == others.len() && known.iter().all(|other| other.answers)
    });
    // Nobody is told alone within two fifths of a lease (4 s) after it was met. What is under way
    // ends meanwhile, and each has announced itself by multicast.
    let settled = to_group.load(SeqCst) + 250;
    until(&|| to_group.load(SeqCst) >= settled);
    let before = alone.load(SeqCst);
    until(&|| to_group.load(SeqCst) >= settled + 40);
    let (announced, told) = (to_group.load(SeqCst) - settled, alone.load(SeqCst) - before);
    // Each tenth, and more if the machine stands still for so long that somebody seems silent.
    let most = announced * others.len() / 2;
    assert!(
        (1..=most).contains(&told),
        "{told} of {announced} times {}",
        others.len()
    );
}
