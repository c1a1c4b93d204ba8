//! The front end of the IDL compiler (OMG IDL 4.2, DDS-XTypes 1.3): text becomes a [`Model`] over a
//! tree of types, mistakes become [`report::Report`]s.
//!
//! ```
//! use dunlin_idlc::{Options, parse_str};
//!
//! let idl = "module Geo { @final struct Point { @key long id; double x, y; }; };";
//! let parsed = parse_str("point.idl", idl, &Options::default());
//! let model = parsed.model.expect("it has no mistakes");
//! let point = model.find("Geo::Point").expect("it is there");
//! assert_eq!(point.members().map(|member| member.id()).collect::<Vec<_>>(), [0, 1, 2]);
//!
//! let parsed = parse_str("point.idl", "struct Point { lang x; };", &Options::default());
//! assert!(parsed.model.is_none());
//! println!("{}", parsed.rendered());
//! ```
//!
//! | stage | module | says |
//! |---|---|---|
//! | text to tokens | `lexer`, `preprocess` | lexical mistakes; includes, macros, conditions |
//! | tokens to definitions | `parser` | grammar; goes on behind each mistake |
//! | names to meanings | `resolve` | scopes, constants, annotations, all rules about types |
//! | types to a tree | `lower` | limits of the type system |
//! | a tree to code | [`emit`] | what a language does not have |
//!
//! All mistakes of a file come out of one run, each once. Nothing that a file contains makes a
//! stage panic, recurse deeper than [`limits::NESTING`], or take more memory than in proportion to
//! [`limits`].

#![forbid(unsafe_code)]
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]
#![cfg_attr(
    test,
    allow(
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::unwrap_used
    )
)]

mod ast;
mod dialect;
pub mod dump;
pub mod emit;
mod lexer;
pub mod limits;
mod literal;
mod lower;
pub mod model;
mod options;
mod parser;
pub mod plan;
mod preprocess;
mod quad;
pub mod report;
mod resolve;
mod session;
pub mod source;
mod symbol;
mod token;
mod value;

use std::path::{Path, PathBuf};

pub use model::Model;
pub use options::Options;

use report::{Reports, Style};
use session::Session;
use source::{Disk, Loader, Sources};

/// What came out of a file.
#[derive(Debug)]
pub struct Parsed {
    /// What it says, if it has no mistakes.
    pub model: Option<Model>,
    /// What is to be said about it.
    pub reports: Reports,
    /// The files that the reports are about.
    pub sources: Sources,
    /// The paths of all files that were read.
    pub paths: Vec<PathBuf>,
}

impl Parsed {
    /// All reports as text.
    pub fn rendered(&self) -> String {
        self.rendered_as(Style::Plain)
    }

    /// All reports as text in a style.
    pub fn rendered_as(&self, style: Style) -> String {
        let reports = self.reports.list().iter();
        let mut text: String = reports
            .map(|report| format!("{}\n\n", report::render(&self.sources, report, style)))
            .collect();
        if let more @ 1.. = self.reports.left_out() {
            text.push_str(&format!("{more} more are not shown\n"));
        }
        text
    }
}

/// Parses a file of the system, with all that it includes.
pub fn parse_file(path: &Path, options: &Options) -> Parsed {
    parse(path, None, options, &Disk)
}

/// Parses text. What it includes is looked for beside `name`.
pub fn parse_str(name: &str, text: &str, options: &Options) -> Parsed {
    let text = Some(text.as_bytes().to_vec());
    parse(Path::new(name), text, options, &Disk)
}

/// Parses a file that comes from anywhere.
pub fn parse(path: &Path, text: Option<Vec<u8>>, options: &Options, loader: &dyn Loader) -> Parsed {
    let mut session = Session::new(options, loader);
    let preprocessed = preprocess::preprocess(&mut session, path, text);
    let paths = preprocessed.paths.clone();
    let parse = parser::parse(&mut session, preprocessed);
    let resolved = resolve::resolve(&mut session, parse);
    let model = match session.reports.has_errors() {
        true => None,
        false => lower::lower(&mut session, &resolved),
    };
    let mut reports = session.reports;
    reports.sort();
    let model = model.filter(|_| !reports.has_errors());
    Parsed {
        model,
        reports,
        sources: session.sources,
        paths,
    }
}

/// A file after the preprocessor, as text; and what is to be said about it.
pub fn preprocess(
    path: &Path,
    text: Option<Vec<u8>>,
    options: &Options,
    loader: &dyn Loader,
) -> (String, Parsed) {
    let mut session = Session::new(options, loader);
    let preprocessed = preprocess::preprocess(&mut session, path, text);
    let printed = preprocess::print(&session, &preprocessed.tokens);
    let parsed = Parsed {
        model: None,
        reports: session.reports,
        sources: session.sources,
        paths: preprocessed.paths,
    };
    (printed, parsed)
}
