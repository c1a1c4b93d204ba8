//! Names that a person may take for each other.

/// Names that agree to this part, letter by letter, may be meant for the same.
const ALIKE: f64 = 0.7;
/// Shorter names are too easily part of another.
const SHORT: usize = 4;

/// They differ in case, punctuation or a few letters, or one is the other with a prefix or suffix
/// such as `rt/`.
pub fn similar(a: &str, b: &str) -> bool {
    let (a, b) = (local_queue(a), local_queue(b));
    let (short, long) = if a.len() <= b.len() {
        (&a, &b)
    } else {
        (&b, &a)
    };
    if short.is_empty() {
        return long.is_empty();
    }
    a == b
        || (short.len() >= SHORT && (long.starts_with(short) || long.ends_with(short)))
        || strsim::normalized_damerau_levenshtein(&a, &b) >= ALIKE
}

fn local_queue(name: &str) -> String {
    let kept = name.chars().filter(|c| c.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_person_may_confuse_are_similar() {
        for (a, b, expected) in [
            ("Square", "square", true),
            ("Square", "Sqaure", true),
            ("rt/chatter", "chatter", true),
            ("Throughput", "Troughput", true),
            ("Topic1", "Topic2", true),
            ("LatencyTopic", "Latency_Topics", true),
            (
                "std_msgs::msg::dds_::String_",
                "std_msgs::msg::String",
                true,
            ),
            ("Circle", "Square", false),
            ("a", "b", false),
            ("", "", true),
            ("", "Square", false),
        ] {
            assert_eq!(similar(a, b), expected, "{a} and {b}");
            assert_eq!(similar(b, a), expected, "{b} and {a}");
        }
    }
}
