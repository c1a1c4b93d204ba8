//! The command line of a peer.
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::time::Duration;

use crate::Outcome;

/// Bytes of a serialized sample that are not payload.
pub(crate) const OVERHEAD: usize = 12;

/// Bytes of the key of a keyed sample.
pub(crate) const KEY: usize = 4;

/// What a peer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Ping,
    Pong,
    Send,
    Receive,
    Match,
}

/// What to do and how; see `peers/peer.h`.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) role: Role,
    pub(crate) size: usize,
    pub(crate) reliable: bool,
    pub(crate) waitset: bool,
    /// Raw: sleep in the kernel instead of spinning.
    pub(crate) blocking: bool,
    /// Shared memory: samples are built and looked at where they lie.
    pub(crate) zero_copy: bool,
    /// Dunlin: bytes of a batch, 0 for none.
    pub(crate) batch: u32,
    /// Dunlin: instances of a keyed topic, 0 for a topic without a key.
    pub(crate) instances: u32,
    /// Dunlin: samples in the history of a stream.
    pub(crate) limit: Option<u32>,
    /// Readers that a writer waits for.
    pub(crate) readers: usize,
    /// Dunlin: the multicast group that a reader wants its samples from.
    pub(crate) group: Option<Ipv4Addr>,
    pub(crate) seconds: Duration,
    pub(crate) warm_up: Duration,
    pub(crate) out: PathBuf,
}

impl Options {
    /// Reads the words after the name of the system.
    pub(crate) fn parse(words: &[String]) -> Outcome<Self> {
        let mut words = words.iter().map(String::as_str);
        let mut options = Self {
            role: role(words.next().unwrap_or_default())?,
            size: 32,
            reliable: false,
            waitset: false,
            blocking: false,
            zero_copy: false,
            batch: 0,
            instances: 0,
            limit: None,
            readers: 1,
            group: None,
            seconds: Duration::from_secs(1),
            warm_up: Duration::from_millis(200),
            out: "/dev/null".into(),
        };
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word}: needs a value"));
            match word {
                "--reliable" => options.reliable = true,
                "--waitset" => options.waitset = true,
                "--blocking" => options.blocking = true,
                "--zero-copy" => options.zero_copy = true,
                "--batch" => options.batch = value()?.parse()?,
                "--instances" => options.instances = value()?.parse()?,
                "--limit" => options.limit = Some(value()?.parse()?),
                "--readers" => options.readers = value()?.parse()?,
                "--group" => options.group = Some(value()?.parse()?),
                "--size" => options.size = value()?.parse()?,
                "--seconds" => options.seconds = Duration::try_from_secs_f64(value()?.parse()?)?,
                "--warm-up" => options.warm_up = Duration::try_from_secs_f64(value()?.parse()?)?,
                "--out" => options.out = value()?.into(),
                _ => return Err(format!("{word}: not an option").into()),
            }
        }
        if options.size < OVERHEAD + KEY {
            return Err(format!("--size: at least {}", OVERHEAD + KEY).into());
        }
        Ok(options)
    }
}

fn role(word: &str) -> Outcome<Role> {
    Ok(match word {
        "ping" => Role::Ping,
        "pong" => Role::Pong,
        "send" => Role::Send,
        "receive" => Role::Receive,
        "match" => Role::Match,
        _ => return Err(format!("{word:?}: not a role; ping, pong, send, receive, match").into()),
    })
}
