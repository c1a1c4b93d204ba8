//! Where a value may end early: a sender's version of a type that grows may have fewer members.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, Element, TypeKind};

use super::super::place::Place;
use crate::emit::Unit;
use crate::plan::{Form, Step};

/// Structs whose members may be missing at the end of the part that is read.
#[derive(Clone)]
pub(in crate::emit) struct Scope {
    /// The paths of the structs.
    pub(in crate::emit) prefixes: Vec<String>,
    /// The variable that says that all further members are missing.
    pub(in crate::emit) gone: String,
    /// What says that they may be missing.
    pub(in crate::emit) open: String,
}

impl Scope {
    /// What is behind the prefix of one of the structs.
    fn behind<'p>(prefix: &str, path: &'p str) -> Option<&'p str> {
        match prefix {
            "" => Some(path).filter(|path| !path.is_empty()),
            prefix => path.strip_prefix(prefix)?.strip_prefix('.'),
        }
    }

    /// Whether a path leads into one of the structs.
    pub(in crate::emit) fn has(&self, path: &str) -> bool {
        self.prefixes
            .iter()
            .any(|prefix| Self::behind(prefix, path).is_some())
    }

    /// Whether a member of one of them begins with what is there.
    pub(in crate::emit) fn begins(&self, unit: &Unit<'_>, root: &Place, path: &str) -> bool {
        self.prefixes.iter().any(|prefix| {
            let Some(rest) = Self::behind(prefix, path) else {
                return false;
            };
            let mut place = root.at(unit, prefix);
            rest.split('.').enumerate().all(|(at, part)| {
                place = place.part(unit, part);
                at == 0 || place.is_first
            })
        })
    }
}

/// The appendable structs that begin where a value begins, in XCDR1: the value itself, its first
/// member, the first member of that.
pub(in crate::emit) fn leading(ty: &DynamicType, path: &str) -> Vec<String> {
    let mut prefixes = Vec::new();
    let (mut ty, mut path) = (ty.resolved(), path.to_string());
    // A struct is as deep by value as types may be.
    while prefixes.len() <= 64 && matches!(ty.kind(), TypeKind::Structure | TypeKind::Union) {
        match ty.extensibility() {
            Extensibility::Mutable => break,
            Extensibility::Appendable => prefixes.push(path.clone()),
            Extensibility::Final => {}
        }
        let Some(first) = ty.members().next().cloned() else {
            break;
        };
        if first.is_optional() {
            break;
        }
        path = match path.as_str() {
            "" => first.name().to_string(),
            path => format!("{path}.{}", first.name()),
        };
        ty = ty.at(first.element().ty).resolved();
        if path.len() > 1 << 14 {
            break;
        }
    }
    prefixes
}

/// The first path of steps.
pub(in crate::emit) fn first_path(steps: &[Step]) -> Option<&str> {
    steps.iter().find_map(path)
}

/// The path that a step begins with.
pub(in crate::emit) fn path(step: &Step) -> Option<&str> {
    match step {
        Step::Run(run) => run.fields.first().map(|field| &*field.path),
        Step::Text { path, .. }
        | Step::Loop { path, .. }
        | Step::Optional { path, .. }
        | Step::External { path, .. }
        | Step::Call { path, .. } => Some(path),
        Step::Member(of) => Some(&of.path),
        Step::Delimited { steps, .. } | Step::ParameterList { steps } => first_path(steps),
        Step::Switch { .. } => None,
    }
}

/// What a DHEADER is in front of.
pub(in crate::emit) enum Delimited {
    /// A collection at this path.
    Collection(String),
    /// A struct at this path.
    Struct(String),
    /// A struct without members.
    Empty,
}

/// What the steps behind a DHEADER are, within the struct at `prefix`, whose own header may be yet
/// to come.
pub(in crate::emit) fn delimited(
    unit: &Unit<'_>,
    root: &Place,
    (prefix, is_headed): (&str, bool),
    steps: &[Step],
) -> Delimited {
    let Some(first) = first_path(steps) else {
        return Delimited::Empty;
    };
    if let [step] = steps
        && matches!(step, Step::Loop { .. } | Step::Run(_))
    {
        let ty = root.at(unit, first).ty.resolved();
        let is_apart = |of: Option<Element>| of.is_some_and(|of| !ty.at(of.ty).is_primitive());
        let is_map = ty.kind() == TypeKind::Map && root.ty.resolved().index() == ty.index();
        let is_entry = is_map && !first.is_empty();
        let elements = [ty.element(), ty.key_element()];
        if !is_entry && elements.into_iter().any(is_apart) {
            return Delimited::Collection(first.into());
        }
    }
    let rest = match prefix {
        "" => first,
        prefix => first
            .strip_prefix(prefix)
            .map_or(first, |rest| rest.trim_start_matches('.')),
    };
    let mut path = prefix.to_string();
    if !is_headed && is_growing(&root.ty) {
        return Delimited::Struct(prefix.into());
    }
    for part in rest.split('.') {
        path = match path.as_str() {
            "" => part.into(),
            path => format!("{path}.{part}"),
        };
        if is_growing(&root.at(unit, &path).ty) {
            break;
        }
    }
    Delimited::Struct(path)
}

fn is_growing(ty: &DynamicType) -> bool {
    let ty = ty.resolved();
    ty.kind() == TypeKind::Structure && ty.extensibility() != Extensibility::Final
}

/// Bytes that each value takes at least. Not all parts of large types are looked at.
pub(in crate::emit) fn least(ty: &DynamicType, form: Form, depth: usize) -> u64 {
    let ty = ty.resolved();
    if let Some(size) = ty.number_size() {
        return size as u64;
    }
    let of = |element: Element| match element.is_external || depth > 2 {
        true => 0,
        false => least(&ty.at(element.ty), form, depth + 1),
    };
    let is_headed = form != Form::Xcdr1 && ty.extensibility() != Extensibility::Final;
    match ty.kind() {
        TypeKind::String8 => 5,
        TypeKind::Array => {
            let one = ty.element().map_or(0, of);
            one.saturating_mul(ty.length() as u64).min(1 << 31)
        }
        TypeKind::Structure | TypeKind::Union if is_headed => 4,
        TypeKind::Structure | TypeKind::Union if ty.extensibility() == Extensibility::Mutable => 4,
        TypeKind::Structure => {
            let members = ty
                .members()
                .take(32)
                .map(|member| match (member.is_optional(), form) {
                    (true, Form::Xcdr1) => 4,
                    (true, _) => 1,
                    (false, _) => of(member.element()),
                });
            members.fold(0_u64, u64::saturating_add).min(1 << 31)
        }
        TypeKind::Union => ty.discriminator().map_or(0, of),
        _ => 4,
    }
}
