//! Options: those of RTI Routing Service, and a few of our own. Each may have one `-` or two.
use crate::config::convert::Language;
use crate::config::{self, Input};
use crate::plan::Waiting;
use dunlin_document::{Variables, did_you_mean};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// What the options are.
pub(super) const HELP: &str = "  -cfgFile \"A.xml;B.xml\"   files; str://\"<dds>..</dds>\" counts as one
  -cfgName NAME             the service to run; not needed if there is one only
  -appName NAME             another name for this execution
  -domainIdBase N           is added to the domains of data
  -DNAME=VALUE              the value of $(NAME)
  -skipDefaultFiles         leaves out USER_ROUTING_SERVICE.xml and the installed file
  -ignoreXsdValidation      unknown elements and attributes are warnings
  -noAutoEnable             waits for an administrator
  -stopAfter SECONDS        stops by itself
  -listConfig               names the services that there are
  -identifyExecution        adds host and process to the name
  -verbosity LEVEL          silent, exception, warning, info (default) or all; 0 to 6
  -logFile FILE             the log goes there
  -logFormat text|json      lines for people, or a JSON object each
  -remoteAdministrationDomainId N, -remoteMonitoringDomainId N
                            switch these on in a domain
  --dry-run                 checks, and joins no domain
  --strict                  warnings are errors
  --allow-loop              routes may lead in a circle
  --waiting STRATEGY        block, spin, spin-then-block[:MICROSECONDS] or shared
  --cpu LIST                processors to run on, such as 2-3
  --http [ADDRESS:]PORT     state, metrics and a live page over HTTP; of this host unless ADDRESS says
  --http-token-file FILE    the token that requests need which change something
  --watch                   takes over its files when they change, as SIGHUP makes it do at any time
  --json                    explain: as JSON
  --no-look                 explain: does not look at the domains
  --to xml|toml             convert: the language
  -help, -version
-licenseFile, -heapSnapshotDir, -heapSnapshotPeriod, -maxObjectsPerThread and -pluginSearchPath are
accepted and do nothing.
Exit status: 0 stopped as asked; 1 something had failed, or check --strict found something;
2 wrong options or configuration; 3 no participant could start.
";

/// Options that do nothing here; their values are passed over.
const WITHOUT_EFFECT: [&str; 5] = [
    "licenseFile",
    "heapSnapshotDir",
    "heapSnapshotPeriod",
    "maxObjectsPerThread",
    "pluginSearchPath",
];

/// Options, those without effect left out.
const ALL: [&str; 31] = [
    "cfgFile",
    "cfgName",
    "appName",
    "domainIdBase",
    "skipDefaultFiles",
    "ignoreXsdValidation",
    "noAutoEnable",
    "stopAfter",
    "convertLegacyXml",
    "listConfig",
    "identifyExecution",
    "verbosity",
    "logFile",
    "logFormat",
    "remoteAdministrationDomainId",
    "remoteMonitoringDomainId",
    "help",
    "h",
    "version",
    "dry-run",
    "strict",
    "allow-loop",
    "waiting",
    "cpu",
    "http",
    "http-token-file",
    "watch",
    "json",
    "no-look",
    "quiet",
    "to",
];

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verbosity {
    Silent,
    Exception,
    Warning,
    Info,
}

/// What is wrong with the options, in words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misused(pub(super) String);

/// What the command line says.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) config: config::Options,
    pub(super) files: Vec<Input>,
    pub(super) reads_default_files: bool,
    pub(super) skip_default_files: bool,
    pub(super) application: Option<String>,
    pub(super) identify: bool,
    pub(super) enable: bool,
    pub(super) stop_after: Option<Duration>,
    pub(super) list: bool,
    pub(super) help: bool,
    pub(super) version: bool,
    pub(super) verbosity: Verbosity,
    pub(super) log_file: Option<PathBuf>,
    pub(super) json_log: bool,
    pub(super) administration: Option<u32>,
    pub(super) monitoring: Option<u32>,
    pub(super) dry_run: bool,
    pub(super) strict: bool,
    pub(super) waiting: Option<Waiting>,
    pub(super) processors: Vec<usize>,
    pub(super) http: Option<SocketAddr>,
    pub(super) token_file: Option<PathBuf>,
    pub(super) watch: bool,
    pub(super) json: bool,
    pub(super) look: bool,
    pub(super) to: Option<Language>,
    /// Those that do nothing here.
    pub(super) without_effect: Vec<String>,
}

