//! LIKE: `%` or `*` stands for any characters, `_` or `?` for one; a backslash takes the meaning
//! from the sign behind it.
//!
//! A pattern is a row of segments with `%` between them. The first one stands at the beginning of
//! the text and the last one at its end; each of the others goes to the first place behind the one
//! before it where it fits. That is enough: if the pattern fits at all, it fits so. Each byte of
//! the text is looked at by one segment only, and each segment takes time in proportion to the
//! bytes that it looks at: without `_` by `memmem`, with it by an automaton that knows after each
//! byte how much of the segment stands before it, a bit for each sign.

use alloc::vec::Vec;

use memchr::memmem;

use crate::limits;
use crate::steps::Steps;

/// What stands for `%` and `_` in a pattern: bytes that are nowhere in UTF-8.
const ANY: u8 = 0xfe;
const ONE: u8 = 0xff;

/// What it takes to prepare the search for a segment, without its bytes.
const PREPARATION: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pattern {
    bytes: Vec<u8>,
    /// No shorter text fits.
    least: usize,
}

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            parts.push(match byte {
                b'%' | b'*' if parts.last() == Some(&ANY) => continue,
                b'%' | b'*' => ANY,
                b'_' | b'?' => ONE,
                b'\\' => bytes.next().unwrap_or(byte),
                byte => byte,
            });
        }
        Self {
            least: parts.iter().filter(|part| **part != ANY).count(),
            bytes: parts,
        }
    }

    /// Takes steps in proportion to the text and to the pattern. False if they do not suffice.
    pub(crate) fn matches(&self, text: &[u8], steps: &mut Steps) -> bool {
        if text.len() < self.least || !steps.take(1 + self.bytes.len()) {
            return false;
        }
        let mut segments = self.bytes.split(|byte| *byte == ANY);
        let first = segments.next().unwrap_or_default();
        let Some(rest) = behind_prefix(text, first, steps) else {
            return false;
        };
        let Some(last) = segments.next_back() else {
            return rest.is_empty();
        };
        let Some(mut rest) = before_suffix(rest, last, steps) else {
            return false;
        };
        segments.all(|segment| match end_of_first(rest, segment, steps) {
            Some(end) => {
                rest = rest.get(end..).unwrap_or_default();
                true
            }
            None => false,
        })
    }
}

/// A byte that goes on with a UTF-8 character.
fn goes_on(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// What follows a segment that begins the text.
fn behind_prefix<'t>(mut text: &'t [u8], segment: &[u8], steps: &mut Steps) -> Option<&'t [u8]> {
    for part in segment {
        let (byte, mut rest) = text.split_first()?;
        if *part != ONE {
            (byte == part).then_some(())?;
        } else {
            (!goes_on(*byte)).then_some(())?;
            while let Some((next, behind)) = rest.split_first()
                && goes_on(*next)
            {
                steps.take(1).then_some(())?;
                rest = behind;
            }
        }
        text = rest;
    }
    Some(text)
}

/// What precedes a segment that ends the text.
fn before_suffix<'t>(mut text: &'t [u8], segment: &[u8], steps: &mut Steps) -> Option<&'t [u8]> {
    for part in segment.iter().rev() {
        let (mut byte, mut rest) = text.split_last()?;
        while *part == ONE && goes_on(*byte) {
            steps.take(1).then_some(())?;
            (byte, rest) = rest.split_last()?;
        }
        (*part == ONE || byte == part).then_some(())?;
        text = rest;
    }
    Some(text)
}

/// Where the first place ends at which the segment fits.
fn end_of_first(text: &[u8], segment: &[u8], steps: &mut Steps) -> Option<usize> {
    if !segment.contains(&ONE) {
        steps.take(PREPARATION + segment.len()).then_some(())?;
        return search(text, 1, steps, |text| {
            memmem::find(text, segment).map(|at| at + segment.len())
        });
    }
    match segment.len() {
        0..=64 => Automaton::<1>::search(text, segment, steps),
        _ => Automaton::<WORDS>::search(text, segment, steps),
    }
}

