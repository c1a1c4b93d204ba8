//! Rust types of IDL files, for the build scripts of packages that use Dunlin.
//!
//! `build.rs`:
//!
//! ```no_run
//! dunlin_build::idl(&["idl/shape.idl"]);
//! ```
//!
//! Then `mod shape { dunlin::include_idl!("shape"); }` has the types of `idl/shape.idl`. With more to
//! say:
//!
//! ```no_run
//! dunlin_build::Idl::new()
//!     .include("/usr/share/idl")
//!     .define("WIDE", None)
//!     .file("idl/shape.idl")
//!     .file("idl/robot.idl")
//!     .compile();
//! ```
//!
//! Mistakes in the IDL are printed with their places and end the build. Cargo runs the script again
//! when one of the files changes that were read.
//!
//! Types of included files are taken from the modules beside it, as `super::base::Base`, if all of
//! these files are compiled, too; else they are made within each file that includes them.
//!
//! [`assert_matches!`] is for types that were written in Rust first.

#![forbid(unsafe_code)]

mod matches;

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};

use dunlin_cdr::Extensibility;
use dunlin_idlc::emit::{self, Choices, Writer};
use dunlin_idlc::report::{Report, Severity};
use dunlin_idlc::{Options, Parsed};

#[doc(hidden)]
pub use matches::difference;

/// Makes Rust types of IDL files, which are relative to the directory of the package. Ends the
/// process if there are mistakes in them.
pub fn idl<P: AsRef<Path>>(files: &[P]) {
    let files = files.iter();
    files.fold(Idl::new(), |idl, file| idl.file(file)).compile();
}

/// IDL files, and how they are read.
#[derive(Clone, Debug, Default)]
pub struct Idl {
    files: Vec<PathBuf>,
    options: Options,
    output: Option<PathBuf>,
    all: bool,
    range_checks: bool,
}

/// Why no types were made: the reports on the IDL, with their places.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl Idl {
    /// No files yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        self.files.push(path.as_ref().into());
        self
    }

    /// Included files are looked for in this directory, too.
    #[must_use]
    pub fn include(mut self, directory: impl AsRef<Path>) -> Self {
        self.options
            .include_directories
            .push(directory.as_ref().into());
        self
    }

    /// Defines a macro; 1 without a value.
    #[must_use]
    pub fn define(mut self, name: &str, value: Option<&str>) -> Self {
        let value = value.map(str::to_string);
        self.options.defines.push((name.into(), value));
        self
    }

    /// How types grow that do not say it; without: appendable.
    #[must_use]
    pub fn default_extensibility(mut self, extensibility: Extensibility) -> Self {
        self.options.default_extensibility = extensibility;
        self
    }

    /// Types of included files are made within each file that includes them.
    #[must_use]
    pub fn all(mut self) -> Self {
        self.all = true;
        self
    }

    /// `@min`, `@max` and `@range` are checked when values are written and when they are read.
    #[must_use]
    pub fn range_checks(mut self) -> Self {
        self.range_checks = true;
        self
    }

    /// Where the files are made; without: in `idl` of cargo's `OUT_DIR`, where
    /// `dunlin::include_idl!` looks for them.
    #[must_use]
    pub fn output(mut self, directory: impl AsRef<Path>) -> Self {
        self.output = Some(directory.as_ref().into());
        self
    }

    /// Makes the types. Prints what is wrong and ends the process if they cannot be made.
    pub fn compile(self) {
        if let Err(error) = self.try_compile() {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }

    /// Makes the types. Gives the paths of the files.
    ///
    /// # Errors
    /// There are mistakes in the IDL, or files cannot be read or written.
    pub fn try_compile(&self) -> Result<Vec<PathBuf>, Error> {
        let mut writer = Writer::new(&self.directory()?, false);
        let rust = emit::language("rust").ok_or_else(|| Error("there is no Rust".into()))?;
        let (mut made, mut wrong) = (Vec::new(), String::new());
        for file in &self.files {
            let parsed = dunlin_idlc::parse_file(file, &self.options);
            for path in &parsed.paths {
                println!("cargo::rerun-if-changed={}", path.display());
            }
            let all = self.all || !self.has_all_included(&parsed);
            let choices = Choices {
                all,
                range_checks: self.range_checks,
                ..Choices::default()
            };
            let emitted = emit::emit(&parsed, &self.options, rust, &choices);
            warn(&parsed, parsed.reports.list());
            warn(&parsed, emitted.reports.list());
            for reports in [&parsed.reports, &emitted.reports] {
                let errors = reports.list().iter();
                let errors = errors.filter(|one| one.severity == Severity::Error);
                wrong.extend(errors.map(|one| rendered(&parsed, one)));
            }
            for file in emitted.files {
                match writer.write(&file) {
                    Ok(path) => made.push(path),
                    Err(error) => wrong.push_str(&format!("error: {error}\n\n")),
                }
            }
        }
        match wrong.is_empty() {
            true => Ok(made),
            false => Err(Error(wrong)),
        }
    }

    fn directory(&self) -> Result<PathBuf, Error> {
        if let Some(directory) = &self.output {
            return Ok(directory.clone());
        }
        let out = env::var_os("OUT_DIR").ok_or_else(|| {
            Error(
                "OUT_DIR is not set, as cargo sets it for build scripts: say where by `output`"
                    .into(),
            )
        })?;
        Ok(PathBuf::from(out).join("idl"))
    }

    /// Whether all files that types come from are compiled by themselves.
    fn has_all_included(&self, parsed: &Parsed) -> bool {
        let same = |one: &Path, other: &Path| match (one.canonicalize(), other.canonicalize()) {
            (Ok(one), Ok(other)) => one == other,
            _ => one == other,
        };
        let sources = &parsed.sources;
        let mut types = parsed.model.iter().flat_map(|model| &model.types);
        types.all(|ty| {
            let span = sources.written(ty.span);
            let file = sources.file(sources.file_at(span.start));
            let name = file.map_or("", |file| &file.name);
            !ty.is_included || self.files.iter().any(|file| same(file, Path::new(name)))
        })
    }
}

fn rendered(parsed: &Parsed, report: &Report) -> String {
    let style = dunlin_idlc::report::Style::Plain;
    let text = dunlin_idlc::report::render(&parsed.sources, report, style);
    format!("{text}\n\n")
}

/// Cargo shows warnings of one line.
fn warn(parsed: &Parsed, reports: &[Report]) {
    for report in reports
        .iter()
        .filter(|one| one.severity == Severity::Warning)
    {
        let place = parsed
            .sources
            .location(parsed.sources.written(report.span).start);
        let (file, line, column) = (place.file, place.line, place.column);
        let (code, message) = (report.code.text(), &report.message);
        println!("cargo::warning={file}:{line}:{column}: {message} [{code}]");
    }
}
