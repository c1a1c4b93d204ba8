//! Text from outside, as a terminal or a log may have it.
use core::fmt::{Display, Formatter, Result, Write};

/// Shows text that came from a network or a file without what would act on a terminal or feign
/// another line: control characters, line and paragraph separators and what turns the direction of
/// writing become escapes such as `\n` and `\u{202e}`. Text without these is shown as it is, quotes
/// and backslashes included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printable<'a>(pub &'a str);

/// Whether a character is shown as itself: no control character, separator other than a space, or
/// sign without a glyph.
pub fn is_printable(c: char) -> bool {
    // Those that the escape is longer for although they are harmless.
    matches!(c, '\'' | '"' | '\\') || c.escape_debug().len() == 1
}

impl Display for Printable<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for c in self.0.chars() {
            match is_printable(c) {
                true => f.write_char(c)?,
                false => write!(f, "{}", c.escape_debug())?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn only_what_acts_on_a_terminal_is_escaped() {
        let shown = |text| Printable(text).to_string();
        let harmless = r#"rt/chatter "a" 'b' \n ä 東京 a=1"#;
        assert_eq!(shown(harmless), harmless);
        assert_eq!(shown("\u{1b}[2J\n\t\0\u{7f}"), r"\u{1b}[2J\n\t\0\u{7f}");
        // The C1 control that begins a sequence, a bidi override and isolate, separators, a
        // zero-width joiner.
        let shown = shown("\u{9b}\u{202e}\u{2066}\u{2028}\u{2029}\u{200d}");
        assert_eq!(shown, r"\u{9b}\u{202e}\u{2066}\u{2028}\u{2029}\u{200d}");
    }
}
