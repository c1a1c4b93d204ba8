//! What a reader hands to the application (DDS 1.4 2.2.2.5.1).
use crate::{ChangeKind, InstanceHandle, Payload};
use dunlin_wire::{Guid, SampleIdentity, SampleOrigin, SequenceNumber, Timestamp};

/// Has the application seen this sample?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum SampleState {
    /// Yes, by a `read`.
    Read = 1,
    /// No.
    NotRead = 2,
}

/// Has the application seen this instance since it last came to life?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ViewState {
    /// No.
    New = 1,
    /// Yes.
    NotNew = 2,
}

/// Does the instance live?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum InstanceState {
    /// Yes.
    Alive = 1,
    /// A writer disposed it.
    NotAliveDisposed = 2,
    /// No writer writes it any more.
    NotAliveNoWriters = 4,
}

impl SampleState {
    /// The bit that a `Select` has for this state.
    pub const fn mask(self) -> u32 {
        self as u32
    }
}

impl ViewState {
    /// The bit that a `Select` has for this state.
    pub const fn mask(self) -> u32 {
        self as u32
    }
}

impl InstanceState {
    /// The bit that a `Select` has for this state.
    pub const fn mask(self) -> u32 {
        self as u32
    }
}

/// Which instance a `Select` is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// This one.
    This(InstanceHandle),
    /// The lowest handle above this one that has a matching sample.
    Next(InstanceHandle),
}

/// Which samples a `read` or `take` is about; the default is all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Select {
    /// At most so many.
    pub max: usize,
    /// Bits of `SampleState`.
    pub sample_states: u32,
    /// Bits of `ViewState`.
    pub view_states: u32,
    /// Bits of `InstanceState`.
    pub instance_states: u32,
    /// Of one instance only.
    pub instance: Option<Which>,
}

impl Select {
    /// Any state.
    pub const ANY: u32 = u32::MAX;
    /// Either state of not being alive.
    pub const NOT_ALIVE: u32 =
        InstanceState::NotAliveDisposed.mask() | InstanceState::NotAliveNoWriters.mask();
}

impl Default for Select {
    fn default() -> Self {
        Self {
            max: usize::MAX,
            sample_states: Self::ANY,
            view_states: Self::ANY,
            instance_states: Self::ANY,
            instance: None,
        }
    }
}

/// Where a change stands in its writer's coherent sets (RTPS 2.5 8.7.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetPlace {
    /// It is in none.
    #[default]
    Outside,
    /// It is the first of its set.
    First,
    /// It is of the same set as the change of its writer before it.
    Following,
}

/// What DDS says about a sample (DDS 1.4 2.2.2.5.5 `SampleInfo`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleInfo {
    /// Before this call.
    pub sample_state: SampleState,
    /// Before this call.
    pub view_state: ViewState,
    /// Now.
    pub instance_state: InstanceState,
    /// How often the instance had come back from being disposed when the sample came.
    pub disposed_generation_count: i32,
    /// How often it had come back from having no writers.
    pub no_writers_generation_count: i32,
    /// How many samples of the same instance follow in this call.
    pub sample_rank: i32,
    /// Generations between this sample and the last of the same instance in this call.
    pub generation_rank: i32,
    /// Generations between this sample and the newest of the same instance in the reader.
    pub absolute_generation_rank: i32,
    /// When it was written, if the writer said so.
    pub source_timestamp: Option<Timestamp>,
    /// Of which instance. In stream mode the key hash as it came, or `NIL` if none did
    /// (`has_key_hash`).
    pub instance: InstanceHandle,
    /// By which writer.
    pub publication: Guid,
    /// Its number among the writer's changes; 0 if no change but a writer's absence made this
    /// sample.
    pub sequence: SequenceNumber,
    /// True for a sample, false for a mere change of the instance's state.
    pub valid_data: bool,
    /// What the change does to its instance: `Alive` for a sample. Of a mere change of the
    /// instance's state whatever that is now; a reader in stream mode tells it as it was sent.
    pub change_kind: ChangeKind,
    /// A key hash came with it, which may be zeros as `NIL` is. Only readers in stream mode tell.
    pub has_key_hash: bool,
    /// The key hash beside it was computed by a product of another vendor, so it may name the
    /// instance in another way than `instance` does.
    pub foreign_key_hash: bool,
    /// Where it stands in the coherent sets of its writer. Only readers in stream mode tell it that
    /// ask for coherent access: all changes of a set are there at once.
    pub set: SetPlace,
    /// Which samples it repeats or answers, if it says so.
    pub origin: Option<SampleOrigin>,
}

impl Default for SampleInfo {
    /// Of no sample: for whoever has a place for what will be said about one.
    #[inline]
    fn default() -> Self {
        Self {
            sample_state: SampleState::NotRead,
            view_state: ViewState::New,
            instance_state: InstanceState::Alive,
            disposed_generation_count: 0,
            no_writers_generation_count: 0,
            sample_rank: 0,
            generation_rank: 0,
            absolute_generation_rank: 0,
            source_timestamp: None,
            instance: InstanceHandle::NIL,
            publication: Guid::UNKNOWN,
            sequence: SequenceNumber(0),
            valid_data: false,
            change_kind: ChangeKind::Alive,
            has_key_hash: false,
            foreign_key_hash: false,
            set: SetPlace::Outside,
            origin: None,
        }
    }
}

impl SampleInfo {
    /// The sample that this one repeats: the writer that wrote it first, and its number there, if
    /// `publication` forwards what others wrote (RTPS 2.5 9.6.4 ORIGINAL_WRITER_INFO).
    pub fn original_writer(&self) -> Option<SampleIdentity> {
        self.origin.as_ref()?.original_writer
    }

    /// The sample that this one answers, such as the request of which it is the reply (DDS-RPC 1.0
    /// 7.8.2 RELATED_SAMPLE_IDENTITY).
    pub fn related_sample_identity(&self) -> Option<SampleIdentity> {
        self.origin.as_ref()?.related
    }

    /// Who wrote it first, and under which number: that of its original writer, else its own.
    pub fn identity(&self) -> SampleIdentity {
        self.original_writer().unwrap_or(SampleIdentity {
            writer: self.publication,
            sequence: self.sequence,
        })
    }
}

/// A sample with its payload.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What DDS says about it.
    pub info: SampleInfo,
    /// The serialized sample if `info.valid_data`, else the serialized key or nothing;
    /// encapsulation header included.
    pub payload: Payload,
}

impl Sample {
    /// The payload of a sample of a built-in topic, whose readers copy what they keep.
    pub(crate) fn builtin_payload(&self) -> &[u8] {
        self.payload.as_inline().map_or(&[], |bytes| bytes)
    }
}
