//! Datagrams as an enemy makes them: every field can be wrong.

/// The last four bytes of a GUID.
pub(crate) type Entity = [u8; 4];
/// The first twelve.
pub(crate) type Prefix = [u8; 12];

pub(crate) const SPDP_WRITER: Entity = [0, 1, 0, 0xc2];
pub(crate) const PUBLICATIONS: Entity = [0, 0, 3, 0xc2];
pub(crate) const SUBSCRIPTIONS: Entity = [0, 0, 4, 0xc2];
pub(crate) const NOBODY: Entity = [0; 4];

/// A message under construction.
#[derive(Clone)]
pub(crate) struct Packet(pub(crate) Vec<u8>);

impl Packet {
    pub(crate) fn from(prefix: Prefix) -> Self {
        Self([b"RTPS\x02\x05\x44\x4c".as_slice(), &prefix].concat())
    }

    /// INFO_DST.
    pub(crate) fn to(self, prefix: Prefix) -> Self {
        self.sub(0x0e, 1, &prefix)
    }

    /// A submessage that states its length rightly.
    pub(crate) fn sub(self, id: u8, flags: u8, body: &[u8]) -> Self {
        self.stated(id, flags, body.len() as u16, body)
    }

    /// A submessage that states any length.
    pub(crate) fn stated(mut self, id: u8, flags: u8, length: u16, body: &[u8]) -> Self {
        self.0.extend([id, flags]);
        self.0.extend(length.to_le_bytes());
        self.0.extend(body);
        self
    }

    /// DATA with a payload.
    pub(crate) fn data(self, writer: Entity, sequence: i64, payload: &[u8]) -> Self {
        let head = data_head(NOBODY, writer, sequence, 16);
        self.sub(0x15, 1 | 4, &[head, payload.to_vec()].concat())
    }

    /// DATA that disposes and unregisters, by key hash and by key.
    pub(crate) fn farewell(
        self,
        writer: Entity,
        sequence: i64,
        hash: Option<[u8; 16]>,
        key: Option<[u8; 16]>,
    ) -> Self {
        let mut inline = Vec::new();
        if let Some(hash) = hash {
            inline.extend(parameter(0x70, &hash));
        }
        inline.extend(parameter(0x71, &[0, 0, 0, 3]));
        inline.extend([1, 0, 0, 0]);
        let mut body = [data_head(NOBODY, writer, sequence, 16), inline].concat();
        let mut flags = 1 | 2;
        if let Some(key) = key {
            flags |= 8;
            body.extend([0, 3, 0, 0]);
            body.extend(parameter(0x50, &key));
            body.extend([1, 0, 0, 0]);
        }
        self.sub(0x15, flags, &body)
    }

    pub(crate) fn heartbeat(self, writer: Entity, first: i64, last: i64, count: u32) -> Self {
        let body = [
            &NOBODY,
            &writer,
            &number(first)[..],
            &number(last),
            &count.to_le_bytes(),
        ]
        .concat();
        self.sub(0x07, 1, &body)
    }

    pub(crate) fn gap(
        self,
        writer: Entity,
        start: i64,
        base: i64,
        bits: u32,
        words: &[u32],
    ) -> Self {
        let body = [
            &NOBODY,
            &writer,
            &number(start)[..],
            &set(base, bits, words),
        ]
        .concat();
        self.sub(0x08, 1, &body)
    }

    pub(crate) fn ack_nack(
        self,
        reader: Entity,
        writer: Entity,
        base: i64,
        bits: u32,
        words: &[u32],
        count: u32,
    ) -> Self {
        let body = [
            &reader,
            &writer,
            &set(base, bits, words)[..],
            &count.to_le_bytes(),
        ]
        .concat();
        self.sub(0x06, 1, &body)
    }

    /// The answer to the question where somebody is.
    pub(crate) fn proof(self, number: i64) -> Self {
        self.ack_nack([0, 0, 3, 0xc7], PUBLICATIONS, number, 0, &[], 1)
    }

    pub(crate) fn nack_frag(
        self,
        reader: Entity,
        writer: Entity,
        sequence: i64,
        base: u32,
        bits: u32,
        words: &[u32],
    ) -> Self {
        let words = words
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect::<Vec<_>>();
        let set = [&base.to_le_bytes()[..], &bits.to_le_bytes(), &words].concat();
        let body = [
            &reader,
            &writer,
            &number(sequence)[..],
            &set,
            &7_u32.to_le_bytes(),
        ]
        .concat();
        self.sub(0x12, 1, &body)
    }

