//! What a type is, as plain data: its kind and its members, by the names of DDS-XTypes 1.3 7.2
//! (`TypeKind`, `MemberDescriptor`).
//!
//! A type describes itself by a function ([`Layout::describe`](crate::Layout::describe)), and its
//! members are described by theirs: so types may contain themselves, and nothing is computed before
//! somebody asks. This is what derived code says and nobody walks by: `dunlin-xtypes` makes a tree
//! of it, and errors find the names of members here.

/// Describes a type; `None` if its encoding was written by hand and says nothing about it.
pub type Describe = fn() -> Option<Type>;

/// A type. `Box<T>` is what `T` is.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the primitive types are their names")]
pub enum Type {
    Boolean,
    UInt8,
    Int8,
    UInt16,
    Int16,
    UInt32,
    Int32,
    UInt64,
    Int64,
    Float32,
    Float64,
    Char8,
    Char16,
    /// Characters of 8 bits, UTF-8.
    String,
    /// Any number of elements of one type.
    Sequence(Describe),
    /// A fixed number of elements of one type. One with several dimensions is an array of arrays.
    Array(Describe, usize),
    /// Keys and values.
    Map(Describe, Describe),
    /// A member that may be absent.
    Optional(Describe),
    /// A number with a name.
    Enumeration(&'static EnumerationType),
    /// Members.
    Structure(&'static StructureType),
    /// One of several members, as a discriminator says.
    Union(&'static UnionType),
}

impl Type {
    /// Its name where people read it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::UInt8 => "uint8",
            Self::Int8 => "int8",
            Self::UInt16 => "uint16",
            Self::Int16 => "int16",
            Self::UInt32 => "uint32",
            Self::Int32 => "int32",
            Self::UInt64 => "uint64",
            Self::Int64 => "int64",
            Self::Float32 => "float",
            Self::Float64 => "double",
            Self::Char8 => "char",
            Self::Char16 => "wchar",
            Self::String => "string",
            Self::Sequence(_) => "sequence",
            Self::Array(..) => "array",
            Self::Map(..) => "map",
            Self::Optional(_) => "optional",
            Self::Enumeration(of) => of.name,
            Self::Structure(of) => of.name,
            Self::Union(of) => of.name,
        }
    }
}

/// A struct.
#[derive(Debug)]
pub struct StructureType {
    /// Its name on the network, or else in Rust.
    pub name: &'static str,
    /// How it may grow.
    pub extensibility: crate::Extensibility,
    /// In the order of their declaration, in which final and appendable types are encoded.
    pub members: &'static [MemberDescriptor],
}

/// A member of a struct.
#[derive(Debug)]
pub struct MemberDescriptor {
    /// Its name.
    pub name: &'static str,
    /// Its member id.
    pub id: u32,
    /// Its type.
    pub describe: Describe,
    /// Part of the key.
    pub is_key: bool,
    /// Readers that do not know it refuse the sample.
    pub must_understand: bool,
    /// How many elements a sequence, or bytes a string, may have.
    pub bound: Option<usize>,
}

/// A union.
#[derive(Debug)]
pub struct UnionType {
    /// Its name.
    pub name: &'static str,
    /// How it may grow.
    pub extensibility: crate::Extensibility,
    /// The type that selects the case; its member id is 0.
    pub discriminator: Describe,
    /// Its cases.
    pub cases: &'static [CaseDescriptor],
}

/// A case of a union.
#[derive(Debug)]
pub struct CaseDescriptor {
    /// Its name.
    pub name: &'static str,
    /// Its member id.
    pub id: u32,
    /// Its type; `None` if it has no value.
    pub describe: Option<Describe>,
    /// The discriminators that select it, as numbers; the first is the one that is written.
    pub labels: fn(&mut dyn FnMut(i64)),
    /// It takes all other discriminators, and is what a sender that lacks the union means.
    pub is_default: bool,
    /// How many elements a sequence, or bytes a string, may have.
    pub bound: Option<usize>,
}

/// An enumeration.
#[derive(Debug)]
pub struct EnumerationType {
    /// Its name.
    pub name: &'static str,
    /// Bytes of its encoding: 1, 2 or 4.
    pub size: usize,
    /// Its enumerators.
    pub literals: &'static [EnumeratedLiteral],
    /// What a sender that lacks the member means.
    pub default: i32,
}

/// A name for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumeratedLiteral {
    /// The name.
    pub name: &'static str,
    /// The number.
    pub value: i32,
}

/// A type that can select the case of a union.
pub trait Discriminator {
    /// Its value as a number.
    fn number(&self) -> i64;
}

macro_rules! discriminators {
    ($($type:ty),*) => {$(
        impl Discriminator for $type {
            fn number(&self) -> i64 {
                (*self).into()
            }
        }
    )*};
}

discriminators!(bool, u8, i8, u16, i16, u32, i32, i64);

impl Discriminator for u64 {
    fn number(&self) -> i64 {
        // The same bits: numbers above the largest `i64` stay different from each other.
        self.cast_signed()
    }
}

impl Discriminator for crate::Char8 {
    fn number(&self) -> i64 {
        self.0.into()
    }
}

impl Discriminator for crate::Char16 {
    fn number(&self) -> i64 {
        self.0.into()
    }
}
