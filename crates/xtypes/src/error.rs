//! What can be wrong with a type, a path or a payload.

use alloc::string::String;

use crate::limits;

/// Why something is not a type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the texts say what the fields are")]
pub enum BuildError {
    /// A name is empty, or has characters that no name has.
    #[error(
        "{name:?} in {ty:?} is no name: use letters, digits and underscores, and `::` between the parts of a type's name"
    )]
    Name { ty: String, name: String },
    /// A name is too long.
    #[error(
        "the name {name:?}.. in {ty:?} has {length} bytes, at most {} are allowed: shorten it",
        limits::NAME
    )]
    LongName {
        ty: String,
        name: String,
        length: usize,
    },
    /// Two members have one name.
    #[error("two members of {ty:?} are named {name:?}: rename one of them")]
    DuplicateName { ty: String, name: String },
    /// Two members have one id.
    #[error(
        "members {first:?} and {second:?} of {ty:?} both have the id {id:#x}: give one of them another by @id"
    )]
    DuplicateId {
        ty: String,
        id: u32,
        first: String,
        second: String,
    },
    /// A member id has more than 28 bits, or is the reserved one.
    #[error("member {member:?} of {ty:?} has the id {id:#x}: ids go from 0 to 0xffffffe")]
    MemberId { ty: String, member: String, id: u32 },
    /// A key is optional.
    #[error(
        "member {member:?} of {ty:?} is @key and @optional: every sample belongs to an instance, so leave one of them out"
    )]
    OptionalKey { ty: String, member: String },
    /// Two cases have one label.
    #[error(
        "cases {first:?} and {second:?} of union {ty:?} both have the label {label}: leave it out in one of them"
    )]
    DuplicateLabel {
        ty: String,
        label: i64,
        first: String,
        second: String,
    },
    /// A label that the discriminator cannot have.
    #[error(
        "case {case:?} of union {ty:?} has the label {label}, which its discriminator ({discriminator}) never is: use one that it can be"
    )]
    Label {
        ty: String,
        case: String,
        label: i64,
        discriminator: String,
    },
    /// A case without label.
    #[error("case {case:?} of union {ty:?} has no label and is not the default: give it one")]
    Unlabelled { ty: String, case: String },
    /// Two cases are the default.
    #[error(
        "cases {first:?} and {second:?} of union {ty:?} are both the default: give one of them labels instead"
    )]
    SecondDefault {
        ty: String,
        first: String,
        second: String,
    },
    /// The discriminator cannot select.
    #[error(
        "union {ty:?} is switched by {found}: use an integer, octet, char, boolean, enumeration or bitmask"
    )]
    Discriminator { ty: String, found: String },
    /// Two literals have one value.
    #[error(
        "literals {first:?} and {second:?} of {ty:?} both have the value {value}: give one of them another by @value"
    )]
    DuplicateValue {
        ty: String,
        value: i64,
        first: String,
        second: String,
    },
    /// A literal or flag does not fit its type.
    #[error(
        "{literal:?} of {ty:?} has the value {value}, but @bit_bound({bit_bound}) allows {least} to {most}: change one of them"
    )]
    OutOfBitBound {
        ty: String,
        literal: String,
        value: i64,
        bit_bound: u16,
        least: i64,
        most: i64,
    },
    /// A bit bound that there is not.
    #[error("{ty:?} has @bit_bound({bit_bound}): use 1 to {most}")]
    BitBound {
        ty: String,
        bit_bound: u16,
        most: u16,
    },
    /// The default of an enumeration is none of its literals.
    #[error("the default of {ty:?} is {value}, which is none of its literals: name one of them")]
    Default { ty: String, value: i32 },
    /// An enumeration or union without anything in it.
    #[error("{ty:?} has no literals or cases: give it one")]
    Nothing { ty: String },
    /// Fields of a bitset lie over each other, or do not fit.
    #[error(
        "field {field:?} of {ty:?} has bits {first} to {last}: fields have 1 to 64 bits that no other has, below 64, and a holder with room for them"
    )]
    Bitfield {
        ty: String,
        field: String,
        first: u16,
        last: u16,
    },
    /// A base that is no structure.
    #[error("the base of {ty:?} is {base}: it has to be a struct")]
    Base { ty: String, base: String },
    /// A base that may grow otherwise.
    #[error("{ty:?} is {own} and its base {base:?} is {other}: both have to be the same")]
    BaseExtensibility {
        ty: String,
        own: &'static str,
        base: String,
        other: &'static str,
    },
    /// An enumeration or bitmask that is mutable.
    #[error("{ty:?} is mutable: an enumeration or bitmask is final or appendable")]
    Mutable { ty: String },
    /// A type that would have no end.
    #[error(
        "{cycle} contains itself: use a sequence, @optional or @external for one of these members"
    )]
    ContainsItself { cycle: String },
    /// An array without elements.
    #[error(
        "an array has the dimensions {dimensions}: use 1 to {} of them, each from 1 to 4294967295",
        limits::DIMENSIONS
    )]
    Dimensions { dimensions: String },
    /// There is more of something than is allowed.
    #[error("{ty:?} has {found} {what}, at most {most} are allowed: split it up")]
    Limit {
        ty: String,
        what: &'static str,
        found: usize,
        most: usize,
    },
    /// A type that was declared and not defined.
    #[error("{ty:?} was declared and is not defined: define it with the index that declared it")]
    Undefined { ty: String },
    /// A type that was defined twice.
    #[error("{ty:?} is defined already: declare another one")]
    Redefined { ty: String },
    /// An index of another tree.
    #[error(
        "{ty:?} refers to type {index}, but there are {nodes}: use indexes of this builder only"
    )]
    Index {
        ty: String,
        index: u32,
        nodes: usize,
    },
    /// A part of a Rust type says nothing about itself.
    #[error(
        "{part} has no description, for its encoding is written by hand: derive `Data` for its type, or implement `Layout::describe`"
    )]
    Undescribed { part: String },
    /// An `Option` where IDL has no optional.
    #[error(
        "{part} is an `Option`: only a member of a struct can be optional in IDL, so put it into a struct of its own"
    )]
    OptionalElement { part: String },
    /// A bound that IDL cannot count.
    #[error("{part} has the bound {bound}: use 1 to 4294967295")]
    Bound { part: String, bound: usize },
}

