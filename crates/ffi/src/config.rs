//! Settings of a participant.
use crate::error::{Failure, Outcome, entry};
use crate::memory::{In, Out, Sized32, dunlin_text, list, texts};
use crate::qos::{Qos, dunlin_participant_qos, dunlin_property, duration};
use dunlin::transport::TlsConfig;
use dunlin::{
    DomainParticipant, GuidPrefix, ParticipantConfig, TcpSettings, Transports, TypeAnnouncement,
    TypeSettings, WaitStrategy,
};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::path::PathBuf;
use std::time::Duration;

/// Receivers spin for a moment, then sleep.
pub const DUNLIN_SPIN_THEN_BLOCK: u32 = 0;
/// Receivers sleep.
pub const DUNLIN_BLOCK: u32 = 1;
/// Receivers spin for ever: one processor is always busy.
pub const DUNLIN_SPIN: u32 = 2;

/// Types are announced to nobody: names decide about matches.
pub const DUNLIN_TYPES_NONE: u8 = 0;
/// Types are announced to participants of Dunlin.
pub const DUNLIN_TYPES_DUNLIN: u8 = 1;
/// Types are announced to everybody.
pub const DUNLIN_TYPES_ALL: u8 = 2;

/// Settings of a participant. Set the size, and have `dunlin_config_default` fill the rest in.
/// Durations are nanoseconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct dunlin_participant_config {
    /// `sizeof(dunlin_participant_config)`.
    pub size: u32,
    /// How receivers wait: `DUNLIN_SPIN_THEN_BLOCK` and its kin.
    pub waiting: u32,
    /// Name that others see.
    pub name: dunlin_text,
    /// Only these interfaces, by name or address; none means all.
    pub interfaces: *const dunlin_text,
    /// How many.
    pub interface_count: u64,
    /// Where to announce besides multicast.
    pub peers: *const dunlin_text,
    /// How many.
    pub peer_count: u64,
    /// TLS for TCP: file of the authorities' certificates, in PEM. All three or none.
    pub tls_authorities: dunlin_text,
    /// TLS for TCP: file of the own certificates.
    pub tls_certificates: dunlin_text,
    /// TLS for TCP: file of the private key.
    pub tls_key: dunlin_text,
    /// How long `DUNLIN_SPIN_THEN_BLOCK` spins.
    pub spin: i64,
    /// Silence longer than this means that the participant is gone.
    pub lease_duration: i64,
    /// Longest time between two announcements.
    pub announce_period: i64,
    /// How often a writer asks silent readers what they have.
    pub heartbeat_period: i64,
    /// How long a deleted writer waits for acknowledgements.
    pub linger: i64,
    /// The most bytes of samples that its readers keep though they cannot be shown yet.
    pub max_reassembly_bytes: u64,
    /// The largest sample that its readers take, in bytes.
    pub max_sample_size: u32,
    /// Where others find it behind a translator of addresses: 10.1.2.3 as 0x0a010203; 0 for nowhere.
    pub tcp_public_address: u32,
    /// The port there.
    pub tcp_public_port: u16,
    /// The port that TCP listens at; 0 for none.
    pub tcp_port: u16,
    /// Joins the domain at once; otherwise by `dunlin_enable`.
    pub enabled: u8,
    /// Announces and listens at the group that the standard gives.
    pub multicast: u8,
    /// Uses UDP.
    pub udp: u8,
    /// Uses shared memory.
    pub shmem: u8,
    /// Uses TCP, and nothing else.
    pub tcp: u8,
    /// Hands samples over within the process.
    pub local: u8,
    /// Tells others its host and process.
    pub announces_process: u8,
    /// Answers those who ask how it is with an endpoint.
    pub answers_questions: u8,
    /// `guid_prefix` counts.
    pub has_guid_prefix: u8,
    /// The first twelve bytes of its GUID.
    pub guid_prefix: [u8; 12],
    /// 0.
    pub reserved: [u8; 7],
    /// How long a match waits for the type of the other side.
    pub type_timeout: i64,
    /// Participants that announce one of these properties, with its value as a text, are not there.
    pub ignored_properties: *const dunlin_property,
    /// How many.
    pub ignored_property_count: u64,
    /// To whom endpoints announce their types: `DUNLIN_TYPES_NONE` and its kin.
    pub types: u8,
    /// Types of others are asked for, and own ones told, by the TypeLookup service.
    pub type_lookup: u8,
    /// 0.
    pub reserved_behind: [u8; 6],
}

