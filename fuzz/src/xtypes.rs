//! Types at run time: a type, and a payload that claims to be of it.
use std::time::Duration;

use bytes::BytesMut;
use dunlin_cdr::{Endianness, Error, Extensibility, Xcdr, reader_of};
use dunlin_xtypes::{
    Converter, DynamicType, KeyPlan, Mapping, MemberPath, TypeIndex, TypeKind, TypeTreeBuilder,
    ValueError,
};

use crate::script::Script;

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
const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];
const PATHS: [&str; 8] = [
    "a", "b.a", "c[1]", "a[0].b", "d._d", "e[2][1]", "b.c.d", "h[1].a",
];

/// A piece that says what the type is, and a payload. Whatever is built has an end; whatever
/// payload comes is walked without memory beyond 16 times its length and 64 KiB, and converted with
/// 64 times at most; what is valid can
/// be passed over and mapped to its own type, its key is the same by way of every encoding, and what it is converted to is
/// valid and stays as it is when it is converted again.
pub fn xtypes(data: &[u8]) {
    let mut script = Script::new(data);
    let mut of_type = Script::new(script.piece());
    let Some((ty, is_ambiguous)) = describe(&mut of_type) else {
        return;
    };
    let payload = script.rest();
    let mut valid = false;
    let held = allocation_counter::measure(|| valid = walk(&ty, payload)).bytes_max;
    let most = 16 * payload.len() as u64 + 65_536;
    assert!(held <= most, "{held} bytes for {}", payload.len());
    for xcdr in [Xcdr::V1, Xcdr::V2] {
        let converter = Converter::new(&ty, xcdr, Endianness::Big);
        let convert = || {
            let _ = converter.convert(payload, &mut BytesMut::new());
        };
        let held = allocation_counter::measure(convert).bytes_max;
        let most = 64 * payload.len() as u64 + 65_536;
        assert!(held <= most, "{held} bytes to convert {}", payload.len());
    }
    let mapping = Mapping::new(&ty, &ty, &[]);
    let mapping = mapping.expect("a type is like itself");
    let _ = mapping.map_key(payload, &mut BytesMut::new());
    let map = || mapping.map(payload, Duration::ZERO, &mut BytesMut::new());
    let map = || {
        let _ = map();
    };
    let held = allocation_counter::measure(map).bytes_max;
    let most = 64 * payload.len() as u64 + (8 << 20);
    assert!(held <= most, "{held} bytes to map {}", payload.len());
    if valid {
        if !is_ambiguous {
            mappings(&ty, &mapping, payload);
        }
        keys(&ty, payload, is_ambiguous);
        conversions(&ty, payload, is_ambiguous);
    }
}

/// A mapping to the same type changes nothing in what has each member once, as a conversion writes
/// it: where one comes twice, a conversion takes the last and a path leads to the first.
fn mappings(ty: &DynamicType, mapping: &Mapping, payload: &[u8]) {
    for xcdr in [Xcdr::V1, Xcdr::V2] {
        let converter = Converter::new(ty, xcdr, Endianness::NATIVE);
        let (mut converted, mut mapped) = (BytesMut::new(), BytesMut::new());
        if converter.is_needed(payload) || converter.convert(payload, &mut converted).is_err() {
            continue;
        }
        match mapping.map(&converted, Duration::ZERO, &mut mapped) {
            Ok(()) => assert_eq!(mapped, converted, "{xcdr:?}"),
            Err(ValueError::Cdr(Error::TooManySteps)) => {}
            Err(error) => panic!("{error}: {payload:?}"),
        }
    }
}

fn walk(ty: &DynamicType, payload: &[u8]) -> bool {
    let skipped = reader_of(payload, ty.extensibility()).is_ok_and(|mut r| {
        r.set_steps(64 * payload.len() + 65_536);
        ty.skip(&mut r).is_ok()
    });
    let valid = ty.validate(payload).is_ok();
    assert!(skipped || !valid);
    for path in PATHS {
        if let Ok(path) = MemberPath::new(ty, path)
            && let Ok(Some(found)) = path.locate(payload)
        {
            assert!(found.bytes().len() <= payload.len());
            let _ = found.value();
        }
    }
    let plan = KeyPlan::new(ty);
    let _ = plan.key_hash(payload);
    let _ = plan.key_hash_of_key(payload);
    valid
}

