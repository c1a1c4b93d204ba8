//! What is written: samples that say by whom, which and of what instance they are, and that can be
//! checked.
use bytes::Bytes;
use dunlin::{InstanceHandle, Timestamp, Topic, TopicData, simulation::ChangeKind};

/// Encapsulation header, instance, writer, number, and how many bytes follow.
pub(crate) const SMALLEST: usize = 20;

/// With a key.
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(name = "Shape", extensibility = "final")]
pub(crate) struct Keyed {
    #[key]
    instance: u32,
    writer: u32,
    number: u32,
    rest: Bytes,
}

/// Without.
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(name = "Shape", extensibility = "final")]
pub(crate) struct Keyless {
    instance: u32,
    writer: u32,
    number: u32,
    rest: Bytes,
}

/// The first one by another name.
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(name = "ShapeExtended", extensibility = "final")]
pub(crate) struct Extended {
    #[key]
    instance: u32,
    writer: u32,
    number: u32,
    rest: Bytes,
}

/// Another one by its name.
#[derive(Topic, Clone, Debug, PartialEq)]
#[topic(name = "Shape", extensibility = "final")]
pub(crate) struct Another {
    #[key]
    instance: u32,
    writer: u64,
    number: u32,
    rest: Bytes,
}

/// Any of these.
pub(crate) trait Shape: TopicData {
    fn of(load: Load) -> Self;
    fn load(self) -> Load;
}

/// What is in a sample.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Load {
    pub(crate) instance: u32,
    pub(crate) writer: u32,
    pub(crate) number: u32,
    pub(crate) rest: Bytes,
}

macro_rules! shape {
    ($name:ident) => {
        impl Shape for $name {
            fn of(load: Load) -> Self {
                let Load {
                    instance,
                    writer,
                    number,
                    rest,
                } = load;
                Self {
                    instance,
                    writer: writer.into(),
                    number,
                    rest,
                }
            }

            fn load(self) -> Load {
                let Self {
                    instance,
                    writer,
                    number,
                    rest,
                } = self;
                Load {
                    instance,
                    writer: writer.try_into().unwrap(),
                    number,
                    rest,
                }
            }
        }
    };
}
shape!(Keyed);
shape!(Keyless);
shape!(Extended);
shape!(Another);

/// What was written, without its bytes, which follow from the rest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Written {
    pub(crate) kind: ChangeKind,
    /// `None` for a topic without keys.
    pub(crate) instance: Option<u32>,
    pub(crate) timestamp: Timestamp,
    pub(crate) writer: u32,
    pub(crate) number: u32,
    /// Of the serialized sample.
    pub(crate) size: usize,
}

impl Written {
    pub(crate) fn load(&self) -> Load {
        let rest = self.size.max(SMALLEST) - SMALLEST;
        Load {
            instance: self.instance.unwrap_or(0),
            writer: self.writer,
            number: self.number,
            rest: (0..rest).map(|i| self.byte(i)).collect(),
        }
    }

    /// Is it this that was received?
    pub(crate) fn is(&self, load: &Load) -> bool {
        let whole = load.rest.len() == self.size.max(SMALLEST) - SMALLEST;
        let mut rest = load.rest.iter().enumerate();
        (load.instance, load.writer, load.number)
            == (self.instance.unwrap_or(0), self.writer, self.number)
            && whole
            && rest.all(|(i, byte)| *byte == self.byte(i))
    }

    fn byte(&self, i: usize) -> u8 {
        let pattern = (self.writer ^ self.number.wrapping_mul(31)) as u8;
        (i as u8).wrapping_mul(7).wrapping_add((i >> 8) as u8) ^ pattern
    }

    pub(crate) fn handle(&self) -> InstanceHandle {
        handle(self.instance)
    }
}

/// The handle of an instance; nil for the one of a topic without keys.
pub(crate) fn handle(instance: Option<u32>) -> InstanceHandle {
    let Some(instance) = instance else {
        return InstanceHandle::NIL;
    };
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&instance.to_be_bytes());
    InstanceHandle(bytes)
}
