//! `dunlin route`, and the same program under the name `rtiroutingservice`.
use crate::config::{self, Configuration, Input};
use dunlin_profiles::Listed;
use options::{Misused, Options, Verbosity};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

mod change;
mod client;
mod explain;
mod log;
mod options;
mod run;
mod running;

/// What the program ends with.
pub(crate) mod exit {
    /// It stopped as it was asked to, or all is well.
    pub(crate) const DONE: u8 = 0;
    /// An entity had failed for good, or `check --strict` found something.
    pub(crate) const FAILED: u8 = 1;
    /// Wrong options, or a wrong configuration.
    pub(crate) const MISUSED: u8 = 2;
    /// No participant could start.
    pub(crate) const NO_PARTICIPANT: u8 = 3;
}

const HELP: &str = "\
dunlin route: joins data domains and passes samples between them

  dunlin route run FILE ..       runs a service; without a file, the built-in one for domains 0 and 1
  dunlin route check FILE ..     reads the files as `run` does, and joins no domain
  dunlin route explain FILE ..   shows what would be routed, and what matches now
  dunlin route convert FILE --to xml|toml
                                 writes the configuration in the other language
  dunlin route list FILE ..      names the services of files, and those that are built in
  dunlin route link DIR          makes a link DIR/rtiroutingservice to this program

Beside a service that runs with --http (where that is, --http says; 127.0.0.1:8085 without it):
  dunlin route top               what passes each route now
  dunlin route get [PATH]        what there is and how it is, or one entity; a path or the end of it
  dunlin route pause|resume|enable|disable PATH ..
  dunlin route reload [FILE]     has it read its files again, or take over another one; --dry-run
                                 only tells what that would do
  dunlin route add [SESSION] FILE|KEY=VALUE ..
                                 adds a route: its keys in TOML, or XML; from=near to=far topics=Square
  dunlin route set PATH KEY=VALUE ..
                                 changes a route: max_rate=20, filter='x > 5'; no value takes a key back
  dunlin route remove PATH ..    removes routes; --dry-run works here, too

FILE is XML of RTI Routing Service, or TOML. Options, with one - or two:
";

const VERBS: [&str; 16] = [
    "run", "check", "explain", "convert", "list", "link", "top", "get", "pause", "resume",
    "enable", "disable", "reload", "add", "set", "remove",
];

/// Runs `dunlin route` with the arguments behind these words.
pub fn main(arguments: Vec<String>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let verb = arguments.next().unwrap_or_default();
    let rest = arguments.collect();
    let code = match &*verb {
        "run" => with_options(rest, run::run),
        "check" => with_options(rest, |options| run::run(options.dry())),
        "explain" => with_options(rest, explain::explain),
        "convert" => with_options(rest, convert),
        "list" => with_options(rest, list),
        "link" => link(rest),
        "top" => with_options(rest, client::top),
        "get" => with_options(rest, client::get),
        "pause" => with_options(rest, |options| client::set_state(options, "paused")),
        "resume" => with_options(rest, |options| client::set_state(options, "running")),
        "enable" => with_options(rest, |options| client::set_state(options, "enabled")),
        "disable" => with_options(rest, |options| client::set_state(options, "disabled")),
        "reload" => with_options(rest, client::reload),
        "add" => with_options(rest, change::add),
        "set" => with_options(rest, change::set),
        "remove" => with_options(rest, change::remove),
        "" | "help" | "-help" | "--help" | "-h" => {
            print(&format!("{HELP}{}", options::HELP));
            exit::DONE
        }
        other => {
            let near = dunlin_document::did_you_mean(other, VERBS);
            let help = near.unwrap_or_else(|| format!("there are {}", VERBS.join(", ")));
            eprintln!("dunlin route: no command {other:?}: {help}");
            exit::MISUSED
        }
    };
    ExitCode::from(code)
}

/// Runs the program as `rtiroutingservice`: all arguments are options.
pub fn rtiroutingservice(arguments: Vec<String>) -> ExitCode {
    let parsed = Options::parse(arguments).map(|options| Options {
        reads_default_files: !options.skip_default_files,
        ..options
    });
    ExitCode::from(with_parsed(parsed, run::run))
}

fn with_options(arguments: Vec<String>, then: impl FnOnce(Options) -> u8) -> u8 {
    with_parsed(Options::parse(arguments), then)
}

fn with_parsed(parsed: Result<Options, Misused>, then: impl FnOnce(Options) -> u8) -> u8 {
    match parsed {
        Ok(options) if options.help => {
            print(&format!("{HELP}{}", options::HELP));
            exit::DONE
        }
        Ok(options) if options.version => {
            print(&format!(
                "Dunlin Routing Service {}\n",
                env!("CARGO_PKG_VERSION")
            ));
            exit::DONE
        }
        Ok(options) if options.list => list(options),
        Ok(options) => then(options),
        Err(Misused(message)) => {
            eprintln!("{message}");
            exit::MISUSED
        }
    }
}

