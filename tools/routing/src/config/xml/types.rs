//! `<types>`: whether types have keys.
use super::includes::{Includes, types_of};
use dunlin_document::{Document, Element};
use std::collections::BTreeMap;

/// The structs of all documents, by their names with `::`, and whether they have keys.
pub(super) fn keyed(documents: &[Document], includes: &Includes) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    for types in documents.iter().flat_map(types_of) {
        scope(types, "", includes, &mut found);
    }
    found
}

fn scope(
    element: Element<'_>,
    prefix: &str,
    includes: &Includes,
    found: &mut BTreeMap<String, bool>,
) {
    for child in element.children() {
        if child.name() == "include" {
            let all = includes.get(child).into_iter();
            all.for_each(|types| scope(types, prefix, includes, found));
        }
        let Some(name) = child.attribute("name") else {
            continue;
        };
        let name = format!("{prefix}{}", name.text);
        match child.name() {
            "module" => scope(child, &format!("{name}::"), includes, found),
            "struct" | "valuetype" | "union" => {
                let keyed = child.children().any(has_key) || base_has_key(child, prefix, found);
                found.insert(name, keyed);
            }
            "typedef" => {
                if let Some(keyed) = referred(child, "nonBasicTypeName", prefix, found) {
                    found.insert(name, keyed);
                }
            }
            _ => {}
        }
    }
}

fn has_key(member: Element<'_>) -> bool {
    let key = member.attribute("key");
    key.is_some_and(|key| matches!(key.text, "true" | "1" | "yes"))
}

fn base_has_key(element: Element<'_>, prefix: &str, found: &BTreeMap<String, bool>) -> bool {
    let base = referred(element, "baseType", prefix, found);
    let class = || referred(element, "baseClass", prefix, found);
    base.or_else(class).unwrap_or(false)
}

/// Whether the type that an attribute names has a key: one of this scope or one beyond it.
fn referred(
    element: Element<'_>,
    attribute: &str,
    prefix: &str,
    found: &BTreeMap<String, bool>,
) -> Option<bool> {
    let name = element.attribute(attribute)?.text;
    let here = found.get(&format!("{prefix}{name}"));
    here.or_else(|| found.get(name)).copied()
}
