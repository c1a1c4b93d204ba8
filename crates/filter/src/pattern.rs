//! LIKE: `%` or `*` stands for any characters, `_` or `?` for one; a backslash takes the meaning from the sign behind it.

use alloc::vec::Vec;

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Any,
    One,
    Byte(u8),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pattern {
    parts: Vec<Part>,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            parts.push(match byte {
                b'%' | b'*' if parts.last() == Some(&Part::Any) => continue,
                b'%' | b'*' => Part::Any,
                b'_' | b'?' => Part::One,
                b'\\' => Part::Byte(bytes.next().unwrap_or(byte)),
                byte => Part::Byte(byte),
            });
        }
        Self { parts }
    }

    /// Takes time in proportion to the text, times the pattern at worst.
    pub(crate) fn matches(&self, text: &[u8]) -> bool {
        let (mut at, mut part) = (0, 0);
        // Where to go on if what follows the last `Any` does not fit here.
        let mut retry = None;
        loop {
            let advanced = match self.parts.get(part) {
                None if at >= text.len() => return true,
                None => None,
                Some(Part::Any) => {
                    retry = Some((at, part + 1));
                    Some(at)
                }
                Some(Part::One) => (at < text.len()).then(|| at + character(text, at)),
                Some(Part::Byte(byte)) => (text.get(at) == Some(byte)).then_some(at + 1),
            };
            match (advanced, retry) {
                (Some(next), _) => (at, part) = (next, part + 1),
                (None, Some((from, behind))) if from < text.len() => {
                    at = from + character(text, from);
                    part = behind;
                    retry = Some((at, behind));
                }
                _ => return false,
            }
        }
    }
}

/// Bytes of the UTF-8 character that begins here.
fn character(text: &[u8], at: usize) -> usize {
    let rest = text.get(at + 1..).unwrap_or_default();
    let behind = rest.iter().take_while(|byte| **byte & 0xc0 == 0x80);
    1 + behind.take(3).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn like(text: &str, pattern: &str) -> bool {
        Pattern::new(pattern).matches(text.as_bytes())
    }

    #[test]
    fn signs_stand_for_characters() {
        for (text, pattern, expected) in [
            ("RED", "RED", true),
            ("RED", "R%", true),
            ("RED", "%D", true),
            ("RED", "*E*", true),
            ("RED", "R_D", true),
            ("RED", "R?", false),
            ("RED", "red", false),
            ("", "", true),
            ("", "%", true),
            ("", "_", false),
            ("RED", "", false),
            ("R%D", "R\\%D", true),
            ("RED", "R\\%D", false),
            ("Grün", "Gr_n", true),
            ("a\\", "a\\", true),
            ("aXbXc", "a%b%c", true),
            ("mississippi", "m%iss%ip%", true),
            ("mississippi", "m%iss%ix%", false),
        ] {
            assert_eq!(like(text, pattern), expected, "{text} LIKE {pattern}");
        }
    }

    /// The definition, by trying everything.
    fn naive(text: &[char], pattern: &[char]) -> bool {
        match pattern {
            [] => text.is_empty(),
            ['%', rest @ ..] => (0..=text.len()).any(|n| naive(&text[n..], rest)),
            ['_', rest @ ..] => !text.is_empty() && naive(&text[1..], rest),
            [c, rest @ ..] => text.first() == Some(c) && naive(&text[1..], rest),
        }
    }

    proptest! {
        #[test]
        fn it_is_what_its_definition_says(text in "[abü]{0,8}", pattern in "[abü%_]{0,8}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(like(&text, &pattern), naive(&chars(&text), &chars(&pattern)));
        }
    }
}
