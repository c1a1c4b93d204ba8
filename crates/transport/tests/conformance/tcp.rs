//! TCP: the suite, and what is special to connections.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use std::process::Command;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_transport::{
    Listen, Outgoing, Receiver, SendPath, TcpConfig, TcpTransport, TlsConfig, Transport, Wait,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};

use crate::namespace::{BARE, in_namespace};
use crate::suite::{conforms, outgoing, poll};

/// A participant with a name of its own.
pub(crate) fn config() -> TcpConfig {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let mut name = [0x44; 12];
    let (number, process) = name.split_at_mut(4);
    number.copy_from_slice(&COUNT.fetch_add(1, Relaxed).to_be_bytes());
    process[..4].copy_from_slice(&std::process::id().to_be_bytes());
    TcpConfig::new(name)
}

#[test]
fn tcp_conforms() {
    in_namespace("tcp::tcp_conforms", BARE, || {
        conforms(&|| Box::new(TcpTransport::new(&config()).unwrap()));
    });
}

/// One that signs itself, in a folder of its own: everybody has it, and trusts it.
fn identity() -> TlsConfig {
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, key).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec!["participant".to_owned()]).unwrap();
    let certificate = params.signed_by(&key, &authority).unwrap();
    let folder = std::env::temp_dir().join(format!("dunlin-tls-suite-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str, pem: String| {
        let path = folder.join(name);
        std::fs::write(&path, pem).unwrap();
        path
    };
    TlsConfig {
        authorities: file("ca.pem", authority.pem()),
        certificates: file("chain.pem", certificate.pem()),
        key: file("key.pem", key.serialize_pem()),
    }
}

#[test]
fn tls_conforms() {
    in_namespace("tcp::tls_conforms", BARE, || {
        let identity = identity();
        conforms(&|| {
            let tls = Some(identity.clone());
            let config = TcpConfig { tls, ..config() };
            Box::new(TcpTransport::new(&config).unwrap())
        });
        std::fs::remove_dir_all(identity.key.parent().unwrap()).unwrap();
    });
}

/// Two participants, and a lane from the first to the second.
fn pair() -> (TcpTransport, TcpTransport, Box<dyn Receiver>, SendPath) {
    let (a, b) = (config(), config());
    let [a, b] = [a, b].map(|config| TcpTransport::new(&config).unwrap());
    let receiver = b.open(&[Listen::Unicast { port: 0 }]).unwrap();
    let lane = a.lane(&receiver.locators()[0]).unwrap();
    (a, b, receiver, lane)
}

fn by<'a>(lane: &'a SendPath, receiver: &dyn Receiver, bytes: &'a [u8]) -> Outgoing<'a> {
    Outgoing {
        lane: Some(lane),
        ..outgoing(receiver.locators()[0], bytes)
    }
}

#[track_caller]
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(300);
    while !done() {
        assert!(Instant::now() < limit, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn traffic_flows_again_when_its_way_does() {
    let test = "tcp::traffic_flows_again_when_its_way_does";
    in_namespace(test, BARE, || {
        let lo = |state: &str| {
            let mut ip = Command::new("ip");
            let status = ip.args(["link", "set", "lo", state]).status().unwrap();
            assert!(status.success());
        };
        let (a, _b, mut receiver, lane) = pair();
        let sample = b"sample";
        until("the first arrives", || {
            a.send(&[by(&lane, &*receiver, sample)]);
            poll(&mut *receiver).is_some()
        });
        for cut in [300, 2500] {
            lo("down");
            let end = Instant::now() + Duration::from_millis(cut);
            while Instant::now() < end {
                a.send(&[by(&lane, &*receiver, sample)]);
                while poll(&mut *receiver).is_some() {}
                std::thread::sleep(Duration::from_millis(5));
            }
            lo("up");
            let start = Instant::now();
            until("it arrives again", || {
                a.send(&[by(&lane, &*receiver, sample)]);
                poll(&mut *receiver).is_some()
            });
            println!("after {cut} ms without a way: {:?}", start.elapsed());
        }
    });
}

#[test]
fn without_file_descriptors_nobody_is_accepted_until_there_are_some() {
    let test = "tcp::without_file_descriptors_nobody_is_accepted_until_there_are_some";
    in_namespace(test, "ip link set lo up; ulimit -n 100", || {
        let (a, b, mut receiver, _) = pair();
        until("two know each other", || {
            a.send(&[outgoing(receiver.locators()[0], b"meta")]);
            poll(&mut *receiver).is_some()
        });
        let mut all: Vec<_> =
            std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
        all.pop();
        let at = receiver.locators()[0].socket_addr().unwrap();
        let caller = std::net::TcpStream::connect(at).unwrap();
        until("it cannot be accepted", || b.refused_connections() > 0);
        let before = b.refused_connections();
        std::thread::sleep(Duration::from_millis(500));
        // It is tried now and then, not all the time.
        assert!(
            b.refused_connections() - before < 50,
            "{}",
            b.refused_connections()
        );
        assert!(b.hints().concat().contains("cannot accept"));
        drop((all, caller));
        let late = TcpTransport::new(&config()).unwrap();
        let lane = late.lane(&receiver.locators()[0]).unwrap();
        until("another is accepted", || {
            late.send(&[by(&lane, &*receiver, b"late")]);
            poll(&mut *receiver).is_some_and(|bytes| bytes == b"late")
        });
    });
}

#[test]
fn nothing_is_allocated_for_a_datagram() {
    in_namespace("tcp::nothing_is_allocated_for_a_datagram", BARE, || {
        let (a, _b, mut receiver, lane) = pair();
        let at = receiver.locators()[0];
        let mut buffer = BytesMut::with_capacity(1 << 16);
        for length in [20, 1_000, 15_000] {
            let payload = vec![7; length];
            let datagram = Outgoing {
                lane: Some(&lane),
                ..outgoing(at, &payload)
            };
            let mut rounds = |count: usize| {
                for _ in 0..count {
                    assert_eq!(a.send(&[datagram, datagram]).failed, 0);
                    for _ in 0..2 {
                        buffer.clear();
                        while receiver.receive(&mut buffer, Wait::Poll).unwrap().is_none() {}
                    }
                }
            };
            rounds(100);
            let counted = allocation_counter::measure(|| rounds(100));
            assert_eq!(counted.count_total, 0, "{length} bytes");
        }
    });
}
