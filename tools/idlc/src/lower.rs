//! Resolved types become a tree.

use std::collections::HashMap;
use std::rc::Rc;

use dunlin_xtypes::{
    Annotations, AutoId, BuildError, Constant, Element, TypeIndex, TypeKind, TypeTree,
    TypeTreeBuilder, idl,
};

use crate::model::{Model, Module, NamedConstant, NamedType, Verbatim};
use crate::report::{Report, codes};
use crate::resolve::Resolved;
use crate::resolve::types::{self, Extra, Literal, Named, NamedKind, Struct, Ty, Union};
use crate::session::Session;
use crate::source::Span;
use crate::symbol::Symbols;
use crate::value::Value;

/// A type without a name; equal ones are one node.
#[derive(PartialEq, Eq, Hash)]
enum Anonymous {
    Text(u32),
    WideText(u32),
    Sequence(Element, u32),
    Array(Element, Vec<u32>),
    Map(Element, Element, u32),
}

struct Lowering<'r> {
    resolved: &'r Resolved,
    symbols: &'r Symbols,
    ros_names: bool,
    builder: TypeTreeBuilder,
    /// Places of types by their numbers.
    places: Vec<Option<TypeIndex>>,
    anonymous: HashMap<Anonymous, TypeIndex>,
}

/// Makes the model. `None` after a report.
pub(crate) fn lower(session: &mut Session<'_>, resolved: &Resolved) -> Option<Model> {
    let mut lowering = Lowering {
        resolved,
        symbols: &session.symbols,
        ros_names: session.options.ros_names,
        builder: TypeTreeBuilder::new(),
        places: vec![None; resolved.types.len()],
        anonymous: HashMap::new(),
    };
    for number in &resolved.order {
        lowering.named(*number);
    }
    let places = lowering.places;
    let tree = match lowering.builder.build_tree() {
        Ok(tree) => tree,
        Err(error) => {
            refuse(session, resolved, &error);
            return None;
        }
    };
    Some(model(session, resolved, &places, tree))
}

/// The tree has rules of its own: limits above all.
fn refuse(session: &mut Session<'_>, resolved: &Resolved, error: &BuildError) {
    let message = error.to_string();
    let mut types = resolved.types.iter();
    let found = types.find(|named| message.contains(&format!("{:?}", &*named.qualified)));
    let span = found.map_or_else(Default::default, |named| named.name.span);
    let code = match error {
        BuildError::Limit { .. } => codes::TOO_MANY_TYPES,
        _ => codes::NO_TYPE_TREE,
    };
    session.report(Report::new(code, span, message));
}

