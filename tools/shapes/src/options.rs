//! The command line, as the suite's own programs have it.
use clap::{ArgGroup, Parser, ValueEnum};
use dunlin::{
    AccessScope, DataReaderQos, DataRepresentation, DataWriterQos, Durability, DurabilityService,
    Duration, History, Ownership, ParticipantConfig, Partition, Presentation, PublisherQos,
    Reliability, SubscriberQos, WriterDataLifecycle,
};

/// Publishes coloured shapes that move, or prints those that come: the program of the OMG's DDS
/// interoperability suite.
#[derive(Parser, Debug)]
#[command(
    name = "shape_main",
    disable_version_flag = true,
    allow_negative_numbers = true
)]
#[command(group(ArgGroup::new("role").required(true).args(["publish", "subscribe"])))]
pub(crate) struct Options {
    /// Publish
    #[arg(short = 'P')]
    pub(crate) publish: bool,
    /// Subscribe
    #[arg(short = 'S')]
    pub(crate) subscribe: bool,
    /// Topic
    #[arg(short = 't', value_name = "NAME")]
    pub(crate) topic: String,
    /// Domain
    #[arg(short = 'd', value_name = "ID", default_value = "0", value_parser = domain_id)]
    pub(crate) domain: u32,
    /// Messages: errors, or everything
    #[arg(short = 'v', value_name = "LEVEL", value_enum, default_value = "e")]
    pub(crate) verbosity: Verbosity,
    /// Best effort
    #[arg(short = 'b', overrides_with = "reliable")]
    best_effort: bool,
    /// Reliable (that is the default)
    #[arg(short = 'r', overrides_with = "best_effort")]
    reliable: bool,
    /// HISTORY: 0 keeps all, N the last N of an instance
    #[arg(short = 'k', value_name = "DEPTH")]
    history: Option<u32>,
    /// DEADLINE in milliseconds; 0 is none
    #[arg(short = 'f', value_name = "MS", default_value_t = 0)]
    deadline: u32,
    /// OWNERSHIP: -1 is shared, others are exclusive, of this strength
    #[arg(short = 's', value_name = "STRENGTH", default_value_t = -1, value_parser = clap::value_parser!(i32).range(-1..))]
    strength: i32,
    /// Publisher: color of the shapes [BLUE]; subscriber: only this color
    #[arg(short = 'c', value_name = "COLOR")]
    color: Option<String>,
    /// PARTITION
    #[arg(short = 'p', value_name = "NAME")]
    partition: Option<String>,
    /// DURABILITY: volatile, transient-local, transient or persistent
    #[arg(short = 'D', value_name = "KIND", default_value = "v", value_parser = durability)]
    durability: Durability,
    /// DATA_REPRESENTATION: XCDR 1 or 2
    #[arg(short = 'x', value_name = "VERSION", default_value = "1", value_parser = representation)]
    representation: DataRepresentation,
    /// Publisher: print what is written
    #[arg(short = 'w')]
    pub(crate) prints: bool,
    /// Publisher: size of the shapes; 0 grows by one with each
    #[arg(short = 'z', value_name = "SIZE", default_value_t = 20)]
    pub(crate) size: u32,
    /// Publisher, with -z 0: sizes go from 1 to N, and begin anew
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) size_modulo: u32,
    /// Subscriber: read samples and leave them
    #[arg(short = 'R')]
    pub(crate) reads: bool,
    /// Subscriber: all instances at once, not one after the other
    #[arg(long)]
    pub(crate) take_read: bool,
    /// Publisher: milliseconds between two writes
    #[arg(long, value_name = "MS", default_value_t = 33)]
    pub(crate) write_period: u32,
    /// Subscriber: milliseconds between two looks
    #[arg(long, value_name = "MS", default_value_t = 100)]
    pub(crate) read_period: u32,
    /// Subscriber: TIME_BASED_FILTER in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 0)]
    time_filter: u32,
    /// Publisher: LIFESPAN in milliseconds; 0 is for ever
    #[arg(long, value_name = "MS", default_value_t = 0)]
    lifespan: u32,
    /// End after so many turns; 0 is never
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) num_iterations: u64,
    /// Publisher: instances, COLOR, COLOR1, COLOR2...
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) num_instances: u32,
    /// Topics: NAME, NAME1, NAME2...
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    num_topics: u32,
    /// Publisher: what becomes of the instances in the end
    #[arg(long, value_name = "STATE", value_enum)]
    pub(crate) final_instance_state: Option<FinalState>,
    /// PRESENTATION: instance, topic or group
    #[arg(long, value_name = "SCOPE", default_value = "i", value_parser = access_scope)]
    access_scope: AccessScope,
    /// PRESENTATION: ordered access
    #[arg(long)]
    pub(crate) ordered: bool,
    /// PRESENTATION: coherent access
    #[arg(long)]
    pub(crate) coherent: bool,
    /// Publisher: samples of each instance in a coherent set
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) coherent_sample_count: u32,
    /// Publisher: bytes beside the shape
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    pub(crate) additional_payload_size: u32,
    /// Subscriber: filter expression
    #[arg(long, value_name = "EXPRESSION")]
    cft: Option<String>,
    /// Period of participant announcements (accepted for the suite's sake)
    #[arg(long, value_name = "MS", default_value_t = 0)]
    periodic_announcement: u32,
    /// Bytes of a fragment (accepted for the suite's sake)
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    datafrag_size: u16,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Verbosity {
    #[value(name = "e")]
    Error,
    #[value(name = "d")]
    Debug,
}

