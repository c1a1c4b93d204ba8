//! Values as they are written in elements.

use std::net::Ipv4Addr;

use dunlin::{DataRepresentation, PeerDescriptor, Transports};
use dunlin_document::{Element, Problem, Problems, Value as Written, did_you_mean, quoted};

use crate::elements::Kind;
use crate::settings::{Settings, Value};

/// Reads the value of an element into the setting of a path.
pub(crate) fn read(
    kind: Kind,
    element: Element<'_>,
    path: &str,
    settings: &mut Settings,
    problems: &mut Problems,
) {
    match kind {
        Kind::Duration => duration(element, path, settings, problems),
        Kind::Texts => texts(element, path, settings, problems, |text| {
            Ok(text.text.to_owned())
        }),
        Kind::Peers => peers(element, path, settings, problems),
        Kind::Properties => properties(element, settings, problems),
        Kind::Multicast => multicast(element, path, settings, problems),
        Kind::Representations => representations(element, path, settings, problems),
        Kind::Octets => octets(element, path, settings, problems),
        _ => {
            no_children(element, problems);
            let text = element.text();
            let nothing = Written {
                text: "",
                span: element.span(),
            };
            match one(kind, text.unwrap_or(nothing)) {
                Ok(value) => settings.set(path, value, element.text_span()),
                Err(problem) => problems.push(*problem),
            }
        }
    }
}

type Found<T> = Result<T, Box<Problem>>;

fn wrong<T>(written: Written<'_>, wanted: &str, help: Option<String>) -> Found<T> {
    let message = format!("{} is not {wanted}", quoted(written.text));
    Err(Box::new(Problem::error(written.span, message).help(help)))
}

fn one(kind: Kind, written: Written<'_>) -> Found<Value> {
    match kind {
        Kind::Length => length(written).map(Value::Length),
        Kind::Depth => match written.text.parse() {
            Ok(depth) if depth > 0 => Ok(Value::Length(Some(depth))),
            _ => wrong(written, "a number from 1 to 4294967295", None),
        },
        Kind::Integer => match written.text.parse() {
            Ok(number) => Ok(Value::Integer(number)),
            Err(_) => wrong(written, "a number from -2147483648 to 2147483647", None),
        },
        Kind::Boolean => boolean(written).map(Value::Boolean),
        Kind::Choice(suffix, names) => choice(suffix, names, written).map(Value::Choice),
        Kind::Mask => mask(written).map(Value::Transports),
        _ => Ok(Value::Text(written.text.to_owned())),
    }
}

pub(crate) fn boolean(written: Written<'_>) -> Found<bool> {
    match &*plain(written.text) {
        "TRUE" | "BOOLEAN_TRUE" | "YES" | "1" => Ok(true),
        "FALSE" | "BOOLEAN_FALSE" | "NO" | "0" => Ok(false),
        _ => wrong(written, "true or false", None),
    }
}

/// A name without the prefix of C, in capital letters.
fn plain(text: &str) -> String {
    let text = text.to_ascii_uppercase();
    text.strip_prefix("DDS_").unwrap_or(&text).to_owned()
}

fn length(written: Written<'_>) -> Found<Option<u32>> {
    match &*plain(written.text) {
        "LENGTH_UNLIMITED" | "UNLIMITED" | "-1" => Ok(None),
        number => match number.parse::<u32>() {
            Ok(number) if number <= i32::MAX as u32 => Ok(Some(number)),
            _ => wrong(
                written,
                "a number up to 2147483647, or LENGTH_UNLIMITED",
                None,
            ),
        },
    }
}

fn choice(
    suffix: &str,
    names: &'static [&'static str],
    written: Written<'_>,
) -> Found<&'static str> {
    let text = plain(written.text);
    let short = text.strip_suffix("_QOS").unwrap_or(&text);
    let short = short.strip_suffix(suffix).unwrap_or(short);
    let short = short.strip_suffix('_').unwrap_or(short);
    match names.iter().find(|name| **name == short) {
        Some(name) => Ok(name),
        None => {
            let near = did_you_mean(short, names.iter().copied());
            wrong(written, &format!("one of {}", names.join(", ")), near)
        }
    }
}