/// Looks for something in as much of the text as there are steps for, with `cost` for each byte up
/// to its end.
fn search(
    text: &[u8],
    cost: usize,
    steps: &mut Steps,
    find: impl FnOnce(&[u8]) -> Option<usize>,
) -> Option<usize> {
    let within = text.get(..steps.left() / cost).unwrap_or(text);
    let end = find(within);
    let seen = match end {
        Some(end) => end,
        None if within.len() == text.len() => text.len(),
        // One more than there is.
        None => within.len() + 1,
    };
    steps.take(seen * cost);
    end
}

/// Words of bits for the longest segment.
const WORDS: usize = limits::PATTERN.div_ceil(64);

/// Which parts of a segment fit which byte: bit `n` is for part `n`. A byte fits a part that is a
/// byte if both halves do.
struct Automaton<const W: usize> {
    high: [[u64; W]; 16],
    low: [[u64; W]; 16],
    /// The parts that stand for any character.
    one: [u64; W],
    /// The last part.
    last: [u64; W],
}

impl<const W: usize> Automaton<W> {
    fn search(text: &[u8], segment: &[u8], steps: &mut Steps) -> Option<usize> {
        let preparation = W * PREPARATION + segment.len();
        steps.take(preparation).then_some(())?;
        let automaton = Self::new(segment);
        search(text, W, steps, |text| automaton.end_of_first(text))
    }

    fn new(segment: &[u8]) -> Self {
        let mut new = Self {
            high: [[0; W]; 16],
            low: [[0; W]; 16],
            one: [0; W],
            last: [0; W],
        };
        for (at, part) in segment.iter().enumerate() {
            let bit = 1 << (at % 64);
            let set = |words: &mut [u64; W]| {
                if let Some(word) = words.get_mut(at / 64) {
                    *word |= bit;
                }
            };
            match *part {
                ONE => set(&mut new.one),
                byte => {
                    set(&mut new.high[usize::from(byte >> 4)]);
                    set(&mut new.low[usize::from(byte & 15)]);
                }
            }
            if at + 1 == segment.len() {
                set(&mut new.last);
            }
        }
        new
    }

