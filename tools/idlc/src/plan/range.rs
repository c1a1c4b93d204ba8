//! Which numbers `@min`, `@max` and `@range` allow (IDL 4.2 8.3.2), for code that checks them.

use std::collections::BTreeMap;

use dunlin_xtypes::{Annotations, Constant, DynamicType, Element, TypeIndex, TypeKind};

use super::Part;
use crate::value::range as of_kind;

/// The end of a range.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(crate) enum Limit {
    /// Of integers, of characters and of the values of an enumeration.
    Integer(i128),
    /// Of `float` and `double`.
    Float(f64),
}

/// The numbers that a member may have. NaN is in no range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    /// None if the type has nothing below.
    pub(crate) min: Option<Limit>,
    /// None if the type has nothing above.
    pub(crate) max: Option<Limit>,
}

impl Range {
    /// What annotations of a member and of the typedefs of its type say together. `None` if they
    /// leave out nothing, and for a `long double`, which is not checked.
    pub(crate) fn of(annotations: Option<&Annotations>, ty: &DynamicType) -> Option<Self> {
        let kind = ty.resolved().kind();
        let mut range = Self {
            min: None,
            max: None,
        };
        range.narrow(annotations, kind);
        let mut at = ty.clone();
        while at.kind() == TypeKind::Alias {
            range.narrow(at.annotations(), kind);
            let Some(of) = at.element() else { break };
            at = at.at(of.ty);
        }
        // A comparison that always holds is one that compilers warn of.
        let whole = match kind {
            TypeKind::Char8 => Some((0, 0xff)),
            TypeKind::Char16 => Some((0, 0xffff)),
            kind => of_kind(kind),
        };
        if let Some((least, most)) = whole {
            let is_above = |min: &Limit| *min > Limit::Integer(least);
            let is_below = |max: &Limit| *max < Limit::Integer(most);
            range.min = range.min.filter(is_above);
            range.max = range.max.filter(is_below);
        }
        (range.min.is_some() || range.max.is_some()).then_some(range)
    }

    fn narrow(&mut self, annotations: Option<&Annotations>, kind: TypeKind) {
        let Some(of) = annotations else { return };
        let (min, max) = (limit(of.min.as_ref(), kind), limit(of.max.as_ref(), kind));
        if let Some(min) = min
            && self.min.is_none_or(|old| min > old)
        {
            self.min = Some(min);
        }
        if let Some(max) = max
            && self.max.is_none_or(|old| max < old)
        {
            self.max = Some(max);
        }
    }

    /// Whether a number of the type is in it.
    pub(crate) fn has(&self, number: Limit) -> bool {
        self.min.is_none_or(|min| number >= min) && self.max.is_none_or(|max| number <= max)
    }

    /// The range for people.
    pub(crate) fn text(&self, ty: &DynamicType) -> String {
        let is_single = ty.resolved().kind() == TypeKind::Float32;
        let shown = |limit: Limit| match limit {
            Limit::Integer(number) => number.to_string(),
            Limit::Float(number) if is_single => format!("{:?}", number as f32),
            Limit::Float(number) => format!("{number:?}"),
        };
        match (self.min.map(shown), self.max.map(shown)) {
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("{min} and above"),
            (None, Some(max)) => format!("{max} and below"),
            (None, None) => String::new(),
        }
    }
}

/// A value of a type as what ranges are made of.
pub(crate) fn limit(value: Option<&Constant>, kind: TypeKind) -> Option<Limit> {
    let is_float = matches!(kind, TypeKind::Float32 | TypeKind::Float64);
    match value? {
        Constant::Integer(number) if is_float => Some(Limit::Float(*number as f64)),
        Constant::Integer(number) if kind != TypeKind::Bitmask => Some(Limit::Integer(*number)),
        Constant::Float(number) if is_float => Some(Limit::Float(*number)),
        Constant::Char8(value) => Some(Limit::Integer((*value).into())),
        Constant::Char16(value) => Some(Limit::Integer((*value).into())),
        _ => None,
    }
}

/// `@default` of a member, or of a typedef of its type.
pub(crate) fn default_of(annotations: Option<&Annotations>, ty: &DynamicType) -> Option<Constant> {
    let mut at = ty.clone();
    let mut found = annotations.and_then(|all| all.default.clone());
    while found.is_none() && at.kind() == TypeKind::Alias {
        found = at.annotations().and_then(|all| all.default.clone());
        let Some(of) = at.element() else { break };
        at = at.at(of.ty);
    }
    found
}

/// The number that a value of a type begins as, if it is a number that has an order.
pub(crate) fn first(said: Option<&Constant>, ty: &DynamicType) -> Option<Limit> {
    let ty = ty.resolved();
    let kind = ty.kind();
    if let Some(said) = limit(said, kind) {
        return Some(said);
    }
    match kind {
        TypeKind::Float32 | TypeKind::Float64 => Some(Limit::Float(0.0)),
        TypeKind::Enumeration => {
            let literal = ty.default_literal().or(ty.literals().first());
            literal.map(|one| Limit::Integer(one.value().into()))
        }
        TypeKind::Char8 | TypeKind::Char16 => Some(Limit::Integer(0)),
        kind => of_kind(kind).map(|_| Limit::Integer(0)),
    }
}

