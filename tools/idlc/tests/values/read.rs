//! Values out of payloads, by the type and without a plan.

use dunlin_cdr::{Endianness, Error, Extensibility, Reader, reader_of};
use dunlin_xtypes::{DynamicType, Element, TypeKind, ValueError};

use super::Value;

type Read = Result<Value, ValueError>;

/// The value of a whole payload.
pub fn payload(ty: &DynamicType, payload: &[u8]) -> Read {
    let mut r = reader_of(payload, ty.extensibility())?;
    value(ty, &mut r)
}

fn number(r: &mut Reader<'_>, size: usize) -> Result<u128, Error> {
    let bytes = r.take_numbers(1, size)?;
    let mut number = [0; 16];
    number[..size].copy_from_slice(bytes);
    if r.endianness() == Endianness::Big {
        number[..size].reverse();
    }
    Ok(u128::from_le_bytes(number))
}

fn value(ty: &DynamicType, r: &mut Reader<'_>) -> Read {
    let ty = ty.resolved();
    if let Some(size) = ty.number_size() {
        return Ok(Value::Number(number(r, size)?));
    }
    let primitive = |of: Option<Element>| of.is_none_or(|of| ty.at(of.ty).is_primitive());
    match ty.kind() {
        TypeKind::String8 => {
            let length = r.take_length()?;
            let text = r.take_slice(length)?;
            Ok(Value::Text(text[..length - 1].to_vec()))
        }
        TypeKind::String16 => {
            let length = r.take_length()?;
            let units = (0..length / 2).map(|_| r.take_u16());
            Ok(Value::Wide(units.collect::<Result<_, _>>()?))
        }
        TypeKind::Structure => structure(&ty, r),
        TypeKind::Union => union(&ty, r),
        _ => {
            let is_primitive = primitive(ty.element()) && primitive(ty.key_element());
            let scope = r.begin_collection(is_primitive)?;
            let count = match ty.kind() {
                TypeKind::Array => ty.length(),
                _ => r.take_length()?,
            };
            let of = ty.at(ty.element().unwrap().ty);
            let elements = (0..count).map(|_| {
                let Some(key) = ty.key_element() else {
                    return value(&of, r);
                };
                let key = value(&ty.at(key.ty), r)?;
                let entry = [("key".into(), key), ("value".into(), value(&of, r)?)];
                Ok(Value::Structure(entry.into()))
            });
            let elements = elements.collect::<Result<_, _>>()?;
            r.end(scope);
            Ok(Value::List(elements))
        }
    }
}

fn structure(ty: &DynamicType, r: &mut Reader<'_>) -> Read {
    let scope = r.begin(ty.extensibility())?;
    let mut members = Vec::new();
    if ty.extensibility() == Extensibility::Mutable {
        let all = ty.members().map(|m| (m.name().to_string(), Value::Absent));
        members.extend(all);
        while let Some(header) = r.next_member()? {
            let at = ty.members().position(|member| member.id() == header.id());
            let member = ty.member_by_id(header.id()).unwrap();
            members[at.unwrap()].1 = value(&ty.at(member.element().ty), r)?;
            r.end_member(header);
        }
    } else {
        for member in ty.members() {
            let of = ty.at(member.element().ty);
            let found = match member.is_optional() {
                false => value(&of, r)?,
                true => match r.begin_optional(member.id())? {
                    None => Value::Absent,
                    Some(optional) => {
                        let found = value(&of, r)?;
                        r.end_optional(optional);
                        found
                    }
                },
            };
            members.push((member.name().to_string(), found));
        }
    }
    r.end(scope);
    Ok(Value::Structure(members))
}

fn union(ty: &DynamicType, r: &mut Reader<'_>) -> Read {
    let is_mutable = ty.extensibility() == Extensibility::Mutable;
    let scope = r.begin(ty.extensibility())?;
    let header = if is_mutable { r.next_member()? } else { None };
    let number = ty.take_discriminator(r)?;
    if let Some(header) = header {
        r.end_member(header);
    }
    let mut found = None;
    if let Some(case) = ty.select(number)
        && let Some(element) = case.element()
    {
        let header = if is_mutable { r.next_member()? } else { None };
        let inner = value(&ty.at(element.ty), r)?;
        if let Some(header) = header {
            r.end_member(header);
        }
        found = Some((case.name().to_string(), Box::new(inner)));
    }
    if is_mutable {
        assert!(r.next_member()?.is_none());
    }
    r.end(scope);
    Ok(Value::Union(number, found))
}