fn mask(written: Written<'_>) -> Found<Transports> {
    let mut transports = Transports {
        udp: false,
        shmem: false,
        tcp: false,
        local: true,
    };
    for name in written.text.split('|').map(str::trim) {
        let name = name.strip_prefix("DDS_").unwrap_or(name);
        let name = name.strip_prefix("TRANSPORTBUILTIN_").unwrap_or(name);
        match &*name.to_ascii_uppercase() {
            "UDPV4" => transports.udp = true,
            "SHMEM" | "SHMEM_ALIAS" => transports.shmem = true,
            "MASK_DEFAULT" | "DEFAULT_MASK" | "MASK_ALL" => {
                (transports.udp, transports.shmem) = (true, true);
            }
            "MASK_NONE" | "NONE" => {}
            "UDPV4_WAN" | "UDPV6" | "UDPV6_WAN" => {
                let help = "there are UDPv4 and SHMEM; TCP goes through networks that block UDP";
                return wrong(written, "a transport of Dunlin", Some(help.to_owned()));
            }
            _ => {
                let known = ["UDPv4", "SHMEM", "MASK_DEFAULT", "MASK_ALL", "MASK_NONE"];
                let near = did_you_mean(name, known);
                return wrong(written, "a mask of UDPv4 and SHMEM, with | between", near);
            }
        }
    }
    Ok(transports)
}

/// Seconds or nanoseconds; `None` is infinite.
fn time(written: Written<'_>) -> Found<Option<u32>> {
    let text = plain(written.text);
    let infinite = [
        "DURATION_INFINITE",
        "DURATION_INFINITY",
        "DURATION_INFINITE_SEC",
        "DURATION_INFINITE_NSEC",
        "DURATION_INFINITY_SEC",
        "DURATION_INFINITY_NSEC",
    ];
    if infinite.contains(&&*text) || text == "2147483647" {
        return Ok(None);
    }
    if text == "DURATION_ZERO_SEC" || text == "DURATION_ZERO_NSEC" {
        return Ok(Some(0));
    }
    match text.parse::<u32>() {
        Ok(number) if number < i32::MAX as u32 => Ok(Some(number)),
        _ => wrong(
            written,
            "a number from 0 to 2147483646, or DURATION_INFINITE",
            did_you_mean(&text, infinite),
        ),
    }
}

fn duration(element: Element<'_>, path: &str, settings: &mut Settings, problems: &mut Problems) {
    if let Some(text) = element.text() {
        // As in DDS-XML 1.0, and what people try.
        match &*plain(text.text) {
            "DURATION_INFINITE" | "DURATION_INFINITY" => {
                settings.set(format!("{path}/sec"), Value::Time(None), text.span);
            }
            "DURATION_ZERO" => {
                settings.set(format!("{path}/sec"), Value::Time(Some(0)), text.span);
                settings.set(format!("{path}/nanosec"), Value::Time(Some(0)), text.span);
            }
            _ => {
                let message = format!("{} is not a duration", quoted(text.text));
                let help = "write <sec>1</sec><nanosec>0</nanosec>".to_owned();
                problems.push(Problem::error(text.span, message).help(help));
            }
        }
        return;
    }
    for child in known(element, &["sec", "nanosec"], problems) {
        no_children(child, problems);
        let Some(text) = child.text() else {
            let message = format!("{} is empty", quoted(child.name()));
            problems.push(Problem::error(child.span(), message));
            continue;
        };
        match time(text) {
            Ok(Some(nanosec)) if child.name() == "nanosec" && nanosec >= 1_000_000_000 => {
                let (sec, rest) = (nanosec / 1_000_000_000, nanosec % 1_000_000_000);
                let message = format!("nanosec {nanosec} is not below 1000000000");
                let help = format!("write <sec>{sec}</sec><nanosec>{rest}</nanosec>");
                problems.push(Problem::error(text.span, message).help(help));
            }
            Ok(number) => {
                let path = format!("{path}/{}", child.name());
                settings.set(path, Value::Time(number), text.span);
            }
            Err(problem) => problems.push(*problem),
        }
    }
}

