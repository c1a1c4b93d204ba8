//! Configurations: the XML of RTI Routing Service, and the short form in TOML, become a
//! [`Plan`].
//!
//! All that is wrong in all files is reported at once, by position; there is a plan only if nothing
//! is.
use crate::plan::Plan;
use dunlin_document::{
    Document, Limits, Problem, Problems, SourceId, Sources, Variables, did_you_mean, quoted,
};
use dunlin_profiles::BUILTIN;
use std::path::{Path, PathBuf};

pub mod builtin;
mod check;
pub mod convert;
pub mod edit;
pub mod elements;
mod idl;
mod places;
mod plugins;
mod toml;
pub(crate) mod values;
mod xml;

pub use places::Places;

/// The most problems of a load that are shown.
const MOST_PROBLEMS: usize = 50;

/// What is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A file.
    File(PathBuf),
    /// A text, and the name for messages.
    Text {
        /// The name.
        name: String,
        /// The text.
        text: String,
    },
}

/// How it is read.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The name of the service; `None` for the only one.
    pub service: Option<String>,
    /// Is added to the domains of data.
    pub domain_base: u32,
    /// Values of variables.
    pub variables: Variables,
    /// Unknown elements and attributes are warnings.
    pub ignore_unknown: bool,
    /// Routes may lead in a circle.
    pub allow_loop: bool,
}

/// What was read.
#[derive(Debug)]
pub struct Configuration {
    /// The texts.
    pub sources: Sources,
    /// What is wrong.
    pub problems: Problems,
    /// The plan, if nothing is wrong.
    pub plan: Option<Plan>,
    /// Where the entities of the plan were written.
    pub places: Places,
    /// The names of all services.
    pub services: Vec<String>,
}

impl Configuration {
    /// What is wrong, as text.
    pub fn report(&self) -> String {
        self.problems.render(&self.sources)
    }
}

/// Reads inputs. Several of them are one document: services and profiles of all count.
pub fn load(inputs: &[Input], options: &Options) -> Configuration {
    let mut loader = Loader {
        options,
        variables: options.variables.clone().by_option(),
        includes: xml::Includes::default(),
        configuration: Configuration {
            sources: Sources::default(),
            problems: Problems::new(MOST_PROBLEMS),
            plan: None,
            places: Places::default(),
            services: Vec::new(),
        },
    };
    loader.configuration.plan = loader.plan(inputs);
    loader.configuration
}

/// Whether what outputs make of samples has keys, where a file says what it is.
fn find_keys(plan: &mut Plan) {
    let Plan {
        domain_routes,
        types,
        ..
    } = plan;
    let sessions = domain_routes.iter_mut().flat_map(|d| &mut d.sessions);
    for session in sessions {
        let routes = session.routes.iter_mut().map(|route| &mut route.outputs);
        let autos = session.auto_routes.iter_mut().map(|auto| &mut auto.outputs);
        for output in routes.chain(autos).flatten() {
            let known = output.type_name.as_ref().and_then(|name| types.get(name));
            output.keyed = output
                .keyed
                .or(known.map(|known| known.ty.resolved().has_key()));
        }
    }
}

struct Loader<'l> {
    options: &'l Options,
    variables: Variables,
    /// What `<types>` includes.
    includes: xml::Includes,
    configuration: Configuration,
}

/// A file that is read, by its language.
enum File {
    Xml(SourceId),
    Toml(SourceId),
}

