//! Libraries of profiles, and what inherits from what.

use std::collections::{BTreeMap, HashMap};

use dunlin::Partition;
use dunlin_document::{
    Document, Element, Problem, Problems, SourceId, Span, Value, did_you_mean, nearest, quoted,
};

use crate::Entity;
use crate::names::{Defined, attributes, definitions, required_name};
use crate::read::{self, Note};
use crate::settings::Settings;
use crate::value::{boolean, unknown};

/// Limits of one load.
pub mod limits {
    /// Profiles.
    pub const PROFILES: usize = 4_096;
    /// Values of all profiles together, those that they inherit included.
    pub const SETTINGS: usize = 200_000;
    /// Bases of one profile.
    pub const BASES: usize = 64;
}

/// A QoS element of a profile.
#[derive(Debug)]
struct OwnQos {
    entity: Entity,
    filter: Option<String>,
    span: Span,
    bases: Vec<usize>,
    settings: Settings,
}

#[derive(Debug)]
struct Profile {
    library: String,
    name: String,
    span: Span,
    bases: Vec<usize>,
    own: Vec<OwnQos>,
    /// What it says without a topic, with all that it inherits.
    effective: BTreeMap<Entity, Settings>,
    /// Whether it, or what it inherits from, depends on topics.
    has_filters: bool,
}

/// A profile, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileInfo {
    /// `Library::Profile`.
    pub name: String,
    /// Where its name stands.
    pub span: Span,
    /// What it inherits from, in order.
    pub bases: Vec<String>,
    /// Its own QoS elements, and the topics that they are for.
    pub own: Vec<(Entity, Option<String>)>,
}

/// All profiles of a load, with the built-in ones.
#[derive(Debug, Default)]
pub struct ProfileSet {
    profiles: Vec<Profile>,
    names: HashMap<String, usize>,
    default: Option<usize>,
    notes: Vec<Note>,
    settings: usize,
}

/// Built-in profiles that cannot be had.
const SECURE: [&str; 3] = [
    "BuiltinQosLib::Generic.Security",
    "BuiltinQosLibExp::Generic.Security",
    "BuiltinQosSnippetLib::Feature.Security.Enable",
];

