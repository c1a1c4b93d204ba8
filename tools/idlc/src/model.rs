//! What a file says, for those that make something of it: modules, constants, documentation and
//! places over a tree of types.

use std::collections::HashMap;

use dunlin_xtypes::{Constant, DynamicType, TypeIndex, TypeTree};

use crate::source::Span;

/// A module; one that is reopened is there once.
#[derive(Clone, Debug)]
pub struct Module {
    /// With all modules around it: `A::B`.
    pub name: String,
    /// Its documentation.
    pub docs: Option<String>,
    /// Where it is first.
    pub span: Span,
}

/// A constant.
#[derive(Clone, Debug)]
pub struct NamedConstant {
    /// With the modules around it.
    pub name: String,
    /// The type as IDL.
    pub ty: String,
    /// The place of the type in the tree; `None` for strings.
    pub index: Option<TypeIndex>,
    /// The value.
    pub value: Constant,
    /// The value as IDL: a literal has its name.
    pub text: String,
    /// Its documentation.
    pub docs: Option<String>,
    /// Where it is.
    pub span: Span,
    /// It comes from an included file.
    pub is_included: bool,
}

/// Text for generated code (`@verbatim`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verbatim {
    /// The language of the code, or `*`.
    pub language: String,
    /// `begin-file`, `before-declaration`, `begin-declaration`, `end-declaration`,
    /// `after-declaration` or `end-file`.
    pub placement: String,
    /// The text.
    pub text: String,
}

/// What is known of a type beside its node in the tree.
#[derive(Clone, Debug)]
pub struct NamedType {
    /// Its place in the tree.
    pub index: TypeIndex,
    /// Its documentation.
    pub docs: Option<String>,
    /// The documentation of its members, cases, literals or flags, in their order.
    pub member_docs: Vec<Option<String>>,
    /// Where they are.
    pub member_spans: Vec<Span>,
    /// Where it is.
    pub span: Span,
    /// It comes from an included file, so code of it is made elsewhere.
    pub is_included: bool,
    /// The name that `@topic` gives.
    pub topic: Option<String>,
    /// The platform that `@topic` gives.
    pub platform: Option<String>,
    /// The representations that endpoints of the type may offer: bit 0 XCDR1, bit 1 XML, bit 2
    /// XCDR2.
    pub data_representation: Option<u32>,
    /// Text for generated code.
    pub verbatim: Vec<Verbatim>,
}

/// A file that has no mistakes.
#[derive(Clone, Debug)]
pub struct Model {
    /// The types.
    pub tree: TypeTree,
    /// Modules in the order of their first occurrence.
    pub modules: Vec<Module>,
    /// Constants in their order.
    pub constants: Vec<NamedConstant>,
    /// Types that have names, each behind those that it needs.
    pub types: Vec<NamedType>,
    /// The types by their names.
    pub(crate) by_name: HashMap<String, TypeIndex>,
}

impl Model {
    /// A type by its name with all modules, without `::` in front.
    pub fn find(&self, name: &str) -> Option<DynamicType> {
        self.tree.get(*self.by_name.get(name)?)
    }

    /// The type of an entry.
    pub fn ty(&self, entry: &NamedType) -> Option<DynamicType> {
        self.tree.get(entry.index)
    }
}
