//! What is in a TypeObject, kind by kind (DDS-XTypes 1.3 7.3.4.5 and annex B).

use alloc::vec::Vec;

use dunlin_cdr::Extensibility::{self, Appendable, Final, Mutable};
use md5::{Digest, Md5};

use super::{EquivalenceKind, Fault, Lowering, element_flags};
use crate::object::write::{self, Out};
use crate::object::{TypeIdentifier, TypeObjectError};
use crate::tree::{Alias, Bitmask, Bitset, Enumeration, Node, Structure, Union};
use crate::{Annotations, Case, Constant, Member, TypeIndex, TypeKind};

const IS_OPTIONAL: u16 = 0x08;
const IS_MUST_UNDERSTAND: u16 = 0x10;
const IS_KEY: u16 = 0x20;
const IS_DEFAULT: u16 = 0x40;

const IS_NESTED: u16 = 0x08;
const IS_AUTOID_HASH: u16 = 0x10;

/// Neither is the kind of an annotation's value in the table of identifiers.
const STRING8: u8 = 0x20;
const STRING16: u8 = 0x21;

type Written = Result<(), Fault>;

fn flag(is_set: bool, flag: u16) -> u16 {
    if is_set { flag } else { 0 }
}

fn type_flags(extensibility: Extensibility) -> u16 {
    match extensibility {
        Final => 0x01,
        Appendable => 0x02,
        Mutable => 0x04,
    }
}

/// Those of an enumeration or bitmask. Some products set none.
fn bits_flags(extensibility: Extensibility, fits_any: bool) -> u16 {
    match fits_any {
        true => 0,
        false => type_flags(extensibility),
    }
}

/// `TypeObject`.
pub(super) fn object(of: &Lowering<'_>, out: &mut Out<'_>, index: TypeIndex) -> Written {
    let scope = out.begin(Appendable);
    out.put([of.kind.octet()]);
    match of.tree.node(index) {
        Node::Alias(ty) => of.alias(out, ty)?,
        Node::Enumeration(ty) => of.enumeration(out, ty)?,
        Node::Bitmask(ty) => of.bitmask(out, ty)?,
        Node::Bitset(ty) => of.bitset(out, ty)?,
        Node::Structure(ty) => of.structure(out, ty)?,
        Node::Union(ty) => of.union(out, ty)?,
        // No other has a TypeObject.
        _ => {}
    }
    Ok(out.end(scope, Appendable)?)
}

/// An appendable part has its length in front, also if it is empty.
fn appendable(out: &mut Out<'_>, body: impl FnOnce(&mut Out<'_>) -> Written) -> Written {
    let scope = out.begin(Appendable);
    body(out)?;
    Ok(out.end(scope, Appendable)?)
}