impl ProfileSet {
    /// Reads the `<qos_library>` elements of documents, in their order; a name means a profile that
    /// comes before it. The documents' variables have been put in already.
    pub fn load<'d>(
        documents: impl IntoIterator<Item = &'d Document>,
        problems: &mut Problems,
    ) -> Self {
        let documents: Vec<_> = documents.into_iter().collect();
        let mut set = Self::default();
        let defined = definitions(&documents);
        for document in documents {
            let libraries = document.root().children();
            for library in libraries.filter(|child| child.name() == "qos_library") {
                set.library(library, &defined, problems);
            }
        }
        set
    }

    /// What files say of the QoS of an entity: `Library::Profile`, and the topic, if it has one.
    ///
    /// # Errors
    ///
    /// There is no such profile.
    pub fn settings(
        &self,
        name: &str,
        entity: Entity,
        topic: Option<&str>,
    ) -> Result<Settings, Box<Problem>> {
        let Some(index) = self.names.get(name) else {
            return Err(Box::new(self.missing(name)));
        };
        Ok(self.effective(*index, entity, topic))
    }

    /// The settings of a QoS element in another document, with what its `base_name` says. Those who
    /// use it check its other attributes.
    pub fn inline(
        &mut self,
        element: Element<'_>,
        entity: Entity,
        problems: &mut Problems,
    ) -> Settings {
        let mut settings = Settings::default();
        for index in self.bases(element, "", &Defined::new(), problems) {
            settings.overlay(&self.effective(index, entity, None));
        }
        let own = read::qos(element, entity, &mut self.notes, problems);
        settings.overlay(&own);
        settings
    }

    /// `Library::Profile` of the last one with `is_default_qos`.
    pub fn default_profile(&self) -> Option<String> {
        self.default.map(|index| self.full_name(index))
    }

    /// All profiles, in the order of the files.
    pub fn profiles(&self) -> Vec<ProfileInfo> {
        let names = |bases: &[usize]| bases.iter().map(|base| self.full_name(*base)).collect();
        let all = self.profiles.iter().enumerate();
        all.map(|(index, profile)| ProfileInfo {
            name: self.full_name(index),
            span: profile.span,
            bases: names(&profile.bases),
            own: profile
                .own
                .iter()
                .map(|own| (own.entity, own.filter.clone()))
                .collect(),
        })
        .collect()
    }

    /// How many profiles a file has.
    pub fn count_in(&self, source: SourceId) -> usize {
        let all = self.profiles.iter();
        all.filter(|profile| profile.span.source == source).count()
    }

    /// The elements that have no effect here.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// Whether there is a profile of this name, `Library::Profile`.
    pub fn has(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// That there is no profile of a name, and which one may be meant.
    pub fn missing(&self, name: &str) -> Problem {
        let near = nearest(name, self.names.keys().map(String::as_str));
        let mut message = format!("there is no QoS profile {}", quoted(name));
        if let Some(near) = near {
            message.push_str(&format!(": did you mean {}?", quoted(near)));
        } else if !name.contains("::") {
            message.push_str(": names are Library::Profile");
        }
        Problem::error(None, message)
    }

    fn full_name(&self, index: usize) -> String {
        let profile = self.profiles.get(index);
        profile.map_or_else(String::new, |one| format!("{}::{}", one.library, one.name))
    }

    fn effective(&self, index: usize, entity: Entity, topic: Option<&str>) -> Settings {
        let Some(profile) = self.profiles.get(index) else {
            return Settings::default();
        };
        let topic = topic.filter(|_| profile.has_filters);
        let Some(topic) = topic else {
            return profile.effective.get(&entity).cloned().unwrap_or_default();
        };
        // Bases come before what inherits from them, so one walk upwards finds all that are needed,
        // and one downwards computes each of them once.
        let mut needed = vec![false; index + 1];
        if let Some(last) = needed.last_mut() {
            *last = true;
        }
        for at in (0..=index).rev() {
            if needed.get(at) != Some(&true) {
                continue;
            }
            for base in self.bases_of(at, entity, topic) {
                if let Some(base) = needed.get_mut(base) {
                    *base = true;
                }
            }
        }
        let mut computed: BTreeMap<usize, Settings> = BTreeMap::new();
        for at in 0..=index {
            if needed.get(at) != Some(&true) {
                continue;
            }
            let mut settings = Settings::default();
            for base in self.bases_of(at, entity, topic) {
                if let Some(base) = computed.get(&base) {
                    settings.overlay(base);
                }
            }
            if let Some(own) = self.own(at, entity, Some(topic)) {
                settings.overlay(&own.settings);
            }
            computed.insert(at, settings);
        }
        computed.remove(&index).unwrap_or_default()
    }

    fn bases_of(&self, index: usize, entity: Entity, topic: &str) -> Vec<usize> {
        let profile = self.profiles.get(index).map(|profile| &profile.bases);
        let own = self.own(index, entity, Some(topic)).map(|own| &own.bases);
        let all = profile.into_iter().chain(own).flatten();
        all.copied().collect()
    }

    /// The QoS element of a profile that counts for a topic: the first whose filter fits, then the
    /// one without.
    fn own(&self, index: usize, entity: Entity, topic: Option<&str>) -> Option<&OwnQos> {
        let own = &self.profiles.get(index)?.own;
        select(own, entity, topic)
    }

    fn library(&mut self, library: Element<'_>, defined: &Defined, problems: &mut Problems) {
        attributes(library, &["name"], problems);
        let Some(name) = required_name(library, problems) else {
            return;
        };
        for child in library.children() {
            let profile = match (child.name(), Entity::of_element(child.name())) {
                ("qos_profile", _) => self.profile(child, name.text, defined, problems),
                (_, Some(entity)) => self.single(child, entity, name.text, defined, problems),
                ("documentation", _) => continue,
                _ => {
                    let names = Entity::ALL.map(Entity::element);
                    let names = names.into_iter().chain(["qos_profile"]);
                    problems.push(unknown(child, names));
                    continue;
                }
            };
            if let Some(profile) = profile {
                self.insert(profile, child, problems);
            }
        }
    }

    /// A QoS element that stands in a library for itself, as if it had a profile around it.
    fn single(
        &mut self,
        element: Element<'_>,
        entity: Entity,
        library: &str,
        defined: &Defined,
        problems: &mut Problems,
    ) -> Option<Profile> {
        let name = required_name(element, problems)?;
        Some(Profile {
            library: library.to_owned(),
            name: name.text.to_owned(),
            span: name.span,
            bases: Vec::new(),
            own: vec![self.own_qos(element, entity, library, defined, problems)],
            effective: BTreeMap::new(),
            has_filters: false,
        })
    }

    fn profile(
        &mut self,
        element: Element<'_>,
        library: &str,
        defined: &Defined,
        problems: &mut Problems,
    ) -> Option<Profile> {
        let known = [
            "name",
            "base_name",
            "is_default_qos",
            "is_default_participant_factory_profile",
        ];
        attributes(element, &known, problems);
        let name = required_name(element, problems)?;
        let bases = self.bases(element, library, defined, problems);
        let mut own: Vec<OwnQos> = Vec::new();
        for child in element.children() {
            match (child.name(), Entity::of_element(child.name())) {
                (_, Some(entity)) => {
                    let qos = self.own_qos(child, entity, library, defined, problems);
                    let mut earlier = own.iter_mut().filter(|one| one.entity == entity);
                    match earlier.find(|one| one.filter == qos.filter) {
                        Some(twin) => {
                            problems.push(second(child, twin.span));
                            twin.bases.extend(qos.bases);
                            twin.settings.overlay(&qos.settings);
                        }
                        None => own.push(qos),
                    }
                }
                ("base_name" | "documentation", _) => {}
                ("participant_factory_qos", _) => self.notes.push(Note {
                    span: child.span(),
                    path: child.name().to_owned(),
                    says: "the factory has no settings but those of the environment",
                }),
                _ => {
                    let names = Entity::ALL.map(Entity::element);
                    problems.push(unknown(child, names.into_iter().chain(["base_name"])));
                }
            }
        }
        Some(Profile {
            library: library.to_owned(),
            name: name.text.to_owned(),
            span: name.span,
            bases,
            own,
            effective: BTreeMap::new(),
            has_filters: false,
        })
    }

    fn own_qos(
        &mut self,
        element: Element<'_>,
        entity: Entity,
        library: &str,
        defined: &Defined,
        problems: &mut Problems,
    ) -> OwnQos {
        attributes(element, &["name", "base_name", "topic_filter"], problems);
        let filter = element.attribute("topic_filter");
        OwnQos {
            entity,
            filter: filter.map(|filter| filter.text.to_owned()),
            span: element.span(),
            bases: self.bases(element, library, defined, problems),
            settings: read::qos(element, entity, &mut self.notes, problems),
        }
    }

    /// What an element is based on: its attribute first, then its list.
    fn bases(
        &self,
        element: Element<'_>,
        library: &str,
        defined: &Defined,
        problems: &mut Problems,
    ) -> Vec<usize> {
        let mut names: Vec<_> = element.attribute("base_name").into_iter().collect();
        for list in element
            .children()
            .filter(|child| child.name() == "base_name")
        {
            let list = crate::value::known(list, &["element"], problems);
            names.extend(list.into_iter().filter_map(|one| one.text()));
        }
        if names.len() > limits::BASES {
            let most = limits::BASES;
            let message = format!("<{}> has more than {most} bases", element.name());
            problems.push(Problem::error(element.span(), message));
            return Vec::new();
        }
        let found = names.into_iter();
        found
            .filter_map(|name| self.find(name, library, defined, problems))
            .collect()
    }

    /// The profile that a name means.
    fn find(
        &self,
        base: Value<'_>,
        library: &str,
        defined: &Defined,
        problems: &mut Problems,
    ) -> Option<usize> {
        let name = match base.text.contains("::") || library.is_empty() {
            true => base.text.to_owned(),
            false => format!("{library}::{}", base.text),
        };
        if let Some(index) = self.names.get(&name) {
            return Some(*index);
        }
        if SECURE.contains(&&*name) {
            let message = format!(
                "{} is not supported: DDS Security is not implemented, and without it nothing \
                 would be protected",
                quoted(&name)
            );
            problems.push(Problem::error(base.span, message));
            return None;
        }
        let message = match defined.get(&name) {
            Some(_) => format!(
                "{} is not loaded before what is based on it: move its definition up",
                quoted(&name)
            ),
            None => format!("there is no QoS profile {}", quoted(&name)),
        };
        let problem = Problem::error(base.span, message);
        problems.push(match defined.get(&name) {
            Some(span) => problem.note(*span, "it is defined here"),
            None => {
                let known = self.names.keys().map(String::as_str);
                let known: Vec<_> = known.chain(defined.keys().map(String::as_str)).collect();
                problem.help(did_you_mean(&name, known))
            }
        });
        None
    }

    fn insert(&mut self, mut profile: Profile, element: Element<'_>, problems: &mut Problems) {
        let name = format!("{}::{}", profile.library, profile.name);
        if let Some(first) = self.names.get(&name).and_then(|at| self.profiles.get(*at)) {
            let message = format!("{} is defined twice", quoted(&name));
            let problem = Problem::error(profile.span, message);
            problems.push(problem.note(first.span, "the first time here"));
            return;
        }
        for entity in Entity::ALL {
            let mut settings = Settings::default();
            let own = select(&profile.own, entity, None);
            let bases = profile
                .bases
                .iter()
                .chain(own.into_iter().flat_map(|own| &own.bases));
            for base in bases.filter_map(|base| self.profiles.get(*base)) {
                if let Some(base) = base.effective.get(&entity) {
                    settings.overlay(base);
                }
            }
            if let Some(own) = own {
                settings.overlay(&own.settings);
            }
            if !settings.is_empty() {
                self.settings += settings.len();
                profile.effective.insert(entity, settings);
            }
        }
        let all_bases = profile.own.iter().flat_map(|own| &own.bases);
        let mut all_bases = all_bases.chain(&profile.bases);
        let inherits_filters = all_bases.any(|base| {
            let base = self.profiles.get(*base);
            base.is_some_and(|base| base.has_filters)
        });
        profile.has_filters =
            inherits_filters || profile.own.iter().any(|own| own.filter.is_some());
        if self.profiles.len() >= limits::PROFILES || self.settings > limits::SETTINGS {
            let (most, values) = (limits::PROFILES, limits::SETTINGS);
            let message = format!(
                "the files have more than {most} profiles, or these more than {values} values"
            );
            problems.push(Problem::error(profile.span, message));
            return;
        }
        self.check(&profile, problems);
        let index = self.profiles.len();
        if let Some(value) = element.attribute("is_default_qos") {
            match boolean(value) {
                Ok(true) => self.default = Some(index),
                Ok(false) => {}
                Err(problem) => problems.push(*problem),
            }
        }
        self.names.insert(name, index);
        self.profiles.push(profile);
    }

    /// Do the values of a profile go together?
    fn check(&self, profile: &Profile, problems: &mut Problems) {
        for own in &profile.own {
            let base = own
                .filter
                .as_ref()
                .and_then(|_| profile.effective.get(&own.entity));
            let mut settings = base.cloned().unwrap_or_default();
            match &own.filter {
                Some(_) => settings.overlay(&own.settings),
                None => {
                    if let Some(effective) = profile.effective.get(&own.entity) {
                        settings.clone_from(effective);
                    }
                }
            }
            if let Err(problem) = build(&settings, own.entity) {
                let mut problem = *problem;
                // What it inherits may stand elsewhere.
                let is_own = problem
                    .span
                    .is_some_and(|span| span.source == own.span.source);
                if !is_own {
                    problem.span = Some(own.span);
                }
                problems.push(problem);
            }
        }
    }
}

