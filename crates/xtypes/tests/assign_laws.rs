//! What holds for the assignability of any two types. They are made side by side of one source, so
//! that they differ here and there only.

use std::cell::Cell;

use dunlin_cdr::Extensibility::{self, Appendable, Final, Mutable};
use dunlin_xtypes::assign::{Encoding, Rules, Verdict, assignable};
use dunlin_xtypes::{DynamicType, EquivalenceKind, Member, TypeIndex, TypeKind, TypeTreeBuilder};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

const LENIENT: Rules = Rules {
    allow_coercion: true,
    ignore_sequence_bounds: true,
    ignore_string_bounds: true,
    ignore_member_names: true,
    prevent_type_widening: false,
};
const STRICT: Rules = Rules {
    allow_coercion: true,
    ignore_sequence_bounds: false,
    ignore_string_bounds: false,
    ignore_member_names: false,
    prevent_type_widening: true,
};
const NO_OTHER: Rules = Rules {
    allow_coercion: false,
    ..STRICT
};
const ENCODINGS: [Encoding; 2] = [Encoding::Xcdr1, Encoding::Xcdr2];

/// Numbers; 0 when they are used up.
struct Source<'s>(std::slice::Iter<'s, u8>);

impl Source<'_> {
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or(0)) % count
    }

    /// The two sides differ.
    fn differs(&mut self) -> bool {
        self.below(12) == 11
    }

    /// A bound for each side: none, or one that all values keep.
    fn bounds(&mut self) -> [u32; 2] {
        let bound = [0, 0, 8, 9][self.below(4)];
        match self.differs() {
            true => [bound, [0, 8, 9, 10][self.below(4)]],
            false => [bound; 2],
        }
    }
}

