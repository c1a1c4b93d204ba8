//! Packets that aim at what Dunlin does not have: configuration in XML, DDS Security, shared
//! memory. A participant has to pass over them like over anything else that it does not know.
use crate::packet::*;
use crate::vectors::{Cast, MALLORY_WRITER, Vector};

const IDENTITY_TOKEN: u16 = 0x1001;
const PERMISSIONS_TOKEN: u16 = 0x1002;
const PARTICIPANT_SECURITY_INFO: u16 = 0x1005;
const IDENTITY_STATUS_TOKEN: u16 = 0x1006;
const PROPERTY_LIST: u16 = 0x59;
const USER_DATA: u16 = 0x2c;
/// Of the writers of authentication and key exchange (DDS Security 1.1 7.4.7).
const STATELESS_MESSAGES: Entity = [0, 2, 1, 0xc3];
const VOLATILE_SECURE: Entity = [0xff, 2, 2, 0xc3];
/// Submessages of encrypted and signed traffic (DDS Security 1.1 7.3.7.3).
const SEC_BODY: u8 = 0x30;
const SEC_PREFIX: u8 = 0x31;
const SEC_POSTFIX: u8 = 0x32;
const SRTPS_PREFIX: u8 = 0x33;
/// Where Fast DDS says that it listens in shared memory.
const SHARED_MEMORY: i32 = 16;

impl Cast {
    pub(crate) fn absent(&self) -> Vec<Vector> {
        [
            self.configuration(),
            self.certificates(),
            self.handshakes(),
            self.replays(),
            self.shared_memory(),
        ]
        .concat()
    }

    fn property(&self, name: &str, value: &str) -> Vec<u8> {
        let pair = [text(name), text(value)].concat();
        let list = [&1_u32.to_le_bytes()[..], &pair].concat();
        self.stranger(&[parameter(PROPERTY_LIST, &list)]).0
    }

    fn configuration(&self) -> Vec<Vector> {
        let laughs =
            "<!DOCTYPE l [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]><dds>&b;</dds>";
        let deep = "<dds>".repeat(9000);
        let octets = [&(deep.len() as u32).to_le_bytes()[..], deep.as_bytes()].concat();
        vec![
            (12, "a property with entities", self.property("xml", laughs)),
            (
                12,
                "a property with variables without end",
                self.property("${a}", &"${a:-".repeat(800)),
            ),
            (
                12,
                "user data of 9000 open tags",
                self.stranger(&[parameter(USER_DATA, &octets)]).0,
            ),
        ]
    }

    /// A DataHolder: class, properties, binary properties.
    fn token(&self, id: u16, class: &str, rest: &[u8]) -> Vec<u8> {
        let token = [text(class), rest.to_vec()].concat();
        self.stranger(&[parameter(id, &token)]).0
    }

    fn certificates(&self) -> Vec<Vector> {
        let (authentication, access) = ("DDS:Auth:PKI-DH:1.0", "DDS:Access:Permissions:1.0");
        let none = [0; 8];
        let expired = [
            &1_u32.to_le_bytes()[..],
            &text("dds.cert.not_after"),
            &text("19700101000000Z"),
            &[0; 4],
        ]
        .concat();
        vec![
            (
                13,
                "an identity that nobody signed",
                self.token(IDENTITY_TOKEN, authentication, &none),
            ),
            (
                13,
                "an identity with 2^32-1 properties",
                self.token(IDENTITY_TOKEN, authentication, &[0xff; 8]),
            ),
            (
                14,
                "an identity that has expired",
                self.token(IDENTITY_TOKEN, authentication, &expired),
            ),
            (
                14,
                "a status of an identity, cut off",
                self.token(IDENTITY_STATUS_TOKEN, authentication, &[1, 0, 0]),
            ),
            (
                15,
                "permissions of nothing",
                self.token(PERMISSIONS_TOKEN, access, &none),
            ),
            (
                15,
                "permissions of no class",
                self.token(PERMISSIONS_TOKEN, "", &[]),
            ),
            (
                17,
                "everything is to be protected",
                self.stranger(&[parameter(PARTICIPANT_SECURITY_INFO, &[0xff; 8])])
                    .0,
            ),
        ]
    }

