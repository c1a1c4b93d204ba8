//! Why a reader cannot take the samples of a writer.

use alloc::format;
use alloc::string::String;
use core::fmt;

/// The first difference that keeps two types apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it is in the type of the reader: `Shape.color`. Elements are `[]`, the keys of a map
    /// `{key}`, the discriminator of a union `_d`; of a very long path the middle is `..`.
    pub reader_path: String,
    /// Where it is in the type of the writer.
    pub writer_path: String,
    /// The rule that is not kept, and what to do, in a user's words.
    pub rule: &'static str,
    /// What the reader has there.
    pub reader: String,
    /// What the writer has there.
    pub writer: String,
}

impl Difference {
    /// The sentence as the side of the writer reads it: there the writer is `here`.
    pub fn for_writer(&self) -> String {
        Sentence {
            paths: [&self.writer_path, &self.reader_path],
            values: [&self.writer, &self.reader],
            other_side: "reader",
            rule: self.rule,
        }
        .text()
    }
}

/// The sentence as the side of the reader reads it.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sentence = Sentence {
            paths: [&self.reader_path, &self.writer_path],
            values: [&self.reader, &self.writer],
            other_side: "writer",
            rule: self.rule,
        };
        f.write_str(&sentence.text())
    }
}

impl core::error::Error for Difference {}

/// Of two, the first is of the side that reads it.
struct Sentence<'d> {
    paths: [&'d str; 2],
    values: [&'d str; 2],
    other_side: &'d str,
    rule: &'d str,
}

impl Sentence<'_> {
    fn text(&self) -> String {
        let Self {
            paths: [path, other],
            values: [here, there],
            other_side: side,
            rule,
        } = self;
        let named = match path == other {
            true => String::new(),
            false => format!(" ({other} in the {side})"),
        };
        format!("{path}{named}: {here} here, {there} in the {side}, and {rule}")
    }
}
