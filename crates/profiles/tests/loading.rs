//! Where files come from, and what a program sees of them.

use dunlin_document::{Document, Limits, Problems, Sources, Variables};
use dunlin_profiles::{Entity, Loader, ProfileSet, Profiles};

const FLEET: &str = r#"<dds><qos_library name="Fleet">
<qos_profile name="Base" is_default_qos="true">
<datareader_qos topic_filter="Raw*"><history><depth>3</depth></history></datareader_qos>
<domain_participant_qos><participant_name><name>$(NODE)</name></participant_name>
</domain_participant_qos></qos_profile></qos_library></dds>"#;

#[test]
fn files_are_read_once_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fleet.xml");
    std::fs::write(&path, FLEET).unwrap();
    let loader = || Loader::with_variables(Variables::default()).variable("NODE", "n1");
    let profiles = loader().file(&path).file(&path).load().unwrap();
    assert_eq!(profiles.files().len(), 1);
    let summary = profiles.summary();
    assert!(
        summary.ends_with("fleet.xml (1 profile); default \"Fleet::Base\""),
        "{summary}"
    );
    assert_eq!(
        profiles.participant("Fleet::Base").unwrap().qos.entity_name,
        "n1"
    );
    let depth = |topic| profiles.reader("Fleet::Base", topic).unwrap().history;
    assert_eq!(depth("RawX"), dunlin::History::KeepLast(3));
    assert_eq!(depth("X"), dunlin::History::KeepLast(1));
    let first = |list: &str| loader().listed(list).load();
    let group = format!("[/nowhere.xml|{}]", path.display());
    assert!(first(&group).unwrap().has("Fleet::Base"));
    let text = format!("str://\"{FLEET}\"");
    assert!(first(&text).unwrap().has("Fleet::Base"));
    let error = first("[/nowhere.xml|/nothing.xml]")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("/nowhere.xml") && error.contains("cannot be read"),
        "{error}"
    );
}

#[test]
fn errors_name_what_was_asked_for() {
    let profiles = Loader::new().load().unwrap();
    assert_eq!(profiles.summary(), "qos: no files, built-in profiles only");
    let error = profiles
        .writer("BuiltinQosLib::Generic.StrictRelable", "T")
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is no QoS profile \"BuiltinQosLib::Generic.StrictRelable\": did you mean \
         \"BuiltinQosLib::Generic.StrictReliable\"?"
    );
    let error = profiles.topic("Nothing", "T").unwrap_err();
    assert!(
        error.to_string().ends_with("names are Library::Profile"),
        "{error}"
    );
    assert!(Profiles::from_files(["/nowhere.xml"]).is_err());
}

#[test]
fn qos_stands_in_other_documents_as_well() {
    let mut sources = Sources::default();
    let mut problems = Problems::new(50);
    let text = r#"<dds><qos_library name="L"><qos_profile name="P"><datareader_qos>
        <reliability><kind>RELIABLE</kind></reliability></datareader_qos></qos_profile></qos_library>
        <routing_service><datareader_qos base_name="L::P"><history><depth>8</depth><dept/></history>
        </datareader_qos></routing_service></dds>"#;
    let limits = Limits::default();
    let document = Document::parse(&mut sources, "r.xml", text, &limits, &mut problems).unwrap();
    let mut set = ProfileSet::load([&document], &mut problems);
    assert!(!problems.has_errors());
    let service = document.root().child("routing_service").unwrap();
    let element = service.child("datareader_qos").unwrap();
    let settings = set.inline(element, Entity::Reader, &mut problems);
    let qos = settings.reader().unwrap();
    assert!(qos.reliability.is_reliable());
    assert_eq!(qos.history, dunlin::History::KeepLast(8));
    let shown = problems.render(&sources);
    assert!(
        shown.starts_with("r.xml:3:85: error: unknown element \"dept\" in history"),
        "{shown}"
    );
}

#[test]
fn much_inheritance_is_refused_at_once() {
    let properties: String = (0..500)
        .map(|n| format!("<element><name>p{n}</name></element>"))
        .collect();
    let mut text = format!(
        "<dds><qos_library name='L'><qos_profile name='P0'><datawriter_qos><property><value>\
         {properties}</value></property></datawriter_qos></qos_profile>"
    );
    for n in 1..3000 {
        let base = n - 1;
        text += &format!("<qos_profile name='P{n}' base_name='P{base}'/>");
    }
    text += "</qos_library></dds>";
    let error = Loader::new()
        .text("a.xml", &text)
        .load()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("more than 4096 profiles, or these more than 200000 values"),
        "{error}"
    );
    assert!(error.contains("... and "), "{error}");
}

#[test]
fn variables_may_stand_without_a_value_around_them() {
    let text = r#"<dds><configuration_variables>
<element><name>DEPTH</name><value>7</value></element></configuration_variables>
<qos_library name="L"><qos_profile name="P"><datareader_qos><history>
<depth>$(DEPTH)</depth></history></datareader_qos></qos_profile></qos_library></dds>"#;
    let loader = Loader::with_variables(Variables::default());
    let profiles = loader.text("l.xml", text).load().unwrap();
    let history = profiles.reader("L::P", "T").unwrap().history;
    assert_eq!(history, dunlin::History::KeepLast(7));
}

#[test]
fn a_discovery_service_is_refused_where_its_profile_is_used() {
    let text = r#"<dds><qos_library name="L"><qos_profile name="Far"><domain_participant_qos>
<discovery><initial_peers><element>rtps@10.0.0.1:7400</element></initial_peers></discovery>
</domain_participant_qos></qos_profile>
<qos_profile name="Near"/></qos_library></dds>"#;
    let loader = Loader::with_variables(Variables::default());
    let profiles = loader.text("l.xml", text).load().unwrap();
    profiles.participant("L::Near").unwrap();
    let error = profiles.participant("L::Far").err().unwrap().to_string();
    let told = "\"rtps@10.0.0.1:7400\" is a discovery service";
    assert!(error.contains(told), "{error}");
}