fn keys(ty: &DynamicType, payload: &[u8], is_ambiguous: bool) {
    let plan = KeyPlan::new(ty);
    let Ok(hash) = plan.key_hash(payload) else {
        return;
    };
    let targets: &[Xcdr] = match is_ambiguous {
        true => &[Xcdr::V2],
        false => &[Xcdr::V1, Xcdr::V2],
    };
    for &xcdr in targets {
        for endianness in [Endianness::Big, Endianness::Little] {
            let mut key = BytesMut::new();
            match plan.key_payload(payload, xcdr, endianness, &mut key) {
                Ok(()) => {}
                // Elements without bytes get headers.
                Err(ValueError::Cdr(Error::TooManySteps)) => continue,
                Err(error) => panic!("{error}"),
            }
            match plan.key_hash_of_key(&key) {
                Ok(again) => assert_eq!(again, hash, "{xcdr:?} {endianness:?}"),
                Err(ValueError::Cdr(Error::TooManySteps)) => {}
                Err(error) => panic!("{error}: {payload:?} -> {key:?}"),
            }
        }
    }
}

fn conversions(ty: &DynamicType, payload: &[u8], is_ambiguous: bool) {
    let targets: &[Xcdr] = match is_ambiguous {
        true => &[Xcdr::V2],
        false => &[Xcdr::V1, Xcdr::V2],
    };
    for &xcdr in targets {
        for endianness in [Endianness::Big, Endianness::Little] {
            let converter = Converter::new(ty, xcdr, endianness);
            let (mut once, mut twice) = (BytesMut::new(), BytesMut::new());
            match converter.convert(payload, &mut once) {
                Ok(()) => {}
                // Elements without bytes get headers, or an older version of the type wrote it.
                Err(ValueError::Cdr(Error::TooManySteps) | ValueError::Missing(_)) => continue,
                Err(error) => panic!("{error}: {payload:?}"),
            }
            match converter.convert(&once, &mut twice) {
                Ok(()) => assert_eq!(once, twice, "{xcdr:?} {endianness:?}"),
                Err(ValueError::Cdr(Error::TooManySteps)) => {}
                Err(error) => panic!("{error}: {payload:?} -> {once:?}"),
            }
        }
    }
}

/// A type, and whether XCDR1 cannot tell an optional value without bytes from none.
fn describe(script: &mut Script<'_>) -> Option<(DynamicType, bool)> {
    let mut maker = Maker {
        types: TypeTreeBuilder::new(),
        made: Vec::new(),
        left: 200,
        has_empty: false,
        has_optional: false,
    };
    let root = maker.structure(script, 0);
    let is_ambiguous = maker.has_empty && maker.has_optional;
    let built = maker.types.build(root);
    if let Err(error) = &built {
        assert!(error.to_string().len() < 8192);
    }
    Some((built.ok()?, is_ambiguous))
}

struct Maker {
    types: TypeTreeBuilder,
    made: Vec<TypeIndex>,
    left: usize,
    has_empty: bool,
    has_optional: bool,
}

