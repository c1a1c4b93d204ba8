//! Patterns of names: `*`, `?`, `[a-z]`, `[!a]`; whole names match.
use std::fmt;

/// A pattern of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(char),
    AnyOne,
    AnyMany,
    Class {
        ranges: Vec<(char, char)>,
        negated: bool,
    },
}

/// Why a text is no pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// There is nothing.
    Empty,
    /// A `[` at this character has no `]`.
    Unclosed(usize),
    /// A range at this character ends before it begins.
    Backwards(usize),
    /// It has more characters than [`Pattern::MOST`].
    TooLong,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("a pattern has one character at least; * fits all names"),
            Self::Unclosed(at) => write!(f, "the [ at character {} has no ]", at + 1),
            Self::Backwards(at) => {
                write!(f, "the range at character {} ends before it begins", at + 1)
            }
            Self::TooLong => write!(f, "a pattern has {} characters at most", Pattern::MOST),
        }
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// The most characters of a pattern.
    pub const MOST: usize = 1024;

    /// The pattern that fits all names.
    pub fn any() -> Self {
        Self {
            text: "*".to_owned(),
            parts: vec![Part::AnyMany],
        }
    }

    /// Reads one pattern.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let characters: Vec<char> = text.chars().take(Self::MOST + 1).collect();
        match characters.len() {
            0 => return Err(PatternError::Empty),
            count if count > Self::MOST => return Err(PatternError::TooLong),
            _ => {}
        }
        let (mut parts, mut at) = (Vec::new(), 0);
        while let Some(&character) = characters.get(at) {
            at += 1;
            parts.push(match character {
                '*' if parts.last() == Some(&Part::AnyMany) => continue,
                '*' => Part::AnyMany,
                '?' => Part::AnyOne,
                '[' => {
                    let (part, end) = class(&characters, at)?;
                    at = end;
                    part
                }
                literal => Part::Literal(literal),
            });
        }
        Ok(Self {
            text: text.to_owned(),
            parts,
        })
    }

    /// Reads patterns with commas between.
    pub fn parse_list(text: &str) -> Result<Vec<Self>, PatternError> {
        text.split(',')
            .map(|part| Self::parse(part.trim()))
            .collect()
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if it is this name, without anything that stands for something else.
    pub fn is_literally(&self, name: &str) -> bool {
        self.text == name
            && self
                .parts
                .iter()
                .all(|part| matches!(part, Part::Literal(_)))
    }

    /// True if it fits the whole name. Takes at most the product of both lengths.
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut part, mut at) = (0, 0);
        // The last `*`, and the name's character from which the rest is tried next.
        let mut again: Option<(usize, usize)> = None;
        while at < name.len() {
            match self.parts.get(part) {
                Some(Part::AnyMany) => {
                    again = Some((part + 1, at));
                    part += 1;
                }
                Some(one) if one.fits(name[at]) => {
                    part += 1;
                    at += 1;
                }
                _ => match again {
                    Some((after, from)) => {
                        again = Some((after, from + 1));
                        (part, at) = (after, from + 1);
                    }
                    None => return false,
                },
            }
        }
        self.parts[part..].iter().all(|part| *part == Part::AnyMany)
    }
}

impl Part {
    fn fits(&self, character: char) -> bool {
        match self {
            Self::Literal(literal) => *literal == character,
            Self::AnyOne | Self::AnyMany => true,
            Self::Class { ranges, negated } => {
                let within = ranges
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&character));
                within != *negated
            }
        }
    }
}

/// Reads what follows a `[`, and where it ends. A `]` that comes first is a member.
fn class(characters: &[char], start: usize) -> Result<(Part, usize), PatternError> {
    let negated = matches!(characters.get(start), Some('!' | '^'));
    let first = start + usize::from(negated);
    let (mut at, mut ranges) = (first, Vec::new());
    loop {
        let low = *characters
            .get(at)
            .ok_or(PatternError::Unclosed(start - 1))?;
        if low == ']' && at > first {
            return Ok((Part::Class { ranges, negated }, at + 1));
        }
        let high = match characters.get(at + 1..at + 3) {
            Some(['-', high]) if *high != ']' => Some(*high),
            _ => None,
        };
        if high.is_some_and(|high| high < low) {
            return Err(PatternError::Backwards(at));
        }
        ranges.push((low, high.unwrap_or(low)));
        at += if high.is_some() { 3 } else { 1 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_whole_names() {
        for (pattern, fits, does_not) in [
            ("*", &["", "a", "rt/x"][..], &[][..]),
            ("rt/*", &["rt/", "rt/odom"], &["rt", "art/odom"]),
            ("?quare", &["Square"], &["quare", "SSquare"]),
            ("[A-C]x", &["Ax", "Cx"], &["Dx", "ax"]),
            ("[!A-C]x", &["Dx"], &["Ax"]),
            ("[]]", &["]"], &["["]),
            ("[a-]", &["a", "-"], &["b"]),
            ("a*b*c", &["abc", "axxbyybc"], &["ab", "acb"]),
        ] {
            let pattern = Pattern::parse(pattern).unwrap();
            for name in fits {
                assert!(pattern.matches(name), "{pattern:?} {name}");
            }
            for name in does_not {
                assert!(!pattern.matches(name), "{pattern:?} {name}");
            }
        }
    }

    #[test]
    fn wrong_patterns_say_where() {
        assert_eq!(Pattern::parse(""), Err(PatternError::Empty));
        assert_eq!(Pattern::parse("ab[c"), Err(PatternError::Unclosed(2)));
        assert_eq!(Pattern::parse("[z-a]"), Err(PatternError::Backwards(1)));
        let long = "a".repeat(Pattern::MOST + 1);
        assert_eq!(Pattern::parse(&long), Err(PatternError::TooLong));
    }

    #[test]
    fn reserved_names_pass_only_by_their_own_name() {
        let all = super::super::Filter::default();
        assert!(all.passes("Square") && !all.passes("DCPSTopic") && !all.passes("rti/x"));
        let named = super::super::Filter {
            allow: Pattern::parse_list("*, rti/x").unwrap(),
            deny: Pattern::parse_list("Sq*").unwrap(),
        };
        assert!(named.passes("rti/x") && !named.passes("rti/y") && !named.passes("Square"));
    }
}
