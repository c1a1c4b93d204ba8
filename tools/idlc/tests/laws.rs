//! Any type that is printed as IDL reads as an equal tree.

use std::time::Duration;

use dunlin_cdr::Extensibility;
use dunlin_idlc::{Options, parse_str};
use dunlin_xtypes::{
    Annotations, AutoId, Constant, Element, TryConstruct, TypeIndex, TypeKind, TypeTree,
    TypeTreeBuilder, idl,
};
use proptest::prelude::*;

/// What a member says, as numbers.
#[derive(Clone, Debug)]
struct Part {
    ty: u32,
    shape: u8,
    bound: u32,
    flags: u8,
    rule: u8,
    value: u64,
}

#[derive(Clone, Debug)]
struct Shape {
    kind: u8,
    module: u8,
    grows: u8,
    flags: u8,
    parts: Vec<Part>,
}

fn part() -> impl Strategy<Value = Part> {
    (
        any::<u32>(),
        0..8_u8,
        0..5_u32,
        any::<u8>(),
        0..3_u8,
        any::<u64>(),
    )
        .prop_map(|(ty, shape, bound, flags, rule, value)| Part {
            ty,
            shape,
            bound,
            flags,
            rule,
            value,
        })
}

fn shape() -> impl Strategy<Value = Shape> {
    let parts = prop::collection::vec(part(), 1..5);
    (0..6_u8, 0..4_u8, 0..3_u8, any::<u8>(), parts).prop_map(
        |(kind, module, grows, flags, parts)| Shape {
            kind,
            module,
            grows,
            flags,
            parts,
        },
    )
}

const PRIMITIVES: &[TypeIndex] = &[
    TypeIndex::BOOLEAN,
    TypeIndex::BYTE,
    TypeIndex::INT8,
    TypeIndex::UINT8,
    TypeIndex::INT16,
    TypeIndex::UINT16,
    TypeIndex::INT32,
    TypeIndex::UINT32,
    TypeIndex::INT64,
    TypeIndex::UINT64,
    TypeIndex::FLOAT32,
    TypeIndex::FLOAT64,
    TypeIndex::FLOAT128,
    TypeIndex::CHAR8,
    TypeIndex::CHAR16,
];

struct Maker {
    types: TypeTreeBuilder,
    named: Vec<TypeIndex>,
    enumerations: Vec<(TypeIndex, Vec<i32>)>,
}

impl Maker {
    fn simple(&self, number: u32) -> TypeIndex {
        let all = PRIMITIVES.len() + self.named.len();
        let at = number as usize % all;
        match PRIMITIVES.get(at) {
            Some(primitive) => *primitive,
            None => self.named[at - PRIMITIVES.len()],
        }
    }

    fn element(&self, part: &Part) -> Element {
        Element {
            try_construct: match part.rule {
                0 => TryConstruct::Discard,
                1 => TryConstruct::UseDefault,
                _ => TryConstruct::Trim,
            },
            is_external: part.flags & 0x20 > 0,
            ..self.simple(part.ty).into()
        }
    }

    fn ty(&mut self, part: &Part) -> TypeIndex {
        let element = self.element(part);
        match part.shape {
            0 => self.types.string(part.bound),
            1 => self.types.wide_string(part.bound),
            2 => self.types.sequence(element, part.bound),
            3 => {
                let inner = self.types.sequence(element, part.bound);
                self.types.sequence(inner, 0)
            }
            4 => self.types.array(element.ty, &[part.bound + 1, 2]),
            5 => {
                let key = self.types.string(part.bound);
                self.types.map(key, element, part.bound)
            }
            _ => element.ty,
        }
    }

