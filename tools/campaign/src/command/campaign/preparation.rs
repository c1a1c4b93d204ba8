//! Before the first run: what is measured, by whom, where, and into which directory.

use std::path::{Path, PathBuf};

use super::Arguments;
use crate::agent::remote::Remote;
use crate::agent::secret::Secret;
use crate::bench::{Bench, Network};
use crate::command::{guard, needed, stop_signal, this_program};
use crate::file::{self, File, Layout, Repetitions, Seconds};
use crate::isolate::{self, OtherHost};
use crate::middle::{Between, MOST};
use crate::plan::{Plan, plan};
use crate::record::{Campaign, Directory, FORMAT, Host};
use crate::side::{Local, Place};
use crate::switch::{self, Switch};
use crate::systems::{self, System};
use crate::{builtin, drive, host, output, spelling};

/// What a run at an agent may take beyond its measurement.
const OVERTIME: f64 = 90.0;

const NAMESPACE: &str = "one network namespace";
const LOOPBACK: &str = "the host's own loopback, for want of a network namespace";
const HOSTS: &str = "two network namespaces with a cable between them";
const SWITCH: &str = "three network namespaces at a switch (veth and a bridge)";

/// What is wanted of the network.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    OneHost,
    TwoHosts,
    /// Publisher, subscriber and what is between them.
    ThreeHosts,
}

/// What has to be kept until the campaign has ended.
enum Held {
    Nothing,
    OtherHost(OtherHost),
    Switch(Switch),
}

/// Ready to measure.
pub(super) struct Prepared {
    pub(super) campaign: Campaign,
    pub(super) directory: Directory,
    pub(super) systems: Vec<Box<dyn System>>,
    pub(super) bench: Bench,
    /// For the user, before it begins.
    pub(super) notes: Vec<String>,
    /// What `--resume` needs beside the directory.
    pub(super) how_to_reach: String,
    /// Held while the sides run.
    _hosts: Held,
}

/// Where both sides will run.
struct Site {
    network: Network,
    /// As [`Campaign::network`] tells.
    name: String,
    hosts: Vec<Host>,
    pins: [Option<usize>; 2],
    places: [Box<dyn Place>; 2],
    between: Option<Between>,
    held: Held,
    /// For the user: what was asked for and could not be had.
    note: Option<String>,
}

/// Gets everything ready. Where there is to be a namespace, this process is replaced by one inside
/// of it.
pub(super) fn prepare(arguments: &Arguments) -> Result<Prepared, String> {
    match arguments.resume {
        true => resume(arguments),
        false => begin(arguments),
    }
}

fn begin(arguments: &Arguments) -> Result<Prepared, String> {
    let file = wanted(arguments)?;
    let Ready {
        mut systems,
        absent: mut skipped,
    } = ready(&file.with, arguments.agent.is_some())?;
    let seconds = file.seconds.0;
    let apart = arguments.hosts || file.network == Layout::Hosts;
    let mut site = match site(arguments, wanted_network(apart, &systems), seconds) {
        // The file would rather have hosts, the command line must have them.
        Err(reason) if !arguments.hosts && apart && arguments.agent.is_none() => Site {
            note: Some(format!("all runs on one host instead of several: {reason}")),
            ..site(arguments, Wanted::OneHost, seconds)?
        },
        site => site?,
    };
    let elsewhere = matches!(site.network, Network::Hosts(_) | Network::Switch(_));
    let Plan {
        cells,
        skipped: lacking,
    } = plan(&file, &systems, &arguments.only, elsewhere);
    skipped.extend(lacking);
    if cells.is_empty() {
        return Err(nothing(&arguments.only, &skipped));
    }
    systems.retain(|system| cells.iter().any(|cell| cell.system == system.name()));
    let campaign = Campaign {
        format: FORMAT,
        name: file.name.unwrap_or_default(),
        started: drive::now(),
        version: env!("CARGO_PKG_VERSION").into(),
        seconds,
        repetitions: file.repetitions.0,
        cells,
        skipped,
        network: site.name.clone(),
        hosts: site.hosts.clone(),
    };
    let (path, note) = match &arguments.output {
        Some(path) => (path.clone(), None),
        None => output::fresh(Path::new(""))?,
    };
    let directory =
        Directory::create(path, &campaign).map_err(|error| drive::stopped(error).to_string())?;
    let notes = note.into_iter().chain(site.note.take()).collect();
    prepared(arguments, campaign, directory, systems, site, notes)
}

