//! Configurations that are built in.
use crate::adapter;
use dunlin_document::Variables;

/// The one that is started if no file has a service.
pub const DEFAULT: &str = "rti.routingservice.builtin.config.default";

/// Their names.
pub const NAMES: [&str; 3] = [DEFAULT, "DomainBridgingLAN", "RelayWAN"];

/// One more, if the program has the adapter for zenoh.
pub const ZENOH: &str = "RelayZenoh";

/// The names of those that this program can start.
pub fn names() -> impl Iterator<Item = &'static str> {
    let zenoh = adapter::find(adapter::ZENOH).map(|_| ZENOH);
    NAMES.into_iter().chain(zenoh)
}

/// Their variables and the values that count if nobody gives others.
pub(super) const VARIABLES: [(&str, &str); 15] = [
    ("DOMAIN_A", "0"),
    ("DOMAIN_B", "1"),
    ("ALLOW", "*"),
    ("DENY", ""),
    ("LISTEN", "7400"),
    ("PUBLIC_ADDRESS", ""),
    ("PEERS", ""),
    ("ZENOH_CONNECT", ""),
    ("ZENOH_LISTEN", ""),
    ("ZENOH_MODE", "peer"),
    ("ZENOH_SCOPE", "dunlin"),
    ("ZENOH_SITE", ""),
    ("TLS_CA", ""),
    ("TLS_CERTIFICATE", ""),
    ("TLS_KEY", ""),
];

/// The text of one, in TOML, with variables.
pub fn text(name: &str) -> Option<&'static str> {
    match name {
        DEFAULT => Some(include_str!("builtin/default.toml")),
        "DomainBridgingLAN" => Some(include_str!("builtin/domain_bridging_lan.toml")),
        "RelayWAN" => Some(include_str!("builtin/relay_wan.toml")),
        ZENOH => Some(include_str!("builtin/relay_zenoh.toml")),
        _ => None,
    }
}

/// A text with the values of variables. A line whose variable is empty is left out. Values are
/// within quotes, or numbers, so what would end a string is escaped.
pub(super) fn filled(text: &str, variables: &Variables) -> String {
    let mut filled = String::new();
    for line in text.lines() {
        let mut line = line.to_owned();
        let mut is_left_out = false;
        for (name, _) in VARIABLES {
            let place = format!("$({name})");
            if line.contains(&place) {
                let value = variables.value(name).unwrap_or_default();
                is_left_out |= value.is_empty();
                line = line.replace(&place, &value.escape_default().to_string());
            }
        }
        if !is_left_out {
            filled.push_str(&line);
            filled.push('\n');
        }
    }
    filled
}
