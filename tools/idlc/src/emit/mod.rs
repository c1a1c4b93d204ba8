//! Models as source text of programming languages: `dunlin idl gen`.
//!
//! What is made depends on the IDL and the options alone: it has no dates, no paths, and lines end
//! with a line feed. So the same input gives the same bytes on every machine.
//!
//! ```
//! use dunlin_idlc::{Options, emit, parse_str};
//!
//! let options = Options::default();
//! let parsed = parse_str("point.idl", "@final struct Point { double x, y; };", &options);
//! let rust = emit::language("rust").expect("it is there");
//! let made = emit::emit(&parsed, &options, rust, &emit::Choices::default());
//! assert_eq!(made.files[0].name, "point.rs");
//! assert!(made.files[0].text.contains("pub struct Point"));
//! ```

mod c;
mod code;
mod csharp;
mod java;
mod language;
mod names;
mod ranges;
mod rust;
mod shape;
mod unit;
mod write;

pub use java::{JavaPackage, NoPackage};
pub use language::{LANGUAGES, Language, language};
pub use write::{WriteError, Writer};

pub(crate) use names::Scope;
pub(crate) use unit::Unit;

use md5::{Digest, Md5};

use crate::report::Reports;
use crate::{Options, Parsed};

/// What the user chooses about the files that are made.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Types of included files are made, too; else they are taken to be made elsewhere.
    pub all: bool,
    /// What Java's packages begin with, in front of the modules of IDL.
    pub java_package: JavaPackage,
    /// How members are called in C#.
    pub csharp_names: CsharpNames,
    /// The code checks `@min`, `@max` and `@range` when it writes and when it reads.
    pub range_checks: bool,
}

/// How members of IDL are called in C#.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CsharpNames {
    /// `position_x` is `PositionX`.
    #[default]
    Pascal,
    /// As they are in IDL.
    Keep,
}

/// A file to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its path, relative to the directory of all that is made, with `/`.
    pub name: String,
    /// All of it.
    pub text: String,
}

/// What was made of an IDL file.
#[derive(Debug, Default)]
pub struct Emitted {
    /// The files; none if something is wrong.
    pub files: Vec<File>,
    /// What cannot be made, in the sources of the [`Parsed`] that it was made of.
    pub reports: Reports,
}

/// Makes source files of what was parsed with `options`; nothing of what has mistakes.
pub fn emit(parsed: &Parsed, options: &Options, language: &Language, choices: &Choices) -> Emitted {
    let mut reports = Reports::new(options.levels.clone());
    let Some(model) = &parsed.model else {
        return Emitted::default();
    };
    let mut unit = Unit::new(model, parsed, language, choices);
    if choices.range_checks {
        ranges::check(&mut unit);
    }
    unit.header = header(&unit, parsed, options);
    let mut files = (language.emit)(&mut unit);
    unit.reports.into_iter().for_each(|one| reports.add(one));
    reports.sort();
    if reports.has_errors() {
        files.clear();
    }
    Emitted { files, reports }
}

/// What the first lines of a file that was made say. [`Writer`] knows such files by it.
const MARK: &str = "Made by dunlin idl ";

fn header(unit: &Unit<'_>, parsed: &Parsed, options: &Options) -> String {
    let comment = unit.language.comment;
    let version = env!("CARGO_PKG_VERSION");
    let file = &unit.file;
    let hash = hash(unit, parsed, options);
    format!(
        "{comment} {MARK}{version} from {file}. Do not edit: change the IDL.\n\
         {comment} IDL and options: {hash}\n\n"
    )
}

/// Equal for equal texts and choices.
fn hash(unit: &Unit<'_>, parsed: &Parsed, options: &Options) -> String {
    let mut hash = Md5::new();
    let read = (
        &options.defines,
        &options.undefines,
        options.default_extensibility,
        options.default_nested,
        options.ros_names,
        options.comment_annotations,
    );
    let Choices {
        all,
        java_package,
        csharp_names,
        range_checks,
    } = unit.choices;
    hash.update(format!(
        "{:?}Choices {{ all: {all:?} }}{read:?}",
        unit.language.name
    ));
    // What is about another language changes nothing.
    match unit.language.name {
        "java" => hash.update(java_package.to_string()),
        "csharp" if *csharp_names == CsharpNames::Keep => hash.update("keep"),
        _ => {}
    }
    if *range_checks {
        hash.update("range checks");
    }
    for file in parsed.sources.files() {
        hash.update((file.text.len() as u64).to_le_bytes());
        hash.update(file.text.as_bytes());
    }
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
