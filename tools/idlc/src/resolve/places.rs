//! Which annotations there are, and where they belong (DDS-XTypes 1.3 7.3.1.2.1, IDL 4.2 8.3).

/// What an annotation is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Struct = 1,
    Union = 2,
    Enum = 4,
    Bitmask = 8,
    Bitset = 0x10,
    Member = 0x20,
    Case = 0x40,
    Discriminator = 0x80,
    Element = 0x100,
    Module = 0x200,
    Typedef = 0x400,
    Literal = 0x800,
    Flag = 0x1000,
    Field = 0x2000,
    Const = 0x4000,
    Interface = 0x8000,
}

impl Place {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Struct => "a struct",
            Self::Union => "a union",
            Self::Enum => "an enum",
            Self::Bitmask => "a bitmask",
            Self::Bitset => "a bitset",
            Self::Member => "a member",
            Self::Case => "a case of a union",
            Self::Discriminator => "a discriminator",
            Self::Element => "an element",
            Self::Module => "a module",
            Self::Typedef => "a typedef",
            Self::Literal => "a literal of an enum",
            Self::Flag => "a flag of a bitmask",
            Self::Field => "a bitfield",
            Self::Const => "a constant",
            Self::Interface => "an interface",
        }
    }

    pub(super) const ALL: [Self; 16] = [
        Self::Struct,
        Self::Union,
        Self::Enum,
        Self::Bitmask,
        Self::Bitset,
        Self::Member,
        Self::Case,
        Self::Discriminator,
        Self::Element,
        Self::Module,
        Self::Typedef,
        Self::Literal,
        Self::Flag,
        Self::Field,
        Self::Const,
        Self::Interface,
    ];
}

const TYPES: u16 = 1 | 2;
const GROWS: u16 = 1 | 2 | 4 | 8;
const PARTS: u16 = 0x20 | 0x40;
const ANY: u16 = u16::MAX;

/// Name, places, parameters.
pub(super) const KNOWN: &[(&str, u16, &[&str])] = &[
    ("extensibility", GROWS, &["value"]),
    ("final", GROWS, &[]),
    ("appendable", GROWS, &[]),
    ("mutable", GROWS, &[]),
    ("id", PARTS, &["value"]),
    ("hashid", PARTS, &["value"]),
    ("autoid", 0x200 | TYPES, &["value"]),
    ("key", 0x20 | 0x80, &["value"]),
    ("must_understand", 0x20, &["value"]),
    ("optional", 0x20, &["value"]),
    ("external", PARTS | 0x100 | 0x400, &["value"]),
    ("default", PARTS | 0x80 | 0x400, &["value"]),
    ("default_literal", 0x800, &[]),
    ("value", 0x800 | 0x1000, &["value"]),
    ("position", 0x1000, &["value"]),
    ("bit_bound", 4 | 8, &["value"]),
    ("min", PARTS | 0x400, &["value"]),
    ("max", PARTS | 0x400, &["value"]),
    ("range", PARTS | 0x400, &["min", "max"]),
    ("unit", PARTS | 0x400, &["value"]),
    ("nested", TYPES, &["value"]),
    ("topic", TYPES, &["name", "platform"]),
    ("default_nested", 0x200, &["value"]),
    ("try_construct", PARTS | 0x80 | 0x100, &["value"]),
    ("data_representation", TYPES | 0x200, &["allowed_kinds"]),
    ("ignore_literal_names", 4, &["value"]),
    ("verbatim", ANY, &["language", "placement", "text"]),
    ("service", 0x8000, &["platform"]),
    ("oneway", 0x8000, &["value"]),
    ("ami", 0x8000 | 0x200, &["value"]),
    ("transfer_mode", ANY, &["value"]),
    ("bit_set", 4, &[]),
];
