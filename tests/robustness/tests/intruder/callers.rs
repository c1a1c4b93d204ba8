//! What somebody may do who calls one of a participant's ports: lie in its greeting, in its
//! segments, and beside them.
use crate::forge::{
    BOARD, CURSOR, Dice, Identity, Line, SEALS, Segment, header, hello, listening, token,
};
use rustix::fs::SealFlags;
use std::os::fd::{AsFd, OwnedFd};

/// What has to come of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// The connection is closed, and `memory_refused` counts it.
    Refused,
    /// `malformed` counts it: the memory is in order, and the message in it is not.
    Malformed,
    /// Nothing that anybody would have to be told of.
    Nothing,
}

/// The victim's ports, and who may be imitated.
pub(crate) struct Scene {
    pub(crate) ports: Vec<Identity>,
    pub(crate) caller: Identity,
    pub(crate) dice: Dice,
    pub(crate) run: usize,
}

impl Scene {
    /// One of the ports that others are told of, in turn.
    fn port(&self) -> Identity {
        self.ports[self.run % self.ports.len()]
    }

    /// How often each port had its turn.
    fn turn(&self) -> usize {
        self.run / self.ports.len()
    }

    /// Nobody that the victim knows.
    fn nobody(&mut self) -> Identity {
        let mut identity = *b"intruder....\0\0\0\x01";
        identity[8..12].copy_from_slice(&(self.dice.next() as u32).to_be_bytes());
        identity
    }

    /// Somebody who greets with a link, and a pool with the number 0.
    fn greets(&mut self, link: Segment) -> Line {
        self.brings(&[link, Segment::pool(0)])
    }

    fn brings(&mut self, segments: &[Segment]) -> Line {
        let line = Line::to(&self.port());
        line.greet(self.nobody(), segments);
        line
    }

    /// Somebody whose ring has these words in its first slot.
    fn sends(&mut self, words: &[u64]) -> Line {
        self.greets(Segment::link().slot(0, words))
    }

    /// Somebody who sends a descriptor of bytes in a chunk, and perhaps others around it.
    fn attaches(&mut self, inline: u64, descriptor: [u64; 4]) -> Line {
        let [token, at, offset, length] = descriptor;
        self.sends(&[header(0, 2, 32 + inline), token, at, offset, length])
    }

    /// Somebody with a file for a link, who says that it has so many bytes.
    fn offers(&mut self, file: &OwnedFd, bytes: u64) -> Line {
        let line = Line::to(&self.port());
        line.say(&hello(self.nobody(), &[bytes]), &[file.as_fd()]);
        line
    }

    /// Somebody who has done everything right so far.
    fn joined(&mut self) -> Line {
        let line = self.greets(Segment::link());
        assert!(line.hear(), "an honest greeting is answered");
        line
    }
}

type Act = fn(&mut Scene) -> Line;

