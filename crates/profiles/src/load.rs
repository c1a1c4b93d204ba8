//! Which files are read, and from where.

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use dunlin::{
    DataReaderQos, DataWriterQos, ParticipantConfig, PublisherQos, SubscriberQos, TopicQos,
};
use dunlin_document::{Document, Limits, Problem, Problems, SourceId, Sources, Variables, quoted};

use crate::Entity;
use crate::library::ProfileSet;
use crate::names::attributes;
use crate::settings::Settings;
use crate::value::{known, unknown};

/// The built-in profiles.
pub const BUILTIN: &str = include_str!("builtin.xml");

/// The most files of one load.
const MOST_FILES: usize = 64;
/// The most problems that are shown.
const MOST_PROBLEMS: usize = 20;

/// What is wrong with the files, as text for people: all errors, each with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileError(String);

impl fmt::Display for ProfileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl std::error::Error for ProfileError {}

/// Collects files, and reads them in their order.
#[derive(Debug)]
pub struct Loader {
    sources: Sources,
    problems: Problems,
    variables: Variables,
    documents: Vec<Document>,
    files: Vec<SourceId>,
    paths: Vec<PathBuf>,
}

impl Default for Loader {
    fn default() -> Self {
        Self::new()
    }
}

impl Loader {
    /// With the built-in profiles and the variables of the environment.
    pub fn new() -> Self {
        Self::with_variables(Variables::of_environment())
    }

    /// With the built-in profiles and these variables.
    pub fn with_variables(variables: Variables) -> Self {
        let mut loader = Self {
            sources: Sources::default(),
            problems: Problems::new(MOST_PROBLEMS),
            variables,
            documents: Vec::new(),
            files: Vec::new(),
            paths: Vec::new(),
        };
        loader.take("built-in", BUILTIN);
        loader.files.clear();
        loader
    }

    /// What an application of the product whose XML this is would read: what `NDDS_QOS_PROFILES` or
    /// `DUNLIN_QOS_PROFILES` names, then `NDDS_QOS_PROFILES.xml` and `USER_QOS_PROFILES.xml` of the
    /// working directory, if they are there. Nothing if `DUNLIN_QOS_FILES` is `off`.
    pub fn default_files(self) -> Self {
        let all = default_files().into_iter();
        all.fold(self, |loader, listed| loader.take_listed(listed))
    }

    /// An entry of such a list: a file, `str://"<dds>..</dds>"`, or `[a.xml|b.xml]`, which is the
    /// first of these that there is.
    pub fn listed(self, entry: &str) -> Self {
        match Listed::of_entry(entry) {
            Some(listed) => self.take_listed(listed),
            None => self,
        }
    }

    fn take_listed(self, listed: Listed) -> Self {
        match listed {
            Listed::File(path) => self.file(path),
            Listed::Text(text) => self.text("str://", &text),
        }
    }

    /// A file, which has to be there. One that was read already is passed over.
    pub fn file(mut self, path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        let same = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.paths.contains(&same) {
            return self;
        }
        if self.paths.len() >= MOST_FILES {
            let message = format!("more than {MOST_FILES} files of QoS profiles are given");
            self.problems.push(Problem::error(None, message));
            return self;
        }
        self.paths.push(same);
        let limits = Limits::default();
        let read = Document::read(&mut self.sources, path, &limits, &mut self.problems);
        if let Some(document) = read {
            self.document(document);
        }
        self
    }

    /// A text in place of a file.
    pub fn text(mut self, name: &str, text: &str) -> Self {
        self.take(name, text);
        self
    }

    /// Gives a variable, before the environment.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.give(name, value);
        self
    }

    /// Reads all of it.
    ///
    /// # Errors
    ///
    /// A file is missing, not well-formed, or says what is not known or cannot be.
    pub fn load(self) -> Result<Profiles, ProfileError> {
        let loaded = self.inspect();
        match loaded.problems.has_errors() {
            true => Err(ProfileError(loaded.problems.render(&loaded.sources))),
            false => Ok(loaded),
        }
    }

    /// Reads all of it, and keeps what can be used beside what is wrong.
    pub fn inspect(mut self) -> Profiles {
        for document in &self.documents {
            configuration_variables(document, &mut self.variables, &mut self.problems);
        }
        for document in &mut self.documents {
            document.expand(&self.sources, &mut self.variables, &mut self.problems);
        }
        for document in &self.documents {
            root(document, &mut self.problems);
        }
        let set = ProfileSet::load(&self.documents, &mut self.problems);
        Profiles {
            set,
            sources: self.sources,
            problems: self.problems,
            files: self.files,
        }
    }

    fn take(&mut self, name: &str, text: &str) {
        let (sources, problems) = (&mut self.sources, &mut self.problems);
        if let Some(read) = Document::parse(sources, name, text, &Limits::default(), problems) {
            self.document(read);
        }
    }

    fn document(&mut self, document: Document) {
        self.files.push(document.source());
        self.documents.push(document);
    }
}