/// Before the address of another product's discovery service.
pub(crate) const DISCOVERY_SERVICE: &str = "rtps@";

/// A peer; the built-in transports have a name of one word or two. Who is none for us is refused
/// when a participant is made of the profile: others of the file may do without.
fn peer(text: Written<'_>) -> Found<String> {
    // A variable without a value was told already.
    if text.text.starts_with(DISCOVERY_SERVICE) || text.text.contains("$(") {
        return Ok(text.text.to_owned());
    }
    let (class, rest) = text.text.split_once("://").unwrap_or(("", text.text));
    let peer = match class.contains("builtin.") {
        true => format!("{}://{rest}", class.replacen("builtin.", "", 1)),
        false => text.text.to_owned(),
    };
    match peer.parse::<PeerDescriptor>() {
        Ok(_) => Ok(peer),
        Err(error) => {
            // What follows shows the text once more.
            let error = error.to_string();
            let first = error.lines().next().unwrap_or_default();
            Err(Box::new(Problem::error(text.span, first)))
        }
    }
}

/// In elements, or as a text with commas between.
fn peers(element: Element<'_>, path: &str, settings: &mut Settings, problems: &mut Problems) {
    let Some(all) = element.text() else {
        return texts(element, path, settings, problems, peer);
    };
    no_children(element, problems);
    let mut list = Vec::new();
    for text in all.text.split(',').map(str::trim) {
        match peer(Written { text, ..all }) {
            Ok(peer) => list.push(peer),
            Err(problem) => problems.push(*problem),
        }
    }
    settings.set(path, Value::Texts(list), all.span);
}