/// What it is, what is due, and how it is done.
pub(crate) const KINDS: &[(&str, Due, Act)] = &[
    ("a chunk that does not exist", Due::Refused, |s| {
        let index = 4 + s.dice.below(0xff_fff0);
        s.attaches(0, [token(1, 0, index), 0, 0, 64])
    }),
    ("a chunk of a pool that never comes", Due::Refused, |s| {
        let pool = 1 + s.dice.below(255);
        let inline = s.dice.below(2) * 8;
        s.attaches(inline, [token(1, pool, 0), 0, 0, 64])
    }),
    (
        "a length without end in a pool that never comes",
        Due::Refused,
        |s| {
            let length = u64::MAX >> s.dice.below(32);
            s.attaches(0, [token(1, 9, 0), 0, 0, length])
        },
    ),
    ("a length beyond the chunk", Due::Refused, |s| {
        let length = 4097 + (s.dice.next() >> 1 >> s.dice.below(48));
        s.attaches(0, [token(1, 0, 0), 0, 0, length])
    }),
    ("an offset beyond the chunk", Due::Refused, |s| {
        let offset = 4097 + (s.dice.next() >> 1 >> s.dice.below(48));
        let length = s.dice.below(2);
        s.attaches(8, [token(1, 0, 0), 8, offset, length])
    }),
    (
        "an attachment beyond the bytes around it",
        Due::Refused,
        |s| {
            let at = 9 + (s.dice.next() >> s.dice.below(48));
            s.attaches(8, [token(1, 0, 0), at, 0, 64])
        },
    ),
    ("another generation, copied", Due::Refused, |s| {
        let generation = 2 + s.dice.below(0xffff_fff0);
        s.attaches(0, [token(generation, 0, 0), 0, 0, 64])
    }),
    ("another generation, held", Due::Refused, |s| {
        let generation = s.dice.below(2) * 2;
        s.attaches(16, [token(generation, 0, 3), 8, 0, 4096])
    }),
    ("a message from the future", Due::Refused, |s| {
        let position = 1 + s.dice.below(1 << 31);
        s.sends(&[header(position, 1, 5)])
    }),
    ("a head that goes back", Due::Refused, |s| {
        let before = Segment::link().message(0, b"RTPS\x02\x05\x44\x4cintruder....");
        s.greets(before.slot(1, &[header(0, 1, 5)]))
    }),
    ("a message longer than the ring", Due::Refused, |s| {
        let length = 31_745 + s.dice.below((1 << 24) - 31_745);
        s.sends(&[header(0, 1, length)])
    }),
    ("a message whose slots are missing", Due::Refused, |s| {
        let length = 249 + s.dice.below(20_000);
        s.sends(&[header(0, 1, length)])
    }),
    ("a descriptor that is cut off", Due::Refused, |s| {
        let length = s.dice.below(32);
        s.sends(&[header(0, 2, length), token(1, 0, 0), 0, 0, 64])
    }),
    ("an unknown kind of slot", Due::Refused, |s| {
        let kind = 3 + s.dice.below(253);
        s.sends(&[header(0, kind, 5)])
    }),
    ("random words in the ring", Due::Refused, |s| {
        let words: Vec<u64> = (0..512).map(|_| s.dice.next() | 1 << 63).collect();
        s.sends(&words)
    }),
    ("an RTPS message that is cut off", Due::Malformed, |s| {
        let message = Segment::link().message(0, &cut(&mut s.dice));
        s.greets(message)
    }),
    (
        "random words on the board, and a cursor",
        Due::Nothing,
        |s| {
            let words: Vec<u64> = (0..32).map(|_| s.dice.next()).collect();
            let cursor = s.dice.next();
            s.greets(Segment::link().with(BOARD, &words).with(CURSOR, &[cursor]))
        },
    ),
    ("no seals", Due::Refused, |s| {
        let link = Segment::link();
        s.offers(&link.file(SealFlags::empty()), link.len())
    }),
    ("a seal that is missing", Due::Refused, |s| {
        let link = Segment::link();
        let missing = [SealFlags::SHRINK, SealFlags::GROW, SealFlags::FUTURE_WRITE];
        let seals = SEALS.difference(missing[s.turn() % 3]);
        s.offers(&link.file(seals), link.len())
    }),
    (
        "memory that shrinks once it was offered",
        Due::Refused,
        |s| {
            let link = Segment::link();
            let file = link.file(SEALS.difference(SealFlags::SHRINK));
            let line = s.offers(&file, link.len());
            let left = s.dice.below(2) * 4096;
            rustix::fs::ftruncate(&file, left).expect("it is not sealed against that");
            line
        },
    ),
    ("memory that is not there", Due::Refused, |s| {
        let empty = Segment(vec![]).file(SealFlags::empty());
        rustix::fs::ftruncate(&empty, 1 << 20).expect("an empty file");
        rustix::fs::fcntl_add_seals(&empty, SEALS).expect("seals");
        s.offers(&empty, 1 << 20)
    }),
    ("a segment that is too small", Due::Refused, |s| {
        let mut link = Segment::link();
        link.0.truncate(512 << s.dice.below(4));
        s.greets(link)
    }),
    ("a size that is not true", Due::Refused, |s| {
        let link = Segment::link();
        let sizes = [0, link.len() - 4096, link.len() + 4096, u64::MAX, 1 << 40];
        let size = sizes[s.turn() % sizes.len()];
        s.offers(&link.file(SEALS), size)
    }),
    ("no memory at all", Due::Refused, |s| {
        let paths = ["/dev/null", "/proc/self/exe", "/"];
        let path = paths[s.turn() % paths.len()];
        s.offers(&std::fs::File::open(path).expect("a file").into(), 4096)
    }),
    (
        "another magic, version or size of the ring",
        Due::Refused,
        |s| {
            let word = s.dice.below(4) as usize;
            let value = [0, 1, 7, 1 << 17, u64::MAX][s.run % 5];
            let value = value + 80 * u64::from(word == 3 && value < 8);
            s.greets(Segment::link().with(word, &[value]))
        },
    ),
    (
        "another magic, version or size of a pool",
        Due::Refused,
        |s| {
            let (word, value) = [
                (0, 1),
                (1, 1),
                (2, 16),
                (2, u64::MAX),
                (3, 0),
                (3, 17),
                (4, 0),
                (4, 63),
                (4, !63),
                (5, 1 << 20),
                (5, 1 << 32),
            ][s.turn() % 11];
            s.brings(&[Segment::link(), Segment::pool(0).with(word, &[value])])
        },
    ),
    ("one number for two pools", Due::Refused, |s| {
        s.brings(&[Segment::link(), Segment::pool(3), Segment::pool(3)])
    }),
    ("a descriptor that is missing", Due::Refused, |s| {
        let line = Line::to(&s.port());
        let link = Segment::link();
        let file = link.file(SEALS);
        let (sizes, files) = [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (17, 1)][s.turn() % 6];
        let sizes = vec![link.len(); sizes];
        line.say(&hello(s.nobody(), &sizes), &vec![file.as_fd(); files]);
        line
    }),
    ("more descriptors than announced", Due::Refused, |s| {
        let line = Line::to(&s.port());
        let link = Segment::link();
        let file = link.file(SEALS);
        let count = 2 + s.dice.below(38) as usize;
        line.say(
            &hello(s.nobody(), &[link.len()]),
            &vec![file.as_fd(); count],
        );
        line
    }),
    ("a greeting that is cut off", Due::Refused, |s| {
        let line = Line::to(&s.port());
        let link = Segment::link();
        let bytes = hello(s.nobody(), &[link.len()]);
        let length = 1 + s.dice.below(bytes.len() as u64 - 1) as usize;
        line.say(&bytes[..length], &[link.file(SEALS).as_fd()]);
        line
    }),
    (
        "a greeting of another version or group",
        Due::Refused,
        |s| {
            let line = Line::to(&s.port());
            let link = Segment::link();
            let mut bytes = hello(s.nobody(), &[link.len()]);
            bytes[s.run % 16] ^= 1 << s.dice.below(8);
            line.say(&bytes, &[link.file(SEALS).as_fd()]);
            line
        },
    ),
    ("random bytes instead of a greeting", Due::Refused, |s| {
        let line = Line::to(&s.port());
        let count = 1 + s.dice.below(4000) as usize;
        line.say(&s.dice.bytes(count), &[]);
        line
    }),
    ("the victim's own name", Due::Refused, |s| {
        let port = s.port();
        let line = Line::to(&port);
        line.greet(port, &[Segment::link()]);
        line
    }),
    ("a call where nobody is to call", Due::Refused, |s| {
        // In the name of somebody whom the victim sends to.
        let friends = listening();
        let [name @ .., _, _, _, _] = s.caller;
        let mut friends = friends
            .iter()
            .filter(|one| one[..12] != name && one[15] != 1);
        let friend = friends.next().copied().unwrap_or(*b"a friend........");
        let line = Line::to(&s.caller);
        line.greet(friend, &[Segment::link()]);
        line
    }),
];

