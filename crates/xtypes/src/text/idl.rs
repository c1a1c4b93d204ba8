//! Types as IDL 4.2.
//!
//! What is printed says everything that a tree knows, so a compiler that reads it gets an equal
//! tree. Types that have no IDL are the exception: an array within a sequence, and a case without a
//! value, which only Rust types have.

mod body;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use dunlin_cdr::Extensibility;

use super::decimal;
use crate::{
    Annotations, Constant, DynamicType, Element, TryConstruct, TypeIndex, TypeKind, TypeTree,
    hash_id,
};

/// Keywords of IDL 4.2 (7.2.4).
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "FALSE", "Object", "TRUE", "ValueBase", "abstract", "alias", "any", "attribute", "bitfield",
    "bitmask", "bitset", "boolean", "case", "char", "component", "connector", "const", "consumes",
    "context", "custom", "default", "double", "emits", "enum", "eventtype", "exception", "factory",
    "finder", "fixed", "float", "getraises", "home", "import", "in", "inout", "int16", "int32",
    "int64", "int8", "interface", "local", "long", "manages", "map", "mirrorport", "module",
    "multiple", "native", "octet", "oneway", "out", "port", "porttype", "primarykey", "private",
    "provides", "public", "publishes", "raises", "readonly", "sequence", "setraises", "short",
    "string", "struct", "supports", "switch", "truncatable", "typedef", "typeid", "typename",
    "typeprefix", "uint16", "uint32", "uint64", "uint8", "union", "unsigned", "uses", "valuetype",
    "void", "wchar", "wstring",
];

/// A name as IDL: with `_` in front if it is a keyword in any case, or begins with `_`.
pub fn name(text: &str) -> String {
    let is_keyword = KEYWORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
    match is_keyword || text.starts_with('_') {
        true => format!("_{text}"),
        false => text.into(),
    }
}

/// A name with its modules, as it is used: `::A::B`.
pub fn absolute(path: &str) -> String {
    let parts = path.split("::").map(|part| format!("::{}", name(part)));
    parts.collect()
}

/// A value as IDL; that of a literal as its number.
pub fn constant(value: &Constant) -> String {
    match value {
        Constant::Boolean(true) => "TRUE".into(),
        Constant::Boolean(false) => "FALSE".into(),
        Constant::Integer(value) => value.to_string(),
        Constant::Float(value) => format!("{value:?}"),
        Constant::Float128(bytes) => decimal::binary128(*bytes),
        Constant::Char8(value) => format!("'{}'", byte(*value)),
        Constant::Char16(value) => format!("L'\\u{value:04x}'"),
        Constant::String8(text) => format!("\"{}\"", escape(text)),
        Constant::String16(text) => format!("L\"{}\"", escape(text)),
    }
}

fn byte(value: u8) -> String {
    match value {
        b'\'' | b'\\' => format!("\\{}", char::from(value)),
        b' '..=b'~' => char::from(value).into(),
        _ => format!("\\x{value:02x}"),
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            c if c.is_ascii_control() => escaped.push_str(&format!("\\{:03o}", c as u32)),
            c => escaped.push(c),
        }
    }
    escaped
}

/// All types of a tree that have names.
pub fn print(tree: &TypeTree) -> String {
    print_with(tree, &|_| true, &|_, _| None)
}

/// Some types of a tree, with all that they need, and with comments: those of a type, and of a
/// member by its number.
pub fn print_with<'c>(
    tree: &TypeTree,
    wanted: &dyn Fn(&DynamicType) -> bool,
    docs: &dyn Fn(TypeIndex, Option<usize>) -> Option<&'c str>,
) -> String {
    let mut printer = Printer {
        tree,
        docs,
        text: String::new(),
        open: Vec::new(),
        states: BTreeMap::new(),
        forward: BTreeSet::new(),
        inner: BTreeMap::new(),
        outer: BTreeMap::new(),
    };
    printer.nest();
    for ty in tree.types().filter(is_named).filter(|ty| wanted(ty)) {
        printer.emit(ty.index());
    }
    printer.close(0);
    printer.text
}

fn is_named(ty: &DynamicType) -> bool {
    use TypeKind::{Alias, Bitmask, Bitset, Enumeration, Structure, Union};
    matches!(
        ty.kind(),
        Alias | Bitmask | Bitset | Enumeration | Structure | Union
    )
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Open,
    Done,
}

struct Printer<'t, 'd, 'c> {
    tree: &'t TypeTree,
    docs: &'d dyn Fn(TypeIndex, Option<usize>) -> Option<&'c str>,
    text: String,
    /// Modules that are open.
    open: Vec<String>,
    states: BTreeMap<TypeIndex, State>,
    /// Types that were declared in front of their definition.
    forward: BTreeSet<TypeIndex>,
    /// Types within structures.
    inner: BTreeMap<TypeIndex, Vec<TypeIndex>>,
    outer: BTreeMap<TypeIndex, TypeIndex>,
}