    fn handshakes(&self) -> Vec<Vector> {
        let message = |class: &str, holders: u32| {
            let identity = [guid(self.mallory, [0, 0, 1, 0xc1]), [0; 16]].concat();
            let body = [
                &[0, 1, 0, 0][..],
                &identity,
                &1_i64.to_le_bytes(),
                &guid(self.victim, [0, 0, 1, 0xc1]),
                &[0; 32],
                &text(class),
                &holders.to_le_bytes(),
                &[0x41; 64],
            ];
            body.concat()
        };
        let stated = |id, length, body: &[u8]| self.mallory().stated(id, 1, length, body).0;
        vec![
            (
                16,
                "a request for a handshake with 2^32-1 holders",
                self.mallory()
                    .data(
                        STATELESS_MESSAGES,
                        1,
                        &message("dds.sec.auth_request", u32::MAX),
                    )
                    .0,
            ),
            (
                16,
                "a handshake that nobody began",
                self.mallory()
                    .data(STATELESS_MESSAGES, 2, &message("dds.sec.auth", 1))
                    .0,
            ),
            (
                16,
                "keys before authentication",
                self.mallory()
                    .data(
                        VOLATILE_SECURE,
                        1,
                        &message("dds.sec.participant_crypto_tokens", 1),
                    )
                    .0,
            ),
            (
                16,
                "a key exchange that has 2^62 messages",
                self.mallory().heartbeat(VOLATILE_SECURE, 1, 1 << 62, 1).0,
            ),
            (
                16,
                "a secure prefix alone",
                stated(SEC_PREFIX, 20, &[0xff; 20]),
            ),
            (
                16,
                "a secure body longer than its datagram",
                stated(SEC_BODY, 0xffff, &[0xff; 64]),
            ),
            (
                16,
                "a secure end without a beginning",
                stated(SEC_POSTFIX, 20, &[0xff; 20]),
            ),
            (
                16,
                "a protected message cut off",
                stated(SRTPS_PREFIX, 20, &[0; 7]),
            ),
        ]
    }

    /// What was said before, and must not count again.
    fn replays(&self) -> Vec<Vector> {
        let sample = [0, 1, 0, 0, 1, 2, 3, 4];
        let first = self.healthy().data(self.healthy_writer, 1, &sample).0;
        let heartbeat = self.healthy().heartbeat(self.healthy_writer, 1, 1, 1).0;
        let own = Packet::from(self.victim).data(self.writer, 1, &sample).0;
        let introduction = self.introduction(["A", "B"]).into_iter();
        let again = introduction.map(|packet| (18, "the enemy's introduction again", packet));
        let mut all = vec![
            (18, "the partner's first sample again", first),
            (18, "the partner's first heartbeat again", heartbeat),
            (18, "the victim's own first sample", own),
            (
                18,
                "a sample in the name of one that is long gone",
                Packet::from(*b"long gone...")
                    .to(self.victim)
                    .data(MALLORY_WRITER, 1, &sample)
                    .0,
            ),
        ];
        all.extend(again);
        all
    }

    fn shared_memory(&self) -> Vec<Vector> {
        let at = |port, address| {
            let place = locator(SHARED_MEMORY, port, address);
            self.stranger(&[parameter(0x32, &place), parameter(0x31, &place)])
                .0
        };
        let name = "../../../../dev/shm/fastrtps_port7410";
        vec![
            (19, "in somebody's shared memory", at(7410, [1, 0, 0, 0])),
            (19, "in a segment of no number", at(u32::MAX, [0xff; 4])),
            (
                19,
                "a segment with a path for a name",
                self.property("fastdds.shm.segment", name),
            ),
        ]
    }
}
