//! Key expressions: where data, tokens, beats and what can be asked for are.
//!
//! Data is at `SCOPE/[PARTITION/]TOPIC`, so that programs of zenoh find it. No wildcard matches a
//! chunk that begins with `@`, so nobody takes what is ours for a sample.
use percent_encoding::percent_decode_str;
use std::fmt::Write;

/// The version of all that is ours.
const VERSION: &str = "@dunlin/1";
/// Where records are asked for, below the site's key.
pub(crate) const RECORDS: &str = "record";
/// No key of ours is longer.
const MOST: usize = 4096;

/// Which way data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Direction {
    /// A site writes it.
    Offer,
    /// A site reads it.
    Want,
}

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Want => "want",
        }
    }

    fn of(name: &str) -> Option<Self> {
        [Self::Offer, Self::Want]
            .into_iter()
            .find(|one| one.name() == name)
    }
}

/// What a site says that it has: the endpoints of a topic, whose record has this digest.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Summary {
    pub(crate) direction: Direction,
    pub(crate) topic: String,
    pub(crate) digest: u64,
}

/// The keys of a scope.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    scope: String,
}

impl Keys {
    pub(crate) fn new(scope: &str) -> Self {
        Self {
            scope: chunk(scope),
        }
    }

    /// Where samples of a topic are.
    pub(crate) fn data(&self, partitions: &[String], topic: &str) -> String {
        let scope = &self.scope;
        // Several partitions, and patterns, are no place of their own.
        match partitions {
            [one] if !one.is_empty() && !one.contains(['*', '?', '[']) => {
                format!("{scope}/{}/{}", name(one), name(topic))
            }
            _ => format!("{scope}/{}", name(topic)),
        }
    }

    /// Where the ends of instances are whose samples are at `data`.
    pub(crate) fn life(data: &str) -> String {
        format!("{data}/@life")
    }

    fn site(&self, zid: &str, rest: &str) -> String {
        format!("{VERSION}/{}/{zid}/{rest}", self.scope)
    }

    pub(crate) fn token(&self, zid: &str, summary: &Summary) -> String {
        let (topic, digest) = (chunk(&summary.topic), summary.digest);
        let direction = summary.direction.name();
        self.site(zid, &format!("{direction}/{topic}/{digest:016x}"))
    }

    /// The tokens of a site, or of all.
    pub(crate) fn tokens(&self, zid: Option<&str>) -> String {
        self.site(zid.unwrap_or("*"), "**")
    }

    pub(crate) fn beat(&self, zid: Option<&str>) -> String {
        self.site(zid.unwrap_or("*"), "beat")
    }

    /// What each of the services at a site says, or one of them.
    pub(crate) fn claim(&self, zid: Option<&str>, site: &str) -> String {
        self.site(zid.unwrap_or("*"), &format!("site/{}", chunk(site)))
    }

    pub(crate) fn records(&self, zid: &str) -> String {
        self.site(zid, RECORDS)
    }

    pub(crate) fn store(&self, zid: &str) -> String {
        self.site(zid, "store")
    }

    /// What can be asked of a site.
    pub(crate) fn queries(&self, zid: &str) -> [String; 2] {
        [self.records(zid), self.store(zid)]
    }

    /// The site, and what follows in a key of ours.
    pub(crate) fn parse<'k>(&self, key: &'k str) -> Option<(&'k str, &'k str)> {
        let rest = key.strip_prefix(VERSION)?.strip_prefix('/')?;
        let rest = rest.strip_prefix(&*self.scope)?.strip_prefix('/')?;
        let (zid, rest) = rest.split_once('/')?;
        (key.len() <= MOST && is_zid(zid)).then_some((zid, rest))
    }

    /// The site and the summary of a token.
    pub(crate) fn parse_token<'k>(&self, key: &'k str) -> Option<(&'k str, Summary)> {
        let (zid, rest) = self.parse(key)?;
        let mut parts = rest.split('/');
        let (direction, topic, digest) = (parts.next()?, parts.next()?, parts.next()?);
        let summary = Summary {
            direction: Direction::of(direction)?,
            topic: decode(topic)?,
            digest: hex(digest)?,
        };
        parts.next().is_none().then_some((zid, summary))
    }
}

fn hex(text: &str) -> Option<u64> {
    (text.len() == 16).then(|| u64::from_str_radix(text, 16).ok())?
}

fn is_zid(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A name as chunks of a key: what key expressions forbid is percent-encoded.
fn name(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    let mut rest = name.chars().peekable();
    while let Some(next) = rest.next() {
        let begins = key.is_empty() || key.ends_with('/');
        let is_empty_chunk = next == '/' && (begins || rest.peek().is_none());
        let is_forbidden = matches!(next, '*' | '$' | '?' | '#' | '%') || next.is_control();
        if is_empty_chunk || is_forbidden || next == '@' && begins {
            let mut octets = [0; 4];
            for octet in next.encode_utf8(&mut octets).bytes() {
                // Writing to a string does not fail.
                let _ = write!(key, "%{octet:02X}");
            }
        } else {
            key.push(next);
        }
    }
    match key.is_empty() {
        // Nothing at all is no chunk, either.
        true => "%".to_owned(),
        false => key,
    }
}

/// A name as one chunk.
fn chunk(text: &str) -> String {
    name(text).replace('/', "%2F")
}

fn decode(chunk: &str) -> Option<String> {
    if chunk == "%" {
        return Some(String::new());
    }
    let decoded = percent_decode_str(chunk).decode_utf8().ok()?;
    Some(decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_others_are_none_of_ours() {
        let keys = Keys::new("yard");
        let right = "@dunlin/1/yard/a1/offer/Square/0000000000000007";
        assert!(keys.parse_token(right).is_some());
        for wrong in [
            "",
            "@dunlin/2/yard/a1/offer/Square/0000000000000007",
            "@dunlin/1/other/a1/offer/Square/0000000000000007",
            "@dunlin/1/yard/xyz/offer/Square/0000000000000007",
            "@dunlin/1/yard/a1/offers/Square/0000000000000007",
            "@dunlin/1/yard/a1/offer/Square/7",
            "@dunlin/1/yard/a1/offer/%FF/0000000000000007",
            "@dunlin/1/yard/a1/offer/Square/0000000000000007/x",
        ] {
            assert_eq!(keys.parse_token(wrong), None, "{wrong}");
        }
        let long = format!(
            "@dunlin/1/yard/a1/offer/{}/0000000000000007",
            "x".repeat(MOST)
        );
        assert_eq!(keys.parse_token(&long), None);
    }
}
