//! How other compilers and older standards spell annotations.

use crate::ast::{Annotation, Expression, Name, Operand, ScopedName, Step};
use crate::literal;
use crate::report::{Report, codes};
use crate::session::Session;
use crate::source::Span;

/// The annotation of IDL 4.2 that an older name stands for.
pub(crate) fn modern(name: &str) -> Option<&'static str> {
    Some(match name {
        "Key" => "key",
        "ID" | "Id" => "id",
        "Optional" => "optional",
        "Shared" | "External" => "external",
        "Nested" => "nested",
        "BitBound" | "bitbound" => "bit_bound",
        "BitSet" => "bit_set",
        "Extensibility" => "extensibility",
        "MustUnderstand" => "must_understand",
        "Value" => "value",
        "Default" => "default",
        "Unit" => "unit",
        "Position" => "position",
        "Final" => "final",
        "Appendable" => "appendable",
        "Mutable" => "mutable",
        _ => return None,
    })
}

/// The word of IDL 4.2 that an older one stands for.
pub(crate) fn modern_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "FINAL_EXTENSIBILITY" => "FINAL",
        "EXTENSIBLE_EXTENSIBILITY" | "APPENDABLE_EXTENSIBILITY" | "EXTENSIBLE" => "APPENDABLE",
        "MUTABLE_EXTENSIBILITY" => "MUTABLE",
        _ => return None,
    })
}

/// What a word in a comment means.
enum Meaning {
    Annotation(&'static str),
    /// `top-level false` is `@nested`.
    TopLevel,
    /// It says something about the code of another product.
    Ignored,
    Unknown,
}

fn meaning(word: &str) -> Meaning {
    if word.starts_with("copy") {
        return Meaning::Ignored;
    }
    match word {
        "key" | "Key" => Meaning::Annotation("key"),
        "optional" | "Optional" => Meaning::Annotation("optional"),
        "ID" | "id" => Meaning::Annotation("id"),
        "Extensibility" | "extensibility" => Meaning::Annotation("extensibility"),
        "must_understand" | "MustUnderstand" => Meaning::Annotation("must_understand"),
        "Nested" | "nested" => Meaning::Annotation("nested"),
        "top-level" => Meaning::TopLevel,
        "use_vector" | "resolve-name" | "shared" | "Shared" | "external" => Meaning::Ignored,
        _ => Meaning::Unknown,
    }
}

/// Whether a comment is an annotation, and not text that happens to begin with `@`, or a member that
/// somebody has made a comment of, as in `//@key long x;`.
pub(crate) fn is_known_comment(comment: &str) -> bool {
    let is_code = comment.contains([';', '{', '}']);
    words(comment).any(|(_, word)| {
        let meaning = word.strip_prefix('@').map(meaning);
        match meaning {
            Some(Meaning::Ignored) => true,
            Some(Meaning::Unknown) | None => false,
            Some(_) => !is_code,
        }
    })
}

/// The words of a comment, and where they begin in it.
fn words(comment: &str) -> impl Iterator<Item = (usize, &str)> {
    let start = comment.as_ptr() as usize;
    comment
        .split(|c: char| c.is_whitespace() || c == '/')
        .filter(|word| !word.is_empty())
        .map(move |word| (word.as_ptr() as usize - start, word))
}

/// The annotations that a comment behind a declaration makes.
pub(crate) fn comment(session: &mut Session<'_>, span: Span) -> Vec<Annotation> {
    if !session.options.comment_annotations {
        return Vec::new();
    }
    let text = session.sources.text(span).to_string();
    if !is_known_comment(&text) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut words = words(&text).peekable();
    while let Some((at, word)) = words.next() {
        let Some(name) = word.strip_prefix('@') else {
            continue;
        };
        let place = |at: usize, length: usize| Span {
            start: span.start + at as u32,
            end: span.start + (at + length) as u32,
            expansion: span.expansion,
        };
        let here = place(at, word.len());
        let argument = words.next_if(|(_, word)| !word.starts_with('@'));
        let argument = argument.map(|(at, word)| (word, place(at, word.len())));
        match meaning(name) {
            Meaning::Annotation(name) => found.push(annotation(session, name, here, argument)),
            Meaning::TopLevel => {
                let is_nested = argument.is_some_and(|(word, _)| word == "false");
                let value = if is_nested { "TRUE" } else { "FALSE" };
                let value = Some((value, here));
                found.push(annotation(session, "nested", here, value));
            }
            Meaning::Ignored => {
                let message = format!("//@{name} has no effect here: it is about the code of RTI");
                session.report(Report::new(codes::IGNORED_COMMENT, here, message));
            }
            Meaning::Unknown => {
                let message = format!("//@{name} is not known, and has no effect");
                session.report(Report::new(codes::IGNORED_COMMENT, here, message));
            }
        }
    }
    found
}

fn annotation(
    session: &mut Session<'_>,
    name: &str,
    span: Span,
    argument: Option<(&str, Span)>,
) -> Annotation {
    let argument = argument.map(|(word, span)| {
        let word = word.trim_end_matches(',');
        let operand = match (literal::integer(word), word) {
            (Some(value), _) => Operand::Integer(value),
            (None, "true" | "TRUE") => Operand::Boolean(true),
            (None, "false" | "FALSE") => Operand::Boolean(false),
            (None, word) => Operand::Name(ScopedName {
                is_absolute: false,
                parts: vec![Name {
                    symbol: session.symbols.intern(word),
                    span,
                }],
                span,
            }),
        };
        let steps = vec![Step::Push(operand, span)];
        (None, Expression { steps, span })
    });
    Annotation {
        name: Name {
            symbol: session.symbols.intern(name),
            span,
        },
        span,
        arguments: argument.into_iter().collect(),
        is_comment: true,
    }
}
