//! QoS from XML files: `-qosFile`, `-qosLibrary`, `-noXmlQos`.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use dunlin_document::Problem;
use dunlin_profiles::{Entity, Loader, Profiles, Settings};

use super::parse::Parsed;
use crate::messaging::Topic;

const FILE: &str = "perftest_qos_profiles.xml";
const LIBRARY: &str = "PerftestQosLibrary";
const BASE: &str = "BaseProfileQos";

/// What a file says of all entities of a run.
#[derive(Clone, Debug)]
pub(crate) struct XmlQos {
    file: String,
    library: String,
    participant: Settings,
    publisher: Settings,
    subscriber: Settings,
    /// By topic: the writer's and the reader's.
    endpoints: [(Settings, Settings); 3],
}

/// What was made of it, or why nothing can be.
type Made<T> = Result<T, String>;

impl XmlQos {
    /// Sets up a participant.
    pub(crate) fn participant(&self) -> Made<dunlin::ParticipantConfig> {
        self.made(self.participant.participant())
    }

    /// Whether the file says something of the participant's value at a path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.participant.get(path).is_some()
    }

    /// QoS of the publisher, and whether the file says something of PRESENTATION.
    pub(crate) fn publisher(&self) -> Made<(dunlin::PublisherQos, bool)> {
        let qos = self.made(self.publisher.publisher())?;
        Ok((qos, presents(&self.publisher)))
    }

    /// QoS of the subscriber, and whether the file says something of PRESENTATION.
    pub(crate) fn subscriber(&self) -> Made<(dunlin::SubscriberQos, bool)> {
        let qos = self.made(self.subscriber.subscriber())?;
        Ok((qos, presents(&self.subscriber)))
    }

    /// QoS of a writer, and whether the file says something of HISTORY.
    pub(crate) fn writer(&self, topic: Topic) -> Made<(dunlin::DataWriterQos, bool)> {
        let (settings, _) = &self.endpoints[topic as usize];
        Ok((self.made(settings.writer())?, remembers(settings)))
    }

    /// QoS of a reader, and whether the file says something of HISTORY.
    pub(crate) fn reader(&self, topic: Topic) -> Made<(dunlin::DataReaderQos, bool)> {
        let (_, settings) = &self.endpoints[topic as usize];
        Ok((self.made(settings.reader())?, remembers(settings)))
    }

    fn made<T>(&self, result: Result<T, Box<Problem>>) -> Made<T> {
        result.map_err(|problem| format!("{}: {}", self.file, problem.message))
    }

    fn of(profiles: &Profiles, file: &str, library: &str) -> Made<Self> {
        let settings = |profile: &str, entity, topic: Option<Topic>| {
            let name = format!("{library}::{profile}");
            let topic = topic.map(Topic::name);
            let settings = profiles.settings(&name, entity, topic);
            settings.map_err(|problem| problem.message)
        };
        let endpoints = |topic| {
            let profile = profile(topic);
            let writer = settings(profile, Entity::Writer, Some(topic))?;
            Ok::<_, String>((writer, settings(profile, Entity::Reader, Some(topic))?))
        };
        Ok(Self {
            file: file.to_owned(),
            library: library.to_owned(),
            participant: settings(BASE, Entity::Participant, None)?,
            publisher: settings(BASE, Entity::Publisher, None)?,
            subscriber: settings(BASE, Entity::Subscriber, None)?,
            endpoints: [
                endpoints(Topic::Throughput)?,
                endpoints(Topic::Latency)?,
                endpoints(Topic::Announcement)?,
            ],
        })
    }
}

fn presents(settings: &Settings) -> bool {
    let mut all = settings.iter();
    all.any(|(path, _)| path.starts_with("presentation/"))
}

fn remembers(settings: &Settings) -> bool {
    settings.get("history/kind").is_some() || settings.get("history/depth").is_some()
}

/// The profile of the endpoints of a topic.
fn profile(topic: Topic) -> &'static str {
    match topic {
        Topic::Throughput => "ThroughputQos",
        Topic::Latency => "LatencyQos",
        Topic::Announcement => "AnnouncementQos",
    }
}

/// For the summary of a run.
impl fmt::Display for XmlQos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let topics = [Topic::Throughput, Topic::Latency, Topic::Announcement];
        let [throughput, latency, announcement] = topics.map(profile);
        let (file, library) = (&self.file, &self.library);
        write!(
            f,
            "{file}: {library}::{BASE}, {throughput}, {latency}, {announcement}"
        )
    }
}

