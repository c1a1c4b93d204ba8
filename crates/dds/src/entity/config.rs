//! How a participant is set up, beyond QoS.
use crate::WaitStrategy;
use crate::discovery::peers::{AvailableTransports, InitialPeers};
use crate::entity::listener_thread::ListenerThread;
use crate::entity::type_settings::TypeSettings;
use crate::error::{Error, Result};
use crate::runtime::environment::{TRANSPORTS, variable};
use dunlin_qos::{DomainParticipantQos, Duration};
use dunlin_shm::Trust;
use dunlin_transport::{TcpConfig, TlsConfig, Transport};
use dunlin_wire::{GuidPrefix, Locator};
use std::net::SocketAddrV4;
use std::path::PathBuf;
use std::sync::Arc;

/// The transports of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transports {
    /// UDP over IPv4.
    pub udp: bool,
    /// Shared memory with participants of this host, user and network namespace. Without UDP, it is
    /// all that there is, and nobody else is found; with it, whoever does not share memory is
    /// reached by UDP.
    pub shmem: bool,
    /// TCP over IPv4: for peers in networks where datagrams or multicast are not allowed. These
    /// have to be named ([`ParticipantConfig::peers`]). Beside the two above, it reaches those that
    /// they do not.
    pub tcp: bool,
    /// Samples for endpoints of this process whose participants allow this, too, are handed over
    /// directly, whatever transport finds them. Without it they go by UDP or shared memory like all
    /// others.
    pub local: bool,
}

impl Default for Transports {
    /// All that find peers by themselves.
    fn default() -> Self {
        Self {
            udp: true,
            shmem: true,
            local: true,
            ..Self::NONE
        }
    }
}

impl Transports {
    /// The environment variable that overrides the configuration.
    pub const VARIABLE: &'static str = TRANSPORTS;
    const NONE: Self = Self {
        udp: false,
        shmem: false,
        tcp: false,
        local: false,
    };
    /// UDP alone.
    pub const UDP: Self = Self {
        udp: true,
        ..Self::NONE
    };
    /// Shared memory alone.
    pub const SHMEM: Self = Self {
        shmem: true,
        ..Self::NONE
    };
    /// TCP alone.
    pub const TCP: Self = Self {
        tcp: true,
        ..Self::NONE
    };

    /// Reads `udp`, `shmem`, `tcp` and `local`, any of them with commas between, in small or
    /// capital letters; UDP is also called `UDPv4`, as `-transport` of perftest has it.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut transports = Self::NONE;
        for name in text.split(',').map(str::trim) {
            match &*name.to_ascii_lowercase() {
                "udp" | "udpv4" => transports.udp = true,
                "shmem" => transports.shmem = true,
                "tcp" => transports.tcp = true,
                "local" => transports.local = true,
                _ => {
                    return Err(format!(
                        "{name:?} is not a transport; there are udp (UDPv4), shmem, tcp (TLS is tcp with certificates, {}) and local, with \
                         commas between: udp,shmem,local is the default",
                        TcpSettings::TLS_VARIABLES.join(", ")
                    ));
                }
            }
        }
        Ok(transports)
    }
}

/// How a participant uses TCP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TcpSettings {
    /// The port that it listens at; 0 for none: then it only dials, and is answered by the
    /// connections that it has made. Overridden by `DUNLIN_TCP_PORT`.
    pub port: u16,
    /// Where others find it, if that is not an address of its own: a translator's that forwards a
    /// port to it.
    pub public: Option<SocketAddrV4>,
    /// Everything goes through TLS, and both ends show certificates: only those come in who have
    /// one. Overridden by `DUNLIN_TLS_CA`, `DUNLIN_TLS_CERTIFICATE` and `DUNLIN_TLS_KEY`, files in
    /// PEM, which are set together.
    pub tls: Option<TlsConfig>,
}

