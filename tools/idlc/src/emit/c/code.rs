//! Text of C.

pub(super) use crate::emit::code::{Code, is_itself};

/// A text as a literal of C; question marks are escaped, for three of them can begin a trigraph.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    if text.bytes().all(|one| is_itself(one) && one != b'?') {
        out.push_str(text);
        out.push('"');
        return out;
    }
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | b'?' => {
                out.push('\\');
                out.push(byte.into());
            }
            b' '..=b'~' => out.push(byte.into()),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}

/// A number as a literal of a type of 64 bits or less.
pub(super) fn integer(value: i128) -> String {
    match value {
        // The digits alone are a number that no type has.
        _ if value == i128::from(i64::MIN) => format!("(-{} - 1)", i64::MAX),
        _ if value == i128::from(i32::MIN) => format!("(-{} - 1)", i32::MAX),
        _ if value > i128::from(i32::MAX) => format!("{value}u"),
        _ => value.to_string(),
    }
}

/// Documentation, if there is any.
pub(super) fn docs(code: &mut Code, docs: Option<&str>) {
    let Some(docs) = docs else { return };
    let docs = docs.replace("*/", "* /").replace("/*", "/ *");
    code.comment("/*", &docs);
}