/// Prints to the standard output. That nobody reads it is no error; where it cannot be written, the
/// command ends.
fn print(text: &str) {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            eprintln!("stdout: {error}");
            std::process::exit(exit::FAILED.into());
        }
        _ => {}
    }
}

/// Reads the configuration that options name, and prints what is wrong with it.
fn load(options: &Options) -> Configuration {
    let loaded = config::load(&inputs(options), &options.config);
    // Warnings alone are for who wants to read warnings.
    if loaded.problems.has_errors() || options.strict || options.verbosity >= Verbosity::Warning {
        eprint!("{}", loaded.report());
    }
    loaded
}

/// The files in the order in which they are read.
fn inputs(options: &Options) -> Vec<Input> {
    let mut inputs = Vec::new();
    if options.reads_default_files {
        let home = std::env::var_os("NDDSHOME").map(PathBuf::from);
        let installed = home.map(|home| home.join("resource/xml/RTI_ROUTING_SERVICE.xml"));
        let user = PathBuf::from("USER_ROUTING_SERVICE.xml");
        let all = [Some(user), installed].into_iter().flatten();
        inputs.extend(all.filter(|path| path.exists()).map(Input::File));
    }
    inputs.extend(options.files.iter().cloned());
    with_profiles(inputs, options.reads_default_files)
}

/// Before files in XML, the files with QoS profiles that applications read; `always` without such a
/// file, too. The short form reads them if it names a profile.
fn with_profiles(inputs: Vec<Input>, always: bool) -> Vec<Input> {
    if !always && !inputs.iter().any(is_xml) {
        return inputs;
    }
    let same = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let mut known: Vec<PathBuf> = inputs.iter().filter_map(file).map(same).collect();
    let listed = dunlin_profiles::default_files().into_iter();
    let profiles = listed.map(|listed| match listed {
        Listed::File(path) => Input::File(path),
        Listed::Text(text) => Input::Text {
            name: "str://".to_owned(),
            text,
        },
    });
    let mut all = Vec::new();
    for input in profiles {
        let path = file(&input).map(same);
        if path.as_ref().is_none_or(|path| !known.contains(path)) {
            known.extend(path);
            all.push(input);
        }
    }
    all.extend(inputs);
    all
}

fn file(input: &Input) -> Option<&PathBuf> {
    match input {
        Input::File(path) => Some(path),
        Input::Text { .. } => None,
    }
}

/// Is it XML, as far as that is seen from outside?
fn is_xml(input: &Input) -> bool {
    match input {
        Input::File(path) => path.extension().is_none_or(|end| end != "toml"),
        Input::Text { text, .. } => text.trim_start().starts_with('<'),
    }
}

/// Names the services that there are.
fn list(options: Options) -> u8 {
    let loaded = config::load(&inputs(&options), &options.config);
    for name in &loaded.services {
        print(&format!("{name}\n"));
    }
    for name in config::builtin::names() {
        print(&format!("{name} (built in)\n"));
    }
    match loaded.services.is_empty() && !options.files.is_empty() {
        true => {
            eprint!("{}", loaded.report());
            exit::MISUSED
        }
        false => exit::DONE,
    }
}

/// Writes a configuration in a language.
fn convert(options: Options) -> u8 {
    let Some(language) = options.to else {
        eprintln!("dunlin route convert FILE --to xml|toml: say to which language");
        return exit::MISUSED;
    };
    let Some(plan) = load(&options).plan else {
        return exit::MISUSED;
    };
    let converted = config::convert::convert(&plan, language);
    print(&converted.text);
    for lost in &converted.lost {
        eprintln!("warning: no counterpart: {lost}");
    }
    match options.strict && !converted.lost.is_empty() {
        true => exit::FAILED,
        false => exit::DONE,
    }
}

/// Makes a link to this program under the name that scripts for RTI's call.
fn link(arguments: Vec<String>) -> u8 {
    let [directory] = arguments.as_slice() else {
        eprintln!("dunlin route link DIR: name one directory");
        return exit::MISUSED;
    };
    let link = PathBuf::from(directory).join("rtiroutingservice");
    let made =
        std::env::current_exe().and_then(|program| std::os::unix::fs::symlink(program, &link));
    match made {
        Ok(()) => {
            print(&format!("{}\n", link.display()));
            exit::DONE
        }
        Err(error) => {
            eprintln!("{}: {error}", link.display());
            exit::MISUSED
        }
    }
}
