//! Why a reader cannot take the samples of a writer.

use alloc::format;
use alloc::string::String;
use core::fmt;

/// The first difference that keeps two types apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it is in the type of the reader: `Shape.color`.
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
        sentence(
            &self.writer_path,
            &self.writer,
            &self.reader,
            "reader",
            self.rule,
        )
    }
}

/// The sentence as the side of the reader reads it.
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.reader_path;
        f.write_str(&sentence(
            path,
            &self.reader,
            &self.writer,
            "writer",
            self.rule,
        ))
    }
}

impl core::error::Error for Difference {}

fn sentence(path: &str, here: &str, there: &str, side: &str, rule: &str) -> String {
    format!("{path}: {here} here, {there} in the {side}, and {rule}")
}
