//! The codec plan: how values of a type are written, step by step, for those that generate code.
//!
//! A [`Plan`] has a [`Routine`] for each type, encoding and part of the value that is written. The
//! steps of a routine say what stands where; they know neither a language nor a byte order. What
//! lies at fixed distances is one [`Run`]; a struct of fixed size is part of the run of the struct
//! around it, other structs and unions are routines of their own that are called.
//!
//! Where alignment counts from is the beginning of the payload behind its header, or that of an
//! XCDR1 parameter. A routine exists for that place (`aligned`) and for any other (`anywhere`): the
//! first knows all padding of fixed members, the second what follows from its own members.
//!
//! `docs/codec-plan.md` describes the JSON form that [`crate::dump::plan`] prints.

mod build;
mod phase;
mod plain;
pub(crate) mod range;
mod size;

use std::collections::BTreeMap;

use dunlin_xtypes::{DynamicType, TypeIndex, TypeKind, TypeTree};

/// An encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// XCDR version 1.
    Xcdr1,
    /// XCDR version 2.
    Xcdr2,
    /// What a key hash is made of: XCDR2, big endian, without the headers of appendable and mutable
    /// types, key members in the order of their ids (DDS-XTypes 1.3 7.6.8).
    KeyHash,
}

impl Form {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Xcdr1 => "xcdr1",
            Self::Xcdr2 => "xcdr2",
            Self::KeyHash => "key_hash",
        }
    }

    /// To what numbers are aligned at most.
    pub fn max_align(self) -> u64 {
        match self {
            Self::Xcdr1 => 8,
            Self::Xcdr2 | Self::KeyHash => 4,
        }
    }
}

/// How much of a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All of it.
    Whole,
    /// Its key members; all of them if none is marked.
    Key,
}

impl Part {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Key => "key",
        }
    }
}

/// Which routine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoutineId {
    /// A structure or union; no alias.
    pub ty: TypeIndex,
    /// The encoding.
    pub form: Form,
    /// How much of the value.
    pub part: Part,
}

/// How values of a type are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// Where alignment counts from.
    pub aligned: Vec<Step>,
    /// At any position.
    pub anywhere: Vec<Step>,
    /// The most bytes that the value takes where alignment counts from; `None` if there is no such
    /// number, or not one below 4 GiB.
    pub max_size: Option<u64>,
}

/// One step. A path leads from the value that the step list is about to a part of it: the names of
/// members, joined by `.`; an empty one is the value itself. `_d` is the discriminator of a union,
/// `key` and `value` are the halves of an entry of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Numbers at fixed distances.
    Run(Run),
    /// A string: 4 bytes of length, aligned to 4, then the characters. Those of a `string` have a
    /// NUL behind them, which the length counts; the length of a `wstring` counts bytes.
    Text {
        /// Which.
        path: String,
        /// It is a `wstring`.
        is_wide: bool,
        /// The most bytes without NUL (units of a `wstring`); 0 is no bound.
        bound: u32,
    },
    /// The elements of an array, a sequence or a map, one by one; those of an array with several
    /// dimensions row by row.
    Loop {
        /// The collection.
        path: String,
        /// How many.
        count: Count,
        /// The elements are entries of a map.
        is_map: bool,
        /// What is written of each; paths lead from the element.
        elements: Vec<Step>,
        /// If the elements lie at this distance from each other, without padding between them, once
        /// the first is aligned.
        stride: Option<u64>,
    },
    /// A DHEADER, aligned to 4, and what it is the length of.
    Delimited {
        /// The length, if it is always the same.
        content: Option<u64>,
        /// What follows.
        steps: Vec<Step>,
    },
    /// Members with the headers of parameters, and behind them the sentinel, aligned to 4.
    ParameterList {
        /// The members.
        steps: Vec<Step>,
    },
    /// A member with a header; nothing at all if it is optional and absent.
    Member(Member),
    /// A member that may be absent, of a type whose members have no headers.
    Optional {
        /// What says whether it is there.
        presence: Presence,
        /// The member.
        path: String,
        /// What is written if it is.
        steps: Vec<Step>,
    },
    /// What is reached by a reference (`@external`); the encoding does not show it.
    External {
        /// The member.
        path: String,
        /// How it is written.
        steps: Vec<Step>,
    },
    /// What the discriminator of a union selects; nothing if it selects no case.
    Switch {
        /// The cases.
        cases: Vec<Case>,
    },
    /// Another routine of the same form.
    Call {
        /// The value.
        path: String,
        /// Which type and part.
        to: RoutineId,
        /// The position is one where alignment counts from, modulo the largest alignment.
        is_aligned: bool,
    },
}

/// How many elements a loop has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// As many as the array has.
    Fixed(u64),
    /// 4 bytes, aligned to 4, say it. The bound is 0 if there is none.
    Length {
        /// The most elements.
        bound: u32,
    },
}

/// Numbers at fixed distances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// To what its beginning is aligned; 1 if there never is padding, or it is in the run.
    pub align: u64,
    /// The bytes, padding between the numbers included. Padding is zero.
    pub size: u64,
    /// The numbers, ascending by place.
    pub fields: Vec<Field>,
}