/// Which types have ranges anywhere within.
#[derive(Default)]
pub(crate) struct Ranged {
    known: BTreeMap<(TypeIndex, Part), bool>,
}

impl Ranged {
    /// Whether a value of the type, or of a typedef, has a number with a range, as a whole or in
    /// its key.
    pub(crate) fn has(&mut self, ty: &DynamicType, part: Part) -> bool {
        if Range::of(None, ty).is_some() {
            return true;
        }
        let ty = ty.resolved();
        if !matches!(
            ty.kind(),
            TypeKind::Structure
                | TypeKind::Union
                | TypeKind::Array
                | TypeKind::Sequence
                | TypeKind::Map
        ) {
            return false;
        }
        let id = (ty.index(), part);
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let mut seen = BTreeMap::new();
        let found = search(&ty, part, &mut seen);
        // What was passed on the way to nothing has nothing either.
        if !found {
            self.known
                .extend(seen.into_keys().map(|passed| (passed, false)));
        }
        self.known.insert(id, found);
        found
    }
}

/// The parts of a type that has no number itself, and what of them is looked at.
pub(crate) fn parts(ty: &DynamicType, part: Part) -> Vec<(Element, Option<Annotations>, Part)> {
    let whole = |of: Element| (of, None, Part::Whole);
    match ty.kind() {
        TypeKind::Structure => ty
            .members()
            .filter(|member| part == Part::Whole || !ty.has_key() || member.is_key())
            .map(|member| {
                // What is optional is a key as a whole.
                let inner = if member.is_optional() {
                    Part::Whole
                } else {
                    part
                };
                (member.element(), member.annotations().cloned(), inner)
            })
            .collect(),
        TypeKind::Union => {
            let by = ty.discriminator();
            let by = by.map(|of| (of, ty.annotations().cloned(), Part::Whole));
            let cases = ty.cases().iter().filter_map(|case| {
                let of = case.element()?;
                Some((of, case.annotations().cloned(), Part::Whole))
            });
            by.into_iter().chain(cases).collect()
        }
        _ => {
            let elements = ty.key_element().into_iter().chain(ty.element());
            elements.map(whole).collect()
        }
    }
}

/// The structures and unions that a function each looks through: these, and all within them that
/// have ranges.
pub(crate) fn routines(types: &[DynamicType]) -> Vec<(DynamicType, Part)> {
    let mut ranged = Ranged::default();
    let mut made: BTreeMap<(TypeIndex, Part), DynamicType> = BTreeMap::new();
    let mut open: Vec<(DynamicType, Part)> = Vec::new();
    for ty in types {
        open.push((ty.clone(), Part::Whole));
        if ty.kind() == TypeKind::Structure && ty.has_key() {
            open.push((ty.clone(), Part::Key));
        }
    }
    while let Some((ty, part)) = open.pop() {
        let (ty, part) = (ty.resolved(), part_of(&ty, part));
        if !ranged.has(&ty, part) || made.contains_key(&(ty.index(), part)) {
            continue;
        }
        if matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
            made.insert((ty.index(), part), ty.clone());
        }
        // Collections have no function, and may be within themselves only by a structure.
        for (element, _, inner) in parts(&ty, part) {
            open.push((ty.at(element.ty), inner));
        }
    }
    made.into_iter().map(|((_, part), ty)| (ty, part)).collect()
}

/// Whether members of a structure or union have ranges, short of those within them.
pub(crate) fn has_own(ty: &DynamicType) -> bool {
    parts(ty, Part::Whole)
        .iter()
        .any(|(element, annotations, _)| {
            let of = ty.at(element.ty);
            Range::of(annotations.as_ref(), &of).is_some() || has_elements(&of)
        })
}

/// Whether elements of a collection are numbers with a range.
pub(crate) fn has_elements(ty: &DynamicType) -> bool {
    let ty = ty.resolved();
    let mut elements = ty.key_element().into_iter().chain(ty.element());
    elements.any(|of| {
        let of = ty.at(of.ty);
        Range::of(None, &of).is_some() || has_elements(&of)
    })
}

/// No member of a union is a key, and elements of collections are keys as a whole.
pub(crate) fn part_of(ty: &DynamicType, part: Part) -> Part {
    match ty.resolved().kind() {
        TypeKind::Structure => part,
        _ => Part::Whole,
    }
}

fn search(ty: &DynamicType, part: Part, seen: &mut BTreeMap<(TypeIndex, Part), ()>) -> bool {
    let mut open = vec![(ty.resolved(), part)];
    while let Some((ty, part)) = open.pop() {
        if seen.insert((ty.index(), part), ()).is_some() {
            continue;
        }
        for (element, annotations, inner) in parts(&ty, part) {
            let of = ty.at(element.ty);
            if Range::of(annotations.as_ref(), &of).is_some() {
                return true;
            }
            open.push((of.resolved(), inner));
        }
    }
    false
}