    /// DATA_FRAG: numbers as given, 64 bytes of payload.
    pub(crate) fn frag(
        self,
        writer: Entity,
        sequence: i64,
        first: u32,
        count: u16,
        size: u16,
        sample: u32,
    ) -> Self {
        let body = [
            &[0, 0, 28, 0][..],
            &NOBODY,
            &writer,
            &number(sequence),
            &first.to_le_bytes(),
            &count.to_le_bytes(),
            &size.to_le_bytes(),
            &sample.to_le_bytes(),
            &[0x5a; 64],
        ];
        self.sub(0x16, 1, &body.concat())
    }
}

/// The number by which the victim asks in these bytes whether somebody is where it says, if it
/// does: the first one of a HEARTBEAT.
pub(crate) fn question(heard: &[u8]) -> Option<i64> {
    let is_question =
        |bytes: &&[u8]| bytes[0] == 0x07 && bytes[2..4] == [28, 0] && bytes[8..12] == PUBLICATIONS;
    let heartbeat = heard.windows(20).find(is_question)?;
    let word = |at: usize| heartbeat[at..at + 4].try_into().map(u32::from_le_bytes);
    let (high, low) = (word(12).ok()?, word(16).ok()?);
    Some(i64::from(high) << 32 | i64::from(low))
}

/// Extra flags, the offset of the inline QoS, reader, writer, sequence number.
pub(crate) fn data_head(reader: Entity, writer: Entity, sequence: i64, offset: u16) -> Vec<u8> {
    let number = number(sequence);
    [
        &[0, 0][..],
        &offset.to_le_bytes(),
        &reader,
        &writer,
        &number,
    ]
    .concat()
}

pub(crate) fn number(n: i64) -> [u8; 8] {
    let (high, low) = ((n >> 32) as i32, n as u32);
    let mut bytes = [0; 8];
    bytes[..4].copy_from_slice(&high.to_le_bytes());
    bytes[4..].copy_from_slice(&low.to_le_bytes());
    bytes
}

fn set(base: i64, bits: u32, words: &[u32]) -> Vec<u8> {
    let words = words
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect::<Vec<_>>();
    [&number(base)[..], &bits.to_le_bytes(), &words].concat()
}

pub(crate) fn parameter(id: u16, value: &[u8]) -> Vec<u8> {
    parameter_of(id, value.len() as u16, value)
}

/// A parameter that states any length.
pub(crate) fn parameter_of(id: u16, length: u16, value: &[u8]) -> Vec<u8> {
    [&id.to_le_bytes()[..], &length.to_le_bytes(), value].concat()
}

/// A parameter list in little endian, with its end.
pub(crate) fn list(parameters: &[Vec<u8>]) -> Vec<u8> {
    [&[0, 3, 0, 0][..], &parameters.concat(), &[1, 0, 0, 0]].concat()
}

/// A string as CDR has it, padded.
pub(crate) fn text(s: &str) -> Vec<u8> {
    let mut bytes = ((s.len() + 1) as u32).to_le_bytes().to_vec();
    bytes.extend(s.as_bytes());
    bytes.push(0);
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

pub(crate) fn locator(kind: i32, port: u32, address: [u8; 4]) -> Vec<u8> {
    [
        &kind.to_le_bytes()[..],
        &port.to_le_bytes(),
        &[0; 12],
        &address,
    ]
    .concat()
}

pub(crate) fn guid(prefix: Prefix, entity: Entity) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..12].copy_from_slice(&prefix);
    bytes[12..].copy_from_slice(&entity);
    bytes
}

/// What a participant must say, and where it says to be.
pub(crate) fn participant(prefix: Prefix, place: &[u8], more: &[Vec<u8>]) -> Vec<u8> {
    // Of its own kind Dunlin wants checksums, which the enemy does not compute: it claims to be of
    // another vendor, unless it speaks in the name of one of ours.
    let vendor = match &prefix[..2] {
        b"DL" => [0x44, 0x4c, 0, 0],
        _ => [0x01, 0x7f, 0, 0],
    };
    let mut parameters = vec![
        parameter(0x50, &guid(prefix, [0, 0, 1, 0xc1])),
        parameter(0x15, &[2, 5, 0, 0]),
        parameter(0x16, &vendor),
        parameter(0x58, &0xc3f_u32.to_le_bytes()),
        parameter(0x32, place),
        parameter(0x31, place),
        parameter(0x02, &[100, 0, 0, 0, 0, 0, 0, 0]),
    ];
    parameters.extend_from_slice(more);
    list(&parameters)
}

/// What an endpoint must say.
pub(crate) fn endpoint(
    guid: [u8; 16],
    topic: &[u8],
    type_name: &[u8],
    more: &[Vec<u8>],
) -> Vec<u8> {
    let mut parameters = vec![
        parameter(0x5a, &guid),
        parameter(0x05, topic),
        parameter(0x07, type_name),
    ];
    parameters.extend_from_slice(more);
    list(&parameters)
}