const PRIMITIVES: [TypeIndex; 15] = [
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
const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

/// The types of the reader and of the writer.
#[derive(Default)]
struct Sides([TypeTreeBuilder; 2]);

type Pair = [TypeIndex; 2];

impl Sides {
    fn each(&mut self, mut make: impl FnMut(&mut TypeTreeBuilder, usize) -> TypeIndex) -> Pair {
        let [reader, writer] = &mut self.0;
        [make(reader, 0), make(writer, 1)]
    }

    fn any(&mut self, source: &mut Source<'_>, depth: usize) -> Pair {
        let kinds = if depth > 3 { 6 } else { 12 };
        match source.below(kinds) {
            0 | 1 => self.primitive(source),
            2 => {
                let bounds = source.bounds();
                self.each(|types, side| types.string(bounds[side]))
            }
            3 => {
                let bounds = source.bounds();
                self.each(|types, side| types.wide_string(bounds[side]))
            }
            4 => self.enumeration(source),
            5 => self.bits(source),
            6 => {
                let (bounds, element) = (source.bounds(), self.any(source, depth + 1));
                self.each(|types, side| types.sequence(element[side], bounds[side]))
            }
            7 => {
                let length = 1 + source.below(3) as u32;
                let dimensions = match source.differs() {
                    true => [vec![length], vec![length, 1]],
                    false => [vec![length], vec![length]],
                };
                let element = self.any(source, depth + 1);
                self.each(|types, side| types.array(element[side], &dimensions[side]))
            }
            8 => {
                let bounds = source.bounds();
                let (key, value) = (self.primitive(source), self.any(source, depth + 1));
                self.each(|types, side| types.map(key[side], value[side], bounds[side]))
            }
            9 => self.union(source, depth + 1),
            _ => self.structure(source, depth + 1),
        }
    }

    fn primitive(&mut self, source: &mut Source<'_>) -> Pair {
        let one = PRIMITIVES[source.below(15)];
        match source.differs() {
            true => [one, PRIMITIVES[source.below(15)]],
            false => [one; 2],
        }
    }

    fn enumeration(&mut self, source: &mut Source<'_>) -> Pair {
        let bits = [8, 16, 32][source.below(3)];
        let extensibility = [Final, Appendable][source.below(2)];
        let counts = match source.differs() {
            true => [2, 3],
            false => [2; 2],
        };
        let literals = [("A", 0), ("B", 1), ("C", 2)];
        self.each(|types, side| {
            types.enumeration("E", extensibility, bits, &literals[..counts[side]], None)
        })
    }

    fn bits(&mut self, source: &mut Source<'_>) -> Pair {
        match source.below(3) {
            0 => {
                let set = [("x", 0, 3, TypeKind::UInt8), ("y", 3, 9, TypeKind::UInt16)];
                let swaps = source.differs();
                self.each(|types, side| match swaps && side == 1 {
                    true => types.bitset("S", &[set[1], set[0]]),
                    false => types.bitset("S", &set),
                })
            }
            kind => {
                let integer = kind == 2 && source.differs();
                self.each(|types, side| match integer && side == 1 {
                    true => TypeIndex::UINT16,
                    false => types.bitmask("M", Appendable, 12, &[("f", 0), ("g", 7)]),
                })
            }
        }
    }

    fn extensibility(source: &mut Source<'_>) -> [Extensibility; 2] {
        let all = [Final, Appendable, Mutable];
        let one = all[source.below(3)];
        match source.differs() {
            true => [one, all[source.below(3)]],
            false => [one; 2],
        }
    }

    fn structure(&mut self, source: &mut Source<'_>, depth: usize) -> Pair {
        let extensibility = Self::extensibility(source);
        let count = 1 + source.below(4);
        let counts = match source.below(4) {
            0 => [count, 1 + source.below(4)],
            _ => [count; 2],
        };
        let most = counts[0].max(counts[1]);
        let members: Vec<_> = (0..most)
            .map(|_| {
                let name = if source.differs() { "f" } else { "" };
                (self.any(source, depth), source.below(16), name)
            })
            .collect();
        let nested = source.differs();
        self.each(|types, side| {
            let mut ty = types.structure("T", extensibility[side]);
            if nested && side == 1 {
                ty = ty.nested();
            }
            let mut renamed = false;
            for (at, (element, flags, name)) in members[..counts[side]].iter().enumerate() {
                let other = side == 1 && !name.is_empty() && !renamed;
                renamed |= other;
                ty = ty.member(if other { name } else { NAMES[at] }, element[side]);
                ty = match flags {
                    0 | 1 => ty.key(),
                    2 => ty.optional(),
                    3 => ty.must_understand(),
                    4 if side == 0 => ty.key(),
                    5 if side == 1 => ty.optional(),
                    6 if side == 1 => ty.id(at as u32 + 8),
                    _ => ty,
                };
            }
            ty.finish()
        })
    }

    fn union(&mut self, source: &mut Source<'_>, depth: usize) -> Pair {
        let extensibility = Self::extensibility(source);
        let discriminator = match source.below(3) {
            0 => self.enumeration(source),
            1 => [TypeIndex::INT16; 2],
            _ => [TypeIndex::UINT8; 2],
        };
        let (one, other) = (self.any(source, depth), self.any(source, depth));
        // Which cases each side has.
        let shapes = match source.below(3) {
            0 => [source.below(4), source.below(4)],
            _ => [source.below(4); 2],
        };
        self.each(|types, side| {
            let ty = types.union("U", extensibility[side], discriminator[side]);
            let ty = ty.case("a", one[side], &[0]);
            match shapes[side] {
                0 => ty.finish(),
                1 => ty.case("b", other[side], &[1]).finish(),
                2 => ty.case("b", other[side], &[]).default().finish(),
                _ => ty.case("b", other[side], &[1]).default().finish(),
            }
        })
    }
}

fn types(bytes: &[u8]) -> [DynamicType; 2] {
    let mut sides = Sides::default();
    let [reader, writer] = sides.structure(&mut Source(bytes.iter()), 0);
    let [readers, writers] = sides.0;
    [
        readers.build(reader).unwrap(),
        writers.build(writer).unwrap(),
    ]
}

/// Values that all types of `Sides` can hold, written without help of the crate.
struct Encoder<'s> {
    source: Source<'s>,
    out: Vec<u8>,
    encoding: Encoding,
    origin: usize,
}

