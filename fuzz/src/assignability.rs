//! Types of strangers, and whether one fits the other.
use dunlin_xtypes::assign::{Encoding, Rules, Verdict, assignable};
use dunlin_xtypes::{
    DynamicType, EquivalenceHash, EquivalenceKind, StronglyConnectedComponentId, TypeIdentifier,
};

use crate::script::Script;

/// TypeObjects of a type, at most.
const OBJECTS: usize = 32;
/// Stands for a hash, with the number of a TypeObject behind it; what is no such number stands for
/// that of the TypeObject itself.
const MARK: [u8; 13] = [0xa5; 13];
/// The most memory that a judgement takes.
const MEMORY: u64 = 32 << 20;

/// The rules and the encoding; a piece with the TypeObjects of the reader; those of the writer, or
/// nothing if they are the same. Each TypeObject is a piece, and the last one is that of the type.
/// Whatever the types are, they are judged within bounded memory; a type is the same as itself, and
/// as one with the same minimal TypeObject; what differs is said in few words.
pub fn assignability(data: &[u8]) {
    let mut script = Script::new(data);
    let bits = script.byte();
    let rules = Rules {
        allow_coercion: true,
        ignore_sequence_bounds: bits & 1 != 0,
        ignore_string_bounds: bits & 2 != 0,
        ignore_member_names: bits & 4 != 0,
        prevent_type_widening: bits & 8 != 0,
    };
    let encoding = match bits & 16 {
        0 => Encoding::Xcdr2,
        _ => Encoding::Xcdr1,
    };
    let reader = script.piece();
    let writer = match script.is_over() {
        true => reader,
        false => script.rest(),
    };
    let (Some(reader), Some(writer)) = (raised(reader), raised(writer)) else {
        return;
    };
    let there = judge(&reader, &writer, &rules, encoding);
    let back = judge(&writer, &reader, &rules, encoding);
    let same = there == Some(Verdict::Same);
    assert_eq!(same, back == Some(Verdict::Same));
    // Labels of 64 bits and cases without value do not come from a TypeObject.
    let identifiers =
        [&reader, &writer].map(|of| of.type_identifier(EquivalenceKind::Minimal).unwrap());
    assert!(same || identifiers[0] != identifiers[1]);
    for ty in [&reader, &writer] {
        assert_eq!(judge(ty, ty, &rules, encoding), Some(Verdict::Same));
    }
}

fn judge(
    reader: &DynamicType,
    writer: &DynamicType,
    rules: &Rules,
    encoding: Encoding,
) -> Option<Verdict> {
    let mut found = None;
    let held = allocation_counter::measure(|| {
        found = Some(assignable(reader, writer, rules, encoding));
    })
    .bytes_max;
    assert!(held <= MEMORY, "{held} bytes");
    match found? {
        Ok(verdict) => Some(verdict),
        Err(difference) => {
            for text in [difference.to_string(), difference.for_writer()] {
                assert!((20..65_536).contains(&text.len()), "{text}");
            }
            None
        }
    }
}

/// The type of some TypeObjects.
fn raised(bytes: &[u8]) -> Option<DynamicType> {
    let mut script = Script::new(bytes);
    let mut known: Vec<(EquivalenceHash, Vec<u8>)> = Vec::new();
    let mut root = TypeIdentifier::None;
    while !script.is_over() && known.len() < OBJECTS {
        let mut object = script.piece().to_vec();
        let hashes: Vec<_> = known.iter().map(|(hash, _)| *hash).collect();
        let refers_to_itself = fill(&mut object, &hashes, EquivalenceHash::default());
        let hash = match refers_to_itself {
            true => {
                let size = (object.len() as u32 + 4).to_le_bytes();
                EquivalenceHash::of(&[&size, &[1, 0, 0, 0], &*object].concat())
            }
            false => EquivalenceHash::of(&object),
        };
        root = match refers_to_itself {
            true => {
                for window in 0..object.len().saturating_sub(13) {
                    if object[window..window + 14] == [0; 14] {
                        object[window..window + 14].copy_from_slice(&hash.0);
                    }
                }
                TypeIdentifier::Component(StronglyConnectedComponentId {
                    kind: EquivalenceKind::Complete,
                    hash,
                    length: 1,
                    index: 1,
                })
            }
            false => TypeIdentifier::Hash(EquivalenceKind::Complete, hash),
        };
        known.push((hash, object));
    }
    let object = |of: &TypeIdentifier| {
        let wanted = match of {
            TypeIdentifier::Hash(_, hash) => hash,
            TypeIdentifier::Component(id) => &id.hash,
            _ => return None,
        };
        let mut known = known.iter();
        known
            .find(|(hash, _)| hash == wanted)
            .map(|(_, bytes)| bytes.as_slice())
    };
    DynamicType::from_type_objects(&root, object).ok()
}

/// Puts hashes where marks are. Whether one stands for the TypeObject itself.
fn fill(object: &mut [u8], known: &[EquivalenceHash], own: EquivalenceHash) -> bool {
    let mut refers_to_itself = false;
    let mut at = 0;
    while let Some(window) = object.get_mut(at..at + 14) {
        if window[..13] == MARK {
            let hash = known.get(usize::from(window[13]));
            refers_to_itself |= hash.is_none();
            window.copy_from_slice(&hash.unwrap_or(&own).0);
            at += 14;
        } else {
            at += 1;
        }
    }
    refers_to_itself
}
