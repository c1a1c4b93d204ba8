//! What emitters ask of types, whatever the language is.

use dunlin_cdr::Extensibility;
use dunlin_xtypes::{DynamicType, Element, TypeIndex, TypeKind};

use crate::plan::{Form, Part, Plan, RoutineId};

/// Whether values have members.
pub(in crate::emit) fn is_compound(ty: &DynamicType) -> bool {
    matches!(ty.kind(), TypeKind::Structure | TypeKind::Union)
}

/// Whether topics of the type have instances.
pub(in crate::emit) fn is_keyed(ty: &DynamicType) -> bool {
    ty.kind() == TypeKind::Structure && ty.has_key()
}

/// Whether a number that holds bits has a sign.
pub(in crate::emit) fn is_signed(kind: TypeKind) -> bool {
    matches!(
        kind,
        TypeKind::Int8 | TypeKind::Int16 | TypeKind::Int32 | TypeKind::Int64
    )
}

/// The routine of a type.
pub(in crate::emit) fn routine(ty: &DynamicType, form: Form, part: Part) -> RoutineId {
    RoutineId {
        ty: ty.index(),
        form,
        part,
    }
}

/// Whether the memory of a value is its payload behind the header, in XCDR1 and in XCDR2; `None`
/// if it is in neither.
pub(in crate::emit) fn plain(plan: &Plan, ty: &DynamicType) -> Option<(bool, bool)> {
    let is_final = ty.extensibility() == Extensibility::Final;
    let one = plan.is_plain(ty, Form::Xcdr1);
    let two = is_final && plan.is_plain(ty, Form::Xcdr2);
    (one || two).then_some((one, two))
}

/// The bytes of a value of a plain type.
pub(in crate::emit) fn plain_size(ty: &DynamicType) -> u64 {
    let ty = ty.resolved();
    let of = |element: Element| plain_size(&ty.at(element.ty));
    match ty.kind() {
        TypeKind::Structure => {
            let members = ty.members().map(|member| of(member.element()));
            members.fold(0, u64::saturating_add)
        }
        TypeKind::Array => ty
            .element()
            .map_or(0, of)
            .saturating_mul(ty.length() as u64),
        _ => ty.number_size().unwrap_or(0) as u64,
    }
}

/// Whether a default value has a default value of its own type in it, behind `@external`.
pub(in crate::emit) fn is_endless(ty: &DynamicType) -> bool {
    fn reaches(ty: &DynamicType, wanted: TypeIndex, seen: &mut Vec<TypeIndex>) -> bool {
        let ty = ty.resolved();
        if seen.contains(&ty.index()) {
            return ty.index() == wanted;
        }
        seen.push(ty.index());
        let of =
            |element: Element, seen: &mut Vec<TypeIndex>| reaches(&ty.at(element.ty), wanted, seen);
        match ty.kind() {
            TypeKind::Structure => ty
                .members()
                .any(|member| !member.is_optional() && of(member.element(), seen)),
            TypeKind::Union => {
                let mut cases = ty.cases().iter().filter_map(|case| case.element());
                cases.any(|element| of(element, seen))
            }
            TypeKind::Array => ty.element().is_some_and(|element| of(element, seen)),
            _ => false,
        }
    }
    let ty = ty.resolved();
    reaches(&ty, ty.index(), &mut Vec::new())
}
