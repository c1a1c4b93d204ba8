//! Key expressions: where data, tokens, beats and what can be asked for are.
//!
//! Data is at `SCOPE/[PARTITION/]TOPIC`, so that programs of zenoh find it. No wildcard matches a
//! chunk that begins with `@`, so nobody takes what is ours for a sample.
use super::record;
use std::fmt::Write;

/// All that is ours is below it; the layout follows.
const OURS: &str = "@dunlin";
/// The layout of all that is ours. Sites of another layout are seen, not understood.
pub(crate) const LAYOUT: u32 = 2;
const HERE: &str = "here";
const BEAT: &str = "beat";
const CLAIM: &str = "site";
const STORE: &str = "store";
const NEWS: &str = "news";
/// Where the topics of a site are asked for.
pub(crate) const TOPICS: &str = "topics";
/// Where is asked which numbers the last changes of writers have.
pub(crate) const LASTS: &str = "lasts";
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
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Want => "want",
        }
    }
}

/// What a token says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// The hash of the topics of a site.
    Here(u64),
    /// A site has another layout of keys; a digest tells its tokens apart.
    Other { layout: u32, digest: u64 },
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

    /// What it is comes before whose it is: zenoh looks at all chunks beside one to find who wants
    /// a message, and there are many sites.
    fn of(&self, what: &str, zid: &str) -> String {
        format!("{OURS}/{LAYOUT}/{}/{what}/{zid}", self.scope)
    }

    /// A site is there, and its topics have this hash.
    pub(crate) fn token(&self, zid: &str, hash: u64) -> String {
        format!("{}/{hash:016x}", self.of(HERE, zid))
    }

    /// The tokens of all sites, those of other layouts as well. No other key matches, since a node
    /// looks at all that do for each site and token.
    pub(crate) fn tokens(&self) -> String {
        format!("{OURS}/*/{}/{HERE}/**", self.scope)
    }

    pub(crate) fn beat(&self, zid: Option<&str>) -> String {
        self.of(BEAT, zid.unwrap_or("*"))
    }

    /// Where each site tells, or one of them, what it has now.
    pub(crate) fn news(&self, zid: Option<&str>) -> String {
        self.of(NEWS, zid.unwrap_or("*"))
    }

    /// What each of the services at a site says, or one of them.
    pub(crate) fn claim(&self, zid: Option<&str>, site: &str) -> String {
        let claim = self.of(CLAIM, zid.unwrap_or("*"));
        format!("{claim}/{}", chunk(site))
    }

    pub(crate) fn topics(&self, zid: &str) -> String {
        self.of(TOPICS, zid)
    }

    pub(crate) fn lasts(&self, zid: &str) -> String {
        self.of(LASTS, zid)
    }

    pub(crate) fn store(&self, zid: &str) -> String {
        self.of(STORE, zid)
    }

    /// What can be asked of a site.
    pub(crate) fn queries(&self, zid: &str) -> [String; 3] {
        [self.topics(zid), self.lasts(zid), self.store(zid)]
    }

    /// The site of a key of ours, and what the key is.
    pub(crate) fn parse<'k>(&self, key: &'k str) -> Option<(&'k str, &'k str)> {
        let (layout, rest) = self.parse_any(key)?;
        let (what, rest) = rest.split_once('/')?;
        let zid = rest.split('/').next()?;
        (layout == LAYOUT && is_zid(zid)).then_some((zid, what))
    }

    /// The layout, and what follows.
    fn parse_any<'k>(&self, key: &'k str) -> Option<(u32, &'k str)> {
        let rest = key.strip_prefix(OURS)?.strip_prefix('/')?;
        let (layout, rest) = rest.split_once('/')?;
        let rest = rest.strip_prefix(&*self.scope)?.strip_prefix('/')?;
        let layout = layout.parse().ok()?;
        (key.len() <= MOST).then_some((layout, rest))
    }

    /// The site of a token, and what it says.
    pub(crate) fn parse_token<'k>(&self, key: &'k str) -> Option<(&'k str, Token)> {
        let (layout, rest) = self.parse_any(key)?;
        if layout != LAYOUT {
            let zid = rest.split('/').find(|chunk| is_zid(chunk))?;
            let digest = record::digest(rest.as_bytes());
            return Some((zid, Token::Other { layout, digest }));
        }
        let (zid, hash) = rest
            .strip_prefix(HERE)?
            .strip_prefix('/')?
            .split_once('/')?;
        let hash = hex(hash).filter(|_| is_zid(zid))?;
        Some((zid, Token::Here(hash)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_others_are_none_of_ours() {
        let keys = Keys::new("yard");
        let right = "@dunlin/2/yard/here/a1/0000000000000007";
        assert_eq!(keys.token("a1", 7), right);
        assert_eq!(keys.parse_token(right), Some(("a1", Token::Here(7))));
        for wrong in [
            "",
            "@dunlin/2/other/here/a1/0000000000000007",
            "@dunlin/2/yard/here/xyz/0000000000000007",
            "@dunlin/2/yard/there/a1/0000000000000007",
            "@dunlin/2/yard/here/a1/7",
            "@dunlin/2/yard/here/a1/0000000000000007/x",
            "@dunlin/2/yard/here/a1",
            "@dunlin/x/yard/here/a1/0000000000000007",
        ] {
            assert_eq!(keys.parse_token(wrong), None, "{wrong}");
        }
        let long = format!("@dunlin/1/yard/a1/{}", "x".repeat(MOST));
        assert_eq!(keys.parse_token(&long), None);
    }

    #[test]
    fn sites_of_another_layout_are_told_from_strangers() {
        let keys = Keys::new("yard");
        for (key, layout) in [
            ("@dunlin/1/yard/here/a1/offer/Square/0000000000000007", 1),
            ("@dunlin/3/yard/here/anything/a1", 3),
        ] {
            let seen = keys.parse_token(key);
            let is_seen =
                matches!(seen, Some(("a1", Token::Other { layout: l, .. })) if l == layout);
            assert!(is_seen, "{key}");
            assert_eq!(keys.parse(key), None, "{key}");
        }
        for own in [
            keys.beat(Some("a1")),
            keys.news(Some("a1")),
            keys.store("a1"),
            keys.claim(Some("a1"), "b"),
        ] {
            assert_eq!(keys.parse(&own).unwrap().0, "a1", "{own}");
        }
    }
}
