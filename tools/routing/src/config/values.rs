//! Values that both languages of configurations have, as text.
use crate::plan::CreationMode;
use dunlin::{DataRepresentation, Duration};
use dunlin_document::{did_you_mean, quoted};

/// A time such as `100 ms` or `1 min 30 s`, or `infinite`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    if text == "infinite" {
        return Ok(Duration::INFINITE);
    }
    let time = humantime::parse_duration(text).map_err(|_| {
        format!(
            "{} is no time; write for example \"100 ms\", \"2 s\" or \"infinite\"",
            quoted(text)
        )
    })?;
    let most = std::time::Duration::from_secs(u64::from(u32::MAX));
    match time <= most {
        true => Ok(time.into()),
        false => Err(format!(
            "{} is too long; the longest time but \"infinite\" is {} s",
            quoted(text),
            most.as_secs()
        )),
    }
}

/// A time in seconds.
pub(crate) fn seconds(seconds: f64) -> Result<Duration, String> {
    match (0.0..=f64::from(u32::MAX)).contains(&seconds) {
        true => Ok(Duration::from_nanos((seconds * 1e9) as i64)),
        false => Err(format!("{seconds} is no time in seconds")),
    }
}

/// Samples a second: `20/s`, `20/s per instance` or `20`.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix("per instance").unwrap_or(text).trim();
    let number = number.strip_suffix("/s").unwrap_or(number).trim();
    let rate: Option<f64> = number.parse().ok();
    rate.and_then(checked_rate).ok_or_else(|| {
        format!(
            "{} is no rate; write for example \"20/s per instance\"",
            quoted(text)
        )
    })
}

/// A rate that can be kept.
pub(crate) fn checked_rate(rate: f64) -> Option<f64> {
    (1e-3..=1e9).contains(&rate).then_some(rate)
}

/// Bytes: `8 MiB`, `64 KiB` or `1000000`.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    const UNITS: [(&str, usize); 4] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("B", 1),
    ];
    let unit = UNITS.iter().find(|(name, _)| text.ends_with(name));
    let (number, factor) = match unit {
        Some((name, factor)) => (text.trim_end_matches(name), *factor),
        None => (text, 1),
    };
    let number: Option<usize> = number.trim().parse().ok();
    number
        .and_then(|number| number.checked_mul(factor))
        .ok_or_else(|| format!("{} is no size; write for example \"8 MiB\"", quoted(text)))
}

/// Processors: `3` or `2-5`.
pub(crate) fn processors(text: &str) -> Result<Vec<usize>, String> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let number = |text: &str| text.trim().parse().ok().filter(|number| *number < 1024);
    match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => Ok((first..=last).collect()),
        _ => Err(format!(
            "{} is no processor; write for example \"0\" or \"2-3\"",
            quoted(text)
        )),
    }
}

/// Whether an entity may have this name, which is a part of its path.
pub(crate) fn name(text: &str) -> Result<(), String> {
    const MOST: usize = 255;
    let wrong = |why: &str| Err(format!("{} is no name: {why}", quoted(text)));
    match text {
        "" => wrong("it is empty"),
        _ if text.len() > MOST => wrong("it has more than 255 bytes"),
        _ if text.contains('/') => wrong("a / separates the names of a path"),
        _ if text.contains(char::is_control) => wrong("it has a control character"),
        _ => Ok(()),
    }
}

/// Names of the creation modes, as RTI's XML has them.
pub(crate) const CREATION_MODES: [(&str, CreationMode); 5] = [
    ("IMMEDIATE", CreationMode::Immediate),
    ("ON_DOMAIN_MATCH", CreationMode::OnDomainMatch),
    ("ON_ROUTE_MATCH", CreationMode::OnRouteMatch),
    (
        "ON_DOMAIN_AND_ROUTE_MATCH",
        CreationMode::OnDomainAndRouteMatch,
    ),
    (
        "ON_DOMAIN_OR_ROUTE_MATCH",
        CreationMode::OnDomainOrRouteMatch,
    ),
];

/// A creation mode.
pub(crate) fn creation_mode(text: &str) -> Result<CreationMode, (String, String)> {
    choice("creation mode", text, &CREATION_MODES)
}

/// Representations that samples can be converted to.
pub(crate) const REPRESENTATIONS: [(&str, DataRepresentation); 2] = [
    ("xcdr1", DataRepresentation::Xcdr1),
    ("xcdr2", DataRepresentation::Xcdr2),
];

/// One of several names; else what is wrong, and what helps.
pub(crate) fn choice<T: Copy>(
    what: &str,
    text: &str,
    choices: &[(&str, T)],
) -> Result<T, (String, String)> {
    let names = || choices.iter().map(|(name, _)| *name);
    match choices.iter().find(|(name, _)| *name == text) {
        Some((_, value)) => Ok(*value),
        None => {
            let all: Vec<_> = names().collect();
            let help = did_you_mean(text, names());
            let help = help.unwrap_or_else(|| format!("there are {}", all.join(", ")));
            Err((format!("{} is no {what}", quoted(text)), help))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        for (text, expected) in [
            ("100 ms", Duration::from_millis(100)),
            ("2s", Duration::from_secs(2)),
            ("infinite", Duration::INFINITE),
        ] {
            assert_eq!(duration(text), Ok(expected));
        }
        assert!(
            duration("soon")
                .unwrap_err()
                .contains("\"soon\" is no time")
        );
        assert!(duration("9999999999 s").unwrap_err().contains("too long"));
        assert!(seconds(-1.0).is_err() && seconds(f64::NAN).is_err());
    }

    #[test]
    fn rates_and_sizes_are_read() {
        assert_eq!(rate("20/s per instance"), Ok(20.0));
        assert_eq!(rate("0.5/s"), Ok(0.5));
        assert!(rate("0").is_err() && rate("fast").is_err() && rate("inf").is_err());
        assert_eq!(bytes("8 MiB"), Ok(8 << 20));
        assert_eq!(bytes("12"), Ok(12));
        assert!(bytes("99999999999999999999 GiB").is_err());
    }

    #[test]
    fn a_misspelt_creation_mode_has_a_suggestion() {
        let (message, help) = creation_mode("IMEDIATE").unwrap_err();
        assert_eq!(message, "\"IMEDIATE\" is no creation mode");
        assert_eq!(help, "did you mean \"IMMEDIATE\"?");
    }
}