/// What is said beside the memory, by those who have done everything right before. It is read where
/// UDP is, too, by the thread that waits for all sockets at once.
pub(crate) const BESIDE: &[(&str, Due, Act)] = &[
    ("random packets on the socket", Due::Refused, |s| {
        let line = s.joined();
        let count = 2 + s.dice.below(100) as usize;
        line.say(&s.dice.bytes(count), &[]);
        line
    }),
    ("a pool without memory", Due::Refused, |s| {
        let line = s.joined();
        line.say(&[2, 0, 0x10, 0, 0, 0, 0, 0, 0], &[]);
        line
    }),
    ("a pool that is none, or comes twice", Due::Refused, |s| {
        let line = s.joined();
        let pool = [Segment::pool(0), Segment::link(), Segment(vec![0; 512])];
        let pool = &pool[s.turn() % 3];
        let bytes = [&[2][..], &pool.len().to_le_bytes()].concat();
        line.say(&bytes, &[pool.file(SEALS).as_fd()]);
        line
    }),
    ("a pool without seals", Due::Refused, |s| {
        let line = s.joined();
        let pool = Segment::pool(1);
        let bytes = [&[2][..], &pool.len().to_le_bytes()].concat();
        line.say(&bytes, &[pool.file(SealFlags::empty()).as_fd()]);
        line
    }),
    ("descriptors that nobody asked for", Due::Refused, |s| {
        let line = s.joined();
        let file = Segment::link().file(SEALS);
        let count = 1 + s.dice.below(39) as usize;
        line.say(&[1], &vec![file.as_fd(); count]);
        line
    }),
];

/// Leaves at some step: before and after its greeting and the answer, and after a message or half
/// of one.
pub(crate) fn leaves(s: &mut Scene) {
    let step = s.turn() % 6;
    if step == 0 {
        drop(Line::to(&s.port()));
        return;
    }
    let half = [header(0, 2, 40), token(1, 0, 0), 8, 0, 64];
    let link = match step {
        3 => Segment::link().message(0, b"RTPS\x02\x05\x44\x4cintruder...."),
        4 => Segment::link().slot(0, &half),
        _ => Segment::link(),
    };
    let line = s.greets(link);
    if step > 1 {
        line.hear();
    }
    if step == 5 {
        line.say(&[1], &[]);
    }
}

/// A message of RTPS that ends too early: not after its header, where it may.
fn cut(dice: &mut Dice) -> Vec<u8> {
    let mut message = b"RTPS\x02\x05\x44\x4cintruder....".to_vec();
    message.extend([0x15, 5, 100, 0]);
    message.extend(dice.bytes(100));
    let length = 1 + dice.below(message.len() as u64 - 1) as usize;
    message.truncate(if length == 20 { 19 } else { length });
    message
}
