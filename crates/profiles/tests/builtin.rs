//! What each built-in profile means.

use dunlin::{DataReaderQos, DataWriterQos, Durability, Duration, History, ReliabilityKind};
use dunlin_profiles::{Loader, Profiles};

fn profiles() -> Profiles {
    Loader::new()
        .load()
        .unwrap_or_else(|error| panic!("{error}"))
}

/// Reliability, history, durability and deadline of both ends, and the bytes of a batch.
fn words(writer: &DataWriterQos, reader: &DataReaderQos) -> String {
    let reliability = |kind: ReliabilityKind| match kind {
        ReliabilityKind::Reliable => "reliable",
        ReliabilityKind::BestEffort => "best effort",
    };
    let mut text = format!(
        "{}/{}, {}/{}, {}/{}",
        reliability(writer.reliability.kind),
        reliability(reader.reliability.kind),
        writer.history,
        reader.history,
        writer.durability,
        reader.durability
    );
    if writer.reliability.max_blocking_time != Duration::from_millis(100) {
        text += &format!(", blocks {}", writer.reliability.max_blocking_time);
    }
    if !writer.deadline.is_infinite() || !reader.deadline.is_infinite() {
        text += &format!(", deadline {}/{}", writer.deadline, reader.deadline);
    }
    if writer.batching.max_bytes > 0 {
        text += &format!(", batch {}", writer.batching.max_bytes);
    }
    text
}

const DEFAULTS: &str = "reliable/best effort, KEEP_LAST 1/KEEP_LAST 1, VOLATILE/VOLATILE";
const STRICT: &str = "reliable/reliable, KEEP_ALL/KEEP_ALL, VOLATILE/VOLATILE, blocks 5 s";
const KEEP_LAST: &str = "reliable/reliable, KEEP_LAST 1/KEEP_LAST 1, VOLATILE/VOLATILE, blocks 5 s";
const LOCAL: &str = "reliable/reliable, KEEP_LAST 1/KEEP_LAST 1, TRANSIENT_LOCAL/TRANSIENT_LOCAL, \
                     blocks 5 s";
const PERIODIC: &str = "best effort/best effort, KEEP_LAST 1/KEEP_LAST 1, VOLATILE/VOLATILE, \
                        deadline 4 s/10 s";

#[test]
fn each_profile_means_what_its_name_says() {
    let profiles = profiles();
    let high = format!("{STRICT}, batch 32768");
    let best_effort = "best effort/best effort, KEEP_LAST 1/KEEP_LAST 1, VOLATILE/VOLATILE";
    let stored = |durability: &str| LOCAL.replace("TRANSIENT_LOCAL", durability);
    let (transient, persistent) = (stored("TRANSIENT"), stored("PERSISTENT"));
    let named = [
        ("Generic.StrictReliable", STRICT),
        ("Generic.StrictReliable.LowLatency", STRICT),
        ("Generic.StrictReliable.HighThroughput", &high),
        ("Generic.StrictReliable.LargeData", STRICT),
        ("Generic.StrictReliable.LargeData.FastFlow", STRICT),
        ("Generic.StrictReliable.LargeData.MediumFlow", STRICT),
        ("Generic.StrictReliable.LargeData.SlowFlow", STRICT),
        ("Generic.KeepLastReliable", KEEP_LAST),
        ("Generic.KeepLastReliable.LargeData", KEEP_LAST),
        ("Generic.KeepLastReliable.LargeData.FastFlow", KEEP_LAST),
        ("Generic.KeepLastReliable.LargeData.MediumFlow", KEEP_LAST),
        ("Generic.KeepLastReliable.LargeData.SlowFlow", KEEP_LAST),
        ("Generic.KeepLastReliable.TransientLocal", LOCAL),
        ("Generic.KeepLastReliable.Transient", &transient),
        ("Generic.KeepLastReliable.Persistent", &persistent),
        ("Generic.BestEffort", best_effort),
        ("Pattern.PeriodicData", PERIODIC),
        ("Pattern.Streaming", PERIODIC),
        ("Pattern.ReliableStreaming", KEEP_LAST),
        ("Pattern.Event", STRICT),
        ("Pattern.AlarmEvent", STRICT),
        ("Pattern.Status", LOCAL),
        ("Pattern.AlarmStatus", LOCAL),
        ("Pattern.LastValueCache", LOCAL),
        ("Pattern.RPC", STRICT),
    ];
    for library in ["BuiltinQosLib", "BuiltinQosLibExp"] {
        let prefix = format!("{library}::");
        let all = profiles.profiles();
        let mut names = all
            .iter()
            .filter_map(|info| info.name.strip_prefix(&prefix));
        assert!(names.all(|name| {
            let row = named.iter().find(|(known, _)| *known == name);
            let expected = row.map_or(DEFAULTS, |(_, words)| words);
            let full = format!("{prefix}{name}");
            let writer = profiles.writer(&full, "").unwrap();
            let reader = profiles.reader(&full, "").unwrap();
            assert_eq!(words(&writer, &reader), expected, "{full}");
            true
        }));
        for (name, _) in &named {
            assert!(profiles.has(&format!("{prefix}{name}")), "{name}");
        }
    }
}

#[test]
fn snippets_are_laid_over() {
    let text = r#"<dds><qos_library name="L"><qos_profile name="P"><base_name>
        <element>BuiltinQosSnippetLib::QosPolicy.Reliability.Reliable</element>
        <element>BuiltinQosSnippetLib::QosPolicy.Durability.TransientLocal</element>
        <element>BuiltinQosSnippetLib::QosPolicy.History.KeepAll</element>
        </base_name></qos_profile></qos_library></dds>"#;
    let profiles = Loader::new().text("a.xml", text).load().unwrap();
    let qos = profiles.reader("L::P", "T").unwrap();
    assert!(qos.reliability.is_reliable());
    assert_eq!(qos.durability, Durability::TransientLocal);
    assert_eq!(qos.history, History::KeepAll);
}

#[test]
fn security_that_is_not_there_is_refused() {
    let text = r#"<dds><qos_library name="L">
        <qos_profile name="P" base_name="BuiltinQosLib::Generic.Security"/>
        </qos_library></dds>"#;
    let error = Loader::new().text("a.xml", text).load().unwrap_err();
    assert!(
        error
            .to_string()
            .contains("DDS Security is not implemented"),
        "{error}"
    );
}