/// A sequence of appendable structures.
fn sequence<'t, T: 't>(
    out: &mut Out<'_>,
    items: &[&'t T],
    mut body: impl FnMut(&mut Out<'_>, &'t T) -> Written,
) -> Written {
    let scope = out.begin_collection(false);
    out.put_length(items.len())?;
    for item in items {
        appendable(out, |out| body(out, item))?;
    }
    Ok(out.end_collection(scope)?)
}

fn name_hash(name: &str) -> [u8; 4] {
    let hash: [u8; 16] = Md5::digest(name.as_bytes()).into();
    let [a, b, c, d, ..] = hash;
    [a, b, c, d]
}

impl Lowering<'_> {
    fn is_complete(&self) -> bool {
        self.kind == EquivalenceKind::Complete
    }

    fn put_identifier(&self, out: &mut Out<'_>, index: TypeIndex) -> Written {
        Ok(write::identifier(out, &self.identifier(index)?)?)
    }

    /// `CompleteTypeDetail`; the minimal one is empty.
    fn type_detail(&self, out: &mut Out<'_>, name: &str) -> Written {
        if self.is_complete() {
            out.put([0]);
            out.put([0]);
            write::string(out, name)?;
        }
        Ok(())
    }

    /// `CompleteMemberDetail` or `MinimalMemberDetail`.
    fn member_detail(
        &self,
        out: &mut Out<'_>,
        name: &str,
        annotations: Option<(&Annotations, TypeIndex)>,
    ) -> Written {
        match self.kind {
            EquivalenceKind::Minimal => out.put_slice(&name_hash(name)),
            EquivalenceKind::Complete => {
                write::string(out, name)?;
                self.member_annotations(out, annotations)?;
                out.put([0]);
            }
        }
        Ok(())
    }

    /// The optional `AppliedBuiltinMemberAnnotations`. `@default` is not among them.
    fn member_annotations(
        &self,
        out: &mut Out<'_>,
        annotations: Option<(&Annotations, TypeIndex)>,
    ) -> Written {
        let said = |of: &Annotations| {
            of.unit.is_some() || of.min.is_some() || of.max.is_some() || of.hash_id.is_some()
        };
        let Some((of, ty)) = annotations.filter(|(of, _)| said(of)) else {
            out.put([0]);
            return Ok(());
        };
        out.put([1]);
        appendable(out, |out| {
            optional(out, of.unit.as_deref(), |out, unit| {
                Ok(write::string(out, unit)?)
            })?;
            let kind = self.number_kind(ty);
            optional(out, of.min.as_ref(), |out, min| value(out, min, kind))?;
            optional(out, of.max.as_ref(), |out, max| value(out, max, kind))?;
            optional(out, of.hash_id.as_deref(), |out, text| {
                Ok(write::string(out, text)?)
            })
        })
    }

    /// As what the values of a member are written in annotations.
    fn number_kind(&self, ty: TypeIndex) -> TypeKind {
        match self.tree.resolved(ty) {
            Node::Primitive(kind) => *kind,
            Node::Enumeration(_) => TypeKind::Enumeration,
            Node::Bitmask(of) => match of.bit_bound {
                0..=8 => TypeKind::UInt8,
                9..=16 => TypeKind::UInt16,
                17..=32 => TypeKind::UInt32,
                _ => TypeKind::UInt64,
            },
            _ => TypeKind::Int64,
        }
    }

    fn alias(&self, out: &mut Out<'_>, of: &Alias) -> Written {
        out.put([TypeKind::Alias.octet()]);
        out.put_u16(0);
        appendable(out, |out| self.type_detail(out, &of.name))?;
        appendable(out, |out| {
            // No flag applies to what an alias stands for.
            out.put_u16(0);
            self.put_identifier(out, of.element.ty)?;
            if self.is_complete() {
                let annotations = of.annotations.as_deref();
                self.member_annotations(out, annotations.map(|a| (a, of.element.ty)))?;
                out.put([0]);
            }
            Ok(())
        })
    }

    /// `EnumeratedHeader`, which is that of a bitmask, too.
    fn bits_header(&self, out: &mut Out<'_>, bit_bound: u16, name: &str) -> Written {
        appendable(out, |out| {
            out.put_u16(bit_bound);
            self.type_detail(out, name)
        })
    }

    fn enumeration(&self, out: &mut Out<'_>, of: &Enumeration) -> Written {
        out.put([TypeKind::Enumeration.octet()]);
        out.put_u16(bits_flags(of.extensibility, of.fits_any_extensibility));
        self.bits_header(out, of.bit_bound, &of.name)?;
        let mut literals: Vec<_> = of.literals.iter().collect();
        literals.sort_by_key(|literal| literal.value);
        sequence(out, &literals, |out, literal| {
            // `CommonEnumeratedLiteral` is appendable, unlike its kin in other types.
            appendable(out, |out| {
                out.put_u32(literal.value.cast_unsigned());
                out.put_u16(flag(literal.value == of.default, IS_DEFAULT));
                Ok(())
            })?;
            self.member_detail(out, &literal.name, None)
        })
    }

    fn bitmask(&self, out: &mut Out<'_>, of: &Bitmask) -> Written {
        out.put([TypeKind::Bitmask.octet()]);
        // The type itself is appendable, unlike that of an enumeration.
        appendable(out, |out| {
            out.put_u16(bits_flags(of.extensibility, of.fits_any_extensibility));
            self.bits_header(out, of.bit_bound, &of.name)?;
            let mut flags: Vec<_> = of.flags.iter().collect();
            flags.sort_by_key(|flag| flag.position);
            sequence(out, &flags, |out, flag| {
                out.put_u16(flag.position);
                out.put_u16(0);
                self.member_detail(out, &flag.name, None)
            })
        })
    }

    fn bitset(&self, out: &mut Out<'_>, of: &Bitset) -> Written {
        out.put([TypeKind::Bitset.octet()]);
        appendable(out, |out| {
            out.put_u16(0);
            appendable(out, |out| self.type_detail(out, &of.name))?;
            let mut fields: Vec<_> = of.fields.iter().collect();
            fields.sort_by_key(|field| field.position);
            sequence(out, &fields, |out, field| {
                out.put_u16(field.position);
                out.put_u16(0);
                out.put([field.size]);
                out.put([field.holder.octet()]);
                self.member_detail(out, &field.name, None)
            })
        })
    }

    fn structure(&self, out: &mut Out<'_>, of: &Structure) -> Written {
        out.put([TypeKind::Structure.octet()]);
        out.put_u16(
            type_flags(of.extensibility)
                | flag(of.is_nested, IS_NESTED)
                | flag(of.has_hashed_ids, IS_AUTOID_HASH),
        );
        appendable(out, |out| {
            match of.base {
                Some(base) => self.put_identifier(out, base)?,
                None => write::identifier(out, &TypeIdentifier::None)?,
            }
            self.type_detail(out, &of.name)
        })?;
        let members: Vec<_> = of.members.iter().collect();
        sequence(out, &members, |out, member| self.member(out, member))
    }

    fn member(&self, out: &mut Out<'_>, of: &Member) -> Written {
        out.put_u32(of.id);
        out.put_u16(
            element_flags(of.element)
                | flag(of.is_optional, IS_OPTIONAL)
                | flag(of.must_understand, IS_MUST_UNDERSTAND)
                | flag(of.is_key, IS_KEY),
        );
        self.put_identifier(out, of.element.ty)?;
        let annotations = of.annotations.as_deref();
        self.member_detail(out, &of.name, annotations.map(|a| (a, of.element.ty)))
    }

    fn union(&self, out: &mut Out<'_>, of: &Union) -> Written {
        out.put([TypeKind::Union.octet()]);
        out.put_u16(
            type_flags(of.extensibility)
                | flag(of.is_nested, IS_NESTED)
                | flag(of.has_hashed_ids, IS_AUTOID_HASH),
        );
        appendable(out, |out| self.type_detail(out, &of.name))?;
        appendable(out, |out| {
            out.put_u16(element_flags(of.discriminator) | flag(of.is_key, IS_KEY));
            self.put_identifier(out, of.discriminator.ty)?;
            if self.is_complete() {
                out.put([0]);
                out.put([0]);
            }
            Ok(())
        })?;
        // A discriminator that selects nothing is legal, so a case without value is left out; but
        // it would select the default if that has a value.
        let has_default = of.cases.iter().any(|c| c.is_default && c.element.is_some());
        let nothing = of.cases.iter().find(|case| case.element.is_none());
        if let Some(case) = nothing.filter(|_| has_default) {
            return Err(Fault::Type(TypeObjectError::NoValue {
                ty: of.name.as_ref().into(),
                case: case.name.as_ref().into(),
            }));
        }
        let cases = of.cases.iter().filter(|case| case.element.is_some());
        let cases: Vec<_> = cases.collect();
        sequence(out, &cases, |out, case| self.case(out, of, case))
    }

    fn case(&self, out: &mut Out<'_>, union: &Union, of: &Case) -> Written {
        let Some(element) = of.element else {
            return Ok(());
        };
        out.put_u32(of.id);
        out.put_u16(element_flags(element) | flag(of.is_default, IS_DEFAULT));
        self.put_identifier(out, element.ty)?;
        let mut labels = of.labels.to_vec();
        labels.sort_unstable();
        out.put_length(labels.len())?;
        for label in labels {
            match label32(label) {
                Some(label) => out.put_u32(label),
                None => {
                    return Err(Fault::Type(TypeObjectError::Label {
                        ty: union.name.as_ref().into(),
                        case: of.name.as_ref().into(),
                        label,
                    }));
                }
            }
        }
        let annotations = of.annotations.as_deref();
        self.member_detail(out, &of.name, annotations.map(|a| (a, element.ty)))
    }
}