fn wanted_network(apart: bool, systems: &[Box<dyn System>]) -> Wanted {
    match (apart, systems.iter().any(|system| system.is_routed())) {
        (false, _) => Wanted::OneHost,
        (true, false) => Wanted::TwoHosts,
        (true, true) => Wanted::ThreeHosts,
    }
}

fn resume(arguments: &Arguments) -> Result<Prepared, String> {
    let path = match &arguments.output {
        Some(path) => path.clone(),
        None => output::to_resume(Path::new(""))?,
    };
    let (directory, campaign) = Directory::open(path).map_err(|error| error.to_string())?;
    let names: Vec<String> = campaign
        .cells
        .iter()
        .map(|cell| cell.system.clone())
        .collect();
    let systems = ready(&names, arguments.agent.is_some())?.systems;
    let wanted = match campaign.network.as_str() {
        HOSTS => Wanted::TwoHosts,
        SWITCH => Wanted::ThreeHosts,
        _ => Wanted::OneHost,
    };
    let site = site(arguments, wanted, campaign.seconds)?;
    if site.name != campaign.network {
        return Err(format!(
            "this campaign began on {}, and this is {}: figures of both must not be mixed; begin a new one{}",
            campaign.network,
            site.name,
            if campaign.network.starts_with("agent") {
                ", or name the agent (--agent, --secret-file)"
            } else {
                ""
            }
        ));
    }
    prepared(arguments, campaign, directory, systems, site, vec![])
}

fn prepared(
    arguments: &Arguments,
    campaign: Campaign,
    directory: Directory,
    systems: Vec<Box<dyn System>>,
    site: Site,
    notes: Vec<String>,
) -> Result<Prepared, String> {
    let bench = Bench {
        seconds: campaign.seconds,
        network: site.network,
        pins: site.pins,
        places: site.places,
        between: site.between,
        counts_calls: arguments.system_calls,
        stop: stop_signal()?,
    };
    let how_to_reach = match &arguments.agent {
        Some(agent) => format!(" (with --agent {agent} and its --secret-file)"),
        None => String::new(),
    };
    Ok(Prepared {
        campaign,
        directory,
        systems,
        bench,
        notes,
        how_to_reach,
        _hosts: site.held,
    })
}

/// The file of the campaign, changed as the command line says.
fn wanted(arguments: &Arguments) -> Result<File, String> {
    let name = arguments.campaign.as_deref().unwrap_or_default();
    let mut file = match builtin::text(name) {
        Some(text) => file::parse(name, text)?,
        None => file::read(name.as_ref())?,
    };
    file.name.get_or_insert_with(|| {
        let stem = PathBuf::from(name);
        stem.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    });
    if let Some(seconds) = arguments.seconds {
        file.seconds = Seconds::try_from(seconds).map_err(|error| format!("--seconds: {error}"))?;
    }
    if let Some(count) = arguments.repetitions {
        let count = Repetitions::try_from(count);
        file.repetitions = count.map_err(|error| format!("--repetitions: {error}"))?;
    }
    if let Some(with) = &arguments.with {
        file.with = with
            .iter()
            .filter(|name| !name.is_empty())
            .cloned()
            .collect();
    }
    Ok(file)
}

/// Dunlin and whoever is measured beside it, as far as they are here.
struct Ready {
    systems: Vec<Box<dyn System>>,
    /// A line for each one that is not here.
    absent: Vec<String>,
}

/// Prepares everybody who is asked for, while there is a network, and then goes where there is
/// none.
fn ready(with: &[String], at_agent: bool) -> Result<Ready, String> {
    let mut systems = systems::known();
    let names: Vec<_> = systems.iter().map(|system| system.name()).collect();
    if let Some(stranger) = with.iter().find(|name| !names.contains(&name.as_str())) {
        let similar = spelling::similar(stranger, names.iter().copied());
        return Err(match similar.as_slice() {
            [] => format!(
                "nobody is called {stranger}; there are {}",
                names.join(", ")
            ),
            similar => format!(
                "nobody is called {stranger}; {}",
                spelling::hint(similar, "")
            ),
        });
    }
    let wanted = |name: &str| name == "dunlin" || with.iter().any(|one| one == name);
    systems.retain(|system| wanted(system.name()));
    let known_before = isolate::inside();
    let mut absent = Vec::new();
    systems.retain_mut(|system| {
        let why = match (&known_before, at_agent && !system.is_perftest()) {
            (_, true) => Some(line(system.as_ref(), "an agent runs perftest only")),
            (Some(lines), _) => of(lines, system.as_ref()),
            (None, _) => system
                .prepare()
                .err()
                .map(|why| line(system.as_ref(), &why)),
        };
        absent.extend(why.clone());
        why.is_none()
    });
    if !at_agent && known_before.is_none() {
        isolate::enter(&absent);
    }
    Ok(Ready { systems, absent })
}