/// A number or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Bytes from the beginning of the run.
    pub at: u64,
    /// Which.
    pub path: String,
    /// A primitive type, an enumeration, a bitmask or a bitset.
    pub ty: TypeIndex,
    /// Its kind.
    pub kind: TypeKind,
    /// The bytes of one number, whose order is that of the payload.
    pub size: u64,
    /// How many: more than 1 in an array.
    pub count: u64,
}

/// A member with a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The member.
    pub path: String,
    /// Its member id.
    pub id: u32,
    /// A reader that does not know it refuses the sample.
    pub must_understand: bool,
    /// It may be absent.
    pub is_optional: bool,
    /// The header.
    pub header: Header,
    /// The length of the content, if it is always the same.
    pub content: Option<u64>,
    /// The content.
    pub steps: Vec<Step>,
}

/// The header of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// XCDR1: aligned to 4; alignment counts anew behind it. Short if the id is at most 0x3f00 and
    /// the content has less than 64 KiB, else extended (DDS-XTypes 1.3 7.4.1.2).
    Parameter,
    /// XCDR2: an EMHEADER, aligned to 4, with this length code. With 4 the length is behind it.
    /// With 5 and more the content begins with the length (DDS-XTypes 1.3 7.4.3.4.2).
    Labelled {
        /// 0 to 7.
        length_code: u32,
    },
}

/// What says whether an optional member is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// A byte, 0 or 1.
    Flag,
    /// The header of a parameter, which has the length 0 if the member is absent. Alignment counts
    /// anew behind it.
    Parameter {
        /// The id in it.
        id: u32,
        /// Its bit.
        must_understand: bool,
    },
}

/// A case of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The discriminators that select it.
    pub labels: Vec<i64>,
    /// All discriminators select it that select no other case.
    pub is_default: bool,
    /// What is written; nothing if the case has no value.
    pub steps: Vec<Step>,
}

impl Case {
    /// What is written, if it is a member with a header.
    pub fn member(&self) -> Option<&Member> {
        members(&self.steps).next()
    }
}

/// The members with a header among steps.
pub fn members(steps: &[Step]) -> impl Iterator<Item = &Member> {
    steps.iter().filter_map(|step| match step {
        Step::Member(of) => Some(of),
        _ => None,
    })
}

/// The routines of some types, and all those that they call.
#[derive(Clone, Debug)]
pub struct Plan {
    tree: TypeTree,
    routines: BTreeMap<RoutineId, Routine>,
    checks_ranges: bool,
}

impl Plan {
    /// Of these types of a tree; those that are neither structures nor unions have no routine, and
    /// of aliases it is that of the type behind them.
    pub fn new(tree: &TypeTree, types: impl IntoIterator<Item = TypeIndex>) -> Self {
        let types = types.into_iter().filter_map(|index| tree.get(index));
        let wanted = types.map(|ty| ty.resolved()).flat_map(|ty| of_type(&ty));
        let mut routines = build::routines(tree, wanted.collect());
        size::find(&mut routines);
        Self {
            tree: tree.clone(),
            routines,
            checks_ranges: false,
        }
    }

    /// For code that checks `@min`, `@max` and `@range`, or that does not: then not all bits of a
    /// type with ranges are a value.
    #[must_use]
    pub fn checking_ranges(self, checks_ranges: bool) -> Self {
        Self {
            checks_ranges,
            ..self
        }
    }

    /// The types.
    pub fn tree(&self) -> &TypeTree {
        &self.tree
    }

    /// A routine.
    pub fn routine(&self, id: RoutineId) -> Option<&Routine> {
        self.routines.get(&id)
    }

    /// All routines: by type, encoding and part.
    pub fn routines(&self) -> impl Iterator<Item = (&RoutineId, &Routine)> {
        self.routines.iter()
    }

    /// Those of one type, in the same order.
    pub fn routines_of(&self, ty: TypeIndex) -> impl Iterator<Item = (&RoutineId, &Routine)> {
        let bound = |form, part| RoutineId { ty, form, part };
        let first = bound(Form::Xcdr1, Part::Whole);
        self.routines.range(first..=bound(Form::KeyHash, Part::Key))
    }

    /// Whether the memory of a structure, as C lays it out, is its encoding behind the header of
    /// the payload and the DHEADER of the structure itself, and all bits are a value. That holds
    /// for integers, octets, `float`, `double` and characters, arrays of them, and structures of
    /// these, without padding.
    pub fn is_plain(&self, ty: &DynamicType, form: Form) -> bool {
        let is_checked = || self.checks_ranges && range::Ranged::default().has(ty, Part::Whole);
        plain::is_plain(ty, form) && !is_checked()
    }
}

/// What the type of a topic needs, and others may.
fn of_type(ty: &DynamicType) -> Vec<RoutineId> {
    let id = |form, part| RoutineId {
        ty: ty.index(),
        form,
        part,
    };
    let mut wanted = vec![id(Form::Xcdr1, Part::Whole), id(Form::Xcdr2, Part::Whole)];
    match ty.kind() {
        TypeKind::Structure if ty.has_key() => {
            let forms = [Form::Xcdr1, Form::Xcdr2, Form::KeyHash];
            wanted.extend(forms.map(|form| id(form, Part::Key)));
        }
        TypeKind::Structure | TypeKind::Union => {}
        _ => wanted.clear(),
    }
    wanted
}