    fn annotations(&self, part: &Part, ty: TypeIndex) -> Annotations {
        let mut annotations = Annotations::default();
        if part.flags & 0x40 > 0 {
            annotations.unit = Some("m/s \"\\".into());
        }
        if part.flags & 0x80 == 0 {
            return annotations;
        }
        let value = part.value;
        annotations.default = match ty {
            TypeIndex::BOOLEAN => Some(Constant::Boolean(value & 1 > 0)),
            TypeIndex::INT32 => Some(Constant::Integer((value as i32).into())),
            TypeIndex::UINT64 => Some(Constant::Integer(value.into())),
            TypeIndex::FLOAT64 => {
                let value = f64::from_bits(value);
                value.is_finite().then_some(Constant::Float(value))
            }
            TypeIndex::FLOAT32 => {
                let value = f32::from_bits(value as u32);
                value.is_finite().then_some(Constant::Float(value.into()))
            }
            TypeIndex::FLOAT128 => {
                let mut bytes = [7; 16];
                bytes[..8].copy_from_slice(&value.to_le_bytes());
                bytes[14..].copy_from_slice(&(0x3fff + (value >> 50) as u16 % 64).to_le_bytes());
                Some(Constant::Float128(bytes))
            }
            TypeIndex::CHAR8 => Some(Constant::Char8(value as u8)),
            TypeIndex::CHAR16 => Some(Constant::Char16(value as u16 | 1)),
            _ => {
                let mut enumerations = self.enumerations.iter();
                let found = enumerations.find(|one| one.0 == ty);
                found.map(|(_, values)| {
                    Constant::Integer(values[value as usize % values.len()].into())
                })
            }
        };
        annotations
    }

    fn add(&mut self, number: usize, shape: &Shape) {
        let names = ["", "M::", "M::Inner::", "module::"];
        let name = format!("{}T{number}", names[shape.module as usize]);
        let grows = [
            Extensibility::Final,
            Extensibility::Appendable,
            Extensibility::Mutable,
        ][shape.grows as usize];
        let fixed = match grows {
            Extensibility::Mutable => Extensibility::Final,
            other => other,
        };
        let auto_id = match shape.flags & 1 {
            0 => AutoId::Sequential,
            _ => AutoId::Hash,
        };
        // Literals are visible beside their types, so their names have to differ.
        let literals: Vec<String> = (0..shape.parts.len())
            .map(|n| format!("L{number}_{n}"))
            .collect();
        let index = match shape.kind {
            0 => {
                let parts = literals.iter().zip(&shape.parts).enumerate();
                let values: Vec<(&str, i32)> = parts
                    .map(|(n, (name, part))| {
                        (name.as_str(), n as i32 * 8 + (part.value % 8) as i32 - 9)
                    })
                    .collect();
                let default = values[shape.flags as usize % values.len()].1;
                let index = self
                    .types
                    .enumeration(&name, fixed, 8, &values, Some(default));
                if shape.flags & 2 > 0 {
                    self.types.ignore_literal_names(index);
                }
                let values = values.iter().map(|value| value.1).collect();
                self.enumerations.push((index, values));
                index
            }
            1 => {
                let parts = literals.iter().zip(&shape.parts).enumerate();
                let flags: Vec<(&str, u16)> = parts
                    .map(|(n, (name, part))| {
                        (name.as_str(), n as u16 * 8 + (part.value % 8) as u16)
                    })
                    .collect();
                self.types.bitmask(&name, fixed, 40, &flags)
            }
            2 => {
                let parts = literals.iter().zip(&shape.parts).enumerate();
                let fields: Vec<(&str, u16, u8, TypeKind)> = parts
                    .map(|(n, (name, part))| {
                        let size = 1 + (part.value % 8) as u8;
                        (name.as_str(), n as u16 * 9, size, TypeKind::Int16)
                    })
                    .collect();
                self.types.bitset(&name, &fields)
            }
            3 => {
                let part = &shape.parts[0];
                let ty = self.ty(part);
                let annotations = self.annotations(part, ty);
                let element = Element {
                    ty,
                    try_construct: TryConstruct::Discard,
                    ..self.element(part)
                };
                self.types.annotated_alias(&name, element, annotations)
            }
            4 => self.union(&name, grows, auto_id, shape),
            _ => self.structure(&name, grows, auto_id, shape),
        };
        self.named.push(index);
    }