/// Twice the same element is twice what it says, the later over the earlier.
fn second(element: Element<'_>, first: Span) -> Problem {
    let message = format!(
        "a second <{}> for the same topics: what it says is laid over the first",
        element.name()
    );
    Problem::warning(element.span(), message).note(first, "the first is here")
}

/// Makes the QoS of an entity, to see whether it can be made.
pub(crate) fn build(settings: &Settings, entity: Entity) -> Result<(), Box<Problem>> {
    match entity {
        // Somebody else may use this profile.
        Entity::Participant if settings.needs_discovery_service() => Ok(()),
        Entity::Participant => settings.participant().map(drop),
        Entity::Publisher => settings.publisher().map(drop),
        Entity::Subscriber => settings.subscriber().map(drop),
        Entity::Topic => settings.topic().map(drop),
        Entity::Writer => settings.writer().map(drop),
        Entity::Reader => settings.reader().map(drop),
    }
}

fn select<'o>(own: &'o [OwnQos], entity: Entity, topic: Option<&str>) -> Option<&'o OwnQos> {
    let of_entity = || own.iter().filter(|own| own.entity == entity);
    let fitting = topic.and_then(|topic| {
        of_entity().find(|own| {
            own.filter
                .as_ref()
                .is_some_and(|filter| fits(filter, topic))
        })
    });
    fitting.or_else(|| of_entity().find(|own| own.filter.is_none()))
}

/// Patterns of fnmatch, with commas between.
fn fits(filter: &str, topic: &str) -> bool {
    let patterns = filter.split(',').map(|pattern| pattern.trim().to_owned());
    let topic = Partition(vec![topic.to_owned()]);
    Partition(patterns.collect()).matches(&topic)
}