impl Printer<'_, '_, '_> {
    fn ty(&self, index: TypeIndex) -> Option<DynamicType> {
        self.tree.get(index)
    }

    /// Finds types whose names say that they are within a structure.
    fn nest(&mut self) {
        let types: Vec<DynamicType> = self.tree.types().filter(is_named).collect();
        let structures = types.iter().filter(|ty| ty.kind() == TypeKind::Structure);
        let structures: BTreeMap<&str, TypeIndex> =
            structures.map(|ty| (ty.name(), ty.index())).collect();
        for ty in &types {
            let outer = ty.name().rsplit_once("::").map(|(path, _)| path);
            if let Some(outer) = outer.and_then(|path| structures.get(path)) {
                self.inner.entry(*outer).or_default().push(ty.index());
                self.outer.insert(ty.index(), *outer);
            }
        }
    }

    /// The type that is printed when this one is: the structure around it.
    fn outermost(&self, index: TypeIndex) -> TypeIndex {
        let mut index = index;
        while let Some(outer) = self.outer.get(&index) {
            index = *outer;
        }
        index
    }

    /// Prints a type behind those that it needs.
    fn emit(&mut self, index: TypeIndex) {
        let mut stack = vec![(self.outermost(index), false)];
        while let Some((index, is_ready)) = stack.pop() {
            if is_ready {
                self.definition(index);
                self.states.insert(index, State::Done);
                continue;
            }
            if self.states.contains_key(&index) {
                continue;
            }
            self.states.insert(index, State::Open);
            stack.push((index, true));
            let needed = self.needed(index);
            let new = needed.into_iter().rev();
            stack.extend(
                new.filter(|index| !self.states.contains_key(index))
                    .map(|index| (index, false)),
            );
        }
    }

    /// The types with names that a type refers to.
    fn needed(&self, index: TypeIndex) -> Vec<TypeIndex> {
        let mut found = Vec::new();
        let mut all = vec![index];
        while let Some(next) = all.pop() {
            let inner = self.inner.get(&next);
            all.extend(inner.into_iter().flatten().copied());
            self.referred(next, &mut found);
        }
        let found = found.into_iter().map(|one| self.outermost(one));
        found.filter(|one| *one != index).collect()
    }

    fn referred(&self, index: TypeIndex, found: &mut Vec<TypeIndex>) {
        let Some(ty) = self.ty(index) else { return };
        if let Some(base) = ty.base() {
            found.push(base.index());
        }
        let elements = ty.own_members().iter().map(|member| member.element());
        let cases = ty.cases().iter().filter_map(|case| case.element());
        let elements = elements.chain(cases).chain(ty.discriminator());
        let elements = elements.chain(ty.key_element()).chain(ty.element());
        for element in elements {
            let Some(of) = self.ty(element.ty) else {
                continue;
            };
            match is_named(&of) {
                true => found.push(element.ty),
                false => self.referred(element.ty, found),
            }
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        for _ in 0..depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// Closes modules until so many are left.
    fn close(&mut self, left: usize) {
        while self.open.len() > left {
            self.open.pop();
            self.line(self.open.len(), "};");
        }
    }

    fn enter(&mut self, path: &[&str]) {
        let mut common = self.open.iter().zip(path);
        let common = common.position(|(one, other)| one != other);
        let common = common.unwrap_or(self.open.len().min(path.len()));
        self.close(common);
        for module in path.iter().skip(common) {
            self.line(self.open.len(), &format!("module {} {{", name(module)));
            self.open.push((*module).into());
        }
    }

    fn definition(&mut self, index: TypeIndex) {
        for needed in self.needed(index) {
            if self.states.get(&needed) != Some(&State::Done) {
                self.declare(needed);
            }
        }
        let Some(ty) = self.ty(index) else { return };
        let path: Vec<&str> = ty.name().split("::").collect();
        let Some((_, modules)) = path.split_last() else {
            return;
        };
        self.enter(modules);
        self.body(&ty, self.open.len());
    }

    /// `struct N;`, once.
    fn declare(&mut self, index: TypeIndex) {
        let Some(ty) = self.ty(index) else { return };
        let what = match ty.kind() {
            TypeKind::Structure => "struct",
            TypeKind::Union => "union",
            _ => return,
        };
        if !self.forward.insert(index) {
            return;
        }
        let path: Vec<&str> = ty.name().split("::").collect();
        let Some((last, modules)) = path.split_last() else {
            return;
        };
        self.enter(modules);
        self.line(self.open.len(), &format!("{what} {};", name(last)));
    }

    fn comment(&mut self, depth: usize, index: TypeIndex, member: Option<usize>) {
        if let Some(docs) = (self.docs)(index, member) {
            for line in docs.lines() {
                self.line(depth, format!("/// {line}").trim_end());
            }
        }
    }

    fn body(&mut self, ty: &DynamicType, depth: usize) {
        self.comment(depth, ty.index(), None);
        match ty.kind() {
            TypeKind::Alias => self.alias(ty, depth),
            TypeKind::Enumeration => self.enumeration(ty, depth),
            TypeKind::Bitmask => self.bitmask(ty, depth),
            TypeKind::Bitset => self.bitset(ty, depth),
            TypeKind::Structure => self.structure(ty, depth),
            TypeKind::Union => self.union(ty, depth),
            _ => {}
        }
    }

    fn alias(&mut self, ty: &DynamicType, depth: usize) {
        let Some(element) = ty.element() else { return };
        let front = self.front(element, ty.annotations());
        let declared = self.declared(element.ty, last(ty.name()));
        self.line(depth, &format!("{front}typedef {declared};"));
    }

    /// A type with the name that is declared, and its dimensions.
    fn declared(&self, index: TypeIndex, declared: &str) -> String {
        let Some(ty) = self.ty(index) else {
            return String::new();
        };
        match (ty.kind(), ty.element()) {
            (TypeKind::Array, Some(element)) => {
                let lengths = ty.dimensions().iter().map(|length| format!("[{length}]"));
                let lengths: String = lengths.collect();
                format!("{} {}{lengths}", self.used(element.ty), name(declared))
            }
            _ => format!("{} {}", self.used(index), name(declared)),
        }
    }

    /// A type where it is used.
    fn used(&self, index: TypeIndex) -> String {
        let Some(ty) = self.ty(index) else {
            return String::new();
        };
        let element = |of: Option<Element>| {
            of.map_or_else(String::new, |of| {
                format!("{}{}", self.front(of, None), self.used(of.ty))
            })
        };
        let bound = ty
            .bound()
            .map_or_else(String::new, |bound| format!(", {bound}"));
        match ty.kind() {
            TypeKind::String8 | TypeKind::String16 => match ty.bound() {
                Some(bound) => format!("{}<{bound}>", ty.name()),
                None => ty.name().into(),
            },
            TypeKind::Sequence => format!("sequence<{}{bound}>", element(ty.element())),
            TypeKind::Map => format!(
                "map<{}, {}{bound}>",
                element(ty.key_element()),
                element(ty.element())
            ),
            TypeKind::Array => {
                let lengths = ty.dimensions().iter().map(|length| format!("[{length}]"));
                let lengths: String = lengths.collect();
                format!("{}{lengths}", element(ty.element()))
            }
            _ if is_named(&ty) => absolute(ty.name()),
            _ => ty.name().into(),
        }
    }

    /// Annotations in front of a member, an element, an alias.
    fn front(&self, element: Element, annotations: Option<&Annotations>) -> String {
        let mut front = String::new();
        if element.is_external {
            front.push_str("@external ");
        }
        match element.try_construct {
            TryConstruct::Discard => {}
            TryConstruct::UseDefault => front.push_str("@try_construct(USE_DEFAULT) "),
            TryConstruct::Trim => front.push_str("@try_construct(TRIM) "),
        }
        let Some(annotations) = annotations else {
            return front;
        };
        let values = [
            ("default", &annotations.default),
            ("min", &annotations.min),
            ("max", &annotations.max),
        ];
        for (name, value) in values {
            if let Some(value) = value {
                let value = self.value(value, element.ty);
                front.push_str(&format!("@{name}({value}) "));
            }
        }
        if let Some(unit) = &annotations.unit {
            front.push_str(&format!("@unit(\"{}\") ", escape(unit)));
        }
        front
    }

    /// A value of a type: a literal of an enumeration by its name.
    fn value(&self, value: &Constant, index: TypeIndex) -> String {
        let Some(ty) = self.ty(index).map(|ty| ty.resolved()) else {
            return constant(value);
        };
        let Constant::Integer(number) = value else {
            return constant(value);
        };
        let mut literals = ty.literals().iter();
        match literals.find(|literal| i128::from(literal.value()) == *number) {
            Some(literal) => format!("{}::{}", absolute(ty.name()), name(literal.name())),
            None => constant(value),
        }
    }
}

/// A name without its modules.
fn last(path: &str) -> &str {
    path.rsplit_once("::").map_or(path, |(_, last)| last)
}

fn grows(extensibility: Extensibility) -> &'static str {
    match extensibility {
        Extensibility::Final => "@final",
        Extensibility::Appendable => "@appendable",
        Extensibility::Mutable => "@mutable",
    }
}

/// The annotation that gives a member its id, where it has not the one that it would get anyway.
fn id(
    member: &str,
    id: u32,
    next: u32,
    ty: &DynamicType,
    annotations: Option<&Annotations>,
) -> String {
    if let Some(text) = annotations.and_then(|annotations| annotations.hash_id.as_deref()) {
        return match text {
            "" => "@hashid ".into(),
            text => format!("@hashid(\"{}\") ", escape(text)),
        };
    }
    let usual = match ty.has_hashed_ids() {
        true => hash_id(member),
        false => next,
    };
    match id == usual {
        true => String::new(),
        false => format!("@id({id}) "),
    }
}