impl Lowering<'_> {
    fn named(&mut self, number: usize) {
        let Some(named) = self.resolved.types.get(number) else {
            return;
        };
        let name = self.name(named);
        let index = match &named.kind {
            NamedKind::Struct(of) => self.structure(number, of),
            NamedKind::Union(of) => self.union(number, of),
            NamedKind::Alias(of) => {
                let element = self.element(&of.element);
                let annotations = annotations(&of.extra);
                self.builder.annotated_alias(&name, element, annotations)
            }
            NamedKind::Enumeration(of) => {
                let literals = literals(self.symbols, &of.literals);
                let literals: Vec<(&str, i32)> = literals
                    .iter()
                    .map(|(name, value)| (*name, *value as i32))
                    .collect();
                let default = of.default.map(|value| value as i32);
                let bound = of.bit_bound;
                let index =
                    self.builder
                        .enumeration(&name, of.extensibility, bound, &literals, default);
                if of.ignores_literal_names {
                    self.builder.ignore_literal_names(index);
                }
                index
            }
            NamedKind::Bitmask(of) => {
                let flags = literals(self.symbols, &of.flags);
                let flags: Vec<(&str, u16)> = flags
                    .iter()
                    .map(|(name, position)| (*name, *position as u16))
                    .collect();
                self.builder
                    .bitmask(&name, of.extensibility, of.bit_bound, &flags)
            }
            NamedKind::Bitset(of) => {
                let fields = of.fields.iter().map(|field| {
                    let name = self.symbols.text(field.name.symbol);
                    (name, field.position, field.size, field.holder)
                });
                let fields: Vec<_> = fields.collect();
                self.builder.bitset(&name, &fields)
            }
            NamedKind::Forward { .. } | NamedKind::Bad => return,
        };
        if let Some(place) = self.places.get_mut(number) {
            *place = Some(index);
        }
    }

    /// The name on the wire. ROS 2 puts `dds_` in front of it, and `_` behind.
    fn name(&self, named: &Named) -> Rc<str> {
        let is_message = matches!(named.kind, NamedKind::Struct(_) | NamedKind::Forward { .. });
        match named.qualified.rsplit_once("::") {
            Some((path, name)) if self.ros_names && is_message => {
                format!("{path}::dds_::{name}_").into()
            }
            _ => named.qualified.clone(),
        }
    }

    /// The place of a type; it may come later.
    fn place(&mut self, number: usize) -> TypeIndex {
        if let Some(Some(index)) = self.places.get(number) {
            return *index;
        }
        let Some(named) = self.resolved.types.get(number) else {
            return TypeIndex::BOOLEAN;
        };
        let name = self.name(named);
        let index = self.builder.declare(&name);
        if let Some(place) = self.places.get_mut(number) {
            *place = Some(index);
        }
        index
    }

    fn element(&mut self, element: &types::Element) -> Element {
        Element {
            ty: self.ty(&element.ty),
            try_construct: element.try_construct,
            is_external: element.is_external,
        }
    }

    fn ty(&mut self, ty: &Ty) -> TypeIndex {
        let key = match ty {
            Ty::Bad => return TypeIndex::BOOLEAN,
            Ty::Primitive(kind) => return primitive(*kind),
            Ty::Named(number) => return self.place(*number),
            Ty::Text(bound) => Anonymous::Text(*bound),
            Ty::WideText(bound) => Anonymous::WideText(*bound),
            Ty::Sequence(of) => Anonymous::Sequence(self.element(&of.0), of.1),
            Ty::Array(of) => Anonymous::Array(self.element(&of.0), of.1.clone()),
            Ty::Map(of) => Anonymous::Map(self.element(&of.0), self.element(&of.1), of.2),
        };
        if let Some(index) = self.anonymous.get(&key) {
            return *index;
        }
        let index = match &key {
            Anonymous::Text(bound) => self.builder.string(*bound),
            Anonymous::WideText(bound) => self.builder.wide_string(*bound),
            Anonymous::Sequence(element, bound) => self.builder.sequence(*element, *bound),
            Anonymous::Array(element, dimensions) => self.builder.array(*element, dimensions),
            Anonymous::Map(key, value, bound) => self.builder.map(*key, *value, *bound),
        };
        self.anonymous.insert(key, index);
        index
    }

    fn structure(&mut self, number: usize, of: &Struct) -> TypeIndex {
        let members = of
            .members
            .iter()
            .map(|member| self.element(&member.element));
        let members: Vec<Element> = members.collect();
        let base = of.base.map(|base| self.place(base));
        let index = self.place(number);
        let mut builder = self.builder.define_structure(index, of.extensibility);
        builder = builder.auto_id(auto_id(of.has_hashed_ids));
        if of.is_nested {
            builder = builder.nested();
        }
        if let Some(base) = base {
            builder = builder.base(base);
        }
        for (member, element) in of.members.iter().zip(members) {
            builder = builder
                .member(self.symbols.text(member.name.symbol), element)
                .id(member.id)
                .annotations(annotations(&member.extra));
            if member.is_key {
                builder = builder.key();
            }
            if member.is_optional {
                builder = builder.optional();
            }
            if member.must_understand {
                builder = builder.must_understand();
            }
        }
        builder.finish()
    }

    fn union(&mut self, number: usize, of: &Union) -> TypeIndex {
        let discriminator = self.element(&of.discriminator);
        let cases = of.cases.iter().map(|case| self.element(&case.element));
        let cases: Vec<Element> = cases.collect();
        let index = self.place(number);
        let mut builder = self
            .builder
            .define_union(index, of.extensibility, discriminator)
            .auto_id(auto_id(of.has_hashed_ids))
            .discriminator_annotations(annotations(&of.extra));
        if of.is_nested {
            builder = builder.nested();
        }
        if of.is_key {
            builder = builder.key();
        }
        for (case, element) in of.cases.iter().zip(cases) {
            builder = builder
                .case(self.symbols.text(case.name.symbol), element, &case.labels)
                .id(case.id)
                .annotations(annotations(&case.extra));
            if case.is_default {
                builder = builder.default();
            }
        }
        builder.finish()
    }
}