/// "NAME: why it is not here", in one line.
fn line(system: &dyn System, why: &str) -> String {
    format!("{}: {}", system.name(), why.replace('\n', " "))
}

fn of(lines: &[String], system: &dyn System) -> Option<String> {
    let begin = line(system, "");
    lines.iter().find(|line| line.starts_with(&begin)).cloned()
}

fn site(arguments: &Arguments, wanted: Wanted, seconds: f64) -> Result<Site, String> {
    let perftest = this_program()?;
    let before = guard(&perftest);
    let local = |extra: Vec<String>| -> Box<dyn Place> {
        Box::new(Local {
            perftest: perftest.clone(),
            before: before.iter().cloned().chain(extra).collect(),
        })
    };
    if let Some(agent) = &arguments.agent {
        let file = needed(
            arguments.secret_file.clone(),
            "--secret-file",
            "the agent has one too",
        )?;
        let remote = Remote::call(agent, &Secret::read(&file)?, seconds + OVERTIME)?;
        return Ok(Site {
            network: Network::Hosts(remote.addresses),
            name: format!("agent at {agent}"),
            hosts: vec![host::this(), remote.host.clone()],
            pins: [None; 2],
            places: [local(vec![]), Box::new(remote)],
            between: None,
            held: Held::Nothing,
            note: None,
        });
    }
    let isolated = isolate::inside().is_some();
    if wanted != Wanted::OneHost && !isolated {
        return Err(
            "virtual hosts need network namespaces: run as root, or allow user namespaces".into(),
        );
    }
    let (network, name, held) = match (wanted, isolated) {
        (Wanted::TwoHosts, _) => {
            let host = OtherHost::create(&before)?;
            (Network::Hosts(isolate::HOSTS), HOSTS, Held::OtherHost(host))
        }
        (Wanted::ThreeHosts, _) => {
            let switch = Switch::create(&before)?;
            (Network::Switch(switch::HOSTS), SWITCH, Held::Switch(switch))
        }
        (Wanted::OneHost, true) => (Network::Namespace, NAMESPACE, Held::Nothing),
        (Wanted::OneHost, false) => (Network::Loopback, LOOPBACK, Held::Nothing),
    };
    let [subscriber, between] = match &held {
        Held::Nothing => [vec![], vec![]],
        // With nothing between them.
        Held::OtherHost(host) => [host.words(), vec![]],
        Held::Switch(switch) => [switch.subscriber.words(), switch.between.words()],
    };
    let (pins, between_pins) = pins();
    Ok(Site {
        network,
        name: name.into(),
        hosts: vec![host::this()],
        pins,
        places: [local(vec![]), local(subscriber)],
        between: Some(Between {
            place: local(between),
            pins: between_pins,
        }),
        held,
        note: None,
    })
}

/// The first two processors that this process may use are those of the sides, the next ones those
/// of what is between them; with one there is nothing to choose.
fn pins() -> ([Option<usize>; 2], [Option<usize>; MOST]) {
    let Ok(set) = rustix::thread::sched_getaffinity(None) else {
        return ([None; 2], [None; MOST]);
    };
    let mut allowed = (0..1_024).filter(|cpu| set.is_set(*cpu));
    match (allowed.next(), allowed.next()) {
        (Some(first), Some(second)) => (
            [Some(first), Some(second)],
            std::array::from_fn(|_| allowed.next()),
        ),
        _ => ([None; 2], [None; MOST]),
    }
}

fn nothing(only: &[String], skipped: &[String]) -> String {
    let example = "SHMEM, latency, 32 bytes, reliable, unkeyed, dunlin";
    let mut text = String::from("there is nothing to measure");
    if !only.is_empty() {
        let only = only.join("\" and \"");
        text.push_str(&format!(
            ": no cell's name contains \"{only}\"; they read like \"{example}\""
        ));
    }
    for line in skipped {
        text.push_str(&format!("; {line}"));
    }
    text
}