fn texts(
    element: Element<'_>,
    path: &str,
    settings: &mut Settings,
    problems: &mut Problems,
    read: impl Fn(Written<'_>) -> Found<String>,
) {
    let mut list = Vec::new();
    for child in list_of(element, problems) {
        no_children(child, problems);
        let text = child.text().unwrap_or(Written {
            text: "",
            span: child.span(),
        });
        match read(text) {
            Ok(text) => list.push(text),
            Err(problem) => problems.push(*problem),
        }
    }
    settings.set(path, Value::Texts(list), element.span());
}

fn properties(element: Element<'_>, settings: &mut Settings, problems: &mut Problems) {
    for property in list_of(element, problems) {
        let (mut name, mut value, mut propagate) = (None, String::new(), false);
        for child in known(property, &["name", "value", "propagate"], problems) {
            no_children(child, problems);
            match (child.name(), child.text()) {
                ("name", text) => name = text,
                ("value", text) => value = text.map_or("", |text| text.text).to_owned(),
                (_, Some(text)) => match boolean(text) {
                    Ok(yes) => propagate = yes,
                    Err(problem) => problems.push(*problem),
                },
                _ => {}
            }
        }
        let Some(name) = name else {
            problems.push(Problem::error(property.span(), "a property has no <name>"));
            continue;
        };
        let path = format!("property[{}]", name.text);
        settings.set(path, Value::Property { value, propagate }, name.span);
    }
}

fn multicast(element: Element<'_>, path: &str, settings: &mut Settings, problems: &mut Problems) {
    let mut groups = Vec::new();
    for one in list_of(element, problems) {
        let names = ["receive_address", "receive_port", "transports"];
        for child in known(one, &names, problems) {
            let Some(text) = child.text().filter(|_| child.name() == "receive_address") else {
                continue;
            };
            match text.text.parse::<Ipv4Addr>() {
                Ok(group) if group.is_multicast() => groups.push(group),
                _ => {
                    let message = format!("{} is no multicast group", quoted(text.text));
                    let help = "224.0.0.0 to 239.255.255.255 are".to_owned();
                    problems.push(Problem::error(text.span, message).help(help));
                }
            }
        }
    }
    settings.set(path, Value::Groups(groups), element.span());
}

fn representations(
    element: Element<'_>,
    path: &str,
    settings: &mut Settings,
    problems: &mut Problems,
) {
    let mut list = Vec::new();
    let names = ["XCDR", "XCDR1", "XCDR2", "AUTO"];
    for child in list_of(element, problems) {
        let Some(text) = child.text() else { continue };
        let name = plain(text.text);
        let name = name.strip_suffix("_QOS").unwrap_or(&name);
        match name.strip_suffix("_DATA_REPRESENTATION").unwrap_or(name) {
            "XCDR" | "XCDR1" => list.push(DataRepresentation::Xcdr1),
            "XCDR2" => list.push(DataRepresentation::Xcdr2),
            "AUTO" => {}
            "XML" => {
                let message = "data in XML is not implemented, XCDR and XCDR2 are";
                problems.push(Problem::error(text.span, message));
            }
            other => {
                let near = did_you_mean(other, names);
                let wanted = "one of XCDR, XCDR2 and AUTO, with _DATA_REPRESENTATION or without";
                let found: Found<()> = wrong(text, wanted, near);
                if let Err(problem) = found {
                    problems.push(*problem);
                }
            }
        }
    }
    settings.set(path, Value::Representations(list), element.span());
}

/// Numbers, decimal or hexadecimal, with commas or blanks between, or one in each `<element>`.
fn octets(element: Element<'_>, path: &str, settings: &mut Settings, problems: &mut Problems) {
    let elements = known(element, &["element"], problems);
    let texts = elements.into_iter().filter_map(|child| child.text());
    let mut list = Vec::new();
    for text in texts.chain(element.text()) {
        let words = text.text.split(|c: char| c == ',' || c.is_whitespace());
        for word in words.filter(|word| !word.is_empty()) {
            let hexadecimal = word.strip_prefix("0x").or(word.strip_prefix("0X"));
            let number = match hexadecimal {
                Some(digits) => u8::from_str_radix(digits, 16),
                None => word.parse(),
            };
            match number {
                Ok(number) => list.push(number),
                Err(_) => {
                    let message = format!("{} is no byte", quoted(word));
                    let help = "write numbers with commas between: 72,105 or 0x48,0x69".to_owned();
                    problems.push(Problem::error(text.span, message).help(help));
                    return;
                }
            }
        }
    }
    settings.set(path, Value::Octets(list), element.text_span());
}

/// The `<element>`s of a list.
fn list_of<'d>(element: Element<'d>, problems: &mut Problems) -> Vec<Element<'d>> {
    if let Some(text) = element.text() {
        let message = format!("{} stands outside of an <element>", quoted(text.text));
        problems.push(Problem::error(text.span, message));
    }
    known(element, &["element"], problems)
}

/// The elements within one, if they are among the names; others are errors.
pub(crate) fn known<'d>(
    element: Element<'d>,
    names: &[&str],
    problems: &mut Problems,
) -> Vec<Element<'d>> {
    let mut all = Vec::new();
    for child in element.children() {
        match names.contains(&child.name()) {
            true => all.push(child),
            false => problems.push(unknown(child, names.iter().copied())),
        }
    }
    all
}

/// An element that is in no schema.
pub(crate) fn unknown<'n>(
    element: Element<'_>,
    names: impl IntoIterator<Item = &'n str>,
) -> Problem {
    let within = element.parent().map_or("", |parent| parent.name());
    let name = quoted(element.name());
    let within = quoted(within);
    let message = format!("unknown element {name} in {}", within.trim_matches('"'));
    Problem::error(element.span(), message).help(did_you_mean(element.name(), names))
}

fn no_children(element: Element<'_>, problems: &mut Problems) {
    known(element, &[], problems);
}
