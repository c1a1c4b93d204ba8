//! Looking at a domain: who is there, what they write and read, and with which QoS.
//!
//! [`DomainParticipant::domain`](crate::DomainParticipant::domain) copies what discovery knows at
//! that moment, as the others have said it; nothing of it is bound to the participant any more. A
//! participant without endpoints of its own is an observer.
pub use dunlin_rtps::discovery::{
    Heard, KnownTypes, TypeDifference, TypeState, Verdict, compare, uncompared,
};
pub use dunlin_wire::{
    BuiltinEndpoints, ContentFilterProperty, DiagnosticFact, DiagnosticReply, DiagnosticRequest,
    ParticipantData, PeerState, ProtocolVersion, ReaderData, WriterData,
};
use dunlin_wire::{Guid, GuidPrefix, Locator, VendorId};
use std::path::Path;

/// Names under which products announce the host and the process of a participant, and look for
/// those of others. Dunlin announces all: tools show "Unknown" of whoever does not use theirs.
const HOST: [&str; 3] = [
    "dds.sys_info.hostname",
    "fastdds.physical_data.host",
    "__Hostname",
];
const PROCESS: [&str; 3] = [
    "dds.sys_info.process_id",
    "fastdds.physical_data.process",
    "__Pid",
];

/// The name of the program, as Cyclone DDS calls it.
const PROGRAM: &str = "__ProcessName";
/// Whose process it is, as Fast DDS calls it; Dunlin tells the number.
const USER: &str = "fastdds.physical_data.user";
/// Characters of a program's name that are told.
const LONGEST_PROGRAM: usize = 64;

/// What a participant knows of its domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// Which domain.
    pub id: u32,
    /// What the participant that looks says of itself.
    pub own: ParticipantData,
    /// The others, by GUID.
    pub participants: Vec<Participant>,
    /// All writers, its own included, by GUID.
    pub writers: Vec<WriterData>,
    /// All readers, its own included, by GUID.
    pub readers: Vec<ReaderData>,
    /// What is known of the types of these.
    pub types: KnownTypes,
    /// What was heard and not taken in.
    pub heard: Heard,
}

/// Another participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// What it says of itself.
    pub data: ParticipantData,
    /// It has answered: what we sent to it arrived. Of one that has not nothing else is known than
    /// its announcements.
    pub answers: bool,
    /// All endpoints are known that it has said it has.
    pub is_complete: bool,
    /// Where samples for it go from here, or, while it is matched with nothing, discovery; `None`
    /// if no transport reaches any of its addresses.
    pub way: Option<Locator>,
}

/// How much a participant knows of its domain: what can be asked often, whatever the number of
/// endpoints ([`DomainParticipant::knowledge`](crate::DomainParticipant::knowledge)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Knowledge {
    /// Other participants.
    pub participants: usize,
    /// Those of which all endpoints are known that they have said they have.
    pub complete: usize,
    /// Those that have answered.
    pub answering: usize,
    /// Writers and readers, its own included.
    pub endpoints: usize,
}

/// What has become of an entity of another participant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntityChange<D> {
    /// It is there.
    Added(Box<D>),
    /// It says something else of itself than before.
    Changed(Box<D>),
    /// It is gone, or ignored from now on.
    Gone(Guid),
}

/// Something that discovery tells of others
/// ([`DomainParticipant::discovery_events`](crate::DomainParticipant::discovery_events)). The data
/// have all that was announced; the member `unknown` has what Dunlin does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscoveryEvent {
    /// Of a participant.
    Participant(EntityChange<ParticipantData>),
    /// Of a writer.
    Writer(EntityChange<WriterData>),
    /// Of a reader.
    Reader(EntityChange<ReaderData>),
}

impl DiscoveryEvent {
    /// Its place among events of one moment: endpoints go, participants go and come, endpoints
    /// come.
    pub(crate) fn turn(&self) -> u8 {
        match self {
            Self::Writer(EntityChange::Gone(_)) | Self::Reader(EntityChange::Gone(_)) => 0,
            Self::Participant(_) => 1,
            Self::Writer(_) | Self::Reader(_) => 2,
        }
    }
}

impl Domain {
    /// What a participant says of itself, be it the one that looks.
    pub fn participant(&self, prefix: GuidPrefix) -> Option<&ParticipantData> {
        let others = self
            .participants
            .iter()
            .map(|participant| &participant.data);
        let mut all = std::iter::once(&self.own).chain(others);
        all.find(|data| data.guid.prefix == prefix)
    }
}

/// On which host a participant runs, if it says so.
pub fn host(data: &ParticipantData) -> Option<&str> {
    property(data, &HOST)
}

/// In which process a participant runs, if it says so.
pub fn process(data: &ParticipantData) -> Option<&str> {
    property(data, &PROCESS)
}

fn property<'a>(data: &'a ParticipantData, names: &[&str]) -> Option<&'a str> {
    let value = names.iter().find_map(|name| data.properties.value(name))?;
    (!value.is_empty()).then_some(value)
}

/// What this participant announces of its host and process.
pub(crate) fn own_process() -> Vec<(String, String)> {
    let node = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    let number = std::process::id().to_string();
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(Path::file_name);
    let program = program.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let program = program.chars().take(LONGEST_PROGRAM).collect();
    let told = |names: &[&str], value: &str| -> Vec<_> {
        let told = names.iter();
        told.map(|name| ((*name).to_owned(), value.to_owned()))
            .collect()
    };
    let hosts = told(&HOST, &node);
    let processes = told(&PROCESS, &number);
    let user = rustix::process::getuid().as_raw().to_string();
    let rest = [(PROGRAM, program), (USER, user)];
    let rest = rest.map(|(name, value)| (name.to_owned(), value));
    hosts.into_iter().chain(processes).chain(rest).collect()
}

/// Whose product has this id, as far as the OMG has told.
pub fn vendor_name(vendor: VendorId) -> Option<&'static str> {
    Some(match vendor {
        VendorId::DUNLIN => "Dunlin",
        VendorId([1, number]) => match number {
            0x01 => "RTI Connext",
            0x02 => "OpenSplice",
            0x03 => "OpenDDS",
            0x05 => "InterCOM DDS",
            0x06 => "CoreDX DDS",
            0x0a => "RTI Connext Micro",
            0x0b => "Vortex Cafe",
            0x0d => "Vortex Lite",
            0x0f => "Fast DDS",
            0x10 => "Cyclone DDS",
            0x11 => "GurumDDS",
            0x12 => "RustDDS",
            0x13 => "ZRDDS",
            0x14 => "Dust DDS",
            _ => return None,
        },
        _ => return None,
    })
}