impl Maker {
    fn any(&mut self, script: &mut Script<'_>, depth: usize) -> TypeIndex {
        let left = self.left.checked_sub(1);
        self.left = left.unwrap_or(0);
        if left.is_none() || depth > 70 || script.is_over() {
            return TypeIndex::BYTE;
        }
        let bound = u32::from(script.byte() % 8) * u32::from(script.flag());
        match script.choice(16) {
            0..=3 => PRIMITIVES[usize::from(script.choice(15))],
            4 => self.types.string(bound),
            5 => self.types.wide_string(bound),
            6 => {
                let element = self.any(script, depth + 1);
                self.types.sequence(element, bound)
            }
            7 => {
                let element = self.any(script, depth + 1);
                match script.flag() {
                    true => self.types.array(element, &[bound + 1]),
                    false => self
                        .types
                        .array(element, &[bound + 1, u32::from(script.byte())]),
                }
            }
            8 => {
                let (key, value) = (self.any(script, depth + 1), self.any(script, depth + 1));
                self.types.map(key, value, bound)
            }
            9 => {
                let element = self.any(script, depth + 1);
                self.types.alias("Alias", element)
            }
            10 => {
                let bits = u16::from(script.byte() % 34);
                let value = i32::from(script.byte());
                self.types.enumeration(
                    "Enum",
                    Extensibility::Final,
                    bits,
                    &[("A", 0), ("B", value)],
                    None,
                )
            }
            11 => {
                let bits = u16::from(script.byte() % 66);
                self.types.bitmask(
                    "Mask",
                    Extensibility::Final,
                    bits,
                    &[("a", 0), ("b", bits / 2 + 1)],
                )
            }
            12 => {
                let position = u16::from(script.byte() % 64);
                self.types.bitset(
                    "Set",
                    &[("a", position, script.byte() % 9, TypeKind::UInt8)],
                )
            }
            13 => self.union(script, depth + 1),
            14 => {
                let made = self.made.len().max(1);
                let known = self.made.get(usize::from(script.byte()) % made);
                known.copied().unwrap_or(TypeIndex::INT32)
            }
            _ => self.structure(script, depth + 1),
        }
    }

    fn extensibility(script: &mut Script<'_>) -> Extensibility {
        match script.choice(3) {
            0 => Extensibility::Final,
            1 => Extensibility::Appendable,
            _ => Extensibility::Mutable,
        }
    }

    fn structure(&mut self, script: &mut Script<'_>, depth: usize) -> TypeIndex {
        let index = self.types.declare("Structure");
        self.made.push(index);
        let extensibility = Self::extensibility(script);
        let base = script.choice(8) == 7 && depth < 64;
        let base = base.then(|| self.structure(script, depth + 1));
        let mut members = Vec::new();
        for _ in 0..script.choice(6) {
            let element = self.any(script, depth + 1);
            members.push((element, script.byte(), script.byte()));
        }
        self.has_empty |= members.is_empty() && base.is_none();
        self.has_optional |= members.iter().any(|(_, flags, _)| flags & 3 == 2);
        let mut structure = self.types.define_structure(index, extensibility);
        if let Some(base) = base {
            structure = structure.base(base);
        }
        for (number, (element, flags, id)) in members.into_iter().enumerate() {
            // Bases have names of their own, mostly.
            let name = NAMES[(number + depth % 2 * 4) % NAMES.len()];
            structure = structure.member(name, element);
            if flags & 3 == 1 {
                structure = structure.key();
            } else if flags & 3 == 2 {
                structure = structure.optional();
            }
            if flags & 4 != 0 {
                structure = structure.external();
            }
            if flags & 8 != 0 {
                structure = structure.id(u32::from(id) << (flags >> 5 << 2));
            }
            if flags & 16 != 0 {
                structure = structure.must_understand();
            }
        }
        structure.finish()
    }

    fn union(&mut self, script: &mut Script<'_>, depth: usize) -> TypeIndex {
        let index = self.types.declare("Union");
        self.made.push(index);
        let extensibility = Self::extensibility(script);
        let discriminator = match script.flag() {
            true => PRIMITIVES[usize::from(script.choice(15))],
            false => self.any(script, depth + 1),
        };
        let (one, other) = (self.any(script, depth + 1), self.any(script, depth + 1));
        let union = self.types.define_union(index, extensibility, discriminator);
        let union = union.case("a", one, &[0]).case("b", other, &[1]);
        match script.flag() {
            true => union.default().finish(),
            false => union.finish(),
        }
    }
}
