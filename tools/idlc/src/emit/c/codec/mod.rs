//! Functions that write and read values, made of the steps of the codec plan.

mod layout;
pub(super) mod range;
mod read;
pub(in crate::emit) mod scope;
pub(in crate::emit) mod size;
mod write;

use dunlin_xtypes::DynamicType;

use super::code::Code;
use super::{functions, names};
use crate::emit::Unit;
use crate::emit::shape::is_keyed;
use crate::plan::{Form, Part, Plan, Routine, RoutineId, Step};

pub(super) use layout::assertions;

/// What the functions of a routine are called, up to `_size`, `_write`, `_read`.
pub(super) fn name(unit: &Unit<'_>, plan: &Plan, id: RoutineId) -> String {
    let ty = plan.tree().get(id.ty);
    let ty = ty.map_or_else(String::new, |ty| names::global(unit, ty.name()));
    let part = match (id.form, id.part) {
        (Form::KeyHash, Part::Whole) => "_whole",
        (Form::Xcdr1 | Form::Xcdr2, Part::Key) => "_key",
        _ => "",
    };
    format!("{ty}_{}{part}", id.form.name())
}

/// Whether the file that a type is made in has the functions, for others too; else each file that
/// calls them has its own.
pub(in crate::emit) fn is_shared(ty: &DynamicType, id: RoutineId) -> bool {
    match (id.form, id.part) {
        (Form::Xcdr1 | Form::Xcdr2, Part::Whole) => true,
        (_, Part::Key) => is_keyed(ty),
        (Form::KeyHash, Part::Whole) => false,
    }
}

/// The heads of the functions of a routine, without what is before `bool`.
pub(super) fn heads(unit: &Unit<'_>, plan: &Plan, id: RoutineId) -> Vec<String> {
    let name = name(unit, plan, id);
    let ty = plan.tree().get(id.ty);
    let ty = ty.map_or_else(String::new, |ty| names::global(unit, ty.name()));
    let mut heads = vec![
        format!("bool {name}_size(struct dunlin_cdr_size *z, const {ty} *v)"),
        format!("bool {name}_write(struct dunlin_cdr_writer *w, const {ty} *v)"),
    ];
    if id.form != Form::KeyHash {
        heads.push(format!(
            "bool {name}_read(struct dunlin_cdr_reader *r, {ty} *v)"
        ));
    }
    heads
}

/// Makes the functions of a routine.
pub(super) fn routine(unit: &Unit<'_>, code: &mut Code, plan: &Plan, id: RoutineId) {
    let (Some(ty), Some(routine)) = (plan.tree().get(id.ty), plan.routine(id)) else {
        return;
    };
    let local = match is_shared(&ty, id) {
        true => names::linkage(unit),
        false => "DUNLIN_CDR_LOCAL ",
    };
    let heads = heads(unit, plan, id);
    let head = |at: usize| format!("{local}{}", heads.get(at).map_or("", |head| head));
    functions::function(code, &head(0), &["z", "v"], |code| {
        size::body(unit, code, plan, &ty, &routine.anywhere);
    });
    functions::function(code, &head(1), &["w", "v"], |code| {
        write::body(unit, code, plan, id, &ty, &routine.anywhere);
    });
    if is_apart(&ty, id, routine) {
        let name = name(unit, plan, id);
        let ty_name = names::global(unit, ty.name());
        let head = format!(
            "DUNLIN_CDR_LOCAL bool {name}_write_aligned(dunlin_cdr_writer *w, const {ty_name} *v)"
        );
        functions::function(code, &head, &["w", "v"], |code| {
            write::body(unit, code, plan, id, &ty, &routine.aligned);
        });
    }
    if id.form != Form::KeyHash {
        functions::function(code, &head(2), &["r", "v"], |code| {
            read::body(unit, code, plan, id, &ty, &routine.aligned);
        });
    }
}

/// Whether there is a function of its own for where alignment counts from.
pub(in crate::emit) fn is_apart(ty: &DynamicType, id: RoutineId, routine: &Routine) -> bool {
    routine.aligned != routine.anywhere && is_shared(ty, id)
}

/// The bytes that steps write where alignment counts from, if they are always as many.
pub(in crate::emit) fn fixed_size(steps: &[Step]) -> Option<u64> {
    let mut sum = 0_u64;
    for step in steps {
        let more = match step {
            Step::Run(run) if run.align == 1 => run.size,
            Step::Delimited {
                content: Some(content),
                ..
            } => content.checked_add(4)?,
            _ => return None,
        };
        // A DHEADER is aligned.
        let at = match step {
            Step::Delimited { .. } => sum.next_multiple_of(4),
            _ => sum,
        };
        sum = at.checked_add(more)?;
    }
    Some(sum)
}
