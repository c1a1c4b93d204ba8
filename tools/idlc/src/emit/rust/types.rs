//! Types where they are used, and the attributes that say what their Rust types do not.

use dunlin_xtypes::{Annotations, DynamicType, Element, TryConstruct, TypeIndex, TypeKind};

use super::names::Place;
use super::{CDR, Rust};

impl Rust<'_, '_> {
    fn at(&self, index: TypeIndex) -> Option<DynamicType> {
        self.unit.model.tree.get(index)
    }

    /// The type of a value.
    pub(super) fn ty(&self, of: Element, from: &Place) -> String {
        let Some(ty) = self.at(of.ty) else {
            return "()".into();
        };
        let name = self.plain(&ty, from);
        match of.is_external {
            true => format!("{}<{name}>", self.names.prelude("Box")),
            false => name,
        }
    }

    fn plain(&self, ty: &DynamicType, from: &Place) -> String {
        let element = |of: Option<Element>| of.map_or_else(|| "()".into(), |of| self.ty(of, from));
        match ty.kind() {
            TypeKind::Sequence if self.is_octets(ty) => format!("{CDR}::Bytes"),
            TypeKind::Sequence => {
                format!("{}<{}>", self.names.prelude("Vec"), element(ty.element()))
            }
            TypeKind::Array => {
                let dimensions = ty.dimensions().iter().rev();
                dimensions.fold(element(ty.element()), |inner, length| {
                    format!("[{inner}; {length}]")
                })
            }
            TypeKind::Map => {
                let (key, value) = (element(ty.key_element()), element(ty.element()));
                format!("::std::collections::BTreeMap<{key}, {value}>")
            }
            TypeKind::String8 => self.names.prelude("String"),
            // The derive reads and writes neighbouring numbers together, which it knows by name.
            TypeKind::Alias => match number(ty.resolved().kind()) {
                Some(number) if !self.is_external(ty) => number.into(),
                _ => self.names.path(ty.index(), from),
            },
            kind => match number(kind) {
                Some(number) => number.into(),
                None => self.named(ty, from),
            },
        }
    }

    fn named(&self, ty: &DynamicType, from: &Place) -> String {
        match ty.kind() {
            TypeKind::Float128 => format!("{CDR}::Float128"),
            TypeKind::Char8 => format!("{CDR}::Char8"),
            TypeKind::Char16 => format!("{CDR}::Char16"),
            TypeKind::String16 => format!("{CDR}::String16"),
            _ => self.names.path(ty.index(), from),
        }
    }

    /// A typedef, or one that it is of, is `@external`.
    fn is_external(&self, alias: &DynamicType) -> bool {
        let mut ty = alias.clone();
        while let (TypeKind::Alias, Some(of)) = (ty.kind(), ty.element()) {
            if of.is_external {
                return true;
            }
            ty = ty.at(of.ty);
        }
        false
    }

    /// `sequence<octet>`, of nothing but octets.
    fn is_octets(&self, ty: &DynamicType) -> bool {
        ty.element() == Some(TypeIndex::BYTE.into())
    }

    /// The type of which a value has one or more within itself, rather than behind a pointer.
    pub(super) fn held(&self, of: Element) -> Option<TypeIndex> {
        let mut of = of;
        while !of.is_external {
            let ty = self.at(of.ty)?;
            match ty.kind() {
                TypeKind::Array => of = ty.element()?,
                TypeKind::Sequence | TypeKind::Map => return None,
                _ => return Some(of.ty),
            }
        }
        None
    }

    /// What is to be said of a value, of what its typedefs stand for, and of its elements.
    pub(super) fn words(&self, of: Element, from: &Place) -> Vec<String> {
        let mut words = how(of);
        let Some(mut ty) = self.at(of.ty) else {
            return words;
        };
        while let (TypeKind::Alias, Some(of)) = (ty.kind(), ty.element()) {
            let name = format!("{:?}", ty.name());
            let target = ty.at(of.ty);
            let mut within = how(of);
            within.extend(self.annotations(ty.annotations(), "default", &target, from));
            words.push(match within.is_empty() {
                true => format!("alias = {name}"),
                false => format!("alias({name}, {})", within.join(", ")),
            });
            ty = target;
        }
        if let Some(bound) = ty.bound() {
            words.push(format!("bound = {bound}"));
        }
        // Each dimension has elements of its own.
        let depth = ty.dimensions().len().max(1);
        let mut parts = |name: &str, of: Option<Element>| {
            let inner = of.map_or_else(Vec::new, |of| self.words(of, from));
            if !inner.is_empty() {
                let (open, close) = (format!("{name}(").repeat(depth), ")".repeat(depth));
                words.push(format!("{open}{}{close}", inner.join(", ")));
            }
        };
        match ty.kind() {
            TypeKind::Byte => words.push("octet".into()),
            TypeKind::Sequence if self.is_octets(&ty) => {}
            TypeKind::Map => {
                parts("map_key", ty.key_element());
                parts("element", ty.element());
            }
            _ => parts("element", ty.element()),
        }
        words
    }

    /// `@default` by the name that it has at this place, `@min`, `@max`, `@unit`.
    pub(super) fn annotations(
        &self,
        annotations: Option<&Annotations>,
        default: &str,
        ty: &DynamicType,
        from: &Place,
    ) -> Vec<String> {
        let Some(of) = annotations else {
            return Vec::new();
        };
        let values = [(default, &of.default), ("min", &of.min), ("max", &of.max)];
        let mut words = Vec::new();
        for (name, value) in values {
            if let Some(value) = value {
                words.push(format!("{name} = {}", self.value(value, ty, from)));
            }
        }
        words.extend(of.unit.iter().map(|unit| format!("unit = {unit:?}")));
        words
    }
}

/// How a value is held, and what becomes of one that does not fit.
pub(super) fn how(of: Element) -> Vec<String> {
    let mut words = Vec::new();
    if of.is_external {
        words.push("external".into());
    }
    match of.try_construct {
        TryConstruct::Discard => {}
        TryConstruct::UseDefault => words.push("try_construct = \"use_default\"".into()),
        TryConstruct::Trim => words.push("try_construct = \"trim\"".into()),
    }
    words
}

/// Types that are numbers in Rust.
fn number(kind: TypeKind) -> Option<&'static str> {
    Some(match kind {
        TypeKind::Boolean => "bool",
        TypeKind::Byte | TypeKind::UInt8 => "u8",
        TypeKind::Int8 => "i8",
        TypeKind::UInt16 => "u16",
        TypeKind::Int16 => "i16",
        TypeKind::UInt32 => "u32",
        TypeKind::Int32 => "i32",
        TypeKind::UInt64 => "u64",
        TypeKind::Int64 => "i64",
        TypeKind::Float32 => "f32",
        TypeKind::Float64 => "f64",
        _ => return None,
    })
}