    fn union(
        &mut self,
        name: &str,
        grows: Extensibility,
        auto_id: AutoId,
        shape: &Shape,
    ) -> TypeIndex {
        let types: Vec<TypeIndex> = shape.parts.iter().map(|part| self.ty(part)).collect();
        let all: Vec<(Element, Annotations)> = shape
            .parts
            .iter()
            .zip(types)
            .map(|(part, ty)| {
                let element = Element {
                    ty,
                    ..self.element(part)
                };
                (element, self.annotations(part, ty))
            })
            .collect();
        let mut builder = self
            .types
            .union(name, grows, TypeIndex::INT16)
            .auto_id(auto_id);
        if shape.flags & 4 > 0 {
            builder = builder.key();
        }
        if shape.flags & 8 > 0 {
            builder = builder.nested();
        }
        for (at, (element, annotations)) in all.into_iter().enumerate() {
            let labels = [2 * at as i64 - 3, 2 * at as i64 + 100];
            builder = builder
                .case(&format!("c{at}"), element, &labels)
                .annotations(annotations);
            if at == 1 {
                builder = builder.default().id(0x77);
            }
        }
        builder.finish()
    }

    fn structure(
        &mut self,
        name: &str,
        grows: Extensibility,
        auto_id: AutoId,
        shape: &Shape,
    ) -> TypeIndex {
        // Declared first, so that members may refer to it.
        let own = self.types.declare(name);
        let mut members = Vec::new();
        for (at, part) in shape.parts.iter().enumerate() {
            let ty = match part.flags & 3 {
                3 => self.types.sequence(own, part.bound),
                _ => self.ty(part),
            };
            let element = Element {
                ty,
                ..self.element(part)
            };
            members.push((at, part, element, self.annotations(part, ty)));
        }
        let mut builder = self.types.define_structure(own, grows).auto_id(auto_id);
        if shape.flags & 8 > 0 {
            builder = builder.nested();
        }
        for (at, part, element, annotations) in members {
            builder = builder
                .member(&format!("Module{at}"), element)
                .annotations(annotations);
            if part.flags & 4 > 0 {
                builder = builder.id(0x100 * (at as u32 + 1));
            }
            match part.flags & 0x18 {
                8 => builder = builder.key(),
                0x10 => builder = builder.optional(),
                0x18 => builder = builder.must_understand(),
                _ => {}
            }
        }
        builder.finish()
    }
}

fn read(text: &str) -> TypeTree {
    let options = Options {
        time_limit: Duration::from_secs(3_600),
        ..Options::default()
    };
    let parsed = parse_str("printed.idl", text, &options);
    let reports = parsed.rendered();
    let model = parsed.model;
    model.unwrap_or_else(|| panic!("{text}\n{reports}")).tree
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_printed_reads_as_equal(shapes in prop::collection::vec(shape(), 1..8)) {
        let mut maker = Maker {
            types: TypeTreeBuilder::new(),
            named: Vec::new(),
            enumerations: Vec::new(),
        };
        for (number, shape) in shapes.iter().enumerate() {
            maker.add(number, shape);
        }
        let tree = maker.types.build_tree().unwrap();
        let printed = idl::print(&tree);
        let again = read(&printed);
        prop_assert_eq!(&idl::print(&again), &printed);
        // Types without names may be at other places; the second time they are at the same.
        prop_assert_eq!(read(&idl::print(&again)), again.clone());
        let names = |tree: &TypeTree| -> Vec<String> {
            let named = tree.types().filter(|ty| ty.name() != ty.kind().name());
            let mut names: Vec<String> = named.map(|ty| ty.name().to_string()).collect();
            names.sort();
            names
        };
        prop_assert_eq!(names(&tree), names(&again));
    }
}

#[test]
fn keywords_are_printed_with_an_underscore() {
    let mut types = TypeTreeBuilder::new();
    let names = [
        "struct",
        "Map",
        "context",
        "_x",
        "plain",
        "valuetype",
        "TRUE",
    ];
    let mut builder = types.structure("module::union", Extensibility::Final);
    for name in names {
        builder = builder.member(name, TypeIndex::INT32);
    }
    builder.finish();
    let tree = types.build_tree().unwrap();
    let again = read(&idl::print(&tree));
    assert_eq!(tree, again);
}
