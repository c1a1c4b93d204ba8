//! What somebody may do whom a participant sends to: lie in its answer, about what it has read, and
//! about what it holds.
use crate::forge::{
    BOARD, CURSOR, Dice, Identity, Line, Listener, PATIENCE, PLACES, SEALS, Segment, hello,
};
use crate::packet::{
    Packet, Prefix, SPDP_WRITER, SUBSCRIPTIONS, endpoint, guid, participant, question, text,
};
use dunlin_shm::{Connection, Control, Event, Incoming, Limits, LinkSize, Rendezvous};
use rustix::fs::SealFlags;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// The kind of a locator of shared memory.
const SHMEM: i32 = 0x444c_0002;
/// Where every participant can be asked whether it lives.
const CALLER: u32 = 1;
/// From where it answers: nobody takes two calls from one place.
const ANSWERER: u32 = 2;
const PORT: u32 = 1025;
const SLEEP: usize = 16;

/// Somebody who says that it reads the victim's topic, and where.
pub(crate) struct Reader {
    prefix: Prefix,
    _alive: Listener,
    lines: Vec<Line>,
}

impl Reader {
    /// Not introduced yet.
    pub(crate) fn new(dice: &mut Dice) -> Self {
        let mut prefix = *b"reader  ....";
        prefix[8..].copy_from_slice(&(dice.next() as u32).to_be_bytes());
        Self {
            prefix,
            _alive: Listener::at(&identity(prefix, CALLER)),
            lines: Vec::new(),
        }
    }

    pub(crate) fn port(&self) -> Identity {
        identity(self.prefix, PORT)
    }

    /// Makes itself known at all of the victim's ports; the victim then asks it where it is.
    pub(crate) fn come(&mut self, victim: Prefix, ports: &[Identity]) {
        let place = [
            &SHMEM.to_le_bytes()[..],
            &PORT.to_le_bytes(),
            &self.prefix,
            &[0; 4],
        ]
        .concat();
        let reader = guid(self.prefix, [0, 0, 2, 0x04]);
        let reader = endpoint(reader, &text("B"), &text("Numbered"), &[]);
        let say =
            |writer, data: &[u8]| Packet::from(self.prefix).to(victim).data(writer, 1, data).0;
        let messages = [
            say(SPDP_WRITER, &participant(self.prefix, &place, &[])),
            say(SUBSCRIPTIONS, &reader),
        ];
        self.say(CALLER, ports, &messages);
    }

    /// Answers the victim's question; from then on the victim sends to it.
    pub(crate) fn answer(&mut self, victim: Prefix, ports: &[Identity], at: &mut Honest) {
        let number = at.is_asked();
        let answer = Packet::from(self.prefix).to(victim).proof(number).0;
        self.say(ANSWERER, ports, &[answer]);
    }

    fn say(&mut self, from: u32, ports: &[Identity], messages: &[Vec<u8>]) {
        let from = identity(self.prefix, from);
        let link = Segment::link().messages(messages);
        self.lines.extend(ports.iter().map(|port| {
            let line = Line::to(port);
            line.greet(from, std::slice::from_ref(&link));
            assert!(line.hear(), "an honest greeting is answered");
            line
        }));
    }
}

fn identity(prefix: Prefix, port: u32) -> Identity {
    let mut identity = [0; 16];
    identity[..12].copy_from_slice(&prefix);
    identity[12..].copy_from_slice(&port.to_be_bytes());
    identity
}

/// A connection that was answered honestly.
pub(crate) struct Honest {
    _rendezvous: Rendezvous,
    connection: Connection,
}

impl Honest {
    /// Listens at a port.
    pub(crate) fn listens(port: Identity) -> Rendezvous {
        let limits = Limits {
            accepted: LinkSize::READER,
            ..Limits::default()
        };
        Rendezvous::new(crate::forge::GROUP, port, limits).expect("a name that nobody has")
    }

    /// Waits until the victim has called.
    pub(crate) fn answers(mut rendezvous: Rendezvous) -> Self {
        let until = Instant::now() + PATIENCE;
        loop {
            for event in rendezvous.poll(Instant::now()) {
                if let Event::Joined(connection) = event {
                    let connection = *connection;
                    return Self {
                        _rendezvous: rendezvous,
                        connection,
                    };
                }
            }
            assert!(Instant::now() < until, "the victim does not call");
            std::thread::sleep(Duration::from_micros(200));
        }
    }