// SAFETY: it is `repr(C)`, begins with its size, and has numbers and addresses only.
unsafe impl Sized32 for dunlin_participant_config {
    const NAME: &'static str = "dunlin_participant_config";
}

const _: () = assert!(size_of::<dunlin_participant_config>() == 224);

impl Default for dunlin_participant_config {
    fn default() -> Self {
        let config = ParticipantConfig::default();
        let Transports {
            udp,
            shmem,
            tcp,
            local,
        } = config.transports;
        let (waiting, spin) = match config.waiting {
            WaitStrategy::SpinThenBlock(time) => (DUNLIN_SPIN_THEN_BLOCK, time),
            WaitStrategy::Block => (DUNLIN_BLOCK, Duration::ZERO),
            WaitStrategy::Spin => (DUNLIN_SPIN, Duration::ZERO),
        };
        Self {
            size: size_of::<Self>() as u32,
            waiting,
            name: dunlin_text::NONE,
            interfaces: std::ptr::null(),
            interface_count: 0,
            peers: std::ptr::null(),
            peer_count: 0,
            tls_authorities: dunlin_text::NONE,
            tls_certificates: dunlin_text::NONE,
            tls_key: dunlin_text::NONE,
            spin: i64::try_from(spin.as_nanos()).unwrap_or(i64::MAX),
            lease_duration: config.lease_duration.as_nanos(),
            announce_period: config.announce_period.as_nanos(),
            heartbeat_period: config.heartbeat_period.as_nanos(),
            linger: config.linger.as_nanos(),
            max_reassembly_bytes: config.max_reassembly_bytes as u64,
            max_sample_size: config.max_sample_size,
            tcp_public_address: 0,
            tcp_public_port: 0,
            tcp_port: config.tcp.port,
            enabled: config.enabled.into(),
            multicast: config.multicast.into(),
            udp: udp.into(),
            shmem: shmem.into(),
            tcp: tcp.into(),
            local: local.into(),
            announces_process: config.announces_process.into(),
            answers_questions: config.answers_questions.into(),
            has_guid_prefix: 0,
            guid_prefix: [0; 12],
            reserved: [0; 7],
            type_timeout: config.types.timeout.as_nanos(),
            ignored_properties: std::ptr::null(),
            ignored_property_count: 0,
            types: match config.types.announce {
                TypeAnnouncement::None => DUNLIN_TYPES_NONE,
                TypeAnnouncement::Dunlin => DUNLIN_TYPES_DUNLIN,
                TypeAnnouncement::All => DUNLIN_TYPES_ALL,
            },
            type_lookup: config.types.lookup.into(),
            reserved_behind: [0; 6],
        }
    }
}

impl dunlin_participant_config {
    fn waiting(&self) -> Outcome<WaitStrategy> {
        let spin = u64::try_from(self.spin);
        let spin = spin.map_err(|_| Failure::bad(format!("spin is {} ns", self.spin)))?;
        match self.waiting {
            DUNLIN_SPIN_THEN_BLOCK => Ok(WaitStrategy::SpinThenBlock(Duration::from_nanos(spin))),
            DUNLIN_BLOCK => Ok(WaitStrategy::Block),
            DUNLIN_SPIN => Ok(WaitStrategy::Spin),
            other => Err(Failure::bad(format!(
                "waiting is {other}: 0, 1, 2 are allowed"
            ))),
        }
    }

