//! Who is there at all: participants, domains, and the names of topics.
use super::{Cause, Endpoints, Finding, Snapshot, Subject, backlog, similar};
use crate::discovery::observe::{Domain, Participant, host, process};
use dunlin_qos::Printable;
use dunlin_wire::{Guid, GuidPrefix, Locator};
use std::collections::{BTreeMap, BTreeSet};

/// Most names that are listed.
const MOST_NAMES: usize = 8;
/// Most topics that are proposed.
const MOST_ALIKE: usize = 64;

/// Says who is missing.
pub(super) fn examine(
    scene: &Snapshot<'_>,
    subject: Subject<'_>,
    cast: &Endpoints<'_>,
    findings: &mut Vec<Finding>,
) {
    group(scene, findings);
    for participant in &scene.domain.participants {
        findings.extend(unanswering(participant));
    }
    match subject {
        Subject::Topic(topic) => {
            let (writers, readers) = (cast.writers.is_empty(), cast.readers.is_empty());
            if writers || (readers && !backlog::knows_readers(scene, cast)) {
                missing(scene, topic, cast, findings);
            }
        }
        Subject::Pair(a, b) => {
            for guid in [a, b] {
                let found = cast.writers.iter().any(|w| w.guid == guid)
                    || cast.readers.iter().any(|r| r.guid == guid);
                if !found {
                    let what = format!("no endpoint {guid} is known in domain {}", scene.domain.id);
                    let cure = "`dunlin ls` lists those that are";
                    findings.push(Finding::new(Cause::Topic, [guid], what, cure));
                }
            }
            if cast.writers.len() > 1 || cast.readers.len() > 1 {
                let what = "both endpoints are of the same kind";
                let cure = "Name a writer and a reader";
                findings.push(Finding::new(Cause::Topic, [a, b], what, cure));
            }
        }
    }
}

/// Whoever listens to the group hears itself, if multicast works on its own host. Of others silence
/// proves nothing: some announce themselves twice a minute.
fn group(scene: &Snapshot<'_>, findings: &mut Vec<Finding>) {
    if scene
        .group
        .is_none_or(|group| group.own || !group.heard.is_empty())
    {
        return;
    }
    let what = "nothing came by multicast, not even what we announced ourselves: it does not work on this host";
    let cure = "Look at firewalls, at the route for 239.255.0.1 and at the flag MULTICAST of the interfaces, or name peers instead: DUNLIN_PEERS=ADDRESS";
    findings.push(Finding::new(Cause::Multicast, [], what, cure));
}

/// It announces itself and nothing else.
fn unanswering(participant: &Participant) -> Option<Finding> {
    if participant.answers {
        return None;
    }
    let who = describe(&participant.data);
    let all = addresses(&participant.data.metatraffic_unicast);
    let (what, cure) = match participant.way {
        None => (
            format!(
                "{who} announces itself, but none of its addresses can be reached from here: {all}"
            ),
            "It listens to no network of this host: look at its interfaces (DUNLIN_INTERFACES) and at the routes between the two",
        ),
        Some(way) => (
            format!(
                "{who} announces itself by multicast, but does not answer by unicast at {way:?} (it announces {all})"
            ),
            "A firewall may drop UDP from or to these ports, or the address may be another host's: let unicast through in both directions. A process that is stopped does not answer either",
        ),
    };
    Some(Finding::new(Cause::Unanswering, [], what, cure))
}

/// A topic without writers, readers or both.
fn missing(scene: &Snapshot<'_>, topic: &str, cast: &Endpoints<'_>, findings: &mut Vec<Finding>) {
    let domain = scene.domain;
    let before = findings.len();
    for other in scene.elsewhere.iter().filter(|other| other.id != domain.id) {
        findings.extend(in_other_domain(domain.id, other, topic));
    }
    let wants_writers = cast.writers.is_empty();
    let wants_readers = cast.readers.is_empty();
    let sides = match (wants_writers, wants_readers) {
        (true, true) => "no endpoint",
        (true, false) => "a reader but no writer",
        (false, _) => "a writer but no reader",
    };
    for (name, endpoints) in alike(domain, topic, wants_writers, wants_readers) {
        let kinds = match endpoints.first() {
            Some(first) if first.entity.is_writer() => "written",
            _ => "read",
        };
        let what = format!(
            "topic {topic:?} has {sides} in domain {}, but {name:?} is {kinds}: did you mean that?",
            domain.id
        );
        let cure = "Topic names have to be equal, letter by letter";
        findings.push(Finding::new(Cause::Topic, endpoints, what, cure));
    }
    if domain.participants.is_empty() {
        findings.push(nobody(domain));
    } else if findings.len() == before {
        let what = format!("topic {topic:?} has {sides} in domain {}", domain.id);
        findings.push(Finding::new(Cause::Topic, [], what, known_topics(domain)));
    }
}

