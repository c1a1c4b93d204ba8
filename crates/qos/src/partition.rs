//! Which partitions see each other (DDS 1.4 2.2.3.13, POSIX `fnmatch`).
use crate::Partition;
use alloc::string::String;
use core::fmt;
use core::str::Chars;

impl Partition {
    /// True if a publisher in these partitions and a subscriber in `other` share at least one.
    ///
    /// Either side may use patterns, but two patterns never match each other. No partition at all
    /// means the partition `""`.
    pub fn matches(&self, other: &Self) -> bool {
        self.names()
            .any(|mine| other.names().any(|theirs| same(mine, theirs)))
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        let unnamed = self.0.is_empty().then_some("");
        self.0.iter().map(String::as_str).chain(unnamed)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.names().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{name:?}")?;
        }
        Ok(())
    }
}

fn same(a: &str, b: &str) -> bool {
    match (is_pattern(a), is_pattern(b)) {
        (true, true) => false,
        (true, false) => fnmatch(a, b),
        (false, true) => fnmatch(b, a),
        (false, false) => a == b,
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// Goes back at most to the latest `*`, so that time is bounded by the product of the lengths.
fn fnmatch(pattern: &str, name: &str) -> bool {
    let (mut pattern, mut name) = (pattern.chars(), name.chars());
    let mut star: Option<(Chars<'_>, Chars<'_>)> = None;
    loop {
        let rest = pattern.clone();
        let matched = match pattern.next() {
            Some('*') => {
                star = Some((pattern.clone(), name.clone()));
                true
            }
            None if name.as_str().is_empty() => return true,
            None => false,
            Some(_) => one(rest, &mut name).is_some_and(|after| {
                pattern = after;
                true
            }),
        };
        if matched {
            continue;
        }
        let Some((after_star, from)) = &mut star else {
            return false;
        };
        if from.next().is_none() {
            return false;
        }
        (pattern, name) = (after_star.clone(), from.clone());
    }
}

/// Matches one character against the head of the pattern; returns the pattern behind that head.
fn one<'p>(mut pattern: Chars<'p>, name: &mut Chars<'_>) -> Option<Chars<'p>> {
    let c = name.next()?;
    let matched = match pattern.next()? {
        '?' => true,
        '[' => match bracket(pattern.clone(), c) {
            Some((matched, after)) => {
                pattern = after;
                matched
            }
            None => c == '[',
        },
        '\\' => pattern.next()? == c,
        literal => literal == c,
    };
    matched.then_some(pattern)
}

/// A bracket expression behind its `[`; `None` if it is never closed, and then the `[` is an
/// ordinary character.
fn bracket(mut pattern: Chars<'_>, c: char) -> Option<(bool, Chars<'_>)> {
    let negated = pattern.as_str().starts_with(['!', '^']);
    if negated {
        pattern.next();
    }
    let (mut matched, mut first) = (false, true);
    loop {
        let low = match pattern.next()? {
            ']' if !first => return Some((matched != negated, pattern)),
            '\\' => pattern.next()?,
            low => low,
        };
        first = false;
        let high = range_end(&mut pattern).unwrap_or(low);
        matched |= (low..=high).contains(&c);
    }
}

fn range_end(pattern: &mut Chars<'_>) -> Option<char> {
    let mut ahead = pattern.clone();
    let end = match (ahead.next()?, ahead.next()?) {
        ('-', ']') => return None,
        ('-', '\\') => ahead.next()?,
        ('-', end) => end,
        _ => return None,
    };
    *pattern = ahead;
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    fn partition(names: &[&str]) -> Partition {
        Partition(names.iter().map(|n| n.to_string()).collect::<Vec<_>>())
    }

    #[test]
    fn partitions_match_by_name_and_by_pattern_of_one_side() {
        let table: &[(&[&str], &[&str], bool)] = &[
            (&[], &[], true),
            (&[], &[""], true),
            (&[], &["a"], false),
            (&[], &["*"], true),
            (&["a"], &["a"], true),
            (&["a"], &["b"], false),
            (&["a", "b"], &["b", "c"], true),
            (&["abc"], &["a*"], true),
            (&["a*"], &["abc"], true),
            (&["a*"], &["a*"], false),
            (&["a*"], &["*"], false),
            (&["a*", "x"], &["*", "y"], true),
            (&["abc"], &["a?c"], true),
            (&["ac"], &["a?c"], false),
            (&["a1"], &["a[0-9]"], true),
            (&["ax"], &["a[0-9]"], false),
            (&["ax"], &["a[!0-9]"], true),
            (&["a/b/c"], &["a/*/c"], true),
        ];
        for (offered, requested, expected) in table {
            let (o, r) = (partition(offered), partition(requested));
            assert_eq!(o.matches(&r), *expected, "{o} and {r}");
            assert_eq!(r.matches(&o), *expected, "{r} and {o}");
        }
    }

    #[test]
    fn patterns_are_read_as_fnmatch_reads_them() {
        let table = [
            ("*", "", true),
            ("**", "ab", true),
            ("*b*d", "abcd", true),
            ("*b*e", "abcd", false),
            ("?", "", false),
            ("[]]", "]", true),
            ("[]a]", "a", true),
            ("[!]]", "]", false),
            ("[a-]", "-", true),
            ("[a-c]x", "bx", true),
            ("[z-a]", "m", false),
            ("a[", "a[", true),
            ("a[b", "a[b", true),
            ("\\*?", "*x", true),
            ("\\*?", "ax", false),
            ("?", "é", true),
            ("[à-ü]", "é", true),
            ("*\\", "a", false),
        ];
        for (pattern, name, expected) in table {
            assert_eq!(fnmatch(pattern, name), expected, "{pattern} and {name}");
        }
    }

    #[test]
    fn many_stars_take_bounded_time() {
        let pattern = "*a".repeat(128);
        let name = "a".repeat(127) + &"b".repeat(128);
        assert!(!fnmatch(&pattern, &name));
    }
}
