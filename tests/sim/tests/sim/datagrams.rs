//! Submessages become datagrams, as plainly as can be: one buffer per datagram.
use bytes::Bytes;
use dunlin_rtps::{Outbox, Time, To};
use dunlin_transport::{MemoryTransport, Outgoing, Transport};
use dunlin_wire::{GuidPrefix, Header, Locator, Message, Submessage, Timestamp};
use std::hash::{DefaultHasher, Hasher};

/// The largest datagram.
const LIMIT: usize = 65_507;

/// Datagrams of one participant that wait to be sent, and what was sent before.
pub(crate) struct Datagrams {
    header: Header,
    open: Vec<Datagram>,
    pub(crate) trace: Trace,
}

struct Datagram {
    to: To,
    bytes: Vec<u8>,
    timestamp: Option<Timestamp>,
}

/// A fingerprint of everything that was sent, and when.
#[derive(Default)]
pub(crate) struct Trace {
    hasher: DefaultHasher,
    pub(crate) datagrams: u64,
    pub(crate) prints: bool,
}

impl Trace {
    fn note(&mut self, now: Time, to: &Locator, bytes: &[u8]) {
        self.hasher.write_i64(now.0);
        self.hasher.write_u32(to.port);
        self.hasher.write(&to.address);
        self.hasher.write(bytes);
        self.datagrams += 1;
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hasher.finish()
    }
}

impl Datagrams {
    pub(crate) fn new(prefix: GuidPrefix, prints: bool) -> Self {
        Self {
            header: Header::new(prefix),
            open: Vec::new(),
            trace: Trace {
                prints,
                ..Trace::default()
            },
        }
    }

    /// Sends everything to where `locators` says.
    pub(crate) fn flush<'a>(
        &mut self,
        now: Time,
        transport: &MemoryTransport,
        locators: impl Fn(To) -> Vec<&'a Locator>,
    ) {
        for datagram in self.open.drain(..) {
            for &to in locators(datagram.to) {
                self.trace.note(now, &to, &datagram.bytes);
                if self.trace.prints {
                    print(now, &datagram);
                }
                let sent = transport.send(&[Outgoing {
                    to,
                    lane: None,
                    head: &datagram.bytes,
                    payload: &[],
                    tail: &[],
                    patient: false,
                    dscp: 0,
                }]);
                assert_eq!(sent.datagrams, 1, "a datagram cannot be sent");
            }
        }
    }
}

impl Outbox for Datagrams {
    fn push(&mut self, to: To, message: Submessage<'_>, _: &Bytes) {
        let last = self.open.last().filter(|d| d.to == to);
        let timestamp = last.and_then(|d| d.timestamp);
        if let Submessage::InfoTimestamp(new) = message
            && last.is_some()
            && timestamp == new
        {
            return;
        }
        if last.is_none_or(|d| d.bytes.len() + message.encoded_len() > LIMIT) {
            let mut bytes = Vec::new();
            self.header.encode(&mut bytes);
            if let To::Endpoint(guid) = to {
                Submessage::InfoDestination(guid.prefix).encode(&mut bytes);
            }
            if timestamp.is_some() {
                Submessage::InfoTimestamp(timestamp).encode(&mut bytes);
            }
            self.open.push(Datagram {
                to,
                bytes,
                timestamp,
            });
        }
        if let Some(datagram) = self.open.last_mut() {
            message.encode(&mut datagram.bytes);
            if let Submessage::InfoTimestamp(new) = message {
                datagram.timestamp = new;
            }
        }
    }
}

fn print(now: Time, datagram: &Datagram) {
    let message = Message::parse(&datagram.bytes).unwrap();
    let from = message.header.prefix;
    let to = match datagram.to {
        To::Endpoint(guid) => format!("{:?}", guid.prefix),
        to => format!("{to:?}"),
    };
    let said: Vec<_> = message
        .submessages
        .filter_map(|submessage| words(&submessage.unwrap()))
        .collect();
    let seconds = now.0 as f64 / 1e9;
    eprintln!("{seconds:.6} {from:?} -> {to}: {}", said.join(", "));
}

fn words(submessage: &Submessage<'_>) -> Option<String> {
    Some(match submessage {
        Submessage::InfoTimestamp(_) | Submessage::InfoDestination(_) => return None,
        Submessage::Data(d) => format!("DATA {:?} {}", d.writer, d.sequence.0),
        Submessage::DataFrag(d) => {
            format!("FRAG {:?} {}.{}", d.writer, d.sequence.0, d.first.0)
        }
        Submessage::Heartbeat(h) => {
            let mark = if h.is_final { "" } else { "?" };
            format!("HB {:?} {}..{}{mark}", h.writer, h.first.0, h.last.0)
        }
        Submessage::AckNack(a) => {
            let set = ranges(a.state.iter().map(|n| n.0));
            format!(
                "ACK {:?} {} [{set}] #{}",
                a.writer,
                a.state.base().0,
                a.count
            )
        }
        Submessage::NackFrag(n) => {
            let set = ranges(n.state.iter().map(|n| i64::from(n.0)));
            format!("NACKFRAG {:?} {} [{set}]", n.writer, n.sequence.0)
        }
        Submessage::Gap(g) => {
            let set = ranges(g.list.iter().map(|n| n.0));
            format!(
                "GAP {:?} {}..{} [{set}]",
                g.writer,
                g.start.0,
                g.list.base().0
            )
        }
        other => format!("{other:?}"),
    })
}

fn ranges(numbers: impl Iterator<Item = i64>) -> String {
    let mut all: Vec<(i64, i64)> = Vec::new();
    for number in numbers {
        match all.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => all.push((number, number)),
        }
    }
    let words = all.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    words.collect::<Vec<_>>().join(" ")
}
