//! Text of Java.

pub(super) use crate::emit::code::Code;

impl Code {
    /// Documentation, if there is any.
    pub(super) fn docs(&mut self, docs: Option<&str>) {
        let Some(docs) = docs else { return };
        // Neither may end the comment, or be a character that an escape stands for.
        let docs = docs.replace("*/", "* /").replace("\\u", "\\ u");
        self.comment("/**", &docs);
    }
}

/// A text as a literal of Java.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for unit in text.encode_utf16() {
        match char::from_u32(unit.into()) {
            Some(quoted @ ('"' | '\\')) => {
                out.push('\\');
                out.push(quoted);
            }
            Some(plain @ ' '..='~') => out.push(plain),
            // An escape by number is replaced before lines and quotes are looked for.
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            _ => out.push_str(&format!("\\u{unit:04x}")),
        }
    }
    out.push('"');
    out
}
