//! Packets that broke one product or another, or might: by row of the threat table in
//! `docs/testing.md`; rows 12 to 19 are in `absent`.
use crate::packet::*;

/// The enemy and those it knows of.
#[derive(Clone, Copy)]
pub(crate) struct Cast {
    pub(crate) victim: Prefix,
    /// The victim's writer.
    pub(crate) writer: Entity,
    /// The victim's partner, and its writer.
    pub(crate) healthy: Prefix,
    pub(crate) healthy_writer: Entity,
    /// A participant of the enemy's that the victim has matched.
    pub(crate) mallory: Prefix,
    /// The kind of the enemy's locators, and its port.
    pub(crate) kind: i32,
    pub(crate) port: u32,
}

pub(crate) const MALLORY_WRITER: Entity = [0, 0, 1, 0x03];
pub(crate) const MALLORY_READER: Entity = [0, 0, 2, 0x04];
const STRANGER: Prefix = *b"a stranger!!";
const FAR: i64 = i64::MAX;

/// A row of the table, what it is, and the datagram.
pub(crate) type Vector = (u32, &'static str, Vec<u8>);

impl Cast {
    pub(crate) fn mallory(&self) -> Packet {
        Packet::from(self.mallory).to(self.victim)
    }

    pub(crate) fn healthy(&self) -> Packet {
        Packet::from(self.healthy).to(self.victim)
    }

    pub(crate) fn here(&self) -> Vec<u8> {
        locator(self.kind, self.port, [127, 0, 0, 1])
    }

    fn spdp(&self, payload: &[u8]) -> Packet {
        Packet::from(STRANGER).data(SPDP_WRITER, 1, payload)
    }

    pub(crate) fn stranger(&self, more: &[Vec<u8>]) -> Packet {
        self.spdp(&participant(STRANGER, &self.here(), more))
    }

    /// SEDP of the participant that is believed, with a sequence number far enough ahead to be kept
    /// or in order.
    fn sedp(&self, sequence: i64, topic: &[u8], type_name: &[u8], more: &[Vec<u8>]) -> Packet {
        let guid = guid(self.mallory, [0, 0, sequence as u8, 0x03]);
        self.mallory().data(
            PUBLICATIONS,
            sequence,
            &endpoint(guid, topic, type_name, more),
        )
    }

    /// Makes the victim match the enemy's writer and reader.
    pub(crate) fn introduction(&self, topics: [&str; 2]) -> Vec<Vec<u8>> {
        let place = self.here();
        let describe = |entity, topic: &str| {
            let guid = guid(self.mallory, entity);
            endpoint(guid, &text(topic), &text("Numbered"), &[])
        };
        let packet =
            |writer, sequence, payload: &[u8]| self.mallory().data(writer, sequence, payload).0;
        vec![
            packet(SPDP_WRITER, 1, &participant(self.mallory, &place, &[])),
            packet(PUBLICATIONS, 1, &describe(MALLORY_WRITER, topics[0])),
            packet(SUBSCRIPTIONS, 1, &describe(MALLORY_READER, topics[1])),
        ]
    }

    /// The answer to the question where the enemy is, if the victim asks it in these bytes.
    pub(crate) fn proof(&self, heard: &[u8]) -> Option<Vec<u8>> {
        question(heard).map(|number| self.mallory().proof(number).0)
    }

    /// Makes the victim match another writer of the enemy's.
    pub(crate) fn publication(&self, sequence: i64, writer: Entity, topic: &str) -> Vec<u8> {
        let guid = guid(self.mallory, writer);
        let payload = endpoint(guid, &text(topic), &text("Numbered"), &[]);
        self.mallory().data(PUBLICATIONS, sequence, &payload).0
    }

    pub(crate) fn vectors(&self) -> Vec<Vector> {
        let parts = [
            self.lengths(),
            self.sequences(),
            self.ranges(),
            self.fragments(),
            self.locators(),
            self.farewells(),
            self.times(),
            self.lists(),
            self.flips(),
            self.absent(),
        ];
        parts.concat()
    }

    fn lengths(&self) -> Vec<Vector> {
        let sample = [data_head(NOBODY, MALLORY_WRITER, 5, 16), vec![0; 32]].concat();
        let odd = |offset| [data_head(NOBODY, MALLORY_WRITER, 5, offset), vec![0; 32]].concat();
        let inline = |rest: Vec<u8>| {
            self.mallory().sub(
                0x15,
                7,
                &[data_head(NOBODY, MALLORY_WRITER, 5, 16), rest].concat(),
            )
        };
        vec![
            (1, "nothing", vec![]),
            (1, "half a header", b"RTPS\x02\x05".to_vec()),
            (1, "a header alone", Packet::from(self.mallory).0),
            (1, "another protocol", vec![0xff; 1400]),
            (
                1,
                "version 9",
                [b"RTPS\x09\x09\x01\x01", self.mallory.as_slice(), &sample].concat(),
            ),
            (
                1,
                "DATA longer than its datagram",
                self.mallory().stated(0x15, 5, 0xffff, &sample).0,
            ),
            (
                1,
                "DATA one byte too long",
                self.mallory()
                    .stated(0x15, 5, sample.len() as u16 + 1, &sample)
                    .0,
            ),
            (
                1,
                "DATA of 3 bytes",
                self.mallory().stated(0x15, 5, 3, &[0; 3]).0,
            ),
            (
                1,
                "DATA whose inline QoS lies beyond it",
                self.mallory().sub(0x15, 7, &odd(0xffff)).0,
            ),
            (
                1,
                "DATA whose inline QoS lies within its head",
                self.mallory().sub(0x15, 7, &odd(2)).0,
            ),
            (
                1,
                "inline QoS with a parameter beyond the end",
                inline(parameter_of(0x70, 0xfffc, &[0; 8])).0,
            ),
            (
                1,
                "inline QoS without an end",
                inline(parameter(0x70, &[0; 16])).0,
            ),
            (
                1,
                "HEARTBEAT of 4 bytes",
                self.mallory().sub(0x07, 1, &[0; 4]).0,
            ),
            (
                1,
                "ACKNACK whose set lies beyond it",
                self.mallory().sub(0x06, 1, &[0xff; 24]).0,
            ),
            (
                1,
                "INFO_DST of 2 bytes",
                self.mallory().sub(0x0e, 1, &[0; 2]).0,
            ),
            (
                1,
                "INFO_REPLY with 2^32-1 locators",
                self.mallory().sub(0x0f, 1, &[0xff; 28]).0,
            ),
            (
                1,
                "a thousand empty PADs",
                (0..1000).fold(self.mallory(), |p, _| p.sub(0x01, 1, &[])).0,
            ),
            (
                1,
                "a submessage nobody knows",
                self.mallory().sub(0x7f, 1, &[0xff; 64]).0,
            ),
        ]
    }

    fn sequences(&self) -> Vec<Vector> {
        let endless = |id, rest: &[u8]| parameter(id, &[&[0xff; 4], rest].concat());
        vec![
            (
                2,
                "2^32-1 properties",
                self.stranger(&[endless(0x59, &[0; 8])]).0,
            ),
            (
                2,
                "user data of 2^32-1 bytes",
                self.stranger(&[endless(0x2c, &[0; 8])]).0,
            ),
            (
                2,
                "a name of 2^32-1 bytes",
                self.stranger(&[endless(0x62, b"abcd")]).0,
            ),
            (
                2,
                "user data of 60 KB",
                self.stranger(&[parameter(
                    0x2c,
                    &[&59_996_u32.to_le_bytes()[..], &[7; 59_996]].concat(),
                )])
                .0,
            ),
            (
                2,
                "2^32-1 partitions",
                self.sedp(2, &text("T"), &text("X"), &[endless(0x29, &[0; 8])])
                    .0,
            ),
            (
                2,
                "2^32-1 representations",
                self.sedp(3, &text("T"), &text("X"), &[endless(0x73, &[0; 8])])
                    .0,
            ),
            (
                2,
                "16,000 empty partitions",
                self.sedp(
                    4,
                    &text("T"),
                    &text("X"),
                    &[parameter(
                        0x29,
                        &[&8000_u32.to_le_bytes()[..], &[0; 32_000]].concat(),
                    )],
                )
                .0,
            ),
        ]
    }

    fn ranges(&self) -> Vec<Vector> {
        let (w, r) = (MALLORY_WRITER, MALLORY_READER);
        let ask = |base, bits, words: &[u32]| {
            self.mallory()
                .ack_nack(r, self.writer, base, bits, words, 9)
                .0
        };
        vec![
            (
                3,
                "GAP over everything",
                self.mallory().gap(w, 1, FAR, 0, &[]).0,
            ),
            (
                3,
                "GAP from below",
                self.mallory().gap(w, i64::MIN, FAR, 256, &[u32::MAX; 8]).0,
            ),
            (
                3,
                "GAP of 2^32-1 bits",
                self.mallory().gap(w, 1, 2, u32::MAX, &[u32::MAX; 8]).0,
            ),
            (
                3,
                "GAP of the partner's from below",
                self.healthy().gap(self.healthy_writer, -5, -1, 0, &[]).0,
            ),
            (
                3,
                "HEARTBEAT up to the end of numbers",
                self.mallory().heartbeat(w, 1, FAR, 100).0,
            ),
            (
                3,
                "HEARTBEAT first beyond last",
                self.mallory().heartbeat(w, 100, 5, 101).0,
            ),
            (
                3,
                "HEARTBEAT of negative numbers",
                self.mallory().heartbeat(w, -9, -3, 102).0,
            ),
            (
                3,
                "HEARTBEAT of the partner's, impossible",
                self.healthy()
                    .heartbeat(self.healthy_writer, FAR, 5, u32::MAX / 4)
                    .0,
            ),
            (
                3,
                "HEARTBEAT of SEDP up to the end of numbers",
                self.mallory().heartbeat(PUBLICATIONS, 1, FAR, 103).0,
            ),
            (3, "ACKNACK of what was never written", ask(FAR, 0, &[])),
            (
                3,
                "ACKNACK for the end of numbers",
                ask(FAR - 1, 256, &[u32::MAX; 8]),
            ),
            (3, "ACKNACK of negative numbers", ask(-7, 32, &[u32::MAX])),
            (3, "ACKNACK of 257 bits", ask(1, 257, &[u32::MAX; 9])),
            (
                3,
                "NACK_FRAG for the end of numbers",
                self.mallory()
                    .nack_frag(r, self.writer, 1, u32::MAX, 256, &[u32::MAX; 8])
                    .0,
            ),
            (
                3,
                "NACK_FRAG for fragment 0",
                self.mallory()
                    .nack_frag(r, self.writer, 1, 0, 32, &[u32::MAX])
                    .0,
            ),
            (
                3,
                "DATA with number 0",
                self.mallory().data(w, 0, &[0, 1, 0, 0, 1, 2, 3, 4]).0,
            ),
            (
                3,
                "DATA with the last number",
                self.mallory().data(w, FAR, &[0, 1, 0, 0, 1, 2, 3, 4]).0,
            ),
        ]
    }

    fn fragments(&self) -> Vec<Vector> {
        let frag = |sequence, first, count, size, sample| {
            self.mallory()
                .frag(MALLORY_WRITER, sequence, first, count, size, sample)
                .0
        };
        vec![
            (4, "a sample of 4 GiB", frag(20, 1, 1, 64, u32::MAX)),
            (4, "fragments of no bytes", frag(21, 1, 1, 0, 1000)),
            (4, "fragment 0", frag(22, 0, 1, 64, 1000)),
            (
                4,
                "the last possible fragment",
                frag(23, u32::MAX, 1, 64, 60 << 20),
            ),
            (
                4,
                "65535 fragments in 64 bytes",
                frag(24, 1, 0xffff, 64, 60 << 20),
            ),
            (4, "fragments beyond the sample", frag(25, 100, 2, 64, 128)),
            (4, "no fragments", frag(26, 1, 0, 64, 1000)),
            (4, "a sample, first of one size", frag(27, 1, 1, 64, 6400)),
            (4, "and then of another", frag(27, 2, 1, 32, 64_000)),
            (
                4,
                "the end of a sample of 60 MiB",
                frag(28, 983_040, 1, 64, 60 << 20),
            ),
            (
                4,
                "a fragmented SEDP sample of 4 GiB",
                self.mallory().frag(PUBLICATIONS, 9, 1, 1, 64, u32::MAX).0,
            ),
            (
                4,
                "a fragment of SPDP",
                Packet::from(STRANGER)
                    .frag(SPDP_WRITER, 1, 1, 1, 64, 1 << 20)
                    .0,
            ),
        ]
    }

    fn locators(&self) -> Vec<Vector> {
        let at = |kind, port, address| {
            self.spdp(&participant(STRANGER, &locator(kind, port, address), &[]))
                .0
        };
        let crowd = vec![parameter(0x32, &locator(1, 9, [127, 0, 0, 9])); 2000];
        vec![
            (5, "at a multicast group", at(1, 7400, [239, 66, 0, 1])),
            (
                5,
                "at a broadcast address",
                at(1, 7400, [255, 255, 255, 255]),
            ),
            (5, "at a port of another service", at(1, 53, [127, 0, 0, 9])),
            (5, "at port 0", at(1, 0, [127, 0, 0, 9])),
            (5, "at a port above all", at(1, 0x7fff_ffff, [127, 0, 0, 9])),
            (5, "at no address", at(1, 7410, [0, 0, 0, 0])),
            (5, "at the victim itself", at(1, 7410, [127, 0, 0, 1])),
            (5, "in an unknown network", at(-77, 7410, [127, 0, 0, 1])),
            (5, "at 2000 places", self.stranger(&crowd).0),
            (
                6,
                "with the victim's own name",
                Packet::from(self.victim)
                    .data(SPDP_WRITER, 1, &participant(self.victim, &self.here(), &[]))
                    .0,
            ),
            (
                6,
                "with the partner's name, elsewhere",
                Packet::from(self.healthy)
                    .data(
                        SPDP_WRITER,
                        1,
                        &participant(self.healthy, &locator(1, 9, [10, 9, 9, 9]), &[]),
                    )
                    .0,
            ),
        ]
    }

    fn farewells(&self) -> Vec<Vector> {
        let own = guid(self.healthy, [0, 0, 1, 0xc1]);
        let gone = |packet: Packet, hash, key| packet.farewell(SPDP_WRITER, 2, hash, key).0;
        vec![
            (
                7,
                "goodbye in the partner's name",
                gone(Packet::from(self.healthy), Some(own), Some(own)),
            ),
            (7, "by key hash", gone(self.healthy(), Some(own), None)),
            (7, "by key", gone(self.healthy(), None, Some(own))),
            (
                7,
                "by the enemy, of the partner",
                gone(self.mallory(), Some(own), Some(own)),
            ),
            (
                7,
                "of the victim",
                gone(
                    Packet::from(self.victim),
                    Some(guid(self.victim, [0, 0, 1, 0xc1])),
                    None,
                ),
            ),
            (
                7,
                "SEDP goodbye of the partner's writer by the enemy",
                self.mallory()
                    .farewell(
                        PUBLICATIONS,
                        2,
                        Some(guid(self.healthy, self.healthy_writer)),
                        None,
                    )
                    .0,
            ),
        ]
    }

    fn times(&self) -> Vec<Vector> {
        let lease = |bytes: [u8; 8]| self.stranger(&[parameter(0x02, &bytes)]).0;
        let stamped = |bytes: [u8; 8]| {
            self.mallory()
                .sub(0x09, 1, &bytes)
                .data(MALLORY_WRITER, 40, &[0, 1, 0, 0, 1, 2, 3, 4])
                .0
        };
        vec![
            (8, "a lease below 0", lease([0, 0, 0, 0x80, 0, 0, 0, 0])),
            (8, "a lease of nothing", lease([0; 8])),
            (
                8,
                "a lease without end",
                lease([0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff]),
            ),
            (8, "the last timestamp", stamped([0xff; 8])),
            (
                8,
                "a timestamp below 0",
                stamped([0, 0, 0, 0x80, 1, 0, 0, 0]),
            ),
            (8, "no timestamp", self.mallory().sub(0x09, 3, &[]).0),
        ]
    }

    fn lists(&self) -> Vec<Vector> {
        let (topic, kind) = (text("T"), text("X"));
        let long = "long ".repeat(12_000);
        let nested: Vec<u8> = [0xf1, 0x41, 0x60, 0xf2].repeat(12_000);
        vec![
            (
                9,
                "a topic name without NUL",
                self.sedp(5, &[4, 0, 0, 0, b'a', b'b', b'c', b'd'], &kind, &[])
                    .0,
            ),
            (
                9,
                "a topic name that is no text",
                self.sedp(6, &[4, 0, 0, 0, 0xff, 0xfe, 0xc0, 0], &kind, &[])
                    .0,
            ),
            (
                9,
                "a topic name of no bytes",
                self.sedp(7, &[0; 4], &kind, &[]).0,
            ),
            (
                9,
                "a topic name of 60 KB",
                self.sedp(8, &text(&long), &kind, &[]).0,
            ),
            (
                9,
                "a type name of 60 KB",
                self.sedp(9, &topic, &text(&long), &[]).0,
            ),
            (
                9,
                "no end of the list",
                self.spdp(&[&[0, 3, 0, 0][..], &parameter(0x50, &[0; 16])].concat())
                    .0,
            ),
            (
                9,
                "a parameter of 3 bytes",
                self.stranger(&[parameter_of(0x15, 3, &[2, 5, 0])]).0,
            ),
            (
                9,
                "a parameter that must be understood",
                self.stranger(&[parameter(0x7fff, &[0; 4])]).0,
            ),
            (9, "a participant without a name", self.spdp(&list(&[])).0),
            (
                9,
                "a payload of unknown encoding",
                self.spdp(&[0x7f, 0x7f, 0, 0, 1, 2, 3, 4]).0,
            ),
            (
                9,
                "10,000 equal parameters",
                self.stranger(&vec![parameter(0x15, &[2, 5, 0, 0]); 8000]).0,
            ),
            (
                9,
                "values of policies that do not exist",
                self.sedp(
                    10,
                    &topic,
                    &kind,
                    &[
                        parameter(0x1a, &[0xff; 12]),
                        parameter(0x1d, &[0xff; 4]),
                        parameter(0x1f, &[0x77; 4]),
                    ],
                )
                .0,
            ),
            (
                10,
                "a type object that is nested without end",
                self.sedp(
                    11,
                    &topic,
                    &kind,
                    &[parameter(0x72, &nested), parameter(0x75, &nested[..8000])],
                )
                .0,
            ),
            (11, "a content filter of 48 KB", {
                let filter = "(".repeat(48_000);
                self.sedp(12, &topic, &kind, &[parameter(0x35, &text(&filter))])
                    .0
            }),
        ]
    }

    /// Bits that flipped on the way, of what is otherwise right.
    fn flips(&self) -> Vec<Vector> {
        let good = self.stranger(&[]).0;
        let flipped = (0..8).map(|n| {
            let mut bad = good.clone();
            for step in 0..4 {
                let bit = (n * 7919 + step * 104_729) % (bad.len() * 8);
                bad[bit / 8] ^= 1 << (bit % 8);
            }
            (20, "flipped bits", bad)
        });
        flipped.collect()
    }
}