impl Loader<'_> {
    fn plan(&mut self, inputs: &[Input]) -> Option<Plan> {
        let files: Vec<_> = inputs.iter().filter_map(|input| self.file(input)).collect();
        let mut documents = Vec::new();
        let mut short = Vec::new();
        for file in files {
            match file {
                File::Xml(source) => documents.extend(self.document(source)),
                File::Toml(source) => short.push(source),
            }
        }
        self.expand(&mut documents);
        let Configuration {
            sources, problems, ..
        } = &mut self.configuration;
        self.includes = xml::Includes::of(&documents, &mut self.variables, sources, problems);
        let files = self.includes.files.iter();
        files.for_each(|file| self.configuration.places.read(file));
        let lenient = self.options.ignore_unknown;
        for document in &documents {
            xml::validate(document, lenient, &mut self.configuration.problems);
        }
        let mut plan = self.service(&documents, &short)?;
        find_keys(&mut plan);
        let configuration = &mut self.configuration;
        let (places, problems) = (&configuration.places, &mut configuration.problems);
        check::check(&plan, places, self.options.allow_loop, problems);
        (!problems.has_errors()).then_some(plan)
    }

    fn file(&mut self, input: &Input) -> Option<File> {
        let limits = Limits::default();
        let configuration = &mut self.configuration;
        let (sources, problems) = (&mut configuration.sources, &mut configuration.problems);
        let source = match input {
            Input::File(path) => sources.read(path, &limits, problems)?,
            Input::Text { name, text } => sources.add(name, text, &limits, problems)?,
        };
        let is_xml = sources.text(source).trim_start().starts_with('<');
        Some(match is_xml {
            true => File::Xml(source),
            false => File::Toml(source),
        })
    }

    fn document(&mut self, source: SourceId) -> Option<Document> {
        let limits = Limits::default();
        let configuration = &mut self.configuration;
        let (sources, problems) = (&configuration.sources, &mut configuration.problems);
        Document::of_source(sources, source, &limits, problems)
    }

    /// Puts the values of variables in place of their names.
    fn expand(&mut self, documents: &mut [Document]) {
        for (name, value) in documents.iter().flat_map(xml::variables) {
            self.variables.default_value(name, value);
        }
        let configuration = &mut self.configuration;
        for document in documents {
            let (sources, problems) = (&configuration.sources, &mut configuration.problems);
            document.expand(sources, &mut self.variables, problems);
        }
    }

    /// The service that is asked for, or the only one.
    fn service(&mut self, documents: &[Document], short: &[SourceId]) -> Option<Plan> {
        let services: Vec<_> = documents.iter().flat_map(xml::services).collect();
        self.once(&services);
        let total = services.len() + short.len();
        let has_files = !documents.is_empty() || !short.is_empty();
        let mut names: Vec<_> = services.iter().map(|found| found.name.to_owned()).collect();
        let mut plans = Vec::new();
        for source in short {
            let plan = self.short(*source);
            let stem = plan.as_ref().map(|plan| plan.name.clone());
            names.extend(stem);
            plans.push(plan);
        }
        self.configuration.services.clone_from(&names);
        let is_right = !self.configuration.problems.has_errors();
        if names.is_empty() && has_files && is_right && self.options.service.is_none() {
            let problem = Problem::error(None, "none of the files has a service");
            let help = "add <routing_service>, or run one that is built in by -cfgName".to_owned();
            self.configuration.problems.push(problem.help(help));
        }
        if self.configuration.problems.has_errors() && total != 1 {
            return None;
        }
        let wanted = self.options.service.as_deref();
        if let (None, 2..) = (wanted, total) {
            let message = format!("there are {total} services; name the one to start");
            let help = format!("-cfgName {}", names.join(" | -cfgName "));
            let problem = Problem::error(None, message).help(help);
            self.configuration.problems.push(problem);
            return None;
        }
        let is_wanted = |name: &str| wanted.is_none_or(|wanted| wanted == name);
        if let Some(found) = services.iter().find(|found| is_wanted(found.name)) {
            let base = self.options.domain_base;
            let Configuration {
                sources,
                problems,
                places,
                ..
            } = &mut self.configuration;
            let (name, limits) = ("(built-in profiles)", Limits::default());
            let profiles = Document::parse(sources, name, BUILTIN, &limits, problems)?;
            let reader = {
                let documents = (documents, &self.includes);
                xml::Reader::new(documents, &profiles, base, places, problems)
            };
            return Some({ reader }.service(*found));
        }
        let read = plans.into_iter().flatten();
        if let Some(plan) = read.into_iter().find(|plan| is_wanted(&plan.name)) {
            return Some(plan);
        }
        self.built_in(&names)
    }

    /// A built-in service, if nothing else is asked for.
    fn built_in(&mut self, names: &[String]) -> Option<Plan> {
        let problems = &mut self.configuration.problems;
        if problems.has_errors() {
            return None;
        }
        let wanted = self.options.service.as_deref();
        let wanted = wanted.unwrap_or(builtin::DEFAULT);
        let Some(text) = builtin::text(wanted) else {
            let built_in: Vec<&str> = builtin::names().collect();
            let all = names.iter().map(String::as_str).chain(built_in);
            let list = all.clone().collect::<Vec<_>>().join(", ");
            let help = did_you_mean(wanted, all);
            let help = help.unwrap_or_else(|| format!("there are {list}"));
            let message = format!("there is no service {}", quoted(wanted));
            problems.push(Problem::error(None, message).help(help));
            return None;
        };
        for (name, value) in builtin::VARIABLES {
            self.variables.default_value(name, value);
        }
        let text = builtin::filled(text, &self.variables);
        let configuration = &mut self.configuration;
        let (sources, problems) = (&mut configuration.sources, &mut configuration.problems);
        let name = format!("(built in) {wanted}");
        let source = sources.add(name, text, &Limits::default(), problems)?;
        let (text, places) = (sources.text(source), &mut configuration.places);
        let plan = toml::read(source, text, wanted, &self.variables, places, problems)?;
        Some(self.with_base(plan))
    }

    fn short(&mut self, source: SourceId) -> Option<Plan> {
        let configuration = &mut self.configuration;
        let (sources, problems) = (&configuration.sources, &mut configuration.problems);
        let stem = Path::new(sources.name(source)).file_stem();
        let stem = stem.and_then(|stem| stem.to_str()).unwrap_or("route");
        let places = &mut configuration.places;
        let (text, variables) = (sources.text(source), &self.variables);
        let plan = toml::read(source, text, stem, variables, places, problems)?;
        Some(self.with_base(plan))
    }

    /// With `domain_base` added to the domains of data.
    fn with_base(&self, mut plan: Plan) -> Plan {
        let routes = plan.domain_routes.iter_mut();
        for connection in routes.flat_map(|route| &mut route.connections) {
            if let Some(participant) = connection.kind.participant_mut() {
                participant.domain = participant.domain.saturating_add(self.options.domain_base);
            }
        }
        plan
    }

    /// Reports services that have the same name.
    fn once(&mut self, services: &[xml::Named<'_>]) {
        for (index, service) in services.iter().enumerate() {
            let mut before = services.iter().take(index);
            if let Some(first) = before.find(|other| other.name == service.name) {
                let message = format!("there are two services {}", quoted(service.name));
                let problem = Problem::error(service.span, message);
                let problem = problem.note(first.span, "the first one");
                self.configuration.problems.push(problem);
            }
        }
    }
}

#[cfg(test)]
mod tests;