    /// Reads so many messages as one should; their bytes.
    pub(crate) fn reads(&mut self, count: usize) -> usize {
        (0..count).map(|_| self.message().len()).sum()
    }

    /// The number by which the victim asks where it is.
    fn is_asked(&mut self) -> i64 {
        loop {
            if let Some(number) = question(&self.message()) {
                return number;
            }
        }
    }

    /// Waits for a message.
    fn message(&mut self) -> Vec<u8> {
        let mut buffer = vec![0; self.connection.receiver.longest()];
        let until = Instant::now() + PATIENCE;
        loop {
            match self.connection.receiver.try_recv(&mut buffer) {
                Ok(None) => std::thread::sleep(Duration::from_micros(200)),
                Ok(Some(Incoming::Message(length))) => {
                    buffer.truncate(length);
                    return buffer;
                }
                Ok(Some(Incoming::Attached { .. } | Incoming::Withdrawal)) => {
                    panic!("nothing here is so large")
                }
                Err(error) => panic!("the victim breaks the rules: {error}"),
            }
            assert!(Instant::now() < until, "the victim sends nothing");
        }
    }

    /// Reads more than the ring holds, so that the victim has looked at the cursor.
    pub(crate) fn reads_a_lap(&mut self) {
        let mut bytes = 0;
        while bytes < 80_000 {
            bytes += self.reads(1);
        }
    }

    /// Whether the victim ends the connection.
    pub(crate) fn is_dropped(&self) -> bool {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Ok(Some(Control::End)) = self.connection.line.control() {
                return true;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        false
    }
}

type Lie = fn(&mut Honest, &mut Dice);

/// What it is, whether the victim has to end the connection, and how it is done.
pub(crate) const LIES: &[(&str, bool, Lie)] = &[
    ("a cursor beyond the head", true, |at, dice| {
        let cursor = (1 << 20) + (dice.next() >> dice.below(40));
        at.connection.receiver.scribble(CURSOR, cursor);
    }),
    ("a cursor that goes back", true, |at, dice| {
        // The victim looks at it when the ring seems full.
        at.reads_a_lap();
        at.connection.receiver.scribble(CURSOR, dice.below(16));
    }),
    (
        "a board full of random words, and sleeps",
        false,
        |at, dice| {
            for _ in 0..20 {
                for loan in 0..32 {
                    at.connection.receiver.scribble(BOARD + loan, dice.next());
                }
                at.connection.receiver.scribble(PLACES, dice.next());
                at.connection.receiver.scribble(SLEEP, dice.next());
                at.reads(1);
            }
        },
    ),
];

type Answer = fn(&Line, Identity, &mut Dice);

/// Answers that are none, with which the victim makes no connection.
pub(crate) const ANSWERS: &[(&str, Answer)] = &[
    ("an answer without a descriptor", |line, port, _| {
        line.say(&hello(port, &[Segment::link().len()]), &[]);
    }),
    ("an answer without seals", |line, port, _| {
        let link = Segment::link();
        let file = link.file(SealFlags::empty());
        line.say(&hello(port, &[link.len()]), &[file.as_fd()]);
    }),
    ("an answer in another name", |line, port, dice| {
        let mut other = port;
        other[dice.below(16) as usize] ^= 1;
        line.greet(other, &[Segment::link()]);
    }),
    ("an answer with another layout", |line, port, dice| {
        let word = dice.below(4) as usize;
        line.greet(port, &[Segment::link().with(word, &[1 << 40])]);
    }),
    (
        "an answer that is cut off, or random",
        |line, port, dice| {
            let link = Segment::link();
            let mut bytes = hello(port, &[link.len()]);
            match dice.below(2) {
                0 => bytes.truncate(1 + dice.below(39) as usize),
                _ => bytes = dice.bytes(40),
            }
            line.say(&bytes, &[link.file(SEALS).as_fd()]);
        },
    ),
    ("an end instead of an answer", |_, _, _| {}),
];
