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
    Octet,
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
    Float128,
    Char8,
    Char16,
    /// Characters of 8 bits, UTF-8.
    String,
    /// Characters of 16 bits, UTF-16.
    String16,
    /// Any number of elements of one type.
    Sequence(Describe),
    /// A fixed number of elements of one type. One with several dimensions is an array of arrays.
    Array(Describe, usize),
    /// An array that is the element of an array and no dimension of it.
    Row(Describe),
    /// Keys and values.
    Map(Describe, Describe),
    /// A member that may be absent.
    Optional(Describe),
    /// A number with a name.
    Enumeration(&'static EnumerationType),
    /// Bits with names.
    Bitmask(&'static BitmaskType),
    /// Numbers within a number.
    Bitset(&'static BitsetType),
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
            Self::Octet => "octet",
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
            Self::Float128 => "long double",
            Self::Char8 => "char",
            Self::Char16 => "wchar",
            Self::String => "string",
            Self::String16 => "wstring",
            Self::Sequence(_) => "sequence",
            Self::Array(..) | Self::Row(_) => "array",
            Self::Map(..) => "map",
            Self::Optional(_) => "optional",
            Self::Enumeration(of) => of.name,
            Self::Bitmask(of) => of.name,
            Self::Bitset(of) => of.name,
            Self::Structure(of) => of.name,
            Self::Union(of) => of.name,
        }
    }
}

/// What a reader does with a value that its type cannot hold (DDS-XTypes 1.3 7.2.2.4.4.4.11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TryConstruct {
    /// The object that contains it cannot be constructed either.
    #[default]
    Discard,
    /// It takes the default value of its type.
    UseDefault,
    /// A string, sequence or map is cut to its bound.
    Trim,
}

/// What is said of a member or an element that its type does not say.
#[derive(Clone, Copy, Debug)]
pub struct ElementDescriptor {
    /// How many elements a sequence, or units a string, may have.
    pub bound: Option<usize>,
    /// Whether its bytes are octets; `None` means that its type says it.
    pub octet: Option<bool>,
    /// `@external`: it is reached by a reference.
    pub is_external: bool,
    /// What happens to values that the type cannot hold.
    pub try_construct: TryConstruct,
    /// The names that stand for its type: each for the next, the last for the type itself.
    pub aliases: &'static [AliasDescriptor],
    /// Its elements, if it is a collection; in a map, the values.
    pub element: Option<&'static Self>,
    /// Its keys, if it is a map.
    pub map_key: Option<&'static Self>,
}

impl ElementDescriptor {
    /// Nothing is said of it.
    pub const NONE: Self = Self {
        bound: None,
        octet: None,
        is_external: false,
        try_construct: TryConstruct::Discard,
        aliases: &[],
        element: None,
        map_key: None,
    };
}

/// A name that stands for a type (`typedef`).
#[derive(Clone, Copy, Debug)]
pub struct AliasDescriptor {
    /// The name.
    pub name: &'static str,
    /// `@external` of what it stands for.
    pub is_external: bool,
    /// `@try_construct` of what it stands for.
    pub try_construct: TryConstruct,
    /// Its other annotations.
    pub annotations: AnnotationsDescriptor,
}

/// Annotations of a member, a case, a discriminator or an alias.
#[derive(Clone, Copy, Debug)]
pub struct AnnotationsDescriptor {
    /// `@default`.
    pub default: Option<fn() -> crate::Constant>,
    /// `@min`.
    pub min: Option<fn() -> crate::Constant>,
    /// `@max`.
    pub max: Option<fn() -> crate::Constant>,
    /// `@unit`.
    pub unit: Option<&'static str>,
    /// `@hashid`: the text that the id comes from; empty if it is the name.
    pub hash_id: Option<&'static str>,
}

impl AnnotationsDescriptor {
    /// There are none.
    pub const NONE: Self = Self {
        default: None,
        min: None,
        max: None,
        unit: None,
        hash_id: None,
    };
}

