//! The peers that a participant begins with: the application's, or else the environment's, or else
//! those of a file.
//!
//! The application's list counts if there is one; else the variable `NDDS_DISCOVERY_PEERS` if it is
//! set; else the file of that name in the working directory. `DUNLIN_PEERS` adds to any of them. As
//! with RTI Connext, a list of the variable or the file that names no multicast group switches
//! multicast off.
use super::{PeerDescriptor, PeerError};
use crate::error::{Error, Result};
use crate::runtime::environment::{file_here, variable};
use dunlin_wire::ports::SPDP_GROUP;
use std::net::Ipv4Addr;

/// The environment variable and the file.
const NAME: &str = "NDDS_DISCOVERY_PEERS";
/// The environment variable that adds to every list.
const MORE: &str = "DUNLIN_PEERS";
/// Bytes of the file.
const MAX_FILE: u64 = 64 << 10;
/// Peers of one participant.
const MAX_PEERS: usize = 1024;
/// Multicast groups of one participant.
const MAX_GROUPS: usize = 8;

/// Whom a participant announces itself to, and which groups it listens to.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct InitialPeers {
    pub(crate) peers: Vec<PeerDescriptor>,
    /// Those of the peers included.
    pub(crate) groups: Vec<Ipv4Addr>,
    /// Whether the default meeting places are used: the standard's group, and shared memory's.
    pub(crate) multicast: bool,
}

/// What the environment says. What nobody asks for, since something else goes before it, is not
/// looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct EnvironmentPeers {
    variable: Option<String>,
    file: Option<String>,
    more: Option<String>,
}

impl EnvironmentPeers {
    /// By the process's environment and working directory.
    fn here(peers: &[String]) -> Result<Self> {
        let mut said = Self {
            more: variable(MORE)?,
            ..Self::default()
        };
        if peers.is_empty() {
            said.variable = variable(NAME)?;
            if said.variable.is_none() {
                said.file = file_here(NAME, MAX_FILE)?;
            }
        }
        Ok(said)
    }
}

impl InitialPeers {
    /// By `ParticipantConfig::peers` and `multicast`, and the environment.
    pub(crate) fn here(own: &[String], multicast: bool) -> Result<Self> {
        Self::from(own, multicast, &EnvironmentPeers::here(own)?)
    }

    fn from(own: &[String], mut multicast: bool, said: &EnvironmentPeers) -> Result<Self> {
        let mut peers = Vec::new();
        if !own.is_empty() {
            for text in own {
                peers.push(
                    text.parse()
                        .map_err(|error| wrong("ParticipantConfig::peers", &error))?,
                );
            }
        } else if let Some(text) = &said.variable {
            peers = commas(&format!("environment variable {NAME}"), text)?;
            multicast = false;
        } else if let Some(text) = &said.file {
            let listed = lines(text)?;
            multicast &= listed.is_empty();
            peers = listed;
        }
        if let Some(text) = &said.more {
            peers.extend(commas(&format!("environment variable {MORE}"), text)?);
        }
        Self::new(peers, multicast)
    }

    fn new(peers: Vec<PeerDescriptor>, multicast: bool) -> Result<Self> {
        let mut groups: Vec<Ipv4Addr> = multicast.then_some(SPDP_GROUP).into_iter().collect();
        for group in peers.iter().filter_map(PeerDescriptor::group) {
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        let too_many = |what: &str, count: usize, most: usize| {
            Error::BadParameter(format!("{count} {what} are too many: {most} are allowed"))
        };
        if peers.len() > MAX_PEERS {
            return Err(too_many("peers", peers.len(), MAX_PEERS));
        }
        if groups.len() > MAX_GROUPS {
            return Err(too_many("multicast groups", groups.len(), MAX_GROUPS));
        }
        Ok(Self {
            peers,
            groups,
            multicast,
        })
    }
}

fn wrong(place: &str, error: &PeerError) -> Error {
    Error::BadParameter(format!("{place}: {error}"))
}

/// Descriptors with commas between.
fn commas(place: &str, text: &str) -> Result<Vec<PeerDescriptor>> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts
        .map(|part| part.parse().map_err(|error| wrong(place, &error)))
        .collect()
}

