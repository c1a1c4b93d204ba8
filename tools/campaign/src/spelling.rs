//! Which known word somebody may have meant who typed another one.

/// Most words that are suggested.
const MOST: usize = 3;

/// The words closest to the one that was typed: at most three, the closest first. Case, dashes and
/// underscores do not count; two letters that changed places count as one mistake, and one mistake
/// in each four letters is believed.
pub fn similar<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // What is longer than any word resembles none.
    let plain = |word: &str| -> String {
        let letters = word.chars().filter(|letter| !"-_".contains(*letter));
        letters.flat_map(char::to_lowercase).take(64).collect()
    };
    let typed = plain(typed);
    let mut near: Vec<_> = words
        .into_iter()
        .map(|word| (strsim::osa_distance(&typed, &plain(word)), word))
        .filter(|(distance, _)| *distance <= 1 + typed.chars().count() / 4)
        .collect();
    near.sort();
    near.into_iter().take(MOST).map(|(_, word)| word).collect()
}

/// "did you mean a or b?", or nothing if no word is close; each has `prefix` before it.
pub fn hint(similar: &[&str], prefix: &str) -> String {
    match similar {
        [] => String::new(),
        words => format!(
            "did you mean {prefix}{}?",
            words.join(&format!(" or {prefix}"))
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 4] = ["doctor", "report", "published-shmem", "latencyTest"];

    #[test]
    fn the_closest_words_come_first() {
        assert_eq!(similar("doctr", WORDS), ["doctor"]);
        assert_eq!(similar("reprot", WORDS), ["report"]);
        assert_eq!(similar("published_shm", WORDS), ["published-shmem"]);
        assert_eq!(similar("latency-tset", WORDS), ["latencyTest"]);
        assert!(similar("quick", WORDS).is_empty());
        assert!(similar(&"x".repeat(1 << 20), WORDS).is_empty());
    }

    #[test]
    fn a_hint_names_all_of_them() {
        assert_eq!(hint(&[], "-"), "");
        assert_eq!(hint(&["a", "b"], "-"), "did you mean -a or -b?");
    }
}
