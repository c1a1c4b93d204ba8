//! However the bytes of a stream are cut on the way, the same messages come out of it, in the order
//! in which they were sent.
use dunlin_wire::GuidPrefix;
use dunlin_wire::stream::{Channel, Hello, opaque_head};

use super::node::{foreign, framed};
use crate::tcp::isolated_receiver::IsolatedReceiver;
use crate::tcp::read_predictor::LARGE;

/// Memory that a message gets before it has come.
const FIRST: usize = 256 * 1024;

struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 20).unwrap() % most.max(1)
    }
}

/// What was sent, and how it stands in the stream.
#[derive(Default)]
struct Speech {
    sent: Vec<Vec<u8>>,
    stream: Vec<u8>,
}

impl Speech {
    /// One of our own kind begins.
    fn new() -> Self {
        let hello = Hello {
            name: GuidPrefix([9; 12]),
            channel: Channel::User,
            port: 0,
        };
        Self {
            sent: Vec::new(),
            stream: hello.encode().to_vec(),
        }
    }

    /// A message that takes so many bytes of the stream, or as few as one can.
    fn say(&mut self, size: usize, opaque: bool) {
        let number = self.sent.len();
        let body = |head: usize| -> Vec<u8> {
            let some = (0..size.saturating_sub(head)).map(|at| (at / 7 + number * 31) as u8);
            some.collect()
        };
        let message = match opaque {
            false => foreign(&body(28)),
            true => body(32),
        };
        match opaque {
            false => self.stream.extend(framed(&message)),
            true => {
                let length = u32::try_from(message.len()).unwrap();
                self.stream.extend(opaque_head(GuidPrefix([9; 12]), length));
                self.stream.extend(&message);
            }
        }
        self.sent.push(message);
    }

    /// Hears it in pieces of these lengths, the rest in one.
    fn is_heard(&self, pieces: impl IntoIterator<Item = usize>) {
        let mut ear = IsolatedReceiver::new(None, false, b"").unwrap();
        let (mut heard, mut rest) = (Vec::new(), &self.stream[..]);
        for length in pieces.into_iter().chain([usize::MAX]) {
            let (piece, left) = rest.split_at(length.min(rest.len()));
            heard.extend(ear.hear(piece));
            rest = left;
            let given = self.stream.len() - rest.len();
            assert!(ear.held() <= FIRST + 3 * given);
        }
        assert_eq!(ear.fault(), None);
        assert_eq!(ear.held(), 0);
        let lengths = |all: &[Vec<u8>]| all.iter().map(Vec::len).collect::<Vec<_>>();
        assert_eq!(lengths(&heard), lengths(&self.sent));
        assert!(heard == self.sent);
    }
}

#[test]
fn any_cutting_of_any_messages_gives_the_same() {
    for seed in 1..=150 {
        let mut random = Random(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let mut speech = Speech::new();
        let mut size = LARGE + 1;
        while speech.stream.len() < 1 << 20 {
            // Mostly like the one before, as a writer's samples are.
            size = match random.below(12) {
                0 => 28 + random.below(200),
                1 => LARGE - 2 + random.below(5),
                2 => LARGE + random.below(60_000),
                3 => random.below(300_000),
                4 => size + 32,
                _ => size,
            };
            speech.say(size, random.below(5) == 0);
            if random.below(6) == 0 {
                (0..random.below(4)).for_each(|_| speech.say(72, false));
            }
        }
        speech.is_heard([]);
        let most = [2, 100, 5_000, 70_000, 200_000][seed as usize % 5];
        // Byte by byte only for a while.
        let pieces = if most < 5_000 { 3_000 } else { usize::MAX };
        let length = speech.stream.len();
        let cuts = std::iter::repeat_with(|| 1 + random.below(most));
        speech.is_heard(cuts.take(pieces.min(length)));
    }
}

/// A message that has the place of one like the last, and bytes of the next: each way to cut the
/// beginning.
#[test]
fn a_message_where_another_was_expected_is_cut_anywhere() {
    const SIZE: usize = 40_000;
    let followers: [&[usize]; 7] = [
        &[SIZE],
        &[72, SIZE],
        &[72, 72, 72, SIZE],
        &[SIZE - 20_000, SIZE],
        &[SIZE - 30, SIZE],
        &[SIZE + 32, 72, SIZE],
        &[3 * SIZE, 28, SIZE],
    ];
    for sizes in followers {
        let mut speech = Speech::new();
        speech.say(SIZE, false);
        speech.say(SIZE, true);
        let before = speech.stream.len();
        sizes.iter().for_each(|size| speech.say(*size, false));
        speech.say(72, false);
        for cut in (0..=180).chain([SIZE - 1, SIZE, SIZE + 1, SIZE + 71, SIZE + 72]) {
            speech.is_heard([before, cut]);
            speech.is_heard([before - SIZE, SIZE, cut, 1, 1]);
        }
    }
}

#[test]
fn what_is_wrong_where_a_large_message_was_expected_is_the_same_fault() {
    let mut good = Speech::new();
    (0..3).for_each(|_| good.say(40_000, false));
    let too_long = {
        let mut bytes = framed(&foreign(&[9, 3, 0, 0]));
        bytes[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
        bytes
    };
    let garbage = vec![7; 50_000];
    for bad in [&garbage, &too_long, &foreign(&[0; 40_000])] {
        let mut alone = IsolatedReceiver::new(None, false, b"").unwrap();
        alone.hear(&Speech::new().stream);
        assert!(alone.hear(bad).is_empty());
        let mut ear = IsolatedReceiver::new(None, false, b"").unwrap();
        assert_eq!(ear.hear(&good.stream).len(), 3);
        assert!(ear.hear(bad).is_empty());
        assert!(ear.fault().is_some());
        assert_eq!(ear.fault(), alone.fault());
    }
}
