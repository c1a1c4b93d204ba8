//! What is wrong with an expression or with its parameters, and where.

use alloc::format;
use alloc::string::String;
use core::fmt;
use core::ops::Range;

/// Most characters of an expression that an error shows.
const SHOWN: usize = 100;

/// Why an expression is no filter of a type. Shows the expression, with a mark under what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    message: String,
    expression: String,
    /// Bytes of the expression that are at fault.
    span: Range<usize>,
}

impl FilterError {
    pub(crate) fn new(message: impl Into<String>, expression: &str, span: Range<usize>) -> Self {
        Self {
            message: message.into(),
            expression: expression.into(),
            span,
        }
    }

    /// Of an expression that nobody can check, for it is not known what the type of the samples is.
    pub fn unknown_type(expression: &str, why: &str) -> Self {
        Self::new(
            format!(
                "the expression cannot be used, since the type of the topic is not known: {why}"
            ),
            expression,
            0..0,
        )
    }

    /// What is wrong, without the expression.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Which bytes of the expression are at fault; empty at the place where something is missing.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl core::error::Error for FilterError {}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        let before = self.expression.get(..self.span.start).unwrap_or_default();
        let at = before.chars().count();
        let wrong = self.expression.get(self.span.clone()).unwrap_or_default();
        // Of a long expression only what is around the fault.
        let skipped = at.saturating_sub(SHOWN / 2);
        let shown = self.expression.chars().skip(skipped).take(SHOWN);
        f.write_str("\n  ")?;
        for c in shown {
            write!(f, "{}", if is_shown(c) { c } else { ' ' })?;
        }
        let marks = wrong.chars().count().clamp(1, SHOWN / 2);
        write!(
            f,
            "\n  {:at$}^{:~<rest$}",
            "",
            "",
            at = at - skipped,
            rest = marks - 1
        )
    }
}

/// Whether a character takes a column and does nothing else: expressions come from other
/// participants, too.
fn is_shown(c: char) -> bool {
    matches!(c, '\'' | '"' | '\\') || c.escape_debug().len() == 1
}
