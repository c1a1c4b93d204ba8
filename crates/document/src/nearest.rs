//! Which known name somebody may have meant who wrote another one.

use crate::quoted;

/// The longest name that is compared: longer ones resemble nothing that people type.
const LONGEST: usize = 128;

/// The candidate that is closest to a name: the same in another case, or one that a few letters
/// away; two letters that changed places count as one mistake. `None` if nothing is close.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let most = match name.len() {
        0..=2 => 1,
        3..=5 => 2,
        6..=LONGEST => 3,
        _ => return None,
    };
    let folded = name.to_ascii_lowercase();
    let close = candidates.into_iter().filter_map(|other| {
        let distance = match other.eq_ignore_ascii_case(name) {
            true => 0,
            false if other.len().abs_diff(name.len()) > most => return None,
            false => strsim::osa_distance(&folded, &other.to_ascii_lowercase()),
        };
        (distance <= most && distance < name.len()).then_some((distance, other))
    });
    close.min().map(|(_, other)| other)
}

/// `did you mean "x"?` with the [`nearest`] candidate, or nothing.
pub fn did_you_mean<'c>(
    name: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<String> {
    let near = nearest(name, candidates)?;
    Some(format!("did you mean {}?", quoted(near)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_found() {
        let known = ["reliability", "durability", "history", "id"];
        for (name, expected) in [
            ("reliabilty", Some("reliability")),
            ("Reliability", Some("reliability")),
            ("hsitory", Some("history")),
            ("di", Some("id")),
            ("x", None),
            ("", None),
            ("completely_different", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
        assert_eq!(nearest(&"x".repeat(1 << 20), known), None);
        let help = did_you_mean("histroy", known);
        assert_eq!(help.as_deref(), Some("did you mean \"history\"?"));
    }
}
