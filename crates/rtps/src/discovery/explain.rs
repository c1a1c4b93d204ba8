//! Why a local endpoint matches nobody.
use super::types::uncompared;
use super::{Discovery, Heard, TypeDifference, Verdict};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use dunlin_qos::Incompatibility;
use dunlin_wire::Guid;

/// One thing to know about a local endpoint and another one, or the absence of others. `Display`
/// says it in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// The two match.
    Matched {
        /// The other endpoint.
        remote: Guid,
        /// Where only names were compared, though the types are not the same: the endpoint whose
        /// type is not known, and why, in words.
        uncompared: Option<(Guid, String)>,
    },
    /// Same topic, different types.
    Type {
        /// The other endpoint.
        remote: Guid,
        /// How the types differ.
        difference: TypeDifference,
    },
    /// Same topic, and types that are not the same; what they are is not known yet.
    Pending {
        /// The other endpoint.
        remote: Guid,
    },
    /// Same topic and type, no partition in common.
    Partition {
        /// The other endpoint.
        remote: Guid,
        /// Partitions of the writer.
        writer: String,
        /// Partitions of the reader.
        reader: String,
    },
    /// Same topic and type, but QoS that does not fit.
    Qos {
        /// The other endpoint.
        remote: Guid,
        /// Each policy that does not fit.
        mismatches: Vec<Incompatibility>,
    },
    /// Nobody has this topic, but somebody has one with almost the same name.
    SimilarTopic {
        /// The other endpoint.
        remote: Guid,
        /// Its topic.
        topic: String,
    },
    /// The local reader's application does not accept the writer.
    Declined {
        /// Which writer.
        remote: Guid,
    },
    /// Nobody on the other side has this topic.
    Nobody {
        /// How many other participants are known.
        participants: usize,
        /// How many endpoints they have.
        endpoints: usize,
        /// What was heard and not taken in.
        heard: Heard,
    },
    /// There is no such local endpoint.
    Unknown,
}

impl Discovery {
    /// What became of a local endpoint and each endpoint on the other side that has its topic, or
    /// one with almost the same name, as `similar` tells; if there is none, how much was heard at
    /// all.
    pub fn explain(&self, local: Guid, similar: impl Fn(&str, &str) -> bool) -> Vec<Explanation> {
        let is_writer = local.entity.is_writer();
        let topic = match is_writer {
            true => self.catalog.near_writer(local).map(|w| &w.topic),
            false => self.catalog.near_reader(local).map(|r| &r.topic),
        };
        let Some(topic) = topic else {
            return Vec::from([Explanation::Unknown]);
        };
        let mut found = Vec::new();
        let (mut last, mut is_similar) = ("", false);
        for (name, remote) in self.catalog.by_topic(!is_writer) {
            if name == topic {
                found.extend(self.pair(local, remote));
                continue;
            }
            if name != last {
                (last, is_similar) = (name, similar(name, topic));
            }
            if is_similar {
                let topic = name.to_owned();
                found.push(Explanation::SimilarTopic { remote, topic });
            }
        }
        if found.is_empty() {
            found.push(self.nobody());
        }
        found
    }

    /// An explanation in a sentence; where it is about another endpoint with a name, that stands
    /// first.
    pub fn sentence(&self, explanation: &Explanation) -> String {
        match explanation.remote() {
            Some(remote) => self.title(remote, explanation),
            None => explanation.to_string(),
        }
    }

    /// An endpoint as a person knows it: its name, if it has one, and its GUID.
    pub fn called(&self, endpoint: Guid) -> String {
        self.title(endpoint, &endpoint)
    }

    fn title(&self, endpoint: Guid, text: &dyn fmt::Display) -> String {
        let writer = self.catalog.writer(endpoint);
        let reader = self.catalog.reader(endpoint);
        let writer = writer.as_deref().map(|w| &w.qos.entity_name);
        let reader = reader.as_deref().map(|r| &r.qos.entity_name);
        match writer.or(reader).filter(|name| !name.is_empty()) {
            Some(name) => format!("{name:?} {text}"),
            None => text.to_string(),
        }
    }

