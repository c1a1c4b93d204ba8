//! What the peer is told when it starts.
use dunlin::{
    DataReaderQos, DataWriterQos, Durability, Duration, History, ParticipantConfig, Reliability,
    ResourceLimits, TcpSettings, Transports,
};

pub(crate) struct Options {
    pub(crate) domain: u32,
    pub(crate) lease: f64,
    pub(crate) multicast: bool,
    /// Topics to write and to read.
    pub(crate) write: Option<String>,
    pub(crate) read: Option<String>,
    /// Bytes of a sample beside its number and time: `32`, or one after the other of
    /// `32,1000,70000`.
    pub(crate) sizes: Vec<usize>,
    /// The number of the first sample that it writes.
    pub(crate) first: u32,
    /// Writes from the first match on, so many samples a second.
    pub(crate) auto: Option<f64>,
    pub(crate) transports: Transports,
    /// Where others may be, with commas between.
    pub(crate) peers: Vec<String>,
    pub(crate) tcp: TcpSettings,
    /// Depth of the history; 0 keeps all.
    pub(crate) keep: u32,
    /// RESOURCE_LIMITS of the writer; 0 is none.
    pub(crate) limit: u32,
    /// Longest time that a write may wait, in milliseconds.
    pub(crate) block: u32,
    pub(crate) transient: bool,
    pub(crate) reliable: bool,
}

impl Options {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            domain: 0,
            lease: 10.0,
            multicast: true,
            write: None,
            read: None,
            sizes: vec![256],
            auto: None,
            first: 0,
            transports: Transports::default(),
            peers: Vec::new(),
            tcp: TcpSettings::default(),
            keep: 0,
            limit: 0,
            block: 10_000,
            transient: false,
            reliable: true,
        };
        for word in words {
            options
                .set(&word)
                .ok_or_else(|| format!("{word:?} is no option that robust_peer knows"))?;
        }
        Ok(options)
    }

    fn set(&mut self, word: &str) -> Option<()> {
        let (name, value) = word.split_once('=')?;
        match name {
            "domain" => self.domain = value.parse().ok()?,
            "lease" => self.lease = value.parse().ok()?,
            "multicast" => self.multicast = value.parse().ok()?,
            "write" => self.write = Some(value.into()),
            "read" => self.read = Some(value.into()),
            "size" => {
                let sizes = value.split(',').map(|size| size.parse().ok());
                self.sizes = sizes.collect::<Option<_>>()?;
            }
            "first" => self.first = value.parse().ok()?,
            "auto" => self.auto = Some(value.parse().ok()?),
            "transports" => self.transports = Transports::parse(value).ok()?,
            "peers" => self.peers = value.split(',').map(str::to_owned).collect(),
            "port" => self.tcp.port = value.parse().ok()?,
            "public" => self.tcp.public = Some(value.parse().ok()?),
            "keep" => self.keep = value.parse().ok()?,
            "limit" => self.limit = value.parse().ok()?,
            "block" => self.block = value.parse().ok()?,
            "transient" => self.transient = value.parse().ok()?,
            "reliable" => self.reliable = value.parse().ok()?,
            _ => return None,
        }
        Some(())
    }

    pub(crate) fn config(&self) -> ParticipantConfig {
        ParticipantConfig {
            lease_duration: seconds(self.lease),
            multicast: self.multicast,
            transports: self.transports,
            peers: self.peers.clone(),
            tcp: self.tcp.clone(),
            ..ParticipantConfig::default()
        }
    }

    pub(crate) fn writer(&self) -> DataWriterQos {
        DataWriterQos {
            reliability: self.reliability(),
            durability: self.durability(),
            history: self.history(),
            resource_limits: ResourceLimits {
                max_samples: (self.limit > 0).then_some(self.limit),
                ..ResourceLimits::default()
            },
            ..DataWriterQos::default()
        }
    }

    pub(crate) fn reader(&self) -> DataReaderQos {
        DataReaderQos {
            reliability: self.reliability(),
            durability: self.durability(),
            history: self.history(),
            ..DataReaderQos::default()
        }
    }

    fn reliability(&self) -> Reliability {
        match self.reliable {
            false => Reliability::BEST_EFFORT,
            true => Reliability {
                max_blocking_time: Duration::from_millis(self.block),
                ..Reliability::RELIABLE
            },
        }
    }

    fn durability(&self) -> Durability {
        match self.transient {
            true => Durability::TransientLocal,
            false => Durability::Volatile,
        }
    }

    fn history(&self) -> History {
        match self.keep {
            0 => History::KeepAll,
            depth => History::KeepLast(depth),
        }
    }
}

pub(crate) fn seconds(seconds: f64) -> Duration {
    Duration::from_nanos((seconds * 1e9) as i64)
}