impl TcpSettings {
    /// The environment variable for the port.
    pub const VARIABLE: &'static str = "DUNLIN_TCP_PORT";
    /// Those for TLS: the authorities' certificates, the participant's own, and its private key.
    pub const TLS_VARIABLES: [&'static str; 3] =
        ["DUNLIN_TLS_CA", "DUNLIN_TLS_CERTIFICATE", "DUNLIN_TLS_KEY"];

    /// What the environment says of TLS: everything or nothing.
    fn tls_of_environment() -> Result<Option<TlsConfig>> {
        let [authorities, certificates, key] = Self::TLS_VARIABLES.map(path);
        match [authorities?, certificates?, key?] {
            [Some(authorities), Some(certificates), Some(key)] => Ok(Some(TlsConfig {
                authorities,
                certificates,
                key,
            })),
            [None, None, None] => Ok(None),
            files => {
                let missing = Self::TLS_VARIABLES.into_iter().zip(files);
                let missing: Vec<_> = missing.filter(|(_, f)| f.is_none()).map(|m| m.0).collect();
                Err(Error::BadParameter(format!(
                    "TLS needs all of {}; set {} as well",
                    Self::TLS_VARIABLES.join(", "),
                    missing.join(" and ")
                )))
            }
        }
    }
}

impl Default for TcpSettings {
    /// At port 7400.
    fn default() -> Self {
        Self {
            port: TcpConfig::PORT,
            public: None,
            tls: None,
        }
    }
}

/// Settings of a participant; `Default` suits most.
#[derive(Clone)]
pub struct ParticipantConfig {
    /// Name that others see: the same as ENTITY_NAME in `qos`, which goes first if both are set.
    pub name: String,
    /// QoS.
    pub qos: DomainParticipantQos,
    /// Joins the domain at once; otherwise when `DomainParticipant::enable` is called, and until
    /// then nobody hears of it.
    pub enabled: bool,
    /// Only these interfaces, by name or address; empty means all. Overridden by
    /// `DUNLIN_INTERFACES` (comma separated).
    pub interfaces: Vec<String>,
    /// Where to announce besides multicast ([`PeerDescriptor`](crate::PeerDescriptor)). If the list
    /// is empty, the environment variable `NDDS_DISCOVERY_PEERS` counts (comma separated), else the
    /// file of that name in the working directory, and each of these switches `multicast` off.
    /// `DUNLIN_PEERS` adds to any list. A multicast group in a list is announced to and listened
    /// to.
    pub peers: Vec<String>,
    /// Announce and listen at the group that the standard gives, and to all that share memory.
    pub multicast: bool,
    /// What it sends and receives by. Overridden by `DUNLIN_TRANSPORTS` (comma separated: `udp`,
    /// `shmem`, `tcp`, `local`).
    pub transports: Transports,
    /// How it uses TCP, if it does.
    pub tcp: TcpSettings,
    /// How receivers wait. Overridden by `DUNLIN_WAITING`.
    pub waiting: WaitStrategy,
    /// Which thread calls its listeners for data from writers of the same process. Overridden by
    /// `DUNLIN_LISTENERS`.
    pub listener_thread: ListenerThread,
    /// Silence longer than this means that this participant is gone.
    pub lease_duration: Duration,
    /// Longest time between two announcements.
    pub announce_period: Duration,
    /// How often a writer asks silent readers what they have.
    pub heartbeat_period: Duration,
    /// A reliable reader that has never acknowledged anything holds up a writer no longer than this
    /// after it was first asked; nothing is kept for it then, until it answers. Infinite: as long
    /// as it is matched.
    pub silent_reader_timeout: Duration,
    /// How long a deleted writer waits for acknowledgements of what it has sent.
    pub linger: Duration,
    /// The largest sample that its readers take, in bytes of its serialized form; at most
    /// [`LARGEST_SAMPLE`](Self::LARGEST_SAMPLE). Writers of Dunlin are told: what no matched reader
    /// takes is refused at `write`, and a reader that does not take what others take counts it as
    /// lost. Overridden by `DUNLIN_MAX_SAMPLE_SIZE`.
    pub max_sample_size: u32,
    /// The most bytes of samples that its readers together keep though they cannot be shown yet:
    /// incomplete ones, and half of it for those that came before an earlier one. Peers share it;
    /// at least `max_sample_size`. Overridden by `DUNLIN_MAX_REASSEMBLY`.
    pub max_reassembly_bytes: usize,
    /// What others are told of its types, and what it asks of theirs. Overridden by `DUNLIN_TYPES`
    /// (`all`, `dunlin`, `off`).
    pub types: TypeSettings,
    /// Whether samples may be read where peers of this host have them, without a copy
    /// ([`View::trusted`](crate::View::trusted)). Whoever makes the promise has to know all that
    /// runs as the same user with shared memory in the domain.
    pub trusts_peers: Option<Trust>,
    /// Tell others on which host and in which process the participant runs, for `dunlin ls` and its
    /// like of other products: properties of its announcements under the names by which these look
    /// for them (`dds.sys_info.*`, `fastdds.physical_data.*`, `__Hostname`, `__Pid`,
    /// `__ProcessName`).
    pub announces_process: bool,
    /// Other participants are ignored that announce a property of one of these names with its
    /// value, as the participants of one router ignore each other. It counts what they announce
    /// when they are met first. `DomainParticipantQos::property` has what a participant announces.
    pub ignored_properties: Vec<(String, String)>,
    /// Answer other participants of Dunlin that are known and ask how it is with an endpoint, as
    /// `dunlin why` does: how much was written, taken, passed over and why. No data of any sample
    /// is told.
    pub answers_questions: bool,
    /// The first twelve bytes of the GUIDs of the participant and its endpoints, for those who have
    /// to compute them; nobody else in the domain may have the same, ever. `None`: the vendor id
    /// and ten random bytes (RTPS 2.5 9.3.1.5).
    pub guid_prefix: Option<GuidPrefix>,
    /// Another transport than `transports` says, for tests.
    pub transport: Option<Arc<dyn Transport>>,
}

impl Default for ParticipantConfig {
    fn default() -> Self {
        Self {
            name: String::new(),
            qos: DomainParticipantQos::default(),
            enabled: true,
            interfaces: Vec::new(),
            peers: Vec::new(),
            multicast: true,
            transports: Transports::default(),
            tcp: TcpSettings::default(),
            waiting: WaitStrategy::default(),
            listener_thread: ListenerThread::default(),
            lease_duration: Duration::from_secs(10),
            announce_period: Duration::from_secs(3),
            heartbeat_period: Duration::from_millis(100),
            silent_reader_timeout: Duration::from_secs(30),
            linger: Duration::from_secs(1),
            max_sample_size: 128 << 20,
            max_reassembly_bytes: 512 << 20,
            types: TypeSettings::default(),
            trusts_peers: None,
            announces_process: true,
            ignored_properties: Vec::new(),
            answers_questions: true,
            guid_prefix: None,
            transport: None,
        }
    }
}

impl ParticipantConfig {
    /// Highest domain id whose well-known ports fit into 16 bits (RTPS 2.5 9.6.2.3).
    pub const MAX_DOMAIN: u32 = 232;
    /// The most that `max_sample_size` may be: what shared memory and TCP carry in one message.
    pub const LARGEST_SAMPLE: u32 = (256 << 20) - (64 << 10);
    const SAMPLE_VARIABLE: &'static str = "DUNLIN_MAX_SAMPLE_SIZE";
    const REASSEMBLY_VARIABLE: &'static str = "DUNLIN_MAX_REASSEMBLY";