/// What a list of files names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Listed {
    /// A file.
    File(PathBuf),
    /// A text in place of one.
    Text(String),
}

impl Listed {
    /// See [`Loader::listed`]. `None` if nothing is named.
    fn of_entry(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        if entry.is_empty() {
            return None;
        }
        if let Some(text) = entry.strip_prefix("str://") {
            let text = text.strip_prefix('"').unwrap_or(text);
            let text = text.strip_suffix('"').unwrap_or(text);
            return Some(Self::Text(text.to_owned()));
        }
        let group = entry
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let Some(group) = group else {
            return Some(Self::File(file_url(entry)));
        };
        let mut paths = group.split('|').map(|path| file_url(path.trim()));
        let first_there = paths.clone().find(|path| path.is_file());
        first_there.or_else(|| paths.next()).map(Self::File)
    }
}

/// What [`Loader::default_files`] reads, in its order.
pub fn default_files() -> Vec<Listed> {
    let variable = |name: &str| std::env::var(name).ok();
    if variable("DUNLIN_QOS_FILES").is_some_and(|text| text.eq_ignore_ascii_case("off")) {
        return Vec::new();
    }
    let list = variable("DUNLIN_QOS_PROFILES").or_else(|| variable("NDDS_QOS_PROFILES"));
    let list = split(&list.unwrap_or_default());
    let named = list.iter().filter_map(|entry| Listed::of_entry(entry));
    let own = ["NDDS_QOS_PROFILES.xml", "USER_QOS_PROFILES.xml"];
    let own = own.map(|name| Path::new("./").join(name));
    let own = own.into_iter().filter(|path| path.is_file());
    named.chain(own.map(Listed::File)).collect()
}

/// Separates at `;`, but not within `str://"..</dds>"`.
fn split(list: &str) -> Vec<String> {
    let (mut parts, mut rest) = (Vec::new(), list);
    while !rest.is_empty() {
        let is_text = rest.trim_start().starts_with("str://");
        let text_end = is_text.then(|| rest.find("</dds>")).flatten();
        let from = text_end.unwrap_or(0);
        let end = rest.get(from..).and_then(|behind| behind.find(';'));
        let end = end.map_or(rest.len(), |end| from + end);
        let (part, behind) = rest.split_at(end);
        parts.push(part.to_owned());
        rest = behind.strip_prefix(';').unwrap_or(behind);
    }
    parts
}

fn file_url(text: &str) -> PathBuf {
    text.strip_prefix("file://").unwrap_or(text).into()
}

/// Takes the defaults of `<configuration_variables>` of a document.
pub fn configuration_variables(
    document: &Document,
    variables: &mut Variables,
    problems: &mut Problems,
) {
    let all = document.root().children();
    for list in all.filter(|child| child.name() == "configuration_variables") {
        let mut variables_of = Vec::new();
        for child in known(list, &["value", "element"], problems) {
            match child.name() {
                "value" => variables_of.extend(known(child, &["element"], problems)),
                // Files have them without <value>, too.
                _ => variables_of.push(child),
            }
        }
        for one in variables_of {
            let parts = known(one, &["name", "value"], problems);
            let text = |name: &str| {
                let part = parts.iter().find(|part| part.name() == name);
                part.and_then(|part| part.text()).map(|text| text.text)
            };
            match text("name") {
                Some(name) => variables.default_value(name, text("value").unwrap_or_default()),
                None => problems.push(Problem::error(one.span(), "a variable has no <name>")),
            }
        }
    }
}

/// The outermost element is `dds`, and has elements that are known.
fn root(document: &Document, problems: &mut Problems) {
    const OURS: [&str; 3] = ["qos_library", "configuration_variables", "types"];
    const OTHERS: [&str; 9] = [
        "domain_library",
        "domain_participant_library",
        "participant_library",
        "application_library",
        "type_library",
        "data_library",
        "user_environment",
        "plugin_library",
        "adapter_library",
    ];
    let root = document.root();
    if root.name() != "dds" {
        let message = format!("the outermost element is <{}>, not <dds>", root.name());
        problems.push(Problem::error(root.span(), message));
        return;
    }
    attributes(root, &["version", "noNamespaceSchemaLocation"], problems);
    for child in root.children() {
        let name = child.name();
        if OTHERS.contains(&name) || name == "types" || name.ends_with("_service") {
            let message = format!("<{name}> is passed over: QoS profiles stand in <qos_library>");
            problems.push(Problem::warning(child.span(), message));
        } else if !OURS.contains(&name) {
            problems.push(unknown(child, OURS.into_iter().chain(OTHERS)));
        }
    }
}