fn literals<'s>(symbols: &'s Symbols, list: &[Literal]) -> Vec<(&'s str, i64)> {
    let list = list.iter();
    list.map(|one| (symbols.text(one.name.symbol), one.value))
        .collect()
}

fn auto_id(is_hashed: bool) -> AutoId {
    match is_hashed {
        true => AutoId::Hash,
        false => AutoId::Sequential,
    }
}

fn primitive(kind: TypeKind) -> TypeIndex {
    match kind {
        TypeKind::Byte => TypeIndex::BYTE,
        TypeKind::Int8 => TypeIndex::INT8,
        TypeKind::UInt8 => TypeIndex::UINT8,
        TypeKind::Int16 => TypeIndex::INT16,
        TypeKind::UInt16 => TypeIndex::UINT16,
        TypeKind::Int32 => TypeIndex::INT32,
        TypeKind::UInt32 => TypeIndex::UINT32,
        TypeKind::Int64 => TypeIndex::INT64,
        TypeKind::UInt64 => TypeIndex::UINT64,
        TypeKind::Float32 => TypeIndex::FLOAT32,
        TypeKind::Float64 => TypeIndex::FLOAT64,
        TypeKind::Float128 => TypeIndex::FLOAT128,
        TypeKind::Char8 => TypeIndex::CHAR8,
        TypeKind::Char16 => TypeIndex::CHAR16,
        _ => TypeIndex::BOOLEAN,
    }
}

fn annotations(extra: &Extra) -> Annotations {
    let constant = |value: &Option<Value>| value.as_ref().map(constant);
    Annotations {
        default: constant(&extra.default),
        min: constant(&extra.min),
        max: constant(&extra.max),
        unit: extra.unit.as_deref().map(Into::into),
        hash_id: extra.hash_id.as_deref().map(Into::into),
    }
}

/// A value without its type: `long double` alone keeps all of its bits.
fn constant(value: &Value) -> Constant {
    match value {
        Value::Integer(value) => Constant::Integer(*value),
        Value::Float(value) => match value.is_quad {
            true => Constant::Float128(value.quad.to_le_bytes()),
            false => Constant::Float(value.double),
        },
        Value::Boolean(value) => Constant::Boolean(*value),
        Value::Char(value) => Constant::Char8(*value as u8),
        Value::WideChar(value) => Constant::Char16(*value as u16),
        Value::Text(text) => Constant::String8((&**text).into()),
        Value::WideText(text) => Constant::String16((&**text).into()),
        Value::Literal { value, .. } => Constant::Integer((*value).into()),
        Value::Bits { bits, .. } => Constant::Integer((*bits).into()),
        Value::Bad => Constant::Integer(0),
    }
}

fn owned(text: &Option<Rc<str>>) -> Option<String> {
    text.as_deref().map(str::to_string)
}

fn model(
    session: &Session<'_>,
    resolved: &Resolved,
    places: &[Option<TypeIndex>],
    tree: TypeTree,
) -> Model {
    let modules = resolved.modules.iter().map(|module| Module {
        name: module.qualified.to_string(),
        docs: owned(&module.docs),
        span: module.span,
    });
    let constants = resolved.constants.iter().map(|one| NamedConstant {
        name: one.qualified.to_string(),
        ty: constant_type(resolved, &one.ty),
        index: match &one.ty {
            Ty::Primitive(kind) => Some(primitive(*kind)),
            Ty::Named(number) => places.get(*number).copied().flatten(),
            _ => None,
        },
        value: constant(&one.value),
        text: constant_text(session, resolved, &one.value),
        docs: owned(&one.docs),
        span: one.span,
        is_included: {
            let span = session.sources.written(one.span);
            let file = session.sources.file(session.sources.file_at(span.start));
            file.is_some_and(|file| file.included_at.is_some())
        },
    });
    let types = resolved.order.iter().filter_map(|number| {
        let named = resolved.types.get(*number)?;
        Some(NamedType {
            index: (*places.get(*number)?)?,
            docs: owned(&named.docs).or_else(|| comment(named)),
            member_docs: member_docs(&named.kind),
            member_spans: member_spans(&named.kind),
            span: named.name.span,
            is_included: named.is_included,
            topic: named.topic.as_ref().and_then(|topic| owned(&topic.0)),
            platform: named.topic.as_ref().and_then(|topic| owned(&topic.1)),
            data_representation: named.data_representation,
            verbatim: named.verbatim.iter().map(verbatim).collect(),
        })
    });
    let types: Vec<_> = types.collect();
    let names = types.iter().filter_map(|entry| {
        let ty = tree.get(entry.index)?;
        Some((ty.name().to_string(), entry.index))
    });
    Model {
        by_name: names.collect(),
        modules: modules.collect(),
        constants: constants.collect(),
        types,
        tree,
    }
}

