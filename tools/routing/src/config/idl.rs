//! What is said of IDL that has mistakes.
use dunlin_idlc::Parsed;
use dunlin_idlc::report::Severity;

/// The first mistake in a sentence, and how many there are beside it.
pub(super) fn mistake(parsed: &Parsed) -> String {
    let all = parsed.reports.list().iter();
    let mut errors = all.filter(|report| report.severity == Severity::Error);
    let first = errors
        .next()
        .map_or("it has mistakes", |report| &report.message);
    match errors.count() + parsed.reports.left_out() {
        0 => first.to_owned(),
        more => format!("{first}, and {more} mistakes more"),
    }
}

/// Where the first mistake is: `shapes.idl:3:5`.
pub(super) fn place(parsed: &Parsed) -> Option<String> {
    let mut all = parsed.reports.list().iter();
    let first = all.find(|report| report.severity == Severity::Error)?;
    let place = parsed.sources.location(first.span.start);
    Some(format!("{}:{}:{}", place.file, place.line, place.column))
}
