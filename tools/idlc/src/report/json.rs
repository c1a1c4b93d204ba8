//! Reports for programs: one object a line.

use serde_json::{Map, Value, json as object};

use crate::report::{Fix, Report};
use crate::source::{Sources, Span};

/// A report as one line of JSON.
pub fn json(sources: &Sources, report: &Report) -> String {
    let mut line = Map::new();
    line.insert("code".into(), report.code.text().into());
    line.insert("severity".into(), report.severity.word().into());
    line.insert("message".into(), report.message.clone().into());
    place(sources, report.span, &mut line);
    let labels = report.labels.iter().map(|(span, text)| {
        let mut label = Map::new();
        label.insert("message".into(), text.clone().into());
        place(sources, *span, &mut label);
        Value::Object(label)
    });
    let own = (!report.label.is_empty()).then(|| {
        let mut label = Map::new();
        label.insert("message".into(), report.label.clone().into());
        place(sources, report.span, &mut label);
        Value::Object(label)
    });
    line.insert("labels".into(), own.into_iter().chain(labels).collect());
    line.insert("notes".into(), report.notes.clone().into());
    let fix = report.fix.as_ref().map(|fix| fixed(sources, fix));
    line.insert("fix".into(), fix.unwrap_or(Value::Null));
    Value::Object(line).to_string()
}

fn place(sources: &Sources, span: Span, object: &mut Map<String, Value>) {
    let span = sources.written(span);
    let (start, end) = (sources.location(span.start), sources.location(span.end));
    object.insert("file".into(), start.file.to_string().into());
    object.insert("line".into(), start.line.into());
    object.insert("column".into(), start.column_utf16.into());
    object.insert("end_line".into(), end.line.into());
    object.insert("end_column".into(), end.column_utf16.into());
    object.insert("column_bytes".into(), start.column.into());
    object.insert("end_column_bytes".into(), end.column.into());
}

fn fixed(sources: &Sources, fix: &Fix) -> Value {
    let mut range = Map::new();
    place(sources, fix.span, &mut range);
    object!({"range": range, "text": fix.text})
}
