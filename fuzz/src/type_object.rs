//! What peers say of their types.
use dunlin_cdr::Endianness;
use dunlin_xtypes::{
    DynamicType, EquivalenceHash, EquivalenceKind, StronglyConnectedComponentId, TypeIdentifier,
    TypeInformation,
};

use crate::script::Script;

/// The first byte says what the others are: a TypeInformation in either byte order, a TypeObject,
/// or one that refers to itself. What can be read is written and reads the same; what can be made a
/// type has TypeObjects that are the same type. Memory stays within 64 times the bytes and 256 KiB.
pub fn type_object(data: &[u8]) {
    let mut script = Script::new(data);
    let kind = script.byte() % 4;
    let bytes = script.rest();
    let held = allocation_counter::measure(|| match kind {
        0 => information(bytes, Endianness::Little),
        1 => information(bytes, Endianness::Big),
        2 => object(
            &TypeIdentifier::Hash(EquivalenceKind::Complete, EquivalenceHash::of(bytes)),
            bytes,
        ),
        _ => component(bytes),
    })
    .bytes_max;
    let most = 64 * bytes.len() as u64 + (1 << 18);
    assert!(held <= most, "{held} bytes for {}", bytes.len());
}

/// The TypeObjects of a type in one piece, as a program of another language describes its type. What
/// can be made a type is written and is the same type. Memory stays within 64 times the bytes and
/// 256 KiB.
pub fn type_support(data: &[u8]) {
    let mut read = None;
    let held = allocation_counter::measure(|| {
        read = DynamicType::from_type_object_sequence(data).ok();
    })
    .bytes_max;
    let most = 64 * data.len() as u64 + (1 << 18);
    assert!(held <= most, "{held} bytes for {}", data.len());
    if let Some(ty) = read {
        let all = ty.type_objects(EquivalenceKind::Complete).unwrap();
        let again = DynamicType::from_type_object_sequence(&all.to_sequence()).unwrap();
        assert_eq!(again.type_objects(EquivalenceKind::Complete), Ok(all));
    }
}

fn information(bytes: &[u8], endianness: Endianness) {
    if let Ok(read) = TypeInformation::from_bytes(bytes, endianness) {
        let again = TypeInformation::from_bytes(&read.to_bytes(endianness), endianness);
        assert_eq!(again, Ok(read));
    }
}

fn object(root: &TypeIdentifier, bytes: &[u8]) {
    let raised = DynamicType::from_type_objects(root, |of| (of == root).then_some(bytes));
    let ty = match raised {
        Ok(ty) => ty,
        Err(error) => {
            let _ = error.to_string();
            return;
        }
    };
    // Labels of 64 bits and cases without value do not come from a TypeObject.
    let all = ty.type_objects(EquivalenceKind::Complete).unwrap();
    let again = DynamicType::from_type_objects(all.identifier(), |of| all.object(of)).unwrap();
    for kind in [EquivalenceKind::Minimal, EquivalenceKind::Complete] {
        assert_eq!(again.type_objects(kind), ty.type_objects(kind));
    }
}

/// The bytes refer to their component by zeros.
fn component(bytes: &[u8]) {
    let size = (bytes.len() as u32 + 4).to_le_bytes();
    let hash = EquivalenceHash::of(&[&size, &[1, 0, 0, 0], bytes].concat());
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while let Some(window) = bytes.get_mut(at..at + 14) {
        if window == [0; 14] {
            window.copy_from_slice(&hash.0);
            at += 14;
        } else {
            at += 1;
        }
    }
    let root = TypeIdentifier::Component(StronglyConnectedComponentId {
        kind: EquivalenceKind::Complete,
        hash,
        length: 1,
        index: 1,
    });
    object(&root, &bytes);
}
