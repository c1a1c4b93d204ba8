//! What a file says, before names mean anything.

use std::rc::Rc;

use dunlin_xtypes::TypeKind;

use crate::preprocess::Pragma;
use crate::source::Span;
use crate::symbol::Symbol;

/// A name that is declared, without the `_` that frees it from being a keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) symbol: Symbol,
    pub(crate) span: Span,
}

/// A name that is used: `a::b` or `::a::b`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScopedName {
    pub(crate) is_absolute: bool,
    pub(crate) parts: Vec<Name>,
    pub(crate) span: Span,
}

/// What stands in an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operand {
    Integer(i128),
    /// The digits, without a suffix.
    Float(Rc<str>),
    Boolean(bool),
    Char(u32),
    WideChar(u32),
    Text(Rc<str>),
    WideText(Rc<str>),
    Name(ScopedName),
    /// It was reported.
    Bad,
}

/// Operators of constant expressions (IDL 4.2 7.4.1.4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Or,
    Xor,
    And,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Keep,
    Negate,
    Invert,
}

/// A step of an expression: operands are put on a stack, operators take theirs from it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Step {
    Push(Operand, Span),
    Unary(Operator, Span),
    Binary(Operator, Span),
}

/// A constant expression. It is a list and no tree, so its length makes no recursion.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression {
    pub(crate) steps: Vec<Step>,
    pub(crate) span: Span,
}

impl Expression {
    /// The name that it consists of.
    pub(crate) fn name(&self) -> Option<&ScopedName> {
        match self.steps.as_slice() {
            [Step::Push(Operand::Name(name), _)] => Some(name),
            _ => None,
        }
    }
}

/// An annotation that is applied.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Annotation {
    /// Its name without what stands in front of `::`.
    pub(crate) name: Name,
    /// With the `@`.
    pub(crate) span: Span,
    pub(crate) arguments: Vec<(Option<Name>, Expression)>,
    /// It stands in a comment, as RTI writes it.
    pub(crate) is_comment: bool,
}

/// A type where it is used.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TypeUse {
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) spec: Spec,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Spec {
    Primitive(TypeKind),
    Text {
        is_wide: bool,
        bound: Option<Expression>,
    },
    Sequence {
        element: Box<TypeUse>,
        bound: Option<Expression>,
    },
    Map {
        key: Box<TypeUse>,
        value: Box<TypeUse>,
        bound: Option<Expression>,
    },
    Named(ScopedName),
    /// `any`, `fixed`, `Object`: what has no encoding.
    Unencodable(&'static str),
}

/// A name with dimensions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Declarator {
    pub(crate) name: Name,
    pub(crate) dimensions: Vec<Expression>,
}

/// What stands in front of a declaration.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Front {
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) docs: Option<Rc<str>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    pub(crate) front: Front,
    pub(crate) ty: TypeUse,
    pub(crate) declarators: Vec<Declarator>,
}

/// What stands between the braces of a struct.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    Member(Member),
    Definition(Definition),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Label {
    /// `None` is `default`.
    pub(crate) value: Option<Expression>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Case {
    pub(crate) labels: Vec<Label>,
    pub(crate) front: Front,
    pub(crate) ty: TypeUse,
    pub(crate) declarator: Declarator,
}

/// A literal of an enum, or a flag of a bitmask.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Enumerator {
    pub(crate) front: Front,
    pub(crate) name: Name,
    /// `A = 3`, which no IDL has but many write.
    pub(crate) value: Option<Expression>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bitfield {
    pub(crate) front: Front,
    pub(crate) size: Expression,
    pub(crate) holder: Option<TypeUse>,
    /// None: bits without a name.
    pub(crate) names: Vec<Name>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    pub(crate) front: Front,
    pub(crate) name: Name,
    /// Its first word.
    pub(crate) span: Span,
    pub(crate) kind: DefinitionKind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DefinitionKind {
    Module(Vec<Definition>),
    Struct {
        base: Option<ScopedName>,
        items: Vec<Item>,
    },
    Union {
        discriminator: TypeUse,
        cases: Vec<Case>,
        /// Types that are defined where they are used.
        inner: Vec<Definition>,
    },
    Enum(Vec<Enumerator>),
    Bitmask(Vec<Enumerator>),
    Bitset {
        base: Option<ScopedName>,
        fields: Vec<Bitfield>,
    },
    /// The name of the definition is that of the first declarator.
    Typedef {
        ty: TypeUse,
        declarators: Vec<Declarator>,
    },
    Const {
        ty: TypeUse,
        value: Expression,
    },
    ForwardStruct,
    ForwardUnion,
    /// `@annotation N {..}`.
    Annotation,
    /// What DDS does not use: an interface, an exception.
    Skipped,
    /// Its mistake was reported; its name means nothing.
    Bad,
    Pragma(Pragma),
}
