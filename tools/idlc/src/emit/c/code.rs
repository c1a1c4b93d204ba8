//! Text of C, line by line.

/// Lines at their depth.
#[derive(Debug, Default)]
pub(in crate::emit) struct Code {
    text: String,
    depth: usize,
}

impl Code {
    /// Lines that go `depth` deep into others.
    pub(in crate::emit) fn at(depth: usize) -> Self {
        Self {
            text: String::new(),
            depth,
        }
    }

    pub(in crate::emit) fn depth(&self) -> usize {
        self.depth
    }

    pub(in crate::emit) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            for _ in 0..self.depth {
                self.text.push_str("    ");
            }
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// A line with what is within it, and what closes it.
    pub(in crate::emit) fn block(
        &mut self,
        head: impl AsRef<str>,
        tail: &str,
        body: impl FnOnce(&mut Self),
    ) {
        self.line(head);
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line(tail);
    }

    /// What is in braces behind a head: `if (x)`.
    pub(in crate::emit) fn braces(&mut self, head: impl AsRef<str>, body: impl FnOnce(&mut Self)) {
        let head = head.as_ref();
        let space = if head.is_empty() { "" } else { " " };
        self.block(format!("{head}{space}{{"), "}", body);
    }

    /// What was made at the same depth.
    pub(in crate::emit) fn append(&mut self, other: Self) {
        self.text.push_str(&other.text);
    }

    pub(in crate::emit) fn finish(self) -> String {
        self.text
    }
}

/// A text as a literal of C; question marks are escaped, for three of them can begin a trigraph.
pub(super) fn literal(text: &str) -> String {
    let mut out = String::from("\"");
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
    let mut lines = docs.lines();
    match (lines.next(), lines.next()) {
        (Some(only), None) => code.line(format!("/* {} */", only.trim())),
        _ => {
            code.line("/*");
            docs.lines()
                .for_each(|line| code.line(format!(" * {}", line.trim()).trim_end()));
            code.line(" */");
        }
    }
}
