//! A participant with two receivers, as the tests want it.
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, SocketAddrV4, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use dunlin_wire::stream::{LENGTH, StreamHead, head};
use dunlin_wire::{GuidPrefix, Header, Locator, VendorId};

use crate::send_path::SendPath;
use crate::tcp::connection_table::Stage;
use crate::tcp::{TcpConfig, TcpTransport};
use crate::traits::{Listen, Outgoing, Received, Receiver, Sent, Transport, Wait};

/// Long enough for anything that works.
pub(super) const SOON: Duration = Duration::from_secs(120);

pub(super) struct Node {
    pub(super) voice: Voice,
    pub(super) meta: Box<dyn Receiver>,
    pub(super) user: Box<dyn Receiver>,
    pub(super) at: Locator,
}

/// What threads share of a participant.
pub(super) struct Voice {
    pub(super) transport: TcpTransport,
}

impl std::ops::Deref for Node {
    type Target = Voice;

    fn deref(&self) -> &Voice {
        &self.voice
    }
}

/// A name that nobody else has; of two, the later is greater.
pub(super) fn name() -> [u8; 12] {
    static COUNT: AtomicU32 = AtomicU32::new(1);
    let [a, b, c, d] = COUNT.fetch_add(1, Relaxed).to_be_bytes();
    [a, b, c, d, 1, 2, 3, 4, 5, 6, 7, 8]
}

/// A port that is free, and that the system gives to nobody who asks for any.
pub(super) fn quiet_port() -> u16 {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = std::process::id() + 7 * COUNT.fetch_add(1, Relaxed);
        let port = 20_000 + (number % 10_000) as u16;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

pub(super) fn config() -> TcpConfig {
    TcpConfig {
        interfaces: Some(vec!["127.0.0.1".into()]),
        ..TcpConfig::new(name())
    }
}

pub(super) fn node() -> Node {
    Node::new(&config(), 0)
}

impl Node {
    pub(super) fn new(config: &TcpConfig, port: u16) -> Self {
        let transport = TcpTransport::new(config).unwrap();
        let meta = transport.open(&[Listen::Unicast { port }]).unwrap();
        let at = meta.locators()[0];
        let port = at.port as u16;
        let user = transport.open(&[Listen::Beside { port }]).unwrap();
        Self {
            voice: Voice { transport },
            meta,
            user,
            at,
        }
    }

    pub(super) fn address(&self) -> SocketAddrV4 {
        match self.at.socket_addr() {
            Some(SocketAddr::V4(at)) => at,
            other => panic!("{other:?}"),
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.at.port as u16
    }

    /// Waits until it has so many connections, no more and no less.
    pub(super) fn await_connections(&mut self, count: usize) {
        until(&format!("{count} connections"), || {
            // Receivers find the ends of those that are left over.
            assert_eq!(poll(&mut *self.meta), None);
            assert_eq!(poll(&mut *self.user), None);
            self.connections() == (count, 0)
        });
    }
}

impl Voice {
    /// Sends by the locator alone: discovery.
    pub(super) fn tell(&self, to: Locator, bytes: &[u8]) -> Sent {
        self.transport.send(&[outgoing(to, None, bytes)])
    }

    pub(super) fn lane(&self, to: Locator) -> SendPath {
        self.transport.lane(&to).unwrap()
    }

    /// Sends user data.
    pub(super) fn write(&self, lane: &SendPath, bytes: &[u8]) -> Sent {
        let to = Locator::tcp_v4([127, 0, 0, 1].into(), 1);
        self.transport.send(&[outgoing(to, Some(lane), bytes)])
    }

    /// Connections that are fit for use, and those that are not, or not any longer.
    pub(super) fn connections(&self) -> (usize, usize) {
        let state = self.transport.table.state();
        let all = state.connections.len();
        let used = state.connections.values();
        let used = used.filter(|known| known.sends && known.stage == Stage::Running);
        let used = used.count();
        (used, all - used)
    }
}

pub(super) fn outgoing<'a>(
    to: Locator,
    lane: Option<&'a SendPath>,
    bytes: &'a [u8],
) -> Outgoing<'a> {
    Outgoing {
        to,
        lane,
        head: &[],
        payload: bytes,
        tail: &[],
        patient: false,
        dscp: 0,
    }
}

#[track_caller]
pub(super) fn until(what: &str, mut done: impl FnMut() -> bool) {
    let limit = Instant::now() + SOON;
    while !done() {
        assert!(Instant::now() < limit, "never: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The next datagram, which must come.
#[track_caller]
pub(super) fn next(receiver: &mut dyn Receiver) -> (Vec<u8>, Received) {
    let limit = Instant::now() + SOON;
    let mut buffer = BytesMut::with_capacity(1 << 16);
    loop {
        assert!(Instant::now() < limit, "nothing came");
        buffer.reserve(receiver.announced());
        let wait = Wait::Until(Some(limit));
        if let Some(received) = receiver.receive(&mut buffer, wait).unwrap() {
            if !is_greeting(&buffer) {
                return (buffer.to_vec(), received);
            }
            buffer.clear();
        }
    }
}

/// A message that only says who speaks, which means nothing to who knows it already: where both
/// dial at once one may come late.
fn is_greeting(datagram: &[u8]) -> bool {
    const HELLO: u8 = 0xd0;
    datagram.starts_with(b"RTPS") && datagram.get(20) == Some(&HELLO)
}

/// A datagram that is there already.
pub(super) fn poll(receiver: &mut dyn Receiver) -> Option<Vec<u8>> {
    let mut buffer = BytesMut::with_capacity(1 << 16);
    let received = receiver.receive(&mut buffer, Wait::Poll).unwrap();
    received
        .map(|_| buffer.to_vec())
        .filter(|d| !is_greeting(d))
}

/// An RTPS message of another product.
pub(super) fn foreign(submessages: &[u8]) -> Vec<u8> {
    let mut message = Vec::new();
    let header = Header {
        vendor: VendorId([1, 0x10]),
        ..Header::new(GuidPrefix([9; 12]))
    };
    header.encode(&mut message);
    message.extend_from_slice(submessages);
    message
}

/// As it stands in a stream.
pub(super) fn framed(message: &[u8]) -> Vec<u8> {
    let (header, rest) = message.split_first_chunk().unwrap();
    let length = u32::try_from(message.len()).unwrap();
    [&head(header, length)[..], rest].concat()
}

/// A bare socket that speaks to a participant.
pub(super) struct Bare(pub(super) TcpStream);

impl Bare {
    pub(super) fn dial(node: &Node) -> Self {
        let stream = TcpStream::connect(node.address()).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        Self(stream)
    }

    pub(super) fn send(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).unwrap();
    }

    /// The next message, without what the stream needs.
    pub(super) fn next(&mut self) -> Vec<u8> {
        let mut head = [0; 28];
        self.0.read_exact(&mut head).unwrap();
        let length = StreamHead::parse(&head).unwrap().unwrap().length;
        let mut rest = vec![0; length as usize - head.len()];
        self.0.read_exact(&mut rest).unwrap();
        [&head[..head.len() - LENGTH], &rest].concat()
    }

    /// The participant closes the connection.
    pub(super) fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            Ok(_) => true,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}
