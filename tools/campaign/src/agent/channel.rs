//! A connection between a campaign and an agent, of which each knows that the other one has the
//! secret.
//!
//! The agent begins with a name of the protocol and a nonce; the caller answers with its own nonce
//! and a proof, and the agent with its proof. Then there are messages: length (4 octets, big
//! endian), JSON, code. All codes are HMAC-SHA256.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use hmac::{Hmac, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;

use super::secret::Secret;

/// Protocol and version.
const MAGIC: &[u8; 16] = b"dunlin-agent-001";

const NONCE: usize = 32;
const CODE: usize = 32;

/// Longest message.
const MESSAGE_MAX: usize = 2 << 20;

/// Longest time of a greeting, and of a message once it has begun.
const PATIENCE: Duration = Duration::from_secs(10);

/// Longest wait of one look for a message.
const LOOK: Duration = Duration::from_millis(1);

/// The connection.
pub struct Channel {
    stream: TcpStream,
    key: [u8; CODE],
    own: Direction,
    sent: u64,
    received: u64,
    buffer: Vec<u8>,
}

/// Why there is no connection any more.
#[derive(Debug, thiserror::Error)]
pub enum ChannelError {
    /// It broke off.
    #[error("the connection broke off: {0}")]
    Broken(io::Error),
    /// The other side ended it.
    #[error("the connection was closed by the other side")]
    Closed,
    /// The other side proves another secret, or none.
    #[error("the other side has another secret: put the same secret file on both hosts")]
    Secret,
    /// The other side is something else.
    #[error("the other side is no agent of this version of perftest")]
    Stranger,
    /// A message is damaged, too long, or not understood.
    #[error("a message cannot be used: {0}")]
    Message(String),
}

/// Who has made a code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Campaign,
    Agent,
}

impl Direction {
    fn name(self) -> &'static [u8] {
        match self {
            Direction::Campaign => b"campaign",
            Direction::Agent => b"agent",
        }
    }

    fn other(self) -> Self {
        match self {
            Direction::Campaign => Direction::Agent,
            Direction::Agent => Direction::Campaign,
        }
    }
}

impl Channel {
    /// The campaign's end of a connection.
    pub fn call(mut stream: TcpStream, secret: &Secret) -> Result<Self, ChannelError> {
        prepare(&stream)?;
        let mut greeting = [0; MAGIC.len() + NONCE];
        read_exact(&mut stream, &mut greeting)?;
        let (magic, theirs) = greeting.split_at(MAGIC.len());
        if magic != MAGIC {
            return Err(ChannelError::Stranger);
        }
        let ours = nonce()?;
        let talk = Talk {
            secret,
            agent: theirs,
            campaign: &ours,
        };
        stream.write_all(&ours).map_err(ChannelError::Broken)?;
        let proof = talk.code(Direction::Campaign.name());
        stream.write_all(&proof).map_err(ChannelError::Broken)?;
        let mut proof = [0; CODE];
        // An agent that does not believe us hangs up.
        read_exact(&mut stream, &mut proof).map_err(|_| ChannelError::Secret)?;
        talk.verify(Direction::Agent.name(), &proof)?;
        let key = talk.code(b"session");
        Self::open(stream, key, Direction::Campaign)
    }

    /// The agent's end of a connection.
    pub fn answer(mut stream: TcpStream, secret: &Secret) -> Result<Self, ChannelError> {
        prepare(&stream)?;
        let ours = nonce()?;
        let greeting = [&MAGIC[..], &ours].concat();
        stream.write_all(&greeting).map_err(ChannelError::Broken)?;
        let mut reply = [0; NONCE + CODE];
        read_exact(&mut stream, &mut reply)?;
        let (theirs, proof) = reply.split_at(NONCE);
        let talk = Talk {
            secret,
            agent: &ours,
            campaign: theirs,
        };
        talk.verify(Direction::Campaign.name(), proof)?;
        let proof = talk.code(Direction::Agent.name());
        stream.write_all(&proof).map_err(ChannelError::Broken)?;
        let key = talk.code(b"session");
        Self::open(stream, key, Direction::Agent)
    }

