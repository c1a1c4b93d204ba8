//! Datagrams captured from other products: see the files in `tests/data`.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]
pub mod counting;

use dunlin_wire::*;

/// One captured datagram.
pub struct Golden {
    /// Scenario and frame.
    pub name: &'static str,
    /// The submessages as tshark names them.
    pub kinds: Vec<&'static str>,
    /// UDP payload.
    pub bytes: Vec<u8>,
}

impl Golden {
    pub fn submessages(&self) -> Vec<Submessage<'_>> {
        let message = Message::parse(&self.bytes).unwrap();
        let checked = |s: Result<_, _>| s.unwrap_or_else(|e| panic!("{}: {e}", self.name));
        message.into_iter().map(checked).collect()
    }

    /// The samples of a built-in writer in this datagram.
    pub fn samples_of(&self, writer: EntityId) -> Vec<Data<'_>> {
        let of_writer = |s| match s {
            Submessage::Data(data) if data.writer == writer => Some(data),
            _ => None,
        };
        self.submessages()
            .into_iter()
            .filter_map(of_writer)
            .collect()
    }
}

pub fn cyclone() -> Vec<Golden> {
    read(include_str!("../data/cyclone-0.10.2.hex"))
}

pub fn fast() -> Vec<Golden> {
    read(include_str!("../data/fastdds-2.9.1.hex"))
}

pub fn all() -> Vec<Golden> {
    cyclone().into_iter().chain(fast()).collect()
}

pub fn find<'a>(goldens: &'a [Golden], name: &str) -> &'a Golden {
    goldens.iter().find(|g| g.name == name).expect(name)
}

fn read(text: &'static str) -> Vec<Golden> {
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let [name, kinds, bytes] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
            Golden {
                name,
                kinds: kinds.split(',').collect(),
                bytes: unhex(bytes),
            }
        })
        .collect()
}

pub fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).unwrap() as u8)
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}

/// Reads a datagram as a participant would, all the way down; what it says does not matter.
pub fn read_all(datagram: &[u8]) {
    let Ok(message) = Message::parse(datagram) else {
        return;
    };
    for submessage in message {
        let Ok(submessage) = submessage else { return };
        let (Submessage::Data(Data { inline_qos, .. })
        | Submessage::DataFrag(DataFrag { inline_qos, .. })) = submessage
        else {
            continue;
        };
        let _ = InlineQos::parse(inline_qos);
        read_payload(submessage.payload());
    }
}

/// Reads a payload as each kind of discovery data.
pub fn read_payload(payload: &[u8]) {
    let _ = ParticipantData::parse(payload).map(|d| d.encode());
    let _ = WriterData::parse(payload).map(|d| d.encode());
    let _ = ReaderData::parse(payload).map(|d| d.encode());
    let _ = ParticipantMessage::parse(payload).map(|m| m.encode());
    let _ = GossipedParticipant::parse(payload, GuidPrefix::UNKNOWN).map(|i| i.encode());
    let _ = parse_key(payload);
}
