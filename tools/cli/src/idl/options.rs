//! Options of all commands that read IDL, and how other compilers spell them.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use dunlin_cdr::Extensibility;
use dunlin_idlc::report::Levels;
use dunlin_idlc::{Options, Parsed};

use super::output::Output;

/// What is read, and how.
#[derive(Args)]
pub(super) struct Reading {
    /// IDL files.
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// Reports as JSON, one object a line.
    #[arg(long)]
    pub(super) json: bool,
    /// Where included files are looked for, behind the directory of the file that includes them.
    #[arg(short = 'I', value_name = "DIRECTORY")]
    include: Vec<PathBuf>,
    /// Defines a macro; 1 without a value.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// A macro that is not defined.
    #[arg(short = 'U', value_name = "NAME")]
    undefine: Vec<String>,
    /// How types grow that do not say it.
    #[arg(short = 'x', long, value_name = "KIND")]
    default_extensibility: Option<Kind>,
    /// Types that do not say it are @nested.
    #[arg(long)]
    default_nested: bool,
    /// What other compilers refuse is an error.
    #[arg(long)]
    strict: bool,
    /// -Werror: warnings are errors; -Werror=CODE: those of a code are; -Wno-CODE: they are not
    /// reported.
    #[arg(short = 'W', value_name = "WHAT")]
    warnings: Vec<String>,
    /// Prints the text after the preprocessor only.
    #[arg(short = 'E')]
    pub(super) preprocess: bool,
    /// Names and extensibility of types as ROS 2 has them on the wire: pkg::msg::dds_::T_, final.
    #[arg(long)]
    ros: bool,
    /// Roots of ROS 2 packages: included files are looked for in their `share`, too.
    #[arg(long, value_name = "DIRECTORY")]
    ros_path: Vec<PathBuf>,
    /// Comments like //@key are comments only.
    #[arg(long)]
    no_comment_annotations: bool,
    /// Writes the files that each file depends on, as a rule for make.
    #[arg(long, value_name = "FILE")]
    depfile: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    #[value(alias = "FINAL")]
    Final,
    #[value(alias = "APPENDABLE")]
    Appendable,
    #[value(alias = "MUTABLE")]
    Mutable,
}

impl Reading {
    pub(super) fn options(&self) -> Options {
        let defines = self
            .define
            .iter()
            .map(|define| match define.split_once('=') {
                Some((name, value)) => (name.to_string(), Some(value.to_string())),
                None => (define.clone(), None),
            });
        let default_extensibility = match self.default_extensibility {
            Some(Kind::Final) => Extensibility::Final,
            Some(Kind::Mutable) => Extensibility::Mutable,
            None if self.ros => Extensibility::Final,
            Some(Kind::Appendable) | None => Extensibility::Appendable,
        };
        Options {
            include_directories: self.include.clone(),
            ros_directories: self.ros_path.clone(),
            defines: defines.collect(),
            undefines: self.undefine.clone(),
            default_extensibility,
            default_nested: self.default_nested,
            ros_names: self.ros,
            comment_annotations: !self.no_comment_annotations,
            levels: self.levels(),
            ..Options::default()
        }
    }

    fn levels(&self) -> Levels {
        let mut levels = Levels {
            strict: self.strict,
            ..Levels::default()
        };
        if self.default_extensibility.is_some() {
            // Who says it need not be told.
            levels.allowed.insert("N0701".into());
        }
        for word in &self.warnings {
            if word == "error" {
                levels.warnings_are_errors = true;
            } else if let Some(code) = word.strip_prefix("error=") {
                levels.denied.insert(code.to_uppercase());
            } else if let Some(code) = word.strip_prefix("no-") {
                levels.allowed.insert(code.to_uppercase());
            }
        }
        levels
    }

    /// A rule for make: the targets depend on the file and all that it includes.
    pub(super) fn write_rule(&self, targets: &[PathBuf], paths: &[PathBuf], output: &mut Output) {
        let Some(depfile) = &self.depfile else { return };
        let words = |paths: &[PathBuf], between: &str| {
            let words: Vec<String> = paths.iter().map(|path| super::make_path(path)).collect();
            words.join(between)
        };
        output.rules.push_str(&format!(
            "{}: {}\n",
            words(targets, " "),
            words(paths, " \\\n  ")
        ));
        if let Err(error) = std::fs::write(depfile, &output.rules) {
            output.complain(&format!("{} cannot be written: {error}", depfile.display()));
        }
    }

    /// The same where nothing is made: the file itself is the target.
    pub(super) fn write_dependencies(&self, file: &Path, parsed: &Parsed, output: &mut Output) {
        let included = parsed.paths.get(1..).unwrap_or_default();
        self.write_rule(&[file.into()], included, output);
    }
}

/// Options as other compilers spell them become ours: `-de` and `-fcase-sensitive`, and where files
/// are made `-d`, `-language` and `-replace`.
pub(crate) fn translate(arguments: Vec<String>) -> Vec<String> {
    let is_idl = arguments.get(1).is_some_and(|word| word == "idl");
    if !is_idl {
        return arguments;
    }
    let makes = arguments.get(2).is_some_and(|word| word == "gen");
    let mut translated = Vec::with_capacity(arguments.len());
    let mut words = arguments.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-de" => translated.push("--default-extensibility".into()),
            "-cs" | "-fcase-sensitive" => translated.push("-Wno-W0404".into()),
            "-d" if makes => translated.push("-o".into()),
            "-language" if makes => translated.push("-l".into()),
            "-replace" if makes => translated.push("--force".into()),
            "-d" | "-t" | "-language" => {
                let value = words.next().unwrap_or_default();
                let why = match makes {
                    true => "there are no temporary files",
                    false => "no files are made",
                };
                eprintln!("note: {word} {value} has no effect: {why}");
            }
            _ => translated.push(word),
        }
    }
    translated
}
