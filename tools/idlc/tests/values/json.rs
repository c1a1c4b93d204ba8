//! Values as test vectors have them.

use dunlin_xtypes::{DynamicType, TypeKind};
use serde_json::Value as Json;

use super::Value;

/// The value that JSON is of a type.
///
/// `tests/vectors/README.md` says how.
pub fn value(ty: &DynamicType, json: &Json) -> Value {
    let ty = ty.resolved();
    let list = || json.as_array().unwrap_or_else(|| panic!("a list: {json}"));
    match ty.kind() {
        TypeKind::String8 => Value::Text(json.as_str().unwrap().as_bytes().to_vec()),
        TypeKind::String16 => Value::Wide(json.as_str().unwrap().encode_utf16().collect()),
        TypeKind::Sequence => {
            let of = ty.at(ty.element().unwrap().ty);
            Value::List(list().iter().map(|one| value(&of, one)).collect())
        }
        TypeKind::Array => Value::List(rows(&ty, json, ty.dimensions().len())),
        TypeKind::Map => {
            let (key, of) = (ty.key_element().unwrap(), ty.element().unwrap());
            let (key, of) = (ty.at(key.ty), ty.at(of.ty));
            let entries = list().iter().map(|pair| {
                let key = ("key".to_string(), value(&key, &pair[0]));
                Value::Structure(vec![key, ("value".into(), value(&of, &pair[1]))])
            });
            Value::List(entries.collect())
        }
        TypeKind::Structure => {
            let members = ty.members().map(|member| {
                let found = match json.get(member.name()) {
                    None if member.is_optional() => Value::Absent,
                    None => panic!("{} lacks {}", ty.name(), member.name()),
                    Some(found) => value(&ty.at(member.element().ty), found),
                };
                (member.name().to_string(), found)
            });
            Value::Structure(members.collect())
        }
        TypeKind::Union => {
            let by = ty.at(ty.discriminator().unwrap().ty).resolved();
            let Value::Number(bits) = value(&by, &json["_d"]) else {
                panic!("{}: {json}", by.name());
            };
            let number = label(&by, bits);
            let selected = ty.select(number).and_then(|case| {
                let of = ty.at(case.element()?.ty);
                let inner = value(&of, &json[case.name()]);
                Some((case.name().to_string(), Box::new(inner)))
            });
            Value::Union(number, selected)
        }
        _ => Value::Number(number(&ty, json)),
    }
}

fn rows(ty: &DynamicType, json: &Json, dimensions: usize) -> Vec<Value> {
    let all = json.as_array().unwrap();
    match dimensions {
        1 => {
            let of = ty.at(ty.element().unwrap().ty);
            all.iter().map(|one| value(&of, one)).collect()
        }
        _ => {
            let rows = all.iter().map(|row| rows(ty, row, dimensions - 1));
            rows.flatten().collect()
        }
    }
}

/// A discriminator as labels have it.
fn label(ty: &DynamicType, bits: u128) -> i64 {
    let bits = bits as u64;
    match (ty.kind(), ty.number_size().unwrap()) {
        (TypeKind::Int8 | TypeKind::Enumeration, 1) => (bits as i8).into(),
        (TypeKind::Int16 | TypeKind::Enumeration, 2) => (bits as i16).into(),
        (TypeKind::Int32 | TypeKind::Enumeration, 4) => (bits as i32).into(),
        _ => bits as i64,
    }
}

fn number(ty: &DynamicType, json: &Json) -> u128 {
    let size = ty.number_size().unwrap();
    let mask = u128::MAX >> (128 - 8 * size);
    let integer = || {
        let text = json.as_str().map(str::parse::<i128>);
        let number = json.as_i64().map(i128::from);
        let number = number.or_else(|| json.as_u64().map(i128::from));
        number.unwrap_or_else(|| text.unwrap().unwrap())
    };
    match ty.kind() {
        TypeKind::Boolean => u128::from(json.as_bool().unwrap()),
        TypeKind::Float32 => u128::from((json.as_f64().unwrap() as f32).to_bits()),
        TypeKind::Float64 => u128::from(json.as_f64().unwrap().to_bits()),
        TypeKind::Float128 => {
            let digits = json.as_str().unwrap().strip_prefix("0x");
            u128::from_str_radix(digits.unwrap(), 16).unwrap()
        }
        TypeKind::Char8 => u128::from(json.as_str().unwrap().as_bytes()[0]),
        TypeKind::Char16 => u128::from(json.as_str().unwrap().encode_utf16().next().unwrap()),
        TypeKind::Enumeration => {
            let mut literals = ty.literals().iter();
            let literal = literals.find(|one| Some(one.name()) == json.as_str());
            i128::from(literal.unwrap().value()) as u128 & mask
        }
        TypeKind::Bitmask => json.as_array().unwrap().iter().fold(0, |bits, flag| {
            let mut flags = ty.flags().iter();
            let flag = flags.find(|one| Some(one.name()) == flag.as_str());
            bits | 1 << flag.unwrap().position()
        }),
        TypeKind::Bitset => ty.fields().iter().fold(0, |bits, field| {
            let value = match &json[field.name()] {
                Json::Bool(value) => i128::from(*value),
                value => value.as_i64().unwrap().into(),
            };
            let part = value as u128 & ((1 << field.size()) - 1);
            bits | part << field.position()
        }),
        _ => integer() as u128 & mask,
    }
}
