//! Models as text: `dunlin idl dump`.

mod json;
mod object;
mod plan;
mod tree;

use std::collections::HashMap;

use dunlin_xtypes::{DynamicType, TypeIndex, idl};

use crate::model::{Model, NamedType};

pub use json::json;
pub use object::{Dumped, hash, type_object};
pub use plan::plan;
pub use tree::tree;

/// Which types are shown.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Those of included files, too.
    pub all: bool,
    /// This one only.
    pub name: Option<String>,
}

impl Selection {
    fn has(&self, model: &Model, entry: &NamedType) -> bool {
        match &self.name {
            Some(name) => model.ty(entry).is_some_and(|ty| ty.name() == name),
            None => self.all || !entry.is_included,
        }
    }
}

/// The types as IDL that reads as an equal tree, constants in front.
pub fn idl(model: &Model, selection: &Selection) -> String {
    let entries: HashMap<TypeIndex, &NamedType> = model
        .types
        .iter()
        .map(|entry| (entry.index, entry))
        .collect();
    let wanted = |ty: &DynamicType| {
        let entry = entries.get(&ty.index());
        entry.is_some_and(|entry| selection.has(model, entry))
    };
    let docs = |index: TypeIndex, member: Option<usize>| {
        let entry = entries.get(&index)?;
        match member {
            None => entry.docs.as_deref(),
            Some(member) => entry.member_docs.get(member)?.as_deref(),
        }
    };
    let types = idl::print_with(&model.tree, &wanted, &docs);
    format!("{types}{}", constants(model, selection))
}

/// Constants come last: those of enums need their types.
fn constants(model: &Model, selection: &Selection) -> String {
    let mut text = String::new();
    if selection.name.is_some() {
        return text;
    }
    let mut constants = model.constants.iter();
    let within = constants
        .by_ref()
        .filter(|one| selection.all || !one.is_included);
    for constant in within {
        let (path, last) = match constant.name.rsplit_once("::") {
            Some((path, last)) => (path, last),
            None => ("", constant.name.as_str()),
        };
        // A constant within a struct has no place of its own in a module.
        if model.find(path).is_some() {
            continue;
        }
        let modules: Vec<String> = path
            .split("::")
            .filter(|part| !part.is_empty())
            .map(idl::name)
            .collect();
        for module in &modules {
            text.push_str(&format!("module {module} {{ "));
        }
        text.push_str(&format!(
            "const {} {} = {};",
            constant.ty,
            idl::name(last),
            constant.text
        ));
        text.push_str(&" };".repeat(modules.len()));
        text.push('\n');
    }
    text
}