/// `@verbatim(language="comment")` is documentation, as ROS 2 writes it.
fn comment(named: &Named) -> Option<String> {
    let mut comments = named.verbatim.iter();
    let comment = comments.find(|one| &*one.language == "comment")?;
    Some(comment.text.to_string())
}

fn verbatim(of: &types::Verbatim) -> Verbatim {
    Verbatim {
        language: of.language.to_string(),
        placement: of.placement.to_string(),
        text: of.text.to_string(),
    }
}

fn member_docs(kind: &NamedKind) -> Vec<Option<String>> {
    match kind {
        NamedKind::Struct(of) => of.members.iter().map(|one| owned(&one.docs)).collect(),
        NamedKind::Union(of) => of.cases.iter().map(|one| owned(&one.docs)).collect(),
        NamedKind::Enumeration(of) => of.literals.iter().map(|one| owned(&one.docs)).collect(),
        NamedKind::Bitmask(of) => of.flags.iter().map(|one| owned(&one.docs)).collect(),
        NamedKind::Bitset(of) => of.fields.iter().map(|one| owned(&one.docs)).collect(),
        NamedKind::Alias(_) | NamedKind::Forward { .. } | NamedKind::Bad => Vec::new(),
    }
}

fn member_spans(kind: &NamedKind) -> Vec<Span> {
    match kind {
        NamedKind::Struct(of) => of.members.iter().map(|one| one.name.span).collect(),
        NamedKind::Union(of) => of.cases.iter().map(|one| one.name.span).collect(),
        NamedKind::Enumeration(of) => of.literals.iter().map(|one| one.name.span).collect(),
        NamedKind::Bitmask(of) => of.flags.iter().map(|one| one.name.span).collect(),
        NamedKind::Bitset(of) => of.fields.iter().map(|one| one.name.span).collect(),
        NamedKind::Alias(_) | NamedKind::Forward { .. } | NamedKind::Bad => Vec::new(),
    }
}

fn constant_type(resolved: &Resolved, ty: &Ty) -> String {
    match ty {
        Ty::Primitive(kind) => kind.name().into(),
        Ty::Text(0) => "string".into(),
        Ty::Text(bound) => format!("string<{bound}>"),
        Ty::WideText(0) => "wstring".into(),
        Ty::WideText(bound) => format!("wstring<{bound}>"),
        Ty::Named(number) => {
            let named = resolved.types.get(*number);
            named.map_or_else(String::new, |named| idl::absolute(&named.qualified))
        }
        _ => String::new(),
    }
}

/// The value as IDL.
fn constant_text(session: &Session<'_>, resolved: &Resolved, value: &Value) -> String {
    let Value::Literal {
        ty, value: number, ..
    } = value
    else {
        return idl::constant(&constant(value));
    };
    let Some(named) = resolved.types.get(*ty) else {
        return number.to_string();
    };
    let NamedKind::Enumeration(of) = &named.kind else {
        return number.to_string();
    };
    let mut literals = of.literals.iter();
    match literals.find(|one| one.value == i64::from(*number)) {
        Some(literal) => {
            let name = idl::name(session.symbols.text(literal.name.symbol));
            format!("{}::{name}", idl::absolute(&named.qualified))
        }
        None => number.to_string(),
    }
}
