//! One change of one instance (RTPS 2.5 8.2.1.2).
use crate::{Body, InstanceHandle};
use dunlin_qos::WriterDataLifecycle;
use dunlin_wire::{InlineQos, Timestamp};

/// What a change does to its instance (RTPS 2.5 8.2.1.2 `ChangeKind_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// A new sample.
    Alive,
    /// The instance is gone.
    Disposed,
    /// The writer has nothing more to say about the instance.
    Unregistered,
    /// Both.
    DisposedUnregistered,
}

impl ChangeKind {
    /// The bits of STATUS_INFO (RTPS 2.5 9.6.4.9); 0 for a sample.
    pub const fn status(self) -> u32 {
        match self {
            Self::Alive => 0,
            Self::Disposed => InlineQos::STATUS_DISPOSED,
            Self::Unregistered => InlineQos::STATUS_UNREGISTERED,
            Self::DisposedUnregistered => {
                InlineQos::STATUS_DISPOSED | InlineQos::STATUS_UNREGISTERED
            }
        }
    }

    /// The kind that STATUS_INFO bits name; other bits are ignored.
    pub const fn from_status(status: u32) -> Self {
        match status & (InlineQos::STATUS_DISPOSED | InlineQos::STATUS_UNREGISTERED) {
            0 => Self::Alive,
            InlineQos::STATUS_DISPOSED => Self::Disposed,
            InlineQos::STATUS_UNREGISTERED => Self::Unregistered,
            _ => Self::DisposedUnregistered,
        }
    }

    /// What a writer says that unregisters an instance (DDS 1.4 2.2.3.21).
    pub const fn of_unregister(lifecycle: WriterDataLifecycle) -> Self {
        match lifecycle.autodispose_unregistered_instances {
            true => Self::DisposedUnregistered,
            false => Self::Unregistered,
        }
    }

    /// True if the instance is gone.
    pub const fn is_dispose(self) -> bool {
        self.status() & InlineQos::STATUS_DISPOSED != 0
    }

    /// True if the writer leaves the instance.
    pub const fn is_unregister(self) -> bool {
        self.status() & InlineQos::STATUS_UNREGISTERED != 0
    }
}

/// What a writer writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What happens.
    pub kind: ChangeKind,
    /// To which instance.
    pub instance: InstanceHandle,
    /// When, by the source's clock.
    pub timestamp: Timestamp,
    /// The serialized sample, or the key for the other kinds; encapsulation header included.
    pub payload: Body,
}