/// Profiles that were read, and the files that they come from.
#[derive(Debug)]
pub struct Profiles {
    set: ProfileSet,
    sources: Sources,
    problems: Problems,
    files: Vec<SourceId>,
}

impl Deref for Profiles {
    type Target = ProfileSet;

    fn deref(&self) -> &ProfileSet {
        &self.set
    }
}

/// A method for each entity that has no topic, or has one.
macro_rules! qos_of {
    ($($(#[$doc:meta])* $name:ident $entity:ident -> $type:ty $(, $topic:ident)?;)*) => {$(
        $(#[$doc])*
        ///
        /// # Errors
        ///
        /// There is no such profile, or its values contradict each other.
        pub fn $name(&self, profile: &str $(, $topic: &str)?) -> Result<$type, ProfileError> {
            let topic = None::<&str>;
            $(let topic = topic.or(Some($topic));)?
            self.qos(profile, Entity::$entity, topic, Settings::$name)
        }
    )*};
}

impl Profiles {
    /// Reads files in their order, beside the built-in profiles.
    ///
    /// # Errors
    ///
    /// As [`Loader::load`].
    pub fn from_files<P: AsRef<Path>>(
        files: impl IntoIterator<Item = P>,
    ) -> Result<Self, ProfileError> {
        let loader = files.into_iter().fold(Loader::new(), Loader::file);
        loader.load()
    }

    qos_of! {
        /// How the participant of a profile is set up.
        participant Participant -> ParticipantConfig;
        /// QoS of the publisher of a profile.
        publisher Publisher -> PublisherQos;
        /// QoS of the subscriber of a profile.
        subscriber Subscriber -> SubscriberQos;
        /// QoS of a topic of a profile.
        topic Topic -> TopicQos, topic;
        /// QoS of the writer of a profile for a topic.
        writer Writer -> DataWriterQos, topic;
        /// QoS of the reader of a profile for a topic.
        reader Reader -> DataReaderQos, topic;
    }

    fn qos<T>(
        &self,
        profile: &str,
        entity: Entity,
        topic: Option<&str>,
        make: impl Fn(&Settings) -> Result<T, Box<Problem>>,
    ) -> Result<T, ProfileError> {
        let settings = self.set.settings(profile, entity, topic);
        settings
            .and_then(|settings| make(&settings))
            .map_err(|problem| {
                let mut problems = Problems::new(1);
                problems.push(*problem);
                let text = problems.render(&self.sources);
                ProfileError(text.strip_prefix("error: ").unwrap_or(&text).to_owned())
            })
    }

    /// The files, the built-in one first.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// What was found while they were read.
    pub fn problems(&self) -> &Problems {
        &self.problems
    }

    /// The files that were given, without the built-in one.
    pub fn files(&self) -> &[SourceId] {
        &self.files
    }

    /// One line for a log: files, profiles, the default, and what has no meaning here.
    ///
    /// ```text
    /// qos: 2 files: ./USER_QOS_PROFILES.xml (3 profiles), fleet.xml (1 profile); default "Fleet::Base"
    /// ```
    pub fn summary(&self) -> String {
        let several = |n: usize, what: &str| match n {
            1 => format!("1 {what}"),
            n => format!("{n} {what}s"),
        };
        if self.files.is_empty() {
            return "qos: no files, built-in profiles only".to_owned();
        }
        let files = self.files.iter().map(|file| {
            let profiles = several(self.set.count_in(*file), "profile");
            format!(
                "{} ({profiles})",
                dunlin::Printable(self.sources.name(*file))
            )
        });
        let files: Vec<_> = files.collect();
        let mut text = format!(
            "qos: {}: {}",
            several(files.len(), "file"),
            files.join(", ")
        );
        if let Some(default) = self.set.default_profile() {
            text.push_str(&format!("; default {}", quoted(&default)));
        }
        let notes = self.set.notes().len();
        if notes > 0 {
            let notes = several(notes, "element");
            text.push_str(&format!("; {notes} without meaning here: dunlin qos lint"));
        }
        text
    }
}