/// Topics with almost the same name that have what is missing, with some of their endpoints.
fn alike<'a>(
    domain: &'a Domain,
    topic: &str,
    writers: bool,
    readers: bool,
) -> BTreeMap<&'a str, Vec<Guid>> {
    let writers = domain.writers.iter().filter(|_| writers);
    let readers = domain.readers.iter().filter(|_| readers);
    let all = writers
        .map(|w| (&w.topic, w.guid))
        .chain(readers.map(|r| (&r.topic, r.guid)));
    let mut alike: BTreeMap<&str, Vec<Guid>> = BTreeMap::new();
    let mut looked_at = BTreeSet::new();
    for (name, guid) in all.filter(|(name, _)| *name != topic) {
        let name = name.as_str();
        if let Some(endpoints) = alike.get_mut(name) {
            if endpoints.len() < MOST_NAMES {
                endpoints.push(guid);
            }
        } else if alike.len() < MOST_ALIKE && looked_at.insert(name) && similar(name, topic) {
            alike.insert(name, vec![guid]);
        }
    }
    alike
}

fn nobody(domain: &Domain) -> Finding {
    let what = match domain.heard.other_domain {
        0 => format!("nobody else is heard in domain {}", domain.id),
        others => format!(
            "nobody else is heard in domain {}; {others} announcements came that are of another domain or have another domain tag",
            domain.id
        ),
    };
    let cure = "Do the programs run, in this domain? On another host: does multicast get through (firewalls, DUNLIN_INTERFACES), or name a peer with --peer ADDRESS or DUNLIN_PEERS";
    Finding::new(Cause::Nobody, [], what, cure)
}

fn in_other_domain(own: u32, other: &Domain, topic: &str) -> Option<Finding> {
    let writers = other.writers.iter().filter(|w| w.topic == topic);
    let readers = other.readers.iter().filter(|r| r.topic == topic);
    let (writers, readers): (Vec<_>, Vec<_>) = (
        writers.map(|w| w.guid).collect(),
        readers.map(|r| r.guid).collect(),
    );
    let first = *writers.first().or(readers.first())?;
    let who = other.participant(first.prefix).map(describe);
    let what = format!(
        "domain {} has {} writers and {} readers of topic {topic:?} ({}), which do not hear domain {own}",
        other.id,
        writers.len(),
        readers.len(),
        who.unwrap_or_default()
    );
    let cure = "Give both sides the same domain id (ROS 2: ROS_DOMAIN_ID)";
    let endpoints = [writers, readers].concat();
    Some(Finding::new(Cause::OtherDomain, endpoints, what, cure))
}

fn known_topics(domain: &Domain) -> String {
    let writers = domain.writers.iter().map(|w| &w.topic);
    let readers = domain.readers.iter().map(|r| &r.topic);
    let names: BTreeSet<&String> = writers.chain(readers).collect();
    let more = names.len().saturating_sub(MOST_NAMES);
    let names = names.into_iter().take(MOST_NAMES);
    let names: Vec<String> = names.map(|name| format!("{name:?}")).collect();
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    match names.is_empty() {
        true => "No endpoint of any topic is known there".into(),
        false => format!(
            "Start who is missing; topics there are {}{more}",
            names.join(", ")
        ),
    }
}

/// A participant as a person knows it.
pub(super) fn describe(data: &crate::discovery::observe::ParticipantData) -> String {
    let prefix: GuidPrefix = data.guid.prefix;
    let mut text = format!("participant {prefix:?}");
    if !data.entity_name.is_empty() {
        text += &format!(" {:?}", data.entity_name);
    }
    let place = [
        process(data).map(|id| format!("process {}", Printable(id))),
        host(data).map(|host| format!("host {}", Printable(host))),
    ];
    let place: Vec<String> = place.into_iter().flatten().collect();
    if !place.is_empty() {
        text += &format!(" ({})", place.join(" on "));
    }
    text
}

pub(super) fn addresses(locators: &[Locator]) -> String {
    let all: Vec<_> = locators.iter().map(|l| format!("{l:?}")).collect();
    match all.is_empty() {
        true => "no address".into(),
        false => all.join(", "),
    }
}