/// What a publisher does with its instances in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FinalState {
    #[value(name = "u")]
    Unregister,
    #[value(name = "d")]
    Dispose,
}

/// A domain whose ports there are.
pub(crate) fn domain_id(text: &str) -> Result<u32, String> {
    const MOST: u32 = ParticipantConfig::MAX_DOMAIN;
    let domain = text.parse().ok().filter(|domain| *domain <= MOST);
    domain.ok_or_else(|| {
        format!("no domain; 0 to {MOST} are, as the ports of others are beyond 65535")
    })
}

fn first(text: &str) -> char {
    text.chars().next().unwrap_or_default()
}

fn durability(text: &str) -> Result<Durability, String> {
    match first(text) {
        'v' => Ok(Durability::Volatile),
        'l' => Ok(Durability::TransientLocal),
        't' => Ok(Durability::Transient),
        'p' => Ok(Durability::Persistent),
        _ => Err("v, l, t or p".into()),
    }
}

fn representation(text: &str) -> Result<DataRepresentation, String> {
    match first(text) {
        '1' => Ok(DataRepresentation::Xcdr1),
        '2' => Ok(DataRepresentation::Xcdr2),
        _ => Err("1 or 2".into()),
    }
}

fn access_scope(text: &str) -> Result<AccessScope, String> {
    match first(text) {
        'i' => Ok(AccessScope::Instance),
        't' => Ok(AccessScope::Topic),
        'g' => Ok(AccessScope::Group),
        _ => Err("i, t or g".into()),
    }
}

/// Milliseconds, of which 0 stand for ever.
fn period(millis: u32) -> Duration {
    match millis {
        0 => Duration::INFINITE,
        millis => Duration::from_millis(millis),
    }
}

impl Options {
    /// What cannot be, or cannot be done yet.
    pub(crate) fn check(&self) -> Result<(), String> {
        if self.subscribe && self.color.is_some() && self.cft.is_some() {
            return Err("a subscriber has one filter: -c or --cft".into());
        }
        if self.coherent_sample_count == 1 {
            return Err("--coherent-sample-count is 2 or more".into());
        }
        Ok(())
    }

    /// What the user might not expect.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.publish && self.color.is_none() {
            notes.push(format!("no color given, {} is used", self.color()));
        }
        if self.publish && self.cft.is_some() {
            notes.push("--cft is for subscribers".into());
        }
        if self.publish && (self.reads || self.take_read) {
            notes.push("-R and --take-read are for subscribers".into());
        }
        if self.subscribe && (self.prints || self.final_instance_state.is_some()) {
            notes.push("-w and --final-instance-state are for publishers".into());
        }
        notes
    }

    /// Which samples a subscriber wants, if not all: an expression and its parameters.
    pub(crate) fn filter(&self) -> Option<(String, Vec<String>)> {
        let by_color = self
            .color
            .as_ref()
            .map(|color| ("color = %0".into(), vec![format!("'{color}'")]));
        let by_expression = self
            .cft
            .as_ref()
            .map(|expression| (expression.clone(), Vec::new()));
        by_expression.or(by_color)
    }

    pub(crate) fn color(&self) -> &str {
        self.color.as_deref().unwrap_or("BLUE")
    }

    /// NAME, NAME1, NAME2...
    pub(crate) fn topics(&self) -> Vec<String> {
        numbered(&self.topic, self.num_topics)
    }

    /// COLOR, COLOR1, COLOR2...
    pub(crate) fn colors(&self) -> Vec<String> {
        numbered(self.color(), self.num_instances)
    }

    fn reliability(&self) -> Reliability {
        match self.best_effort {
            true => Reliability::BEST_EFFORT,
            false => Reliability::RELIABLE,
        }
    }

    fn history(&self) -> History {
        match self.history {
            None => History::KeepLast(1),
            Some(0) => History::KeepAll,
            Some(depth) => History::KeepLast(depth),
        }
    }

    fn ownership(&self) -> Ownership {
        match self.strength {
            -1 => Ownership::Shared,
            _ => Ownership::Exclusive,
        }
    }

    /// How many turns a publisher's coherent set has, if it makes sets.
    pub(crate) fn turns_of_a_set(&self) -> Option<u64> {
        let makes = self.coherent_sample_count > 0 && (self.ordered || self.coherent);
        makes.then_some(self.coherent_sample_count.into())
    }

    fn presentation(&self) -> Presentation {
        if !self.ordered && !self.coherent {
            return Presentation::default();
        }
        Presentation {
            access_scope: self.access_scope,
            coherent_access: self.coherent,
            ordered_access: self.ordered,
        }
    }

    fn partition(&self) -> Partition {
        Partition(self.partition.iter().cloned().collect())
    }

    pub(crate) fn publisher_qos(&self) -> PublisherQos {
        PublisherQos {
            presentation: self.presentation(),
            partition: self.partition(),
            ..Default::default()
        }
    }

    pub(crate) fn subscriber_qos(&self) -> SubscriberQos {
        SubscriberQos {
            presentation: self.presentation(),
            partition: self.partition(),
            ..Default::default()
        }
    }

    pub(crate) fn writer_qos(&self) -> DataWriterQos {
        DataWriterQos {
            durability: self.durability,
            // There is one option for how much is kept, whoever for.
            durability_service: DurabilityService {
                history: self.history(),
                ..Default::default()
            },
            deadline: period(self.deadline),
            reliability: self.reliability(),
            history: self.history(),
            lifespan: period(self.lifespan),
            ownership: self.ownership(),
            ownership_strength: self.strength.max(0),
            representation: self.representation,
            // A writer that ends disposes its instances, by the default of the standard. The suite
            // expects that they only lose their writer.
            writer_data_lifecycle: WriterDataLifecycle {
                autodispose_unregistered_instances: false,
            },
            ..Default::default()
        }
    }

    pub(crate) fn reader_qos(&self) -> DataReaderQos {
        DataReaderQos {
            durability: self.durability,
            deadline: period(self.deadline),
            reliability: self.reliability(),
            history: self.history(),
            ownership: self.ownership(),
            time_based_filter: Duration::from_millis(self.time_filter),
            representation: vec![self.representation],
            ..Default::default()
        }
    }
}

