//! Text of Java, line by line.

/// Lines at their depth.
#[derive(Debug, Default)]
pub(super) struct Code {
    text: String,
    depth: usize,
    names: usize,
}

impl Code {
    /// A number that no other name of the file has.
    pub(super) fn fresh(&mut self) -> usize {
        self.names += 1;
        self.names
    }

    pub(super) fn deeper(&mut self) {
        self.depth += 1;
    }

    pub(super) fn shallower(&mut self) {
        self.depth -= 1;
    }

    /// A line, or several that are in one piece.
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        for line in line.as_ref().lines() {
            if !line.is_empty() {
                self.text.push_str(&"    ".repeat(self.depth));
                self.text.push_str(line);
            }
            self.text.push('\n');
        }
        if line.as_ref().is_empty() {
            self.text.push('\n');
        }
    }

    /// What is in braces behind a head: `if (x)`.
    pub(super) fn braces(&mut self, head: impl AsRef<str>, body: impl FnOnce(&mut Self)) {
        let head = head.as_ref();
        let space = if head.is_empty() { "" } else { " " };
        self.line(format!("{head}{space}{{"));
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line("}");
    }

    /// Documentation, if there is any.
    pub(super) fn docs(&mut self, docs: Option<&str>) {
        let Some(docs) = docs else { return };
        // Neither may end the comment, or be a character that an escape stands for.
        let docs = docs.replace("*/", "* /").replace("\\u", "\\ u");
        let mut lines = docs.lines();
        match (lines.next(), lines.next()) {
            (Some(only), None) => self.line(format!("/** {} */", only.trim())),
            _ => {
                self.line("/**");
                docs.lines()
                    .for_each(|line| self.line(format!(" * {}", line.trim()).trim_end()));
                self.line(" */");
            }
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
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