impl Encoder<'_> {
    fn align(&mut self, size: usize) {
        let most = if self.encoding == Encoding::Xcdr1 {
            8
        } else {
            4
        };
        let size = size.min(most);
        while !(self.out.len() - self.origin).is_multiple_of(size) {
            self.out.push(0);
        }
    }

    fn number(&mut self, size: usize, value: u64) {
        self.align(size);
        let bytes = value.to_le_bytes();
        let more = size.saturating_sub(8);
        self.out.extend_from_slice(&bytes[..size.min(8)]);
        self.out.resize(self.out.len() + more, 0);
    }

    /// Four bytes for the length of what is written.
    fn delimited(&mut self, write: impl FnOnce(&mut Self)) {
        self.number(4, 0);
        let begin = self.out.len();
        write(self);
        let length = (self.out.len() - begin) as u32;
        self.out[begin - 4..begin].copy_from_slice(&length.to_le_bytes());
    }

    fn delimited_if(&mut self, is_delimited: bool, write: impl FnOnce(&mut Self)) {
        match is_delimited && self.encoding == Encoding::Xcdr2 {
            true => self.delimited(write),
            false => write(self),
        }
    }

    /// A parameter of XCDR1, in the long form.
    fn parameter(&mut self, id: u32, must_understand: bool, write: impl FnOnce(&mut Self)) {
        self.align(4);
        self.number(2, 0x7f01);
        self.number(2, 8);
        self.number(4, u64::from(id) | if must_understand { 1 << 30 } else { 0 });
        let outer = self.origin;
        self.delimited(|out| {
            out.origin = out.out.len();
            write(out);
        });
        self.origin = outer;
    }

    /// A member of a mutable type.
    fn labelled(&mut self, id: u32, must_understand: bool, write: impl FnOnce(&mut Self)) {
        match self.encoding {
            Encoding::Xcdr1 => self.parameter(id, must_understand, write),
            Encoding::Xcdr2 => {
                let bit = if must_understand { 1 << 31 } else { 0 };
                self.number(4, u64::from(id | 4 << 28) | bit);
                self.delimited(write);
            }
        }
    }

    fn end_of_list(&mut self) {
        if self.encoding == Encoding::Xcdr1 {
            self.align(4);
            self.number(2, 0x7f02);
            self.number(2, 0);
        }
    }

    fn value(&mut self, ty: &DynamicType) {
        let ty = ty.resolved();
        match ty.kind() {
            TypeKind::String8 => {
                let length = self.source.below(4);
                self.number(4, length as u64 + 1);
                self.out.extend_from_slice(&b"wxyz"[..length]);
                self.out.push(0);
            }
            TypeKind::String16 => {
                let length = self.source.below(4);
                self.number(4, 2 * length as u64);
                (0..length).for_each(|_| self.out.extend_from_slice(&[0x41, 0]));
            }
            TypeKind::Sequence => {
                let count = self.source.below(3);
                self.collection(&ty, Some(count), count);
            }
            TypeKind::Map => {
                let count = self.source.below(2);
                self.collection(&ty, Some(count), count);
            }
            TypeKind::Array => self.collection(&ty, None, ty.length()),
            TypeKind::Structure => self.structure(&ty),
            TypeKind::Union => self.union(&ty),
            TypeKind::Float128 => self.number(16, 1),
            _ => {
                let value = self.source.below(2) as u64;
                self.number(ty.number_size().unwrap(), value);
            }
        }
    }

    fn collection(&mut self, ty: &DynamicType, length: Option<usize>, count: usize) {
        let parts = ty.key_element().into_iter().chain(ty.element());
        let parts: Vec<DynamicType> = parts.map(|of| ty.at(of.ty)).collect();
        let is_primitive = parts.iter().all(DynamicType::is_primitive);
        self.delimited_if(!is_primitive, |out| {
            if let Some(length) = length {
                out.number(4, length as u64);
            }
            for _ in 0..count {
                parts.iter().for_each(|part| out.value(part));
            }
        });
    }

    fn structure(&mut self, ty: &DynamicType) {
        let is_mutable = ty.extensibility() == Mutable;
        self.delimited_if(ty.extensibility() != Final, |out| {
            for member in ty.members() {
                let is_present = !member.is_optional() || out.source.below(2) == 1;
                match is_mutable {
                    true if is_present => out.header(ty, member),
                    true => {}
                    false => out.member(ty, member, is_present),
                }
            }
            if is_mutable {
                out.end_of_list();
            }
        });
    }

    fn header(&mut self, ty: &DynamicType, member: &Member) {
        let must_understand = member.is_key() || member.must_understand();
        self.labelled(member.id(), must_understand, |out| {
            out.value(&ty.at(member.element().ty));
        });
    }

    fn member(&mut self, ty: &DynamicType, member: &Member, is_present: bool) {
        let of = ty.at(member.element().ty);
        match (member.is_optional(), self.encoding) {
            (false, _) => self.value(&of),
            (true, Encoding::Xcdr1) => self.parameter(member.id(), false, |out| {
                if is_present {
                    out.value(&of);
                }
            }),
            (true, Encoding::Xcdr2) => {
                self.number(1, is_present.into());
                if is_present {
                    self.value(&of);
                }
            }
        }
    }

    fn union(&mut self, ty: &DynamicType) {
        let discriminator = ty.at(ty.discriminator().unwrap().ty);
        let mut numbers: Vec<i64> = ty
            .cases()
            .iter()
            .flat_map(|of| of.labels().to_vec())
            .collect();
        if ty.cases().iter().any(|case| case.is_default()) {
            numbers.push(1);
        }
        let number = numbers[self.source.below(numbers.len())];
        let case = ty.select(number).unwrap();
        let size = discriminator.number_size().unwrap();
        let element = ty.at(case.element().unwrap().ty);
        self.delimited_if(ty.extensibility() != Final, |out| {
            if ty.extensibility() == Mutable {
                out.labelled(0, true, |out| out.number(size, number as u64));
                out.labelled(case.id(), false, |out| out.value(&element));
                out.end_of_list();
            } else {
                out.number(size, number as u64);
                out.value(&element);
            }
        });
    }
}