/// A struct.
#[derive(Debug)]
pub struct StructureType {
    /// Its name on the network, or else in Rust.
    pub name: &'static str,
    /// How it may grow.
    pub extensibility: crate::Extensibility,
    /// `@nested`: no topic is of it.
    pub is_nested: bool,
    /// `@autoid(HASH)`: ids come from names.
    pub has_hashed_ids: bool,
    /// Its base.
    pub base: Option<Describe>,
    /// In the order of their declaration, in which final and appendable types are encoded; those of
    /// the base first.
    pub members: &'static [MemberDescriptor],
}

/// A member of a struct.
#[derive(Clone, Copy, Debug)]
pub struct MemberDescriptor {
    /// Its name.
    pub name: &'static str,
    /// Its member id.
    pub id: u32,
    /// Its type.
    pub describe: Describe,
    /// Part of the key.
    pub is_key: bool,
    /// Readers that do not know it refuse the sample. This is the annotation; for keys it is so in
    /// any case.
    pub must_understand: bool,
    /// What its type does not say.
    pub element: ElementDescriptor,
    /// Its other annotations.
    pub annotations: AnnotationsDescriptor,
}

/// Whether a struct begins with the members of its base, for the derive: with their names, ids and
/// keys.
#[doc(hidden)]
pub const fn begins_with(members: &[MemberDescriptor], base: &[MemberDescriptor]) -> bool {
    if members.len() < base.len() {
        return false;
    }
    let mut at = 0;
    while at < base.len() {
        let (one, other) = (&members[at], &base[at]);
        if one.id != other.id || one.is_key != other.is_key || !same(one.name, other.name) {
            return false;
        }
        at += 1;
    }
    true
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// A union.
#[derive(Debug)]
pub struct UnionType {
    /// Its name.
    pub name: &'static str,
    /// How it may grow.
    pub extensibility: crate::Extensibility,
    /// `@nested`: no topic is of it.
    pub is_nested: bool,
    /// `@autoid(HASH)`: ids come from names.
    pub has_hashed_ids: bool,
    /// What selects the case: id 0. It has no name.
    pub discriminator: MemberDescriptor,
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
    /// The discriminators that select it, as numbers.
    pub labels: fn(&mut dyn FnMut(i64)),
    /// It takes all other discriminators, and is what a sender that lacks the union means.
    pub is_default: bool,
    /// What its type does not say.
    pub element: ElementDescriptor,
    /// Its other annotations.
    pub annotations: AnnotationsDescriptor,
}

/// An enumeration.
#[derive(Debug)]
pub struct EnumerationType {
    /// Its name.
    pub name: &'static str,
    /// How it may grow.
    pub extensibility: crate::Extensibility,
    /// How many bits its values have, 1 to 32.
    pub bit_bound: u16,
    /// Its enumerators.
    pub literals: &'static [EnumeratedLiteral],
    /// What a sender that lacks the member means.
    pub default: i32,
    /// `@ignore_literal_names`.
    pub ignores_literal_names: bool,
}

/// A name for a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumeratedLiteral {
    /// The name.
    pub name: &'static str,
    /// The number.
    pub value: i32,
}

/// A bitmask.
#[derive(Debug)]
pub struct BitmaskType {
    /// Its name.
    pub name: &'static str,
    /// How it may grow.
    pub extensibility: crate::Extensibility,
    /// How many bits it has, 1 to 64.
    pub bit_bound: u16,
    /// The bits that have names.
    pub flags: &'static [FlagDescriptor],
}

/// A name for a bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagDescriptor {
    /// The name.
    pub name: &'static str,
    /// Which bit it is; 0 is the least significant.
    pub position: u16,
}

/// A bitset.
#[derive(Debug)]
pub struct BitsetType {
    /// Its name.
    pub name: &'static str,
    /// Its numbers.
    pub fields: &'static [BitfieldDescriptor],
}

/// A number within a bitset.
#[derive(Clone, Copy, Debug)]
pub struct BitfieldDescriptor {
    /// Its name.
    pub name: &'static str,
    /// Its least significant bit.
    pub position: u16,
    /// How many bits it has.
    pub size: u8,
    /// The type of its value in programs, which is primitive.
    pub holder: Type,
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
