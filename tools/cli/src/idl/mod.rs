//! `dunlin idl`: checks IDL files, makes code of them, shows what they say, explains reports.

mod generate;
mod options;
mod output;

use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use dunlin_idlc::dump::{self, Dumped, Selection};
use dunlin_idlc::report::{page, pages};
use dunlin_idlc::source::Disk;
use dunlin_idlc::{Model, Parsed};

use options::Reading;
pub(crate) use options::translate;
use output::Output;

/// Works on IDL files (OMG IDL 4.2, DDS-XTypes 1.3).
#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Reports all mistakes of all files. Exit status 0: there are none; 1: there are; 2: wrong
    /// usage, or a file that cannot be read.
    Check {
        #[command(flatten)]
        reading: Reading,
    },
    /// Makes source files of a language: types, and what reads and writes them.
    Gen(generate::Options),
    /// Prints the types of files: their members, ids, values and annotations.
    Dump {
        /// How: `tree` for people, `json` for programs, `idl` with all said that files leave to
        /// defaults; `hash` and `typeobject` for what other products know types by;
        /// `plan` for how values are written, as JSON.
        #[arg(long, default_value = "tree", value_name = "FORMAT")]
        format: Format,
        /// This type only, with its modules: A::B.
        #[arg(long = "type", value_name = "TYPE")]
        ty: Option<String>,
        /// Types of included files, too.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        reading: Reading,
    },
    /// Explains the code of a report, as E0607; without one, lists all codes.
    Explain {
        /// The code.
        code: Option<String>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Tree,
    Json,
    Idl,
    Hash,
    Typeobject,
    Plan,
}

/// Runs the command.
pub(crate) fn main(options: &Options) -> ExitCode {
    match &options.command {
        Command::Check { reading } => check(reading),
        Command::Gen(options) => generate::main(options),
        Command::Dump {
            format,
            ty,
            all,
            reading,
        } => {
            let selection = Selection {
                all: *all,
                name: ty
                    .as_ref()
                    .map(|name| name.trim_start_matches("::").to_string()),
            };
            dump(*format, &selection, reading)
        }
        Command::Explain { code } => explain(code.as_deref()),
    }
}

fn check(reading: &Reading) -> ExitCode {
    if reading.preprocess {
        return preprocess(reading);
    }
    let options = reading.options();
    let mut output = Output::new(reading, true);
    for file in &reading.files {
        let parsed = dunlin_idlc::parse_file(file, &options);
        output.reports(&parsed);
        reading.write_dependencies(file, &parsed, &mut output);
    }
    output.summary();
    output.status()
}

fn preprocess(reading: &Reading) -> ExitCode {
    let options = reading.options();
    let mut output = Output::new(reading, false);
    for file in &reading.files {
        let (text, parsed) = dunlin_idlc::preprocess(file, None, &options, &Disk);
        output.reports(&parsed);
        reading.write_dependencies(file, &parsed, &mut output);
        output.print(&text);
    }
    output.status()
}

fn dump(format: Format, selection: &Selection, reading: &Reading) -> ExitCode {
    if reading.preprocess {
        return preprocess(reading);
    }
    let options = reading.options();
    let mut output = Output::new(reading, false);
    let mut is_found = false;
    for file in &reading.files {
        let parsed = dunlin_idlc::parse_file(file, &options);
        output.reports(&parsed);
        reading.write_dependencies(file, &parsed, &mut output);
        if let Some(model) = &parsed.model {
            is_found |= selection
                .name
                .as_deref()
                .is_none_or(|name| model.find(name).is_some());
            let dumped = dumped(format, model, selection);
            output.print(&dumped.text);
            dumped.refusals.iter().for_each(|why| output.refuse(why));
        } else {
            is_found = true;
        }
    }
    if let (false, Some(name)) = (is_found, &selection.name) {
        output.complain(&format!("there is no type {name} in these files"));
    }
    output.status()
}

fn dumped(format: Format, model: &Model, selection: &Selection) -> Dumped {
    let text = match format {
        Format::Tree => dump::tree(model, selection),
        Format::Json => dump::json(model, selection),
        Format::Idl => dump::idl(model, selection),
        Format::Plan => dump::plan(model, selection),
        Format::Hash => return dump::hash(model, selection),
        Format::Typeobject => return dump::type_object(model, selection),
    };
    Dumped {
        text,
        ..Dumped::default()
    }
}

fn explain(code: Option<&str>) -> ExitCode {
    let Some(code) = code else {
        let list = pages().iter();
        let list: String = list
            .map(|page| format!("{} {}\n", page.code.text(), page.title))
            .collect();
        output::print(&list);
        return ExitCode::SUCCESS;
    };
    match page(code) {
        Some(page) => {
            let text = format!("{}: {}\n\n{}\n", page.code.text(), page.title, page.text);
            output::print(&text);
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("there is no code {code:?}; `dunlin idl explain` lists all");
            ExitCode::from(2)
        }
    }
}

/// Whether a file could not be read at all.
fn is_unreadable(parsed: &Parsed) -> bool {
    let mut reports = parsed.reports.list().iter();
    reports.any(|report| report.code == dunlin_idlc::report::codes::UNREADABLE)
}

/// A path as make reads it.
fn make_path(path: &Path) -> String {
    let text = path.display().to_string();
    text.replace('$', "$$")
        .replace(' ', "\\ ")
        .replace('#', "\\#")
}