fn payload(ty: &DynamicType, encoding: Encoding, source: &[u8]) -> Vec<u8> {
    let representation = match (encoding, ty.extensibility()) {
        (Encoding::Xcdr1, Mutable) => 3,
        (Encoding::Xcdr1, _) => 1,
        (Encoding::Xcdr2, Final) => 7,
        (Encoding::Xcdr2, Appendable) => 9,
        (Encoding::Xcdr2, Mutable) => 11,
    };
    let mut encoder = Encoder {
        source: Source(source.iter()),
        out: vec![0, representation, 0, 0],
        encoding,
        origin: 4,
    };
    encoder.value(ty);
    encoder.out
}

/// Runs it with the sources of two types and of a value, always with the same ones.
fn law(cases: u32, check: impl Fn(&[u8], &[u8]) -> Result<(), TestCaseError>) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRunner::deterministic().new_rng();
    let mut runner = TestRunner::new_with_rng(config, rng);
    let bytes = || prop::collection::vec(any::<u8>(), 0..120);
    let run = runner.run(&(bytes(), bytes()), |(types, value)| check(&types, &value));
    if let Err(error) = run {
        panic!("{error}");
    }
}

#[test]
fn a_type_is_the_same_as_itself() {
    law(300, |source, _| {
        let [one, _] = types(source);
        let [again, _] = types(source);
        for encoding in ENCODINGS {
            for (reader, writer) in [(&one, &one), (&one, &again)] {
                let found = assignable(reader, writer, &NO_OTHER, encoding);
                prop_assert_eq!(found, Ok(Verdict::Same));
            }
        }
        Ok(())
    });
}

#[test]
fn the_same_is_what_has_one_minimal_type_object() {
    let (same, all) = (Cell::new(0), Cell::new(0));
    law(600, |source, _| {
        let [reader, writer] = types(source);
        let identifiers = [&reader, &writer].map(|of| of.type_identifier(EquivalenceKind::Minimal));
        let [one, other] = identifiers.map(Result::unwrap);
        let found = assignable(&reader, &writer, &NO_OTHER, Encoding::Xcdr2);
        prop_assert_eq!(found.is_ok(), one == other, "{:?}", found);
        for rules in [LENIENT, STRICT] {
            let found = assignable(&reader, &writer, &rules, Encoding::Xcdr1);
            prop_assert_eq!(found == Ok(Verdict::Same), one == other);
        }
        same.set(same.get() + u32::from(one == other));
        all.set(all.get() + 1);
        Ok(())
    });
    assert!(same.get() > all.get() / 20 && same.get() < all.get() / 20 * 19);
}

#[test]
fn what_strict_rules_take_lenient_ones_take() {
    law(600, |source, _| {
        let [reader, writer] = types(source);
        for encoding in ENCODINGS {
            if assignable(&reader, &writer, &STRICT, encoding).is_ok() {
                let found = assignable(&reader, &writer, &LENIENT, encoding);
                prop_assert!(found.is_ok(), "{:?}", found);
            }
        }
        if assignable(&reader, &writer, &LENIENT, Encoding::Xcdr1).is_ok() {
            let found = assignable(&reader, &writer, &LENIENT, Encoding::Xcdr2);
            prop_assert!(found.is_ok(), "{:?}", found);
        }
        Ok(())
    });
}

#[test]
fn values_of_assignable_types_are_read() {
    let read = Cell::new([0; 2]);
    law(2000, |source, value| {
        let [reader, writer] = types(source);
        for (at, encoding) in ENCODINGS.into_iter().enumerate() {
            let bytes = payload(&writer, encoding, value);
            prop_assert_eq!(writer.validate(&bytes), Ok(()), "{:?} {:?}", writer, bytes);
            if assignable(&reader, &writer, &LENIENT, encoding) != Ok(Verdict::Assignable) {
                continue;
            }
            let found = reader.validate(&bytes);
            prop_assert_eq!(
                found,
                Ok(()),
                "{} {} {:?}",
                dunlin_xtypes::idl::print(reader.tree()),
                dunlin_xtypes::idl::print(writer.tree()),
                bytes
            );
            let mut counts = read.get();
            counts[at] += 1;
            read.set(counts);
        }
        Ok(())
    });
    assert!(
        read.get().iter().all(|count| *count > 100),
        "{:?}",
        read.get()
    );
}
