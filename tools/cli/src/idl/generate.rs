//! `dunlin idl gen`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use dunlin_idlc::Parsed;
use dunlin_idlc::emit::{
    self, Choices, CsharpNames, File, JavaPackage, LANGUAGES, Language, WriteError, Writer,
};

use super::options::Reading;
use super::output::Output;

/// What is made, and where.
#[derive(Args)]
pub(super) struct Options {
    /// Languages, with commas between them.
    #[arg(short, long, required = true, value_delimiter = ',', value_name = "LANGUAGE",
          value_parser = language)]
    language: Vec<&'static Language>,
    /// Where files are made; made itself if it is not there.
    #[arg(short, long, default_value = ".", value_name = "DIRECTORY")]
    output: PathBuf,
    /// Makes types of included files, too, so that each file that is made stands alone.
    #[arg(long)]
    all: bool,
    /// Java: what packages begin with, as com.example.birds; modules of IDL are packages in it.
    #[arg(long, value_name = "PACKAGE")]
    java_package: Option<JavaPackage>,
    /// C#: how members are called. `pascal`: position_x is PositionX; `keep`: as in IDL.
    #[arg(long, value_name = "NAMES", default_value = "pascal", value_parser = csharp_names)]
    csharp_names: CsharpNames,
    /// Code checks @min, @max and @range when it writes and when it reads values: one that is
    /// outside is refused.
    #[arg(long)]
    range_checks: bool,
    /// Overwrites files that dunlin idl did not make.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    reading: Reading,
}

fn language(name: &str) -> Result<&'static Language, String> {
    emit::language(name).ok_or_else(|| {
        let names: Vec<&str> = LANGUAGES.iter().map(|one| one.name).collect();
        format!("there are {}", names.join(", "))
    })
}

fn csharp_names(name: &str) -> Result<CsharpNames, String> {
    match name {
        "pascal" => Ok(CsharpNames::Pascal),
        "keep" => Ok(CsharpNames::Keep),
        _ => Err("there are pascal, keep".into()),
    }
}

/// Makes files of each IDL file that has no mistakes.
pub(super) fn main(options: &Options) -> ExitCode {
    let reading = &options.reading;
    if reading.preprocess {
        return super::preprocess(reading);
    }
    let read = reading.options();
    let mut output = Output::new(reading, false);
    let mut writer = Writer::new(&options.output, options.force);
    for file in &reading.files {
        let parsed = dunlin_idlc::parse_file(file, &read);
        output.reports(&parsed);
        let mut targets = Vec::new();
        for file in files(options, &read, &parsed, &mut output) {
            match writer.write(&file) {
                Ok(path) => targets.push(path),
                Err(error @ WriteError::Same(_)) => output.refuse(&error.to_string()),
                Err(error) => output.complain(&error.to_string()),
            }
        }
        if !targets.is_empty() {
            reading.write_rule(&targets, &parsed.paths, &mut output);
        }
    }
    output.status()
}

fn files(
    options: &Options,
    read: &dunlin_idlc::Options,
    parsed: &Parsed,
    output: &mut Output,
) -> Vec<File> {
    let choices = Choices {
        all: options.all,
        java_package: options.java_package.clone().unwrap_or_default(),
        csharp_names: options.csharp_names,
        range_checks: options.range_checks,
    };
    let mut files = Vec::new();
    for language in &options.language {
        let emitted = emit::emit(parsed, read, language, &choices);
        output.reports_on(&parsed.sources, &emitted.reports);
        files.extend(emitted.files);
    }
    files
}