/// Why a type has no such member.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the texts say what the fields are")]
pub enum PathError {
    /// It is no path.
    #[error("{path:?} is no member path at byte {at}: write it as `a.b[3].c`")]
    Syntax { path: String, at: usize },
    /// It has too many parts.
    #[error("{path:?} has more than {} parts", limits::PATH)]
    TooLong { path: String },
    /// There is no such member.
    #[error("{ty} has no member {name:?}; it has {members}")]
    NoMember {
        ty: String,
        name: String,
        members: String,
    },
    /// A case that is only a label.
    #[error("case {name:?} of {ty} has no value: use `_d`, the discriminator")]
    NoValue { ty: String, name: String },
    /// An index where there are no elements.
    #[error("{ty} has no elements to be named by [{index}]")]
    NoElements { ty: String, index: u64 },
    /// An index behind the last element.
    #[error("element [{index}] is beyond {ty}, which has at most {length}")]
    OutOfRange { ty: String, index: u64, length: u64 },
    /// An array with fewer indexes than dimensions.
    #[error("{ty} has {dimensions} dimensions: give as many indexes")]
    TooFewIndexes { ty: String, dimensions: usize },
}

/// What is wrong with a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// What any reader of CDR finds.
    #[error(transparent)]
    Cdr(#[from] dunlin_cdr::Error),
    /// There is more behind the value than padding.
    #[error("{0} bytes are left behind the value, at most 3 are padding")]
    TrailingBytes(usize),
    /// A member that is needed is not there.
    #[error("member {0} is not there, and is needed")]
    Missing(u32),
    /// A value for a member that its type does not have: too large, too long, no enumerator.
    #[error("the value for member {0} does not fit its type")]
    DoesNotFit(u32),
    /// A bitmask has bits that its type does not name.
    #[error("{bits:#x} has bits that the bitmask does not name; it has {mask:#x}")]
    UnknownBits {
        /// The value.
        bits: u64,
        /// All bits of the type.
        mask: u64,
    },
    /// A wide string is no sequence of 16-bit characters.
    #[error("a wide string is not UTF-16")]
    NotUtf16,
}