/// A label of 32 bits, signed or not.
fn label32(label: i64) -> Option<u32> {
    let signed = i32::try_from(label).map(i32::cast_unsigned);
    signed.or_else(|_| u32::try_from(label)).ok()
}

fn optional<T>(
    out: &mut Out<'_>,
    value: Option<T>,
    put: impl FnOnce(&mut Out<'_>, T) -> Written,
) -> Written {
    out.put([value.is_some().into()]);
    match value {
        Some(value) => put(out, value),
        None => Ok(()),
    }
}

/// `AnnotationParameterValue`.
fn value(out: &mut Out<'_>, value: &Constant, kind: TypeKind) -> Written {
    match value {
        Constant::Boolean(value) => {
            out.put([TypeKind::Boolean.octet()]);
            out.put([u8::from(*value)]);
        }
        Constant::Integer(value) => integer(out, *value, kind),
        Constant::Float(value) if kind == TypeKind::Float32 => {
            out.put([kind.octet()]);
            out.put_u32((*value as f32).to_bits());
        }
        Constant::Float(value) => {
            out.put([TypeKind::Float64.octet()]);
            out.put(value.to_le_bytes());
        }
        Constant::Float128(bytes) => {
            out.put([TypeKind::Float128.octet()]);
            let (low, high) = bytes.split_at(8);
            for half in [low, high] {
                out.put(<[u8; 8]>::try_from(half).unwrap_or_default());
            }
        }
        Constant::Char8(value) => {
            out.put([TypeKind::Char8.octet()]);
            out.put([*value]);
        }
        Constant::Char16(value) => {
            out.put([TypeKind::Char16.octet()]);
            out.put_u16(*value);
        }
        Constant::String8(text) => {
            out.put([STRING8]);
            write::string(out, text)?;
        }
        Constant::String16(text) => {
            out.put([STRING16]);
            out.put_length(2 * text.encode_utf16().count())?;
            for unit in text.encode_utf16() {
                out.put_u16(unit);
            }
        }
    }
    Ok(())
}

/// The type of the member has been checked to hold it, or it is cut as the type would.
fn integer(out: &mut Out<'_>, value: i128, kind: TypeKind) {
    let as_float = value as f64;
    let kind = match kind {
        TypeKind::Boolean | TypeKind::Float128 => TypeKind::Int64,
        kind => kind,
    };
    out.put([kind.octet()]);
    match kind {
        TypeKind::Byte | TypeKind::Int8 | TypeKind::UInt8 | TypeKind::Char8 => {
            out.put([value as u8]);
        }
        TypeKind::Int16 | TypeKind::UInt16 | TypeKind::Char16 => out.put_u16(value as u16),
        TypeKind::Int32 | TypeKind::UInt32 | TypeKind::Enumeration => out.put_u32(value as u32),
        TypeKind::Float32 => out.put_u32((as_float as f32).to_bits()),
        TypeKind::Float64 => out.put(as_float.to_le_bytes()),
        _ => out.put((value as u64).to_le_bytes()),
    }
}