    fn pair(&self, local: Guid, remote: Guid) -> Option<Explanation> {
        let (writer, reader) = match local.entity.is_writer() {
            true => (local, remote),
            false => (remote, local),
        };
        Some(match self.catalog.verdict(writer, reader)?.clone() {
            Verdict::Matched => {
                let w = self.catalog.near_writer(writer)?;
                let r = self.catalog.near_reader(reader)?;
                let uncompared = uncompared(w, r, self.catalog.types());
                let uncompared = uncompared.map(|(of, why)| (of, why.to_owned()));
                Explanation::Matched { remote, uncompared }
            }
            Verdict::Type(difference) => Explanation::Type { remote, difference },
            Verdict::Pending => Explanation::Pending { remote },
            Verdict::Declined => Explanation::Declined { remote },
            Verdict::Qos(mismatches) => Explanation::Qos { remote, mismatches },
            Verdict::Partition => Explanation::Partition {
                remote,
                writer: self
                    .catalog
                    .near_writer(writer)?
                    .publisher
                    .partition
                    .to_string(),
                reader: self
                    .catalog
                    .near_reader(reader)?
                    .subscriber
                    .partition
                    .to_string(),
            },
        })
    }

    fn nobody(&self) -> Explanation {
        let own = self.config.prefix;
        Explanation::Nobody {
            participants: self.peers.len(),
            endpoints: self.catalog.len() - self.catalog.endpoints_of(own),
            heard: self.heard,
        }
    }
}

impl Explanation {
    /// The other endpoint, if it is about one.
    pub fn remote(&self) -> Option<Guid> {
        match self {
            Self::Matched { remote, .. }
            | Self::Pending { remote }
            | Self::Declined { remote }
            | Self::Type { remote, .. }
            | Self::Partition { remote, .. }
            | Self::Qos { remote, .. }
            | Self::SimilarTopic { remote, .. } => Some(*remote),
            Self::Nobody { .. } | Self::Unknown => None,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Matched { remote, uncompared } => {
                write!(f, "{remote} matches")?;
                match uncompared {
                    Some((of, why)) => write!(
                        f,
                        " by the name of its type alone: the types are not the same, and that of {of} is not known ({why})"
                    ),
                    None => Ok(()),
                }
            }
            Self::Declined { remote } => {
                write!(f, "{remote} is not accepted by the reader's application")
            }
            Self::Pending { remote } => write!(
                f,
                "{remote} has the same topic name and another type, and is asked what that is"
            ),
            Self::Type { remote, difference } => {
                let seen = difference.seen_by(!remote.entity.is_writer());
                write!(f, "{remote} has the same topic name, but {seen}")
            }
            Self::Partition {
                remote,
                writer,
                reader,
            } => write!(
                f,
                "{remote} shares no partition: the writer is in {writer}, the reader in {reader}"
            ),
            Self::Qos { remote, mismatches } => {
                write!(f, "{remote} has QoS that does not fit")?;
                mismatches.iter().try_for_each(|m| write!(f, "; {m}"))
            }
            Self::SimilarTopic { remote, topic } => {
                write!(f, "{remote} has a topic of a similar name, {topic:?}")
            }
            Self::Nobody {
                participants,
                endpoints,
                heard,
            } => {
                write!(
                    f,
                    "nobody has this topic: {participants} other participants with {endpoints} endpoints are known"
                )?;
                let Heard {
                    other_domain,
                    malformed,
                    no_room,
                    misplaced,
                } = heard;
                if *other_domain > 0 {
                    write!(f, "; {other_domain} announcements were of another domain")?;
                }
                if *malformed > 0 {
                    write!(f, "; {malformed} messages made no sense")?;
                }
                if *no_room > 0 {
                    write!(f, "; for {no_room} announcements there was no room")?;
                }
                if *misplaced > 0 {
                    write!(
                        f,
                        "; {misplaced} messages came from an address that their participant does not announce"
                    )?;
                }
                Ok(())
            }
            Self::Unknown => f.write_str("there is no such endpoint"),
        }
    }
}