    fn types(&self) -> Outcome<TypeSettings> {
        Ok(TypeSettings {
            announce: match self.types {
                DUNLIN_TYPES_NONE => TypeAnnouncement::None,
                DUNLIN_TYPES_DUNLIN => TypeAnnouncement::Dunlin,
                DUNLIN_TYPES_ALL => TypeAnnouncement::All,
                other => {
                    return Err(Failure::bad(format!(
                        "types is {other}: 0, 1, 2 are allowed"
                    )));
                }
            },
            lookup: self.type_lookup != 0,
            timeout: duration(self.type_timeout, "type_timeout")?,
        })
    }

    fn ignored(&self) -> Outcome<Vec<(String, String)>> {
        let name = "ignored_properties";
        let given = list(self.ignored_properties, self.ignored_property_count, name)?;
        let texts = given
            .iter()
            .map(|one| Ok((one.name.get(name)?.to_owned(), one.text(name)?.to_owned())));
        texts.collect()
    }

    fn tcp(&self) -> Outcome<TcpSettings> {
        let files = [
            self.tls_authorities.get("tls_authorities")?,
            self.tls_certificates.get("tls_certificates")?,
            self.tls_key.get("tls_key")?,
        ];
        let [authorities, certificates, key] = files.map(PathBuf::from);
        let tls = match files.iter().filter(|file| !file.is_empty()).count() {
            0 => None,
            3 => Some(TlsConfig {
                authorities,
                certificates,
                key,
            }),
            _ => {
                return Err(Failure::bad(
                    "TLS needs all of tls_authorities, tls_certificates and tls_key, or none",
                ));
            }
        };
        let public = Ipv4Addr::from(self.tcp_public_address);
        Ok(TcpSettings {
            port: self.tcp_port,
            public: (self.tcp_public_address != 0)
                .then(|| SocketAddrV4::new(public, self.tcp_public_port)),
            tls,
        })
    }

    fn read(&self) -> Outcome<ParticipantConfig> {
        Ok(ParticipantConfig {
            name: self.name.get("name")?.to_owned(),
            enabled: self.enabled != 0,
            interfaces: texts(self.interfaces, self.interface_count, "interfaces")?,
            peers: texts(self.peers, self.peer_count, "peers")?,
            multicast: self.multicast != 0,
            transports: Transports {
                udp: self.udp != 0,
                shmem: self.shmem != 0,
                tcp: self.tcp != 0,
                local: self.local != 0,
            },
            tcp: self.tcp()?,
            waiting: self.waiting()?,
            lease_duration: duration(self.lease_duration, "lease_duration")?,
            announce_period: duration(self.announce_period, "announce_period")?,
            heartbeat_period: duration(self.heartbeat_period, "heartbeat_period")?,
            linger: duration(self.linger, "linger")?,
            max_sample_size: self.max_sample_size,
            max_reassembly_bytes: usize::try_from(self.max_reassembly_bytes).unwrap_or(usize::MAX),
            types: self.types()?,
            ignored_properties: self.ignored()?,
            announces_process: self.announces_process != 0,
            answers_questions: self.answers_questions != 0,
            guid_prefix: (self.has_guid_prefix != 0).then_some(GuidPrefix(self.guid_prefix)),
            ..ParticipantConfig::default()
        })
    }
}

/// The configuration of a participant to be made.
pub(crate) fn config(
    config: In<'_, dunlin_participant_config>,
    qos: In<'_, dunlin_participant_qos>,
) -> Outcome<ParticipantConfig> {
    let mut config = match config.sized("config")? {
        Some(config) => config.read()?,
        None => ParticipantConfig::default(),
    };
    config.qos = match qos.sized("qos")? {
        Some(qos) => Qos::read(&qos)?,
        None => DomainParticipant::default_participant_qos(),
    };
    Ok(config)
}

/// Fills in the settings of a participant whose maker says nothing else. The caller has set the
/// size: BAD_PARAMETER if it is too small for what this library has.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_config_default(config: Out<'_, dunlin_participant_config>) -> i32 {
    entry(|| {
        *config.required_sized("config")? = dunlin_participant_config::default();
        Ok(())
    })
}