    fn open(stream: TcpStream, key: [u8; CODE], own: Direction) -> Result<Self, ChannelError> {
        let timeout = stream.set_read_timeout(Some(LOOK));
        timeout.map_err(ChannelError::Broken)?;
        Ok(Self {
            stream,
            key,
            own,
            sent: 0,
            received: 0,
            buffer: Vec::new(),
        })
    }

    /// Sends a message.
    pub fn send(&mut self, message: &impl Serialize) -> Result<(), ChannelError> {
        let body = serde_json::to_vec(message);
        let body = body.map_err(|error| ChannelError::Message(error.to_string()))?;
        let length = u32::try_from(body.len()).ok();
        let length = length.filter(|length| *length as usize <= MESSAGE_MAX);
        let length = length.ok_or_else(|| ChannelError::Message("too long".into()))?;
        let code = self
            .code(self.own, self.sent, &body)
            .finalize()
            .into_bytes();
        self.sent += 1;
        let bytes = [&length.to_be_bytes()[..], &body, &code].concat();
        self.stream.write_all(&bytes).map_err(ChannelError::Broken)
    }

    /// The next message, if it is there.
    pub fn poll<T: DeserializeOwned>(&mut self) -> Result<Option<T>, ChannelError> {
        let mut part = [0; 16 * 1024];
        match self.stream.read(&mut part) {
            Ok(0) => return Err(ChannelError::Closed),
            Ok(count) => self
                .buffer
                .extend_from_slice(part.get(..count).unwrap_or(&[])),
            Err(error) if is_nothing(&error) => {}
            Err(error) => return Err(ChannelError::Broken(error)),
        }
        let Some(body) = self.take()? else {
            return Ok(None);
        };
        let message = serde_json::from_slice(&body);
        let message = message.map_err(|error| ChannelError::Message(error.to_string()))?;
        Ok(Some(message))
    }

    /// The next message; an error if none comes for some seconds.
    pub fn wait<T: DeserializeOwned>(&mut self) -> Result<T, ChannelError> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(message) = self.poll()? {
                return Ok(message);
            }
        }
        Err(ChannelError::Broken(io::ErrorKind::TimedOut.into()))
    }

    /// The body of the first message in the buffer, if it is whole.
    fn take(&mut self) -> Result<Option<Vec<u8>>, ChannelError> {
        let Some((length, rest)) = self.buffer.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*length) as usize;
        if length > MESSAGE_MAX {
            return Err(ChannelError::Message(format!(
                "{length} octets are too many"
            )));
        }
        let Some((body, rest)) = rest.split_at_checked(length) else {
            return Ok(None);
        };
        let Some((code, rest)) = rest.split_at_checked(CODE) else {
            return Ok(None);
        };
        self.code(self.own.other(), self.received, body)
            .verify_slice(code)
            .map_err(|_| ChannelError::Message("its code is wrong".into()))?;
        let (body, rest) = (body.to_vec(), rest.to_vec());
        self.received += 1;
        self.buffer = rest;
        Ok(Some(body))
    }

    fn code(&self, from: Direction, number: u64, body: &[u8]) -> Hmac<Sha256> {
        keyed(&self.key)
            .chain_update(from.name())
            .chain_update(number.to_be_bytes())
            .chain_update(body)
    }
}

/// What the proofs of a greeting rest on.
struct Talk<'a> {
    secret: &'a Secret,
    agent: &'a [u8],
    campaign: &'a [u8],
}

impl Talk<'_> {
    fn mac(&self, purpose: &[u8]) -> Hmac<Sha256> {
        keyed(self.secret.bytes())
            .chain_update(MAGIC)
            .chain_update(self.agent)
            .chain_update(self.campaign)
            .chain_update(purpose)
    }

    fn code(&self, purpose: &[u8]) -> [u8; CODE] {
        self.mac(purpose).finalize().into_bytes().into()
    }

    /// In constant time.
    fn verify(&self, purpose: &[u8], code: &[u8]) -> Result<(), ChannelError> {
        let verified = self.mac(purpose).verify_slice(code);
        verified.map_err(|_| ChannelError::Secret)
    }
}

fn keyed(key: &[u8]) -> Hmac<Sha256> {
    // HMAC takes keys of any length.
    Hmac::new_from_slice(key).expect("HMAC takes any key")
}

fn nonce() -> Result<[u8; NONCE], ChannelError> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce)
        .map_err(|error| ChannelError::Broken(io::Error::other(error.to_string())))?;
    Ok(nonce)
}

