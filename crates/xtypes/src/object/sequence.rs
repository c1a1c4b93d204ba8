//! The TypeObjects of a type in one piece, as programs carry them.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use bytes::BytesMut;
use dunlin_cdr::{Endianness, Reader, Writer, Xcdr};

use super::identifier::TypeIdentifier;
use super::raise::RaiseError;
use super::{TypeObjects, read, write};
use crate::{DynamicType, limits};

impl TypeObjects {
    /// All of them as a `sequence<TypeIdentifierTypeObjectPair>` (DDS-XTypes 1.3 7.6.3.3.3): XCDR2,
    /// little endian, without encapsulation header. Complete ones are read by
    /// [`DynamicType::from_type_object_sequence`]. Empty if they are more than 4 GiB.
    pub fn to_sequence(&self) -> Vec<u8> {
        let mut bytes = BytesMut::new();
        let mut out = Writer::new(&mut bytes, Xcdr::V2, Endianness::Little);
        let written = write::sequence(&mut out, self.objects.iter(), |out, (of, object)| {
            write::identifier(out, of)?;
            write::type_object(out, object);
            Ok(())
        });
        out.finish();
        written.map_or_else(|_| Vec::new(), |()| bytes.into())
    }
}

impl DynamicType {
    /// The type that a sequence of complete TypeObjects describes
    /// ([`TypeObjects::to_sequence`]), which begins with that of the type itself.
    ///
    /// # Errors
    /// As [`from_type_objects`](Self::from_type_objects): the same limits hold.
    pub fn from_type_object_sequence(bytes: &[u8]) -> Result<Self, RaiseError> {
        let mut r = Reader::new(bytes, Xcdr::V2, Endianness::Little);
        let scope = r.begin_collection(false)?;
        let count = r.take_length()?;
        if count > limits::RAISED {
            return Err(RaiseError::Limit {
                what: "types",
                found: count,
                most: limits::RAISED,
            });
        }
        let mut objects = BTreeMap::new();
        let mut root = TypeIdentifier::None;
        for number in 0..count {
            let identifier = read::identifier(&mut r)?;
            let object = read::type_object(&mut r)?;
            if number == 0 {
                root = identifier.clone();
            }
            objects.entry(identifier).or_insert(object);
        }
        r.end(scope);
        match root {
            TypeIdentifier::Component(_) | TypeIdentifier::Hash(..) => {
                Self::from_type_objects(&root, |of| objects.get(of).copied())
            }
            identifier => Err(RaiseError::Root { identifier }),
        }
    }
}

#[cfg(test)]
#[allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "tests know their data"
)]
mod tests {
    use alloc::string::ToString;
    use alloc::vec::Vec;

    use dunlin_cdr::Extensibility;

    use crate::object::EquivalenceKind;
    use crate::object::raise::RaiseError;
    use crate::{DynamicType, TypeIndex, TypeTreeBuilder, limits};

    fn nested() -> DynamicType {
        let mut types = TypeTreeBuilder::new();
        let point = types
            .structure("Geo::Point", Extensibility::Final)
            .member("x", TypeIndex::FLOAT64)
            .member("y", TypeIndex::FLOAT64)
            .finish();
        let points = types.sequence(point, 0);
        let track = types
            .structure("Geo::Track", Extensibility::Appendable)
            .member("number", TypeIndex::UINT32)
            .key()
            .member("points", points)
            .finish();
        types.build(track).unwrap()
    }

    fn sequence() -> Vec<u8> {
        let objects = nested().type_objects(EquivalenceKind::Complete).unwrap();
        objects.to_sequence()
    }

    #[test]
    fn a_type_comes_back_from_its_sequence() {
        let again = DynamicType::from_type_object_sequence(&sequence()).unwrap();
        assert_eq!(again.name(), "Geo::Track");
        assert_eq!(again.digest(), nested().digest());
    }

    #[test]
    fn what_is_cut_off_is_refused_at_every_length() {
        let whole = sequence();
        for length in 0..whole.len() {
            let cut = DynamicType::from_type_object_sequence(&whole[..length]);
            assert!(cut.is_err(), "{length} of {}", whole.len());
        }
    }

    #[test]
    fn a_flipped_bit_is_no_panic_and_no_other_type() {
        let whole = sequence();
        for bit in 0..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            if let Ok(ty) = DynamicType::from_type_object_sequence(&flipped) {
                assert_eq!(ty.digest(), nested().digest(), "bit {bit}");
            }
        }
    }

    #[test]
    fn too_many_are_refused_before_any_is_read() {
        let count = (limits::RAISED as u32 + 1).to_le_bytes();
        let error = DynamicType::from_type_object_sequence(&[[4, 0, 0, 0], count].concat());
        let text = error.unwrap_err().to_string();
        assert!(text.contains("4097") && text.contains("4096"), "{text}");
    }

    #[test]
    fn the_first_is_named_by_its_hash() {
        let whole = sequence();
        let length = (whole.len() as u32 - 16).to_le_bytes();
        let boolean = [&length, &whole[4..8], &[1, 0, 0, 0], &whole[24..]].concat();
        let error = DynamicType::from_type_object_sequence(&boolean).unwrap_err();
        assert!(matches!(error, RaiseError::Root { .. }), "{error}");
    }

    #[test]
    fn minimal_objects_are_refused() {
        let objects = nested().type_objects(EquivalenceKind::Minimal).unwrap();
        let error = DynamicType::from_type_object_sequence(&objects.to_sequence());
        assert!(error.unwrap_err().to_string().contains("complete"));
    }
}
