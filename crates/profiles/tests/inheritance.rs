//! Random trees of inheritance come out as if every base were laid over by hand.

use std::collections::BTreeMap;
use std::fmt::Write;

use dunlin_profiles::{Entity, Loader, Value};
use proptest::prelude::*;

/// A profile: its bases by number, and for each topic filter (or none) the values of some elements.
#[derive(Clone, Debug)]
struct Profile {
    bases: Vec<prop::sample::Index>,
    own: Vec<(Option<usize>, BTreeMap<usize, i32>)>,
}

const PATHS: [&str; 3] = [
    "transport_priority/value",
    "ownership_strength/value",
    "history/depth",
];
const FILTERS: [&str; 2] = ["A*", "?b"];
const TOPICS: [Option<&str>; 4] = [None, Some("Ab"), Some("Xb"), Some("other")];

fn fits(filter: usize, topic: &str) -> bool {
    match filter {
        0 => topic.starts_with('A'),
        _ => topic.chars().count() == 2 && topic.ends_with('b'),
    }
}

fn profiles() -> impl Strategy<Value = Vec<Profile>> {
    let values = prop::collection::btree_map(0..PATHS.len(), 1..100_i32, 0..3);
    let own = prop::collection::btree_map(prop::option::of(0..FILTERS.len()), values, 0..3);
    let own = own.prop_map(|own| own.into_iter().collect()).prop_shuffle();
    let bases = prop::collection::vec(any::<prop::sample::Index>(), 0..4);
    let profile = (bases, own).prop_map(|(bases, own)| Profile { bases, own });
    prop::collection::vec(profile, 1..12)
}

fn bases(index: usize, profile: &Profile) -> Vec<usize> {
    match index {
        0 => Vec::new(),
        _ => profile.bases.iter().map(|base| base.index(index)).collect(),
    }
}

fn xml(profiles: &[Profile]) -> String {
    let mut text = String::from("<dds><qos_library name='L'>");
    for (index, profile) in profiles.iter().enumerate() {
        let _ = write!(text, "<qos_profile name='P{index}'><base_name>");
        for base in bases(index, profile) {
            let _ = write!(text, "<element>P{base}</element>");
        }
        text.push_str("</base_name>");
        for (filter, values) in &profile.own {
            let filter = filter.map(|filter| format!(" topic_filter='{}'", FILTERS[filter]));
            let _ = write!(text, "<datawriter_qos{}>", filter.unwrap_or_default());
            for (path, value) in values {
                let (outer, inner) = PATHS[*path].split_once('/').unwrap();
                let _ = write!(text, "<{outer}><{inner}>{value}</{inner}></{outer}>");
            }
            text.push_str("</datawriter_qos>");
        }
        text.push_str("</qos_profile>");
    }
    text + "</qos_library></dds>"
}

fn naive(profiles: &[Profile], index: usize, topic: Option<&str>) -> BTreeMap<usize, i32> {
    let profile = &profiles[index];
    let mut values = BTreeMap::new();
    for base in bases(index, profile) {
        values.extend(naive(profiles, base, topic));
    }
    let fitting = topic.and_then(|topic| {
        let mut own = profile.own.iter();
        own.find(|(filter, _)| filter.is_some_and(|filter| fits(filter, topic)))
    });
    let plain = profile.own.iter().find(|(filter, _)| filter.is_none());
    if let Some((_, own)) = fitting.or(plain) {
        values.extend(own);
    }
    values
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn inheritance_is_a_naive_overlay(all in profiles()) {
        let read = Loader::new().text("a.xml", &xml(&all)).load().unwrap();
        for index in 0..all.len() {
            for topic in TOPICS {
                let name = format!("L::P{index}");
                let settings = read.settings(&name, Entity::Writer, topic).unwrap();
                let found: BTreeMap<_, _> = settings
                    .iter()
                    .map(|(path, setting)| match setting.value {
                        Value::Integer(value) => (path.to_owned(), value),
                        Value::Length(Some(value)) => (path.to_owned(), value as i32),
                        ref other => panic!("{other}"),
                    })
                    .collect();
                let expected = naive(&all, index, topic);
                let expected = expected.into_iter().map(|(path, value)| (PATHS[path].to_owned(), value));
                prop_assert_eq!(found, expected.collect(), "{} {:?}", name, topic);
            }
        }
    }
}
