//! Names that are taken in a scope of the language that is made.

use std::collections::HashMap;

use crate::report::{Report, codes};
use crate::source::Span;

/// The names of one scope: a module, the members of a type. Names of IDL that differ may be equal
/// as names of a language, once keywords are escaped and modules are prefixes.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    taken: HashMap<String, (String, Span)>,
}

impl Scope {
    /// Takes a name for what IDL calls `original`; refused if something else has it.
    pub(crate) fn take(&mut self, name: &str, original: &str, span: Span) -> Option<Report> {
        let new = (original.to_string(), span);
        let (other, there) = self.taken.insert(name.into(), new)?;
        let message = format!("{other} and {original} are both {name} in the code that is made");
        let report = Report::new(codes::EQUAL_NAMES, span, message)
            .here(format!("{name} a second time"))
            .label(there, format!("{name} for the first time"))
            .note("give one of the two another name in the IDL");
        Some(report)
    }
}