    /// This configuration with what the environment says laid over it.
    pub(crate) fn with_environment(mut self) -> Result<Self> {
        if let Some(text) = variable(WaitStrategy::VARIABLE)? {
            self.waiting = WaitStrategy::parse(&text).map_err(|e| {
                Error::BadParameter(format!(
                    "environment variable {}: {e}",
                    WaitStrategy::VARIABLE
                ))
            })?;
        }
        if let Some(text) = variable(Transports::VARIABLE)? {
            self.transports = Transports::parse(&text).map_err(|e| {
                Error::BadParameter(format!(
                    "environment variable {}: {e}",
                    Transports::VARIABLE
                ))
            })?;
        }
        if let Some(text) = variable(TcpSettings::VARIABLE)? {
            self.tcp.port = text.trim().parse().map_err(|_| {
                Error::BadParameter(format!(
                    "environment variable {}: {text:?} is no port; 0 to 65535 are, 0 for listening nowhere",
                    TcpSettings::VARIABLE
                ))
            })?;
        }
        if let Some(tls) = TcpSettings::tls_of_environment()? {
            self.tcp.tls = Some(tls);
        }
        if let Some(text) = variable("DUNLIN_INTERFACES")? {
            self.interfaces = text.split(',').map(|s| s.trim().to_owned()).collect();
        }
        if let Some(bytes) = number(Self::SAMPLE_VARIABLE)? {
            self.max_sample_size = bytes;
        }
        if let Some(bytes) = number(Self::REASSEMBLY_VARIABLE)? {
            self.max_reassembly_bytes = bytes;
        }
        self.types = self.types.with_environment()?;
        self.listener_thread = self.listener_thread.with_environment()?;
        self.check_sizes()?;
        Ok(self)
    }