impl Options {
    pub(super) fn parse(arguments: Vec<String>) -> Result<Self, Misused> {
        let mut options = Self {
            config: config::Options {
                variables: Variables::of_environment(),
                ..Default::default()
            },
            files: Vec::new(),
            reads_default_files: false,
            skip_default_files: false,
            application: None,
            identify: false,
            enable: true,
            stop_after: None,
            list: false,
            help: false,
            version: false,
            verbosity: Verbosity::Info,
            log_file: None,
            json_log: false,
            administration: None,
            monitoring: None,
            dry_run: false,
            strict: false,
            waiting: None,
            processors: Vec::new(),
            http: None,
            token_file: None,
            watch: false,
            json: false,
            look: true,
            to: None,
            without_effect: Vec::new(),
        };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let name = argument
                .strip_prefix("--")
                .or_else(|| argument.strip_prefix('-'));
            match name {
                Some(name) => options.option(&argument, name, &mut arguments)?,
                None => options.files.push(Input::File(argument.into())),
            }
        }
        if options.verbosity >= Verbosity::Warning {
            let all = options.without_effect.iter();
            all.for_each(|name| eprintln!("-{name} does nothing here"));
        }
        Ok(options)
    }

    /// The same, without joining a domain.
    pub(super) fn dry(self) -> Self {
        Self {
            dry_run: true,
            ..self
        }
    }

    fn option(
        &mut self,
        argument: &str,
        name: &str,
        rest: &mut impl Iterator<Item = String>,
    ) -> Result<(), Misused> {
        if let Some(variable) = name.strip_prefix('D')
            && argument.starts_with("-D")
        {
            return self.variable(argument, variable);
        }
        let (name, inline) = match name.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (name, None),
        };
        if self.flag(name) {
            return match inline {
                Some(_) => Err(Misused(format!("-{name} takes no value"))),
                None => Ok(()),
            };
        }
        let known = ALL.contains(&name) || WITHOUT_EFFECT.contains(&name);
        if name == "convertLegacyXml" || !known {
            return Err(unknown(name));
        }
        let value = inline.or_else(|| rest.next());
        let Some(value) = value else {
            return Err(Misused(format!("-{name} needs a value")));
        };
        self.value(name, value)
    }

    fn variable(&mut self, argument: &str, variable: &str) -> Result<(), Misused> {
        let Some((name, value)) = variable
            .split_once('=')
            .filter(|(name, _)| !name.is_empty())
        else {
            return Err(Misused(format!("{argument}: write -DNAME=VALUE")));
        };
        self.config.variables.give(name, value);
        Ok(())
    }

    /// Takes an option without a value.
    fn flag(&mut self, name: &str) -> bool {
        let flag = match name {
            "skipDefaultFiles" => &mut self.skip_default_files,
            "ignoreXsdValidation" => &mut self.config.ignore_unknown,
            "allow-loop" => &mut self.config.allow_loop,
            "listConfig" => &mut self.list,
            "identifyExecution" => &mut self.identify,
            "help" | "h" => &mut self.help,
            "version" => &mut self.version,
            "dry-run" => &mut self.dry_run,
            "strict" => &mut self.strict,
            "watch" => &mut self.watch,
            "json" => &mut self.json,
            "noAutoEnable" => {
                self.enable = false;
                return true;
            }
            "no-look" => {
                self.look = false;
                return true;
            }
            "quiet" => {
                self.verbosity = Verbosity::Exception;
                return true;
            }
            _ => return false,
        };
        *flag = true;
        true
    }

    fn value(&mut self, name: &str, value: String) -> Result<(), Misused> {
        match name {
            "cfgFile" => self.files.extend(files(&value)),
            "cfgName" => self.config.service = Some(value),
            "appName" => self.application = Some(value),
            "domainIdBase" => self.config.domain_base = number(name, &value)?,
            "stopAfter" => {
                let seconds = number(name, &value)?;
                // As in RTI's service, 0 is for ever.
                self.stop_after = (seconds > 0).then(|| Duration::from_secs(seconds.into()));
            }
            "verbosity" => self.verbosity = verbosity(&value)?,
            "logFile" => self.log_file = Some(value.into()),
            "logFormat" => self.json_log = is_json(&value)?,
            "remoteAdministrationDomainId" => self.administration = Some(number(name, &value)?),
            "remoteMonitoringDomainId" => self.monitoring = Some(number(name, &value)?),
            "http" => self.http = Some(address(&value)?),
            "http-token-file" => self.token_file = Some(value.into()),
            "waiting" => self.waiting = Some(Waiting::parse(&value).map_err(Misused)?),
            "to" => {
                self.to = Some(match &*value {
                    "xml" => Language::Xml,
                    "toml" => Language::Toml,
                    _ => return Err(Misused(format!("--to {value}: there are xml and toml"))),
                });
            }
            "cpu" => {
                for part in value.split(',') {
                    let processors = config::values::processors(part).map_err(Misused)?;
                    self.processors.extend(processors);
                }
            }
            _ => self.without_effect.push(name.to_owned()),
        }
        Ok(())
    }
}

