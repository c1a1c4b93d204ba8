//! What comes to a connection under TLS: before there are keys, in their place, and after.
use crate::authority::Authority;
use crate::script::Script;
use dunlin_transport::TlsConfig;
use dunlin_transport::isolated_receiver::{IsolatedReceiver, Secrets};
use std::sync::OnceLock;

/// What is said on the way to keys, and why they could not be agreed: no input draws more.
const ANSWERS: usize = 16 * 1024;
/// A large message gets so much memory at first.
const FIRST: usize = 256 * 1024;

fn secrets() -> &'static Secrets {
    static SECRETS: OnceLock<Secrets> = OnceLock::new();
    SECRETS.get_or_init(|| {
        let authority = Authority::new();
        let [certificates, key] = authority.sign();
        Secrets::new(&TlsConfig {
            authorities: authority.file(),
            certificates,
            key,
        })
        .unwrap()
    })
}

/// A connection between one that is attacked and an honest peer, whose every byte passes through
/// our hands.
struct Line {
    ear: IsolatedReceiver,
    honest: IsolatedReceiver,
    /// What the ear has been given, and what it has answered.
    given: usize,
    answered: usize,
}

impl Line {
    fn new(dials: bool) -> Self {
        let end = |dials| IsolatedReceiver::new(Some(secrets()), dials, b"").unwrap();
        Self {
            ear: end(dials),
            honest: end(!dials),
            given: 0,
            answered: 0,
        }
    }

    /// Gives the ear these bytes.
    fn give(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let had_ended = self.ear.fault().is_some();
        let heard = self.ear.hear(bytes);
        self.given += bytes.len();
        assert!(heard.is_empty() || !had_ended && self.ear.is_open());
        assert!(
            self.ear.held() <= FIRST + 3 * self.given,
            "memory for nothing"
        );
        heard
    }

    /// Gives the honest peer what the ear has answered.
    fn answer(&mut self) {
        let answer = self.ear.said();
        self.answered += answer.len();
        assert!(self.answered <= ANSWERS, "{} bytes answered", self.answered);
        assert!(self.honest.hear(&answer).is_empty(), "the ear says nothing");
    }

    fn agree(&mut self) {
        for _ in 0..4 {
            let said = self.honest.said();
            self.give(&said);
            self.answer();
        }
        assert!(
            self.ear.is_open() && self.honest.is_open(),
            "honest ends agree"
        );
    }
}

/// The first byte says who has dialled and whether keys are agreed in peace; then come steps: what
/// to do, a length in two bytes, and so many bytes.
pub fn tls(data: &[u8]) {
    let mut script = Script::new(data);
    let flags = script.byte();
    let mut line = Line::new(flags & 1 != 0);
    // What is sealed by an honest peer is heard as if there were no TLS.
    let mut open = None;
    if flags & 2 != 0 {
        line.agree();
        open = Some(IsolatedReceiver::new(None, flags & 1 != 0, b"").unwrap());
    }
    while !script.is_over() {
        let (step, bytes) = (script.choice(4), script.piece());
        match step {
            0 => {
                open = None;
                line.give(bytes);
            }
            1 => {
                line.honest.say(bytes);
                let said = line.honest.said();
                let heard = line.give(&said);
                if let Some(open) = &mut open {
                    assert_eq!(heard, open.hear(bytes));
                    assert_eq!(line.ear.fault().is_some(), open.fault().is_some());
                }
            }
            2 => {
                open = None;
                let mut said = line.honest.said();
                for change in bytes.chunks_exact(3) {
                    let at = usize::from(u16::from_le_bytes([change[0], change[1]]));
                    if let Some(byte) = said.get_mut(at) {
                        *byte ^= change[2];
                    }
                }
                line.give(&said);
            }
            _ => {}
        }
        line.answer();
    }
}