    fn check_sizes(&self) -> Result<()> {
        let (sample, all) = (self.max_sample_size, self.max_reassembly_bytes);
        if sample == 0 || sample > Self::LARGEST_SAMPLE {
            return Err(Error::BadParameter(format!(
                "ParticipantConfig::max_sample_size ({}) is {sample}: 1 to {} bytes are allowed",
                Self::SAMPLE_VARIABLE,
                Self::LARGEST_SAMPLE
            )));
        }
        if all < sample as usize {
            return Err(Error::BadParameter(format!(
                "ParticipantConfig::max_reassembly_bytes ({}) is {all}, less than max_sample_size ({}), which is {sample}: such a \
                 sample could never be put together; raise the one or lower the other",
                Self::REASSEMBLY_VARIABLE,
                Self::SAMPLE_VARIABLE
            )));
        }
        Ok(())
    }
}

fn number<N: std::str::FromStr>(name: &str) -> Result<Option<N>> {
    let Some(text) = variable(name)? else {
        return Ok(None);
    };
    let number = text.trim().parse().map_err(|_| {
        Error::BadParameter(format!(
            "environment variable {name}: {text:?} is no number of bytes"
        ))
    })?;
    Ok(Some(number))
}

fn path(name: &str) -> Result<Option<PathBuf>> {
    variable(name).map(|text| text.map(PathBuf::from))
}

impl AvailableTransports {
    pub(crate) fn of(config: &ParticipantConfig) -> Self {
        let Transports {
            udp, shmem, tcp, ..
        } = config.transports;
        let Some(transport) = &config.transport else {
            return Self {
                datagrams: udp.then_some(Locator::KIND_UDP_V4),
                shmem,
                tcp: tcp && config.tcp.tls.is_none(),
                tls: tcp && config.tcp.tls.is_some(),
            };
        };
        let mut all = Self::default();
        for way in transport.properties() {
            match way.kind {
                Locator::KIND_SHMEM => all.shmem = true,
                _ if way.connected => all.tcp = true,
                kind => all.datagrams = all.datagrams.or(Some(kind)),
            }
        }
        all
    }
}

impl InitialPeers {
    pub(crate) fn of(config: &ParticipantConfig) -> Result<Self> {
        Self::here(&config.peers, config.multicast)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_contradict_each_other_are_refused_with_both() {
        let config = ParticipantConfig {
            max_sample_size: 1000,
            max_reassembly_bytes: 999,
            ..ParticipantConfig::default()
        };
        let error = config.check_sizes().unwrap_err().to_string();
        assert!(error.contains("1000") && error.contains("999"), "{error}");
        let config = ParticipantConfig {
            max_sample_size: u32::MAX,
            ..ParticipantConfig::default()
        };
        let error = config.check_sizes().unwrap_err().to_string();
        assert!(
            error.contains("4294967295") && error.contains("268369920"),
            "{error}"
        );
        assert!(ParticipantConfig::default().check_sizes().is_ok());
    }

    #[test]
    fn transports_are_read_by_name() {
        assert_eq!(Transports::parse("shmem"), Ok(Transports::SHMEM));
        assert_eq!(
            Transports::parse("udp, shmem, local"),
            Ok(Transports::default())
        );
        // As perftest's command line has them.
        for (text, transports) in [
            ("UDPv4", Transports::UDP),
            ("SHMEM", Transports::SHMEM),
            ("TCP", Transports::TCP),
            ("SHMEM,UDPv4, LOCAL", Transports::default()),
        ] {
            assert_eq!(Transports::parse(text), Ok(transports), "{text}");
        }
        let error = Transports::parse("udp,sctp").unwrap_err();
        let words = ["\"sctp\"", "udp (UDPv4)", "shmem", "tcp", "local"];
        assert!(words.iter().all(|word| error.contains(word)), "{error}");
    }
}
