//! Samples of one type made of those of another, member by member.

mod compile;
mod fit;
mod write;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use bytes::BytesMut;
use dunlin_cdr::{Constant, Endianness, KeyForm, Representation, Xcdr};

use crate::output::Writer;
use crate::payload::{append, representation};
use crate::transcode;
use crate::{DynamicType, Element, KeyPlan, MemberPath, ValueError};
use fit::{Bits, Moment, Way};
use write::Maker;

/// What a member is made of.
#[derive(Clone, Debug)]
pub enum Origin {
    /// A member of the sample that is read. Where that is absent, the member is absent too if it is
    /// optional, and has its default otherwise (DDS-XTypes 1.3 7.2.2.4.4.4.7).
    Member(MemberPath),
    /// A value that is always the same.
    Constant(Constant),
    /// The time at which the sample is made.
    Now,
}

/// What one member of the samples that are made is made of.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The member: of the type that is made, and not behind a sequence, an array, a map or a
    /// union.
    pub target: MemberPath,
    /// What it is made of.
    pub origin: Origin,
}

/// Makes samples of one type of those of another.
///
/// It is compiled once. A member that no [`Assignment`] names is copied from the member of its name,
/// if there is one; otherwise it is absent if it is optional, and has its default if not.
/// Numbers pass from any integer type to another, to floating point numbers and to enumerations as
/// long as the value is one of the other type too, and between `float` and `double`; strings as long
/// as they fit the bound. All else has to be of the same type (DDS-XTypes 1.3 7.3.4).
///
/// Each member that is read is looked for from the beginning of the sample, or at its place if that
/// is always the same. Nothing is allocated unless `out` has no room.
#[derive(Clone, Debug)]
pub struct Mapping {
    from: DynamicType,
    to: DynamicType,
    parts: Vec<Part>,
    /// Those of the samples that are read.
    keys: KeyPlan,
    maps_keys: bool,
    tells_time: bool,
}

/// Why no mapping was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the texts say what the fields are")]
pub enum MappingError {
    /// There are no members to be assigned.
    #[error("{ty} is no struct: only members of structs can be assigned")]
    NoStructure { ty: String },
    /// The target is in something that is not assigned in parts.
    #[error("a part of {whole} cannot be assigned: assign all of that")]
    Part { at: usize, whole: String },
    /// A member is assigned more than once.
    #[error("it is assigned twice, or both as a whole and in part")]
    Twice { at: usize },
    /// The types do not fit.
    #[error("{from} does not fit {to}")]
    Misfit { at: usize, from: String, to: String },
    /// The constant is no value of the type.
    #[error("the value does not fit {to}")]
    Constant { at: usize, to: String },
    /// The type says no time.
    #[error(
        "{to} is no time: use a struct of seconds and nanoseconds, an integer of 64 bits \
         (nanoseconds since 1970), one of 32 bits or a double (seconds)"
    )]
    NoTime { at: usize, to: String },
    /// Members of one name have different types.
    #[error("member {member} is {from} in {from_type} and {to} in {to_type}: assign it")]
    Unlike {
        member: String,
        from: String,
        from_type: String,
        to: String,
        to_type: String,
    },
    /// A member would have a default that is too large.
    #[error("member {member} of {ty} is too large for a default: assign it")]
    NoDefault { member: String, ty: String },
}

impl MappingError {
    /// Which assignment is at fault, by position; `None` if it is the lack of one.
    pub fn assignment(&self) -> Option<usize> {
        match self {
            Self::Part { at, .. }
            | Self::Twice { at }
            | Self::Misfit { at, .. }
            | Self::Constant { at, .. }
            | Self::NoTime { at, .. } => Some(*at),
            _ => None,
        }
    }
}

/// How a value is made.
#[derive(Clone, Debug)]
enum Part {
    Copied {
        from: MemberPath,
        way: Way,
        /// What it is where the other one is absent; `None` if it has no default.
        otherwise: Option<Box<Part>>,
    },
    /// A number.
    Bits(Bits),
    /// A string, without NUL.
    Text(Box<str>),
    /// A time, as this type has it.
    Now(Moment),
    /// A structure of these members.
    Members(Vec<Part>),
    /// An array whose elements are all this.
    Repeated(usize, Box<Part>),
    /// A union: its discriminator and the case that this selects.
    Case(Bits, Option<(u32, Element, Box<Part>)>),
    /// A sequence, map or wide string without elements.
    Nothing {
        /// Its length is all that there is of it.
        is_bare: bool,
    },
    /// An optional member that is not there.
    Absent,
}

impl Mapping {
    /// Makes samples of `to` of those of `from`.
    ///
    /// # Errors
    /// See [`MappingError`].
    pub fn new(
        from: &DynamicType,
        to: &DynamicType,
        assignments: &[Assignment],
    ) -> Result<Self, MappingError> {
        compile::compile(&from.resolved(), &to.resolved(), assignments)
    }

    /// The type of the samples that are made.
    pub fn target(&self) -> &DynamicType {
        &self.to
    }

    /// Whether it wants to know what time it is.
    pub fn tells_time(&self) -> bool {
        self.tells_time
    }

    /// Whether the key of what is made follows from the key of what is read, so that dispose and
    /// unregister messages can be made as well.
    pub fn maps_keys(&self) -> bool {
        self.maps_keys
    }

    /// Appends a sample that is made of another one, in the version of XCDR in which that is and in
    /// the byte order of this machine: header, value and padding. `now` is the time since 1970.
    ///
    /// # Errors
    /// Whatever is wrong with the payload up to the members that are read;
    /// [`ValueError::DoesNotFit`] for a value that the other type does not have. `out` is then as
    /// before.
    pub fn map(&self, payload: &[u8], now: Duration, out: &mut BytesMut) -> Result<(), ValueError> {
        let xcdr = representation(payload)?.xcdr;
        self.write(payload, xcdr, now, transcode::Part::Whole, out)
    }

    /// Appends the payload of a dispose or unregister message that another such payload makes;
    /// false, and nothing, if its key does not tell the other one's. Allocates.
    ///
    /// # Errors
    /// As [`map`](Self::map).
    pub fn map_key(&self, key: &[u8], out: &mut BytesMut) -> Result<bool, ValueError> {
        if !self.maps_keys {
            return Ok(false);
        }
        let xcdr = representation(key)?.xcdr;
        // With the headers of its members, whoever made it.
        let mut whole = BytesMut::new();
        self.keys
            .rewrite_key(key, xcdr, KeyForm::default(), &mut whole)?;
        self.write(&whole, xcdr, Duration::ZERO, transcode::Part::Key, out)?;
        Ok(true)
    }

    fn write(
        &self,
        payload: &[u8],
        xcdr: Xcdr,
        now: Duration,
        part: transcode::Part,
        out: &mut BytesMut,
    ) -> Result<(), ValueError> {
        let to = Representation {
            xcdr,
            extensibility: self.to.extensibility(),
            endianness: Endianness::NATIVE,
        };
        append(&to, out, |out| {
            let mut maker = Maker {
                from: self.from.tree(),
                to: self.to.tree(),
                payload,
                from_key: part == transcode::Part::Key,
                now,
                w: Writer::new(out, xcdr, Endianness::NATIVE, false),
            };
            maker.structure(self.to.index(), &self.parts, part)
        })
    }
}
