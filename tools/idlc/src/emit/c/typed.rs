//! Functions for topics of a type: `Foo_writer`, `Foo_write`, `Foo_take`. Their text is that of the
//! files beside this one, in which the type is called `Foo`.

use std::sync::LazyLock;

use dunlin_xtypes::{DynamicType, TypeKind};

use super::code::Code;
use super::names;
use super::place::Place;
use crate::emit::{Unit, shape};
use crate::plan::Plan;

const TOPIC: &str = include_str!("typed/topic.h");
const KEYED: &str = include_str!("typed/keyed.h");
const UNKEYED: &str = include_str!("typed/unkeyed.h");
const INSTANCE: &str = include_str!("typed/instance.h");
const PLAIN: &str = include_str!("typed/plain.h");
const OCTETS: &str = include_str!("typed/octets.h");

/// Whether topics may be of a type.
pub(super) fn is_topic(unit: &Unit<'_>, ty: &DynamicType) -> bool {
    ty.kind() == TypeKind::Structure && !ty.is_nested() && unit.type_objects(ty).is_some()
}

/// What follows the name of a type in names that are made for topics of it.
pub(super) fn words() -> &'static [&'static str] {
    &WORDS
}

/// What is asked for each topic.
static WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let texts = [TOPIC, KEYED, INSTANCE, PLAIN];
    let names = texts.into_iter().flat_map(|text| text.split("Foo_"));
    let words = names.map(|rest| {
        let end = rest.find(|one: char| !one.is_ascii_alphanumeric() && one != '_');
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    });
    let mut words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    words
});

/// Defines them.
pub(super) fn define(unit: &Unit<'_>, code: &mut Code, plan: &Plan, ty: &DynamicType) {
    let name = names::global(unit, ty.name());
    let is_keyed = ty.has_key();
    let shared = shared(unit, ty);
    if shared.is_empty() {
        code.lines(&replaced(
            if is_keyed { &OF_KEYED } else { &OF_UNKEYED },
            &name,
        ));
    } else {
        let apart = OCTETS.replace("@SHARED@", &shared.join(" || "));
        code.lines(&replaced(&of_topic(is_keyed, "cdr_lend", &apart), &name));
    }
    if let Some(is_plain) = is_plain(plan, ty) {
        code.lines(&replaced(&PLAIN.replace("@IS_PLAIN@", is_plain), &name));
    }
}

/// What is made of most types, for looking for what differs takes longer than all else.
static OF_KEYED: LazyLock<String> = LazyLock::new(|| of_topic(true, "cdr_read", ""));
static OF_UNKEYED: LazyLock<String> = LazyLock::new(|| of_topic(false, "cdr_read", ""));

fn of_topic(is_keyed: bool, read: &str, apart: &str) -> String {
    let of_sample = if is_keyed { KEYED } else { UNKEYED };
    let mut text = TOPIC
        .replace("@OF_SAMPLE@", of_sample)
        .replace("@READ@", read)
        .replace("@APART@", apart.trim_end());
    if is_keyed {
        text.push_str(INSTANCE);
    }
    text
}

/// Whether values of a type may have counted octets, so that these need not be copied.
pub(super) fn shares(unit: &Unit<'_>, ty: &DynamicType) -> bool {
    is_topic(unit, ty) && has_shared(ty, 0)
}

/// Whether [`find_shared`] would find something.
fn has_shared(ty: &DynamicType, depth: usize) -> bool {
    let ty = ty.resolved();
    ty.members().any(|member| {
        let part = ty.at(member.element().ty);
        let may_be = !member.is_optional() && !member.element().is_external;
        may_be
            && (names::are_octets(&part)
                || part.resolved().kind() == TypeKind::Structure
                    && depth < DEEPEST
                    && has_shared(&part, depth + 1))
    })
}

/// What is not 0 of a value that has counted octets in one of its members, or in one of a struct
/// that is a member.
pub(super) fn shared(unit: &Unit<'_>, ty: &DynamicType) -> Vec<String> {
    let mut found = Vec::new();
    find_shared(unit, &Place::root(unit, ty.clone(), "value"), &mut found, 0);
    found
}

/// How deep counted octets are looked for.
const DEEPEST: usize = 4;

fn find_shared(unit: &Unit<'_>, place: &Place, found: &mut Vec<String>, depth: usize) {
    const MOST: usize = 16;
    for member in place.ty.resolved().members() {
        if member.is_optional() || member.element().is_external || found.len() == MOST {
            continue;
        }
        let part = place.at(unit, member.name());
        if names::are_octets(&part.ty) {
            found.push(format!("{}._octets != 0", part.value));
        } else if part.ty.resolved().kind() == TypeKind::Structure && depth < DEEPEST {
            find_shared(unit, &part, found, depth + 1);
        }
    }
}

/// The condition by which memory is the payload behind its header, if there is such a case.
pub(super) fn is_plain(plan: &Plan, ty: &DynamicType) -> Option<&'static str> {
    Some(match shape::plain(plan, ty)? {
        (true, true) => "xcdr == DUNLIN_XCDR1 || xcdr == DUNLIN_XCDR2",
        (true, false) => "xcdr == DUNLIN_XCDR1",
        _ => "xcdr == DUNLIN_XCDR2",
    })
}

/// The text for a type of this name instead of `Foo`.
fn replaced(text: &str, name: &str) -> String {
    text.replace("Foo", name)
}
