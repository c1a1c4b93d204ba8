//! Types as other products know them: TypeObjects and the hashes of these (DDS-XTypes 1.3 7.3.4).

use std::fmt::Write;

use dunlin_xtypes::{DynamicType, EquivalenceKind, TypeIdentifier, TypeObjectError};

use super::Selection;
use crate::model::Model;

/// Text, and what is to be said about types that it lacks.
#[derive(Clone, Debug, Default)]
pub struct Dumped {
    /// What is printed.
    pub text: String,
    /// Why types have no part in it, a sentence each.
    pub refusals: Vec<String>,
}

/// Equivalence hashes, a line a type: the name, `minimal` and the hash, `complete` and the hash. A
/// type that refers to itself has behind them its place among those that share the hash.
pub fn hash(model: &Model, selection: &Selection) -> Dumped {
    each(model, selection, |ty| {
        let minimal = ty.type_identifier(EquivalenceKind::Minimal)?;
        let complete = ty.type_identifier(EquivalenceKind::Complete)?;
        let mut line = format!(
            "{} minimal {} complete {}",
            ty.name(),
            digits(&minimal),
            digits(&complete)
        );
        if let TypeIdentifier::Component(of) = &complete {
            let _ = write!(line, " component {}/{}", of.index, of.length);
        }
        line.push('\n');
        Ok(line)
    })
}

/// TypeObjects, two lines a type: the name, `minimal` or `complete`, and the bytes in hexadecimal
/// (XCDR2, little endian, without encapsulation header).
pub fn type_object(model: &Model, selection: &Selection) -> Dumped {
    each(model, selection, |ty| {
        let kinds = [
            ("minimal", EquivalenceKind::Minimal),
            ("complete", EquivalenceKind::Complete),
        ];
        let mut lines = String::new();
        for (word, kind) in kinds {
            let bytes = ty.type_object(kind)?.unwrap_or_default();
            let _ = writeln!(lines, "{} {word} {}", ty.name(), hexadecimal(&bytes));
        }
        Ok(lines)
    })
}

fn each(
    model: &Model,
    selection: &Selection,
    lines: impl Fn(&DynamicType) -> Result<String, TypeObjectError>,
) -> Dumped {
    let mut dumped = Dumped::default();
    let entries = model.types.iter();
    for entry in entries.filter(|entry| selection.has(model, entry)) {
        let Some(ty) = model.ty(entry) else { continue };
        match lines(&ty) {
            Ok(lines) => dumped.text.push_str(&lines),
            Err(error) => dumped
                .refusals
                .push(format!("{} has no TypeObject: {error}", ty.name())),
        }
    }
    dumped
}

/// The hash of a type that has a name: each has one.
fn digits(identifier: &TypeIdentifier) -> String {
    match identifier {
        TypeIdentifier::Hash(_, hash) => hash.to_string(),
        TypeIdentifier::Component(of) => of.hash.to_string(),
        other => hexadecimal(&other.to_bytes(dunlin_cdr::Endianness::Little)),
    }
}

/// Two digits a byte.
fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