/// Messages go out at once, nobody waits for ever, and a host that is gone is noticed.
fn prepare(stream: &TcpStream) -> Result<(), ChannelError> {
    let alive = socket2::TcpKeepalive::new()
        .with_time(Duration::from_secs(5))
        .with_interval(Duration::from_secs(5))
        .with_retries(3);
    stream
        .set_nodelay(true)
        .and_then(|()| stream.set_read_timeout(Some(PATIENCE)))
        .and_then(|()| stream.set_write_timeout(Some(PATIENCE)))
        .and_then(|()| socket2::SockRef::from(stream).set_tcp_keepalive(&alive))
        .map_err(ChannelError::Broken)
}

fn read_exact(stream: &mut TcpStream, bytes: &mut [u8]) -> Result<(), ChannelError> {
    stream
        .read_exact(bytes)
        .map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ChannelError::Closed,
            _ => ChannelError::Broken(error),
        })
}

fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::new(text.as_bytes()).unwrap()
    }

    /// Both ends of a greeting, each with its secret.
    fn greet(
        campaign: &str,
        agent: &str,
    ) -> (Result<Channel, ChannelError>, Result<Channel, ChannelError>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let agent = secret(agent);
        let answering =
            thread::spawn(move || Channel::answer(listener.accept().unwrap().0, &agent));
        let called = Channel::call(TcpStream::connect(address).unwrap(), &secret(campaign));
        (called, answering.join().unwrap())
    }

    #[test]
    fn who_knows_the_secret_is_heard() {
        let (campaign, agent) = greet("0123456789abcdef", "0123456789abcdef");
        let (mut campaign, mut agent) = (campaign.unwrap(), agent.unwrap());
        let long = "x".repeat(100_000);
        thread::scope(|scope| {
            scope.spawn(|| {
                campaign.send(&"hello").unwrap();
                campaign.send(&long).unwrap();
            });
            assert_eq!(agent.wait::<String>().unwrap(), "hello");
            assert_eq!(agent.wait::<String>().unwrap(), long);
        });
        agent.send(&7).unwrap();
        assert_eq!(campaign.wait::<u32>().unwrap(), 7);
        drop(agent);
        assert!(matches!(campaign.wait::<u32>(), Err(ChannelError::Closed)));
    }

    #[test]
    fn another_secret_is_refused_on_both_sides() {
        let (campaign, agent) = greet("0123456789abcdef", "0123456789abcdeF");
        assert!(matches!(campaign, Err(ChannelError::Secret)));
        assert!(matches!(agent, Err(ChannelError::Secret)));
    }

    #[test]
    fn what_is_damaged_or_repeated_is_refused() {
        for repeat in [false, true] {
            let (campaign, agent) = greet("0123456789abcdef", "0123456789abcdef");
            let (campaign, mut agent) = (campaign.unwrap(), agent.unwrap());
            let body = b"\"stop\"";
            let code = campaign.code(Direction::Campaign, 0, body);
            let code = code.finalize().into_bytes();
            let mut bytes = [&(body.len() as u32).to_be_bytes()[..], body, &code].concat();
            if repeat {
                bytes = bytes.repeat(2);
            } else {
                bytes[6] ^= 1;
            }
            (&campaign.stream).write_all(&bytes).unwrap();
            if repeat {
                assert_eq!(agent.wait::<String>().unwrap(), "stop");
            }
            assert!(matches!(
                agent.wait::<String>(),
                Err(ChannelError::Message(_))
            ));
        }
    }

    #[test]
    fn who_announces_too_much_or_is_no_agent_is_left() {
        let (campaign, agent) = greet("0123456789abcdef", "0123456789abcdef");
        let (campaign, mut agent) = (campaign.unwrap(), agent.unwrap());
        (&campaign.stream).write_all(&[0xff; 8]).unwrap();
        assert!(matches!(
            agent.wait::<String>(),
            Err(ChannelError::Message(_))
        ));
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let stranger = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(&[b'x'; MAGIC.len() + NONCE]).unwrap();
            stream
        });
        let called = Channel::call(
            TcpStream::connect(address).unwrap(),
            &secret("0123456789abcdef"),
        );
        assert!(matches!(called, Err(ChannelError::Stranger)));
        drop(stranger.join());
    }
}