/// Descriptors with commas, blanks or line ends between; what follows a semicolon is a comment.
fn lines(text: &str) -> Result<Vec<PeerDescriptor>> {
    let mut peers = Vec::new();
    for (number, line) in (1_usize..).zip(text.lines()) {
        let line = line.split_once(';').map_or(line, |(line, _)| line);
        let blanks = line.replace(char::is_whitespace, ",");
        peers.extend(commas(&format!("file {NAME}, line {number}"), &blanks)?);
    }
    Ok(peers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn initial(peers: &[&str], said: &EnvironmentPeers) -> Result<InitialPeers> {
        let own: Vec<_> = peers.iter().map(ToString::to_string).collect();
        InitialPeers::from(&own, true, said)
    }

    fn said(variable: Option<&str>, file: Option<&str>, more: Option<&str>) -> EnvironmentPeers {
        EnvironmentPeers {
            variable: variable.map(Into::into),
            file: file.map(Into::into),
            more: more.map(Into::into),
        }
    }

    fn names(initial: &InitialPeers) -> Vec<String> {
        initial.peers.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_application_goes_before_the_variable_and_that_before_the_file() {
        let all = said(Some("10.0.0.2"), Some("10.0.0.3"), Some("10.0.0.4"));
        let from = |peers: &[&str], said: &EnvironmentPeers| initial(peers, said).unwrap();
        assert_eq!(names(&from(&["10.0.0.1"], &all)), ["10.0.0.1", "10.0.0.4"]);
        assert_eq!(names(&from(&[], &all)), ["10.0.0.2", "10.0.0.4"]);
        let file = said(None, Some("10.0.0.3"), None);
        assert_eq!(names(&from(&[], &file)), ["10.0.0.3"]);
        assert_eq!(names(&from(&[], &EnvironmentPeers::default())), [""; 0]);
    }

    #[test]
    fn a_list_of_the_environment_without_a_group_switches_multicast_off() {
        let groups = |peers: &[&str], said: EnvironmentPeers| {
            let initial = initial(peers, &said).unwrap();
            initial.groups
        };
        let other = Ipv4Addr::new(239, 255, 0, 2);
        assert_eq!(groups(&[], EnvironmentPeers::default()), [SPDP_GROUP]);
        assert!(groups(&[], said(Some("10.0.0.1"), None, None)).is_empty());
        assert!(groups(&[], said(None, Some("10.0.0.1"), None)).is_empty());
        assert_eq!(
            groups(&[], said(None, Some("; nothing\n"), None)),
            [SPDP_GROUP]
        );
        let both = said(Some("10.0.0.1,builtin.udpv4://239.255.0.2"), None, None);
        assert_eq!(groups(&[], both), [other]);
        assert_eq!(
            groups(&["10.0.0.1"], EnvironmentPeers::default()),
            [SPDP_GROUP]
        );
        assert_eq!(
            groups(&[], said(None, None, Some("10.0.0.1"))),
            [SPDP_GROUP]
        );
    }

    #[test]
    fn a_file_has_lines_commas_blanks_and_comments() {
        let text = ";; NDDS_DISCOVERY_PEERS\n\n239.255.0.1 ; the group\n\t1@host1,  [2]@host2\r\n builtin.shmem:// udpv4://h ;x,y";
        let peers: Vec<_> = lines(text)
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        let expected = [
            "239.255.0.1",
            "1@host1",
            "[2]@host2",
            "shmem://",
            "udpv4://h",
        ];
        assert_eq!(peers, expected);
    }

    #[test]
    fn a_mistake_names_its_list() {
        let error = |said| initial(&[], &said).unwrap_err().to_string();
        let variable = error(said(Some("10.0.0.1,x@h"), None, None));
        assert!(
            variable.starts_with("environment variable NDDS_DISCOVERY_PEERS: peer"),
            "{variable}"
        );
        let file = error(said(None, Some("h\n h 300.0.0.1"), None));
        assert!(
            file.starts_with("file NDDS_DISCOVERY_PEERS, line 2: peer"),
            "{file}"
        );
        let own = initial(&[""], &EnvironmentPeers::default());
        let own = own.unwrap_err().to_string();
        assert!(own.starts_with("ParticipantConfig::peers: "), "{own}");
    }
}