fn numbered(name: &str, count: u32) -> Vec<String> {
    let further = (1..count).map(|number| format!("{name}{number}"));
    std::iter::once(name.to_owned()).chain(further).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        let words = std::iter::once("shape_main").chain(line.split_whitespace());
        Options::try_parse_from(words).map_err(|error| error.to_string())
    }

    #[test]
    fn the_defaults_are_those_of_the_suite() {
        let options = parse("-S -t Square").unwrap();
        let qos = options.reader_qos();
        assert_eq!(qos.reliability, Reliability::RELIABLE);
        assert_eq!(qos.history, History::KeepLast(1));
        assert_eq!(qos.representation, [DataRepresentation::Xcdr1]);
        assert!(qos.deadline.is_infinite());
        assert_eq!((options.domain, options.read_period), (0, 100));
        assert!(parse("-t Square").is_err());
        assert!(parse("-P -S -t Square").is_err());
        assert!(parse("-P").is_err());
    }

    #[test]
    fn a_line_of_the_suite_is_understood() {
        let line = "-P -t Square -s -1 -r -k 0 -D l -z 0 --num-instances 4 --lifespan 250 --access-scope g --ordered -x 2";
        let options = parse(line).unwrap();
        let qos = options.writer_qos();
        assert_eq!(qos.ownership, Ownership::Shared);
        assert_eq!(qos.history, History::KeepAll);
        assert_eq!(qos.durability, Durability::TransientLocal);
        assert_eq!(qos.lifespan, Duration::from_millis(250));
        assert_eq!(qos.representation, DataRepresentation::Xcdr2);
        assert_eq!(options.colors(), ["BLUE", "BLUE1", "BLUE2", "BLUE3"]);
        let presentation = options.publisher_qos().presentation;
        assert_eq!(presentation.access_scope, AccessScope::Group);
        assert!(presentation.ordered_access && !presentation.coherent_access);
        let last_wins = parse("-S -t Square -r -b").unwrap();
        assert_eq!(last_wins.reader_qos().reliability, Reliability::BEST_EFFORT);
        let strong = parse("-P -t Square -s 3").unwrap().writer_qos();
        assert_eq!(
            (strong.ownership, strong.ownership_strength),
            (Ownership::Exclusive, 3)
        );
        assert!(parse("-P -t Square -s -2").is_err());
        for wrong in ["233", "-1", "x"] {
            let error = parse(&format!("-P -t Square -d {wrong}")).unwrap_err();
            assert!(error.contains("0 to 232"), "{error}");
        }
    }

    #[test]
    fn a_subscriber_filters_by_color_or_by_expression() {
        let filter = |line| parse(line).unwrap().filter();
        let color = Some(("color = %0".to_owned(), vec!["'RED'".to_owned()]));
        assert_eq!(filter("-S -t Square -c RED"), color);
        let size = Some(("shapesize<=20".to_owned(), vec![]));
        assert_eq!(filter("-S -t Square --cft shapesize<=20"), size);
        assert_eq!(filter("-S -t Square"), None);
        let both = parse("-S -t Square -c RED --cft shapesize<=20").unwrap();
        assert!(both.check().is_err());
    }

    #[test]
    fn what_is_not_there_yet_is_refused_in_words() {
        let refused = |line| parse(line).unwrap().check().unwrap_err();
        let set = "-P -t Square --coherent --coherent-sample-count";
        assert!(refused(&format!("{set} 1")).contains("2 or more"));
        assert!(parse(&format!("{set} 3")).unwrap().check().is_ok());
        assert!(parse("-P -t Square -c RED").unwrap().check().is_ok());
    }
}
