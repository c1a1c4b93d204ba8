//! Each row of the table of elements does what it says, and documentation shows the table.

use std::fmt::Write;
use std::path::Path;

use dunlin_document::{Document, Limits, Problems, Sources};
use dunlin_profiles::{Class, ELEMENTS, Entity, Kind, ProfileSet};

/// A file whose one profile has an element with a text.
fn file(entity: Entity, path: &str, inner: &str) -> String {
    let names: Vec<_> = path.trim_start_matches('/').split('/').collect();
    let open: String = names.iter().map(|name| format!("<{name}>")).collect();
    let close: String = names
        .iter()
        .rev()
        .map(|name| format!("</{name}>"))
        .collect();
    let qos = entity.element();
    format!(
        "<dds><qos_library name=\"L\"><qos_profile name=\"P\"><{qos}>{open}{inner}{close}</{qos}>\
         </qos_profile></qos_library></dds>"
    )
}

/// A file alone, since the built-in profiles take longer to read than it.
struct Read {
    sources: Sources,
    problems: Problems,
    set: ProfileSet,
}

fn inspect(text: &str) -> Read {
    let mut sources = Sources::default();
    let mut problems = Problems::new(20);
    let limits = Limits::default();
    let document = Document::parse(&mut sources, "a.xml", text, &limits, &mut problems);
    let set = ProfileSet::load(&document, &mut problems);
    Read {
        sources,
        problems,
        set,
    }
}

/// What a profile makes of an entity.
fn made(read: &Read, entity: Entity) -> String {
    let settings = read.set.settings("L::P", entity, None).unwrap();
    let show = |error| -> String { panic!("{error:?}") };
    match entity {
        Entity::Participant => settings.participant().map_or_else(show, |config| {
            format!(
                "{:?} {:?} {} {:?} {:?} {:?} {:?}",
                config.qos,
                config.peers,
                config.multicast,
                config.transports,
                config.tcp,
                config.lease_duration,
                config.announce_period
            )
        }),
        Entity::Publisher => settings
            .publisher()
            .map_or_else(show, |qos| format!("{qos:?}")),
        Entity::Subscriber => settings
            .subscriber()
            .map_or_else(show, |qos| format!("{qos:?}")),
        Entity::Topic => settings.topic().map_or_else(show, |qos| format!("{qos:?}")),
        Entity::Writer => settings
            .writer()
            .map_or_else(show, |qos| format!("{qos:?}")),
        Entity::Reader => settings
            .reader()
            .map_or_else(show, |qos| format!("{qos:?}")),
    }
}

/// What is written in an element of a kind, so that it is no default.
fn examples(kind: Kind) -> Vec<String> {
    let all: &[&str] = match kind {
        Kind::Duration => &["<sec>7</sec><nanosec>5</nanosec>"],
        Kind::Length | Kind::Depth => &["12"],
        Kind::Integer => &["-3"],
        Kind::Boolean => &["true", "false"],
        Kind::Choice(suffix, names) => {
            let full = names.iter().map(|name| format!("{name}_{suffix}_QOS"));
            let short = names.iter().map(|name| name.to_string());
            return short.chain(full).collect();
        }
        Kind::Text => &["somebody"],
        Kind::Octets => &["1,0x02 3", "<element>4</element>"],
        Kind::Texts => &["<element>a*</element><element>b</element>", ""],
        Kind::Peers => &["<element>udpv4://10.0.0.1</element>"],
        Kind::Representations => &["<element>XCDR2_DATA_REPRESENTATION</element>"],
        Kind::Properties => &["<element><name>a</name><value>b</value></element>"],
        Kind::Multicast => &["<element><receive_address>239.1.2.3</receive_address></element>"],
        Kind::Mask => &["SHMEM"],
    };
    all.iter().map(|text| text.to_string()).collect()
}