    fn end_of_first(&self, text: &[u8]) -> Option<usize> {
        // A bit for each part that the bytes before this one may end with.
        let mut state = [0u64; W];
        for (at, byte) in text.iter().enumerate() {
            let high = &self.high[usize::from(byte >> 4)];
            let low = &self.low[usize::from(byte & 15)];
            let goes_on = if goes_on(*byte) { u64::MAX } else { 0 };
            // The segment may begin here.
            let mut carry = 1;
            let mut is_there = 0;
            for word in 0..W {
                let before = state[word];
                let next = before << 1 | carry;
                carry = before >> 63;
                let begins = high[word] & low[word] | self.one[word] & !goes_on;
                let stays = self.one[word] & goes_on;
                state[word] = next & begins | before & stays;
                is_there |= state[word] & self.last[word];
            }
            if is_there != 0 {
                return Some(at + 1);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use proptest::prelude::*;

    fn like(text: &str, pattern: &str) -> bool {
        Pattern::new(pattern).matches(text.as_bytes(), &mut Steps::new(usize::MAX))
    }

    /// The result, and how many steps it took.
    fn counted(text: &[u8], pattern: &str) -> (bool, usize) {
        let mut steps = Steps::new(usize::MAX);
        let matches = Pattern::new(pattern).matches(text, &mut steps);
        (matches, usize::MAX - steps.left())
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
            ("mississippi", "m%i__i%p_", true),
            ("aba", "ab%ba", false),
            ("a€b", "%_b", true),
            ("€", "%__%", false),
            ("€", "%_%_%", false),
        ] {
            assert_eq!(like(text, pattern), expected, "{text} LIKE {pattern}");
        }
    }

    /// A sign that goes on with no character belongs to the one before it, or to none.
    #[test]
    fn what_is_not_utf_8_has_no_surprises() {
        for (text, pattern, expected) in [
            (&b"\x80a"[..], "_a", false),
            (b"\x80a", "%a", true),
            (b"a\x80\x80\x80\x80\x80b", "_b", true),
            (b"a\x80\x80\x80\x80\x80b", "%_b", true),
            (b"a\x80\x80\x80\x80\x80b", "%_b%", true),
            (b"a\x80\x80\x80\x80\x80", "_", true),
            (b"a\x80\x80\x80\x80\x80", "%__%", false),
            (b"\xff\xfe", "__", true),
        ] {
            assert_eq!(counted(text, pattern).0, expected, "{text:?} {pattern}");
        }
    }

    /// The worst that is known for each way to search: nearly everything fits nearly everywhere.
    #[test]
    fn steps_grow_with_the_text_and_not_with_the_text_times_the_pattern() {
        let (a, b) = ("a".repeat(100), "b");
        let nested = alloc::format!("%{}%", "a_".repeat(60) + "b");
        let patterns = [
            (alloc::format!("%{a}{b}%"), 1),
            (alloc::format!("%{a}{a}{b}"), 1),
            (alloc::format!("%_{}{b}%", "a".repeat(60)), 1),
            (alloc::format!("%_{a}{b}%"), WORDS),
            (nested, WORDS),
            ("%a".repeat(127) + "%b", 1),
            ("%a_".repeat(80) + "b", 1),
            ("%a_".repeat(80) + "%b%", 1),
        ];
        for size in [1_000, 60_000, 1_000_000] {
            let text = "a".repeat(size);
            for (pattern, words) in &patterns {
                let (matches, steps) = counted(text.as_bytes(), pattern);
                assert!(!matches, "{pattern}");
                let most = words * size + limits::PATTERN * 2 * (PREPARATION + 1);
                assert!(steps <= most, "{steps} steps for {size} bytes: {pattern}");
            }
        }
    }

    #[test]
    fn nothing_is_done_beyond_the_steps() {
        let text = "a".repeat(10_000);
        for pattern in ["%b%", "%a_b%", "%b", "%_%_b"] {
            for most in [0, 1, 50, 5_000] {
                let mut steps = Steps::new(most);
                assert!(!Pattern::new(pattern).matches(text.as_bytes(), &mut steps));
                let (_, wanted) = counted(text.as_bytes(), pattern);
                assert_eq!(steps.ran_out(), wanted > most, "{pattern} in {most}");
            }
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

    fn agrees(text: &str, pattern: &str) -> Result<(), TestCaseError> {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        prop_assert_eq!(
            like(text, pattern),
            naive(&chars(text), &chars(pattern)),
            "{} LIKE {}",
            text,
            pattern
        );
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

        #[test]
        fn it_is_what_its_definition_says(text in "[abü€]{0,10}", pattern in "[abü€%_]{0,10}") {
            agrees(&text, &pattern)?;
        }

        /// Patterns that fit: parts of the text, with signs between them.
        #[test]
        fn what_was_made_to_fit_fits(
            parts in prop::collection::vec(("[abü]{0,5}", "[abü€]{0,4}", any::<bool>()), 0..6),
        ) {
            let (mut text, mut pattern) = (String::new(), String::new());
            for (fixed, free, any) in parts {
                text += &(fixed.clone() + &free);
                pattern += &fixed;
                match any {
                    true => pattern.push('%'),
                    false => pattern.extend(free.chars().map(|_| '_')),
                }
            }
            prop_assert!(like(&text, &pattern), "{} LIKE {}", text, pattern);
        }

        /// Segments of more than one word of bits.
        #[test]
        fn long_segments_are_found(
            before in "[ab]{0,9}", segment in "[abü_]{60,150}", behind in "[ab]{0,9}", spoilt in any::<prop::sample::Index>(),
        ) {
            let text: String = segment.chars().map(|c| if c == '_' { '€' } else { c }).collect();
            let text = before + &text + &behind;
            let pattern = alloc::format!("%{segment}%");
            prop_assert!(like(&text, &pattern));
            let spoilt = spoilt.index(segment.chars().count());
            let segment: String = segment.chars().enumerate().map(|(n, c)| if n == spoilt { 'c' } else { c }).collect();
            let spoilt = alloc::format!("%{segment}%");
            prop_assert!(!like(&text, &spoilt));
        }
    }
}