/// The QoS of the file of a command line: the one that is named, or the one of the usual name if it
/// is there.
pub(super) fn qos(parsed: &mut Parsed) -> Option<Arc<XmlQos>> {
    if parsed.has("noXmlQos") || parsed.has("rawTransport") {
        return None;
    }
    let named = parsed.text("qosFile").map(str::to_owned);
    let file = named.clone().unwrap_or_else(|| FILE.to_owned());
    if named.is_none() && !Path::new(&file).exists() {
        if parsed.has("qosLibrary") {
            let note = format!("-qosLibrary is ignored: there is no {FILE} here, and no -qosFile");
            parsed.notes.push(note);
        }
        return None;
    }
    let library = parsed.text("qosLibrary").unwrap_or(LIBRARY).to_owned();
    let loaded = Loader::new().file(&file).load();
    let loaded = loaded.map_err(|error| error.to_string());
    match loaded.and_then(|profiles| XmlQos::of(&profiles, &file, &library)) {
        Ok(qos) => Some(Arc::new(qos)),
        Err(error) => {
            parsed.error(format!(
                "-qosFile {file}: {error}\n  (-noXmlQos uses the built-in QoS)"
            ));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{options, parse, summary};

    /// Profiles of the four names in a file; what is inside of the one for data is given.
    fn file(folder: &Path, throughput: &str) -> String {
        let profile = |name: &str, inner: &str| {
            format!(
                "<qos_profile name=\"{name}\" base_name=\"BaseProfileQos\">{inner}</qos_profile>"
            )
        };
        let text = format!(
            "<dds><qos_library name=\"PerftestQosLibrary\"><qos_profile name=\"BaseProfileQos\">\
             <participant_qos><participant_name><name>P</name></participant_name></participant_qos>\
             </qos_profile>{}{}{}</qos_library></dds>",
            profile("ThroughputQos", throughput),
            profile("LatencyQos", ""),
            profile("AnnouncementQos", ""),
        );
        let path = folder.join("qos.xml");
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    fn parsed(line: &str) -> (Parsed, crate::options::Options) {
        let arguments: Vec<_> = line.split_whitespace().map(String::from).collect();
        let mut parsed = parse(&arguments);
        let options = options(&mut parsed);
        (parsed, options)
    }

    #[test]
    fn the_profiles_of_a_file_count() {
        let folder = tempfile::tempdir().unwrap();
        let inner = "<datawriter_qos><transport_priority><value>7</value></transport_priority>\
                     <history><depth>9</depth></history></datawriter_qos>";
        let path = file(folder.path(), inner);
        let (parsed, options) = parsed(&format!("-pub -qosFile {path}"));
        assert_eq!(parsed.errors, Vec::<String>::new());
        let qos = options.xml.as_ref().unwrap();
        let (writer, remembers) = qos.writer(Topic::Throughput).unwrap();
        assert_eq!((writer.transport_priority, remembers), (7, true));
        assert!(!qos.reader(Topic::Throughput).unwrap().1);
        assert_eq!(qos.participant().unwrap().qos.entity_name, "P");
        let line = "PerftestQosLibrary::BaseProfileQos, ThroughputQos, LatencyQos, AnnouncementQos";
        assert!(summary(&options).contains(line), "{}", summary(&options));
    }

    #[test]
    fn a_file_that_is_named_has_to_be_there_and_right() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), "<datawriter_qos><histroy/></datawriter_qos>");
        let (wrong, _) = parsed(&format!("-sub -qosFile {path}"));
        assert!(
            wrong.errors[0].contains("did you mean \"history\"?"),
            "{:?}",
            wrong.errors
        );
        let (missing, _) = parsed("-sub -qosFile /nowhere.xml");
        assert!(
            missing.errors[0].contains("cannot be read"),
            "{:?}",
            missing.errors
        );
        let path = file(folder.path(), "");
        let (library, _) = parsed(&format!("-sub -qosFile {path} -qosLibrary Other"));
        let words = "there is no QoS profile \"Other::BaseProfileQos\"";
        assert!(library.errors[0].contains(words), "{:?}", library.errors);
        let (off, options) = parsed("-sub -qosFile /nowhere.xml -noXmlQos");
        assert_eq!(off.errors, Vec::<String>::new());
        assert!(options.xml.is_none() && summary(&options).contains("built-in"));
        let (ignored, options) = parsed("-sub -qosLibrary Other");
        assert!(ignored.errors.is_empty() && options.xml.is_none());
        assert!(
            ignored.notes[0].contains("-qosLibrary is ignored"),
            "{:?}",
            ignored.notes
        );
    }
}