#[test]
fn each_row_is_exercised() {
    for info in ELEMENTS {
        for entity in Entity::ALL.into_iter().filter(|entity| info.is_on(*entity)) {
            for path in info.paths() {
                match info.class {
                    Class::Maps(kind) => maps(entity, &path, kind),
                    Class::Noted => {
                        let text = file(entity, &path, "<a><b>1</b></a>");
                        let read = inspect(&text);
                        assert!(!read.problems.has_errors(), "{path}");
                        let notes = read.set.notes();
                        assert_eq!(notes.len(), 1, "{path}");
                        assert_eq!(notes[0].path, path.trim_start_matches('/'));
                        assert_eq!(notes[0].says, info.says);
                    }
                    Class::Only(values) => {
                        for value in values {
                            let read = inspect(&file(entity, &path, value));
                            assert!(!read.problems.has_errors(), "{path}");
                        }
                        assert!(has_error(
                            &inspect(&file(entity, &path, "other")),
                            info.says
                        ));
                    }
                    Class::Refused => {
                        assert!(has_error(&inspect(&file(entity, &path, "")), info.says));
                    }
                }
            }
        }
    }
}

fn has_error(read: &Read, words: &str) -> bool {
    let text = read.problems.render(&read.sources);
    read.problems.has_errors() && text.contains(words)
}

/// Some of the examples make another QoS than the default, and a mistake is an error.
fn maps(entity: Entity, path: &str, kind: Kind) {
    let default = made(&inspect(&file(entity, "documentation", "")), entity);
    let outcomes = examples(kind).into_iter().map(|example| {
        let mut text = file(entity, path, &example);
        // A batch has a size once it is on.
        if path == "batch/max_data_bytes" {
            text = text.replace("<batch>", "<batch><enable>true</enable>");
        }
        let read = inspect(&text);
        let problems = read.problems.render(&read.sources);
        assert!(!read.problems.has_errors(), "{path} {example}\n{problems}");
        made(&read, entity)
    });
    let outcomes: Vec<_> = outcomes.collect();
    assert!(outcomes.iter().any(|outcome| *outcome != default), "{path}");
    if kind != Kind::Text {
        for wrong in ["<nothing>1</nothing>", "nothing of that kind"] {
            let read = inspect(&file(entity, path, wrong));
            assert!(read.problems.has_errors(), "{path} {wrong}");
        }
    }
}

/// The page is made anew with `DUNLIN_BLESS=1`.
#[test]
fn the_page_has_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/profiles-elements.md");
    let page = page();
    if std::env::var_os("DUNLIN_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "write {} anew: DUNLIN_BLESS=1 cargo test",
        path.display()
    );
}

fn page() -> String {
    let mut page = String::from(
        "# Elements of QoS profiles\n\nWhat each element of a QoS is here ([how to use profiles]\
         (profiles.md)). This page is made of the table in\n`crates/profiles/src/elements.rs`. \
         **maps**: it becomes a field of a QoS or of `ParticipantConfig`. **noted**: it has no\n\
         counterpart and changes no data; `dunlin qos lint` lists it. **only**: one value is what \
         happens anyway, others are\nrefused. **refused**: an error, since to ignore it would \
         change who gets what, or its safety. Every other name is an error.\n\n\
         | element | of | class | becomes, or why not |\n|---|---|---|---|\n",
    );
    for info in ELEMENTS {
        let of = Entity::ALL.into_iter().filter(|entity| info.is_on(*entity));
        let of: Vec<_> = of
            .map(|entity| entity.element().trim_end_matches("_qos"))
            .collect();
        let (class, says) = match info.class {
            Class::Maps(_) => ("maps", info.says.to_owned()),
            Class::Noted => ("noted", info.says.to_owned()),
            Class::Only(values) => {
                let first = values.first().copied().unwrap_or_default();
                ("only", format!("`{first}`: {}", info.says))
            }
            Class::Refused => ("refused", info.says.to_owned()),
        };
        let names = match info.names {
            [] => format!("`{}`", info.path),
            names => {
                let above = match info.path {
                    "" => String::new(),
                    path => format!("`{path}/`: "),
                };
                let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
                format!("{above}{}", names.join(" "))
            }
        };
        let _ = writeln!(page, "| {names} | {} | {class} | {says} |", of.join(", "));
    }
    page
}