fn unknown(name: &str) -> Misused {
    if name == "convertLegacyXml" {
        let message = "-convertLegacyXml: XML of versions before 6.0 is not converted; what was \
                       replaced is named by dunlin route check FILE";
        return Misused(message.to_owned());
    }
    let near = did_you_mean(name, ALL);
    let help = near.unwrap_or_else(|| "-help lists all".to_owned());
    Misused(format!("there is no option -{name}: {help}"))
}

fn number(name: &str, value: &str) -> Result<u32, Misused> {
    let number = value.parse();
    number.map_err(|_| Misused(format!("-{name} {value}: a number from 0 on is needed")))
}

/// An address with a port, or a port of this host.
fn address(value: &str) -> Result<SocketAddr, Misused> {
    let here = value
        .parse()
        .map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    here.or_else(|_| value.parse()).map_err(|_| {
        Misused(format!(
            "--http {value}: a port such as 8085, or an address with one such as 127.0.0.1:8085"
        ))
    })
}

fn is_json(value: &str) -> Result<bool, Misused> {
    match &*value.to_ascii_lowercase() {
        "json" => Ok(true),
        "text" => Ok(false),
        _ => Err(Misused(format!(
            "-logFormat {value}: there are text and json"
        ))),
    }
}

/// Levels by name or number; RTI's have one for the service and, behind a colon, one for DDS.
fn verbosity(value: &str) -> Result<Verbosity, Misused> {
    let level = value.split(':').next().unwrap_or_default();
    match &*level.to_ascii_lowercase() {
        "0" | "silent" => Ok(Verbosity::Silent),
        "1" | "exception" | "error" => Ok(Verbosity::Exception),
        "2" | "warning" | "warn" => Ok(Verbosity::Warning),
        "3" | "4" | "5" | "6" | "info" | "local" | "remote" | "debug" | "all" => {
            Ok(Verbosity::Info)
        }
        _ => Err(Misused(format!(
            "-verbosity {value}: there are silent, exception, warning, info and all, or 0 to 6"
        ))),
    }
}

/// What `-cfgFile` names: files and texts with `;` between. A text may have `;` in it.
fn files(value: &str) -> Vec<Input> {
    let mut inputs = Vec::new();
    let mut rest = value;
    while !rest.is_empty() {
        if let Some(text) = rest.strip_prefix("str://\"") {
            let end = text.find('"').map_or(text.len(), |first| {
                // Attributes have quotes, too: the text ends with the last one before a `;`.
                text.find("\";")
                    .or_else(|| text.rfind('"'))
                    .unwrap_or(first)
            });
            let (text, behind) = text.split_at(end);
            inputs.push(Input::Text {
                name: "-cfgFile".to_owned(),
                text: text.to_owned(),
            });
            rest = behind.trim_start_matches('"').trim_start_matches(';');
            continue;
        }
        let (file, behind) = rest.split_once(';').unwrap_or((rest, ""));
        if !file.trim().is_empty() {
            inputs.push(Input::File(file.trim().into()));
        }
        rest = behind;
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, Misused> {
        Options::parse(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn the_command_line_of_the_published_page_is_read() {
        let line = "-cfgFile a.xml -cfgName RS_PerfTest -domainIdBase 1 -verbosity 1 -stopAfter 20";
        let options = parse(line).unwrap();
        assert_eq!(options.files, [Input::File("a.xml".into())]);
        assert_eq!(options.config.service.as_deref(), Some("RS_PerfTest"));
        assert_eq!(options.config.domain_base, 1);
        assert_eq!(options.verbosity, Verbosity::Exception);
        assert_eq!(options.stop_after, Some(Duration::from_secs(20)));
    }

    #[test]
    fn options_of_both_kinds_mix() {
        let options = parse("x.toml --dry-run -DA=1 --cfgName=n -licenseFile l --cpu 2-3").unwrap();
        assert!(options.dry_run);
        assert_eq!(options.config.variables.value("A"), Some("1"));
        assert_eq!(options.config.service.as_deref(), Some("n"));
        assert_eq!(options.processors, [2, 3]);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (line, expected) in [
            (
                "-cfgFil a",
                "there is no option -cfgFil: did you mean \"cfgFile\"?",
            ),
            ("-cfgName", "-cfgName needs a value"),
            ("-D", "-D: write -DNAME=VALUE"),
            (
                "-stopAfter soon",
                "-stopAfter soon: a number from 0 on is needed",
            ),
            ("--strict=1", "-strict takes no value"),
        ] {
            assert_eq!(parse(line).unwrap_err().0, expected);
        }
    }

    #[test]
    fn texts_and_files_are_told_apart() {
        let text = "a.xml;str://\"<dds version=\"1\"></dds>\";b.xml";
        let names: Vec<_> = files(text)
            .into_iter()
            .map(|input| match input {
                Input::File(path) => path.display().to_string(),
                Input::Text { text, .. } => text,
            })
            .collect();
        assert_eq!(names, ["a.xml", "<dds version=\"1\"></dds>", "b.xml"]);
    }
}
