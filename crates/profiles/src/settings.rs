//! What a QoS element says, as a map that later ones are laid over.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use dunlin::{DataRepresentation, Transports};
use dunlin_document::Span;

/// A value that a file sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Of `<sec>` or `<nanosec>`; `None` is infinite.
    Time(Option<u32>),
    /// `None` is unlimited.
    Length(Option<u32>),
    /// A number.
    Integer(i32),
    /// Yes or no.
    Boolean(bool),
    /// A name of the standard, without a suffix.
    Choice(&'static str),
    /// A text.
    Text(String),
    /// Bytes.
    Octets(Vec<u8>),
    /// Texts.
    Texts(Vec<String>),
    /// Representations, in the order of preference.
    Representations(Vec<DataRepresentation>),
    /// A property.
    Property {
        /// Its value.
        value: String,
        /// Others are told.
        propagate: bool,
    },
    /// Multicast groups.
    Groups(Vec<Ipv4Addr>),
    /// Transports.
    Transports(Transports),
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |f: &mut std::fmt::Formatter<'_>, all: Vec<String>| match all.is_empty() {
            true => f.write_str("none"),
            false => f.write_str(&all.join(", ")),
        };
        match self {
            Self::Time(None) => f.write_str("DURATION_INFINITE"),
            Self::Length(None) => f.write_str("LENGTH_UNLIMITED"),
            Self::Time(Some(number)) | Self::Length(Some(number)) => write!(f, "{number}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Boolean(yes) => write!(f, "{yes}"),
            Self::Choice(name) => f.write_str(name),
            Self::Text(text) | Self::Property { value: text, .. } => {
                write!(f, "\"{}\"", dunlin::Printable(text))
            }
            Self::Octets(octets) => list(f, octets.iter().map(|octet| octet.to_string()).collect()),
            Self::Texts(texts) => list(
                f,
                texts
                    .iter()
                    .map(|text| format!("\"{}\"", dunlin::Printable(text)))
                    .collect(),
            ),
            Self::Representations(all) => list(f, all.iter().map(|one| one.to_string()).collect()),
            Self::Groups(all) => list(f, all.iter().map(|one| one.to_string()).collect()),
            Self::Transports(transports) => {
                let named = [(transports.udp, "UDPv4"), (transports.shmem, "SHMEM")];
                let named = named.iter().filter(|(is_on, _)| *is_on);
                let names: Vec<_> = named.map(|(_, name)| *name).collect();
                f.write_str(if names.is_empty() { "NONE" } else { "" })?;
                f.write_str(&names.join("|"))
            }
        }
    }
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The value.
    pub value: Value,
    /// Where a file says so.
    pub span: Span,
}

/// What files say of the QoS of one entity: values by the path of their element, such as
/// `reliability/kind`, `deadline/period/sec` or `property[name]`. What is not there is as the
/// standard's default says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    map: BTreeMap<String, Setting>,
}

impl Settings {
    /// The most values of one QoS.
    pub const MOST: usize = 512;

    /// All of them, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Setting)> {
        self.map.iter().map(|(path, setting)| (&**path, setting))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// The value at a path.
    pub fn get(&self, path: &str) -> Option<&Setting> {
        self.map.get(path)
    }

    /// Sets a value; an earlier one at this path goes.
    pub(crate) fn set(&mut self, path: impl Into<String>, value: Value, span: Span) {
        self.map.insert(path.into(), Setting { value, span });
    }

    /// Lays other settings over these: what both have is as the others say. Properties have a path
    /// each, so they are joined by name; any other list is replaced as a whole.
    pub fn overlay(&mut self, over: &Self) {
        for (path, setting) in &over.map {
            self.map.insert(path.clone(), setting.clone());
        }
    }

    /// Where the last of the values stands whose path begins with a name.
    pub(crate) fn span_below(&self, element: &str) -> Option<Span> {
        let below = self.map.iter().filter(|(path, _)| {
            let rest = path.strip_prefix(element);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '[']))
        });
        below.map(|(_, setting)| setting.span).max()
    }
}
