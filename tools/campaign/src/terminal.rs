//! How text gets to a terminal. Names, facts and complaints come from files, other programs and
//! agents on other hosts: none of them is to act on the terminal, or to look like a line of ours.

use dunlin::Printable;

/// A text that is on one line.
pub(crate) fn line(text: &str) -> String {
    Printable(text).to_string()
}

/// A text whose lines are ours.
pub(crate) fn lines(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|part| match part.strip_suffix('\n') {
            Some(text) => line(text) + "\n",
            None => line(part),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_stays_on_its_line() {
        assert_eq!(line("a\n\u{1b}[2Jb"), r"a\n\u{1b}[2Jb");
        assert_eq!(lines("a\u{202e}\n  ^\nb"), "a\\u{202e}\n  ^\nb");
    }
}
