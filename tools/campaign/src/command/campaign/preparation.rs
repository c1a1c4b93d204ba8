//! Before the first run: what is measured, by whom, where, and into which directory.

use std::collections::{BTreeMap, BTreeSet};
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
use crate::record::{Campaign, Cell, Chapter, Directory, FORMAT, Host};
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

/// What `--check` says where there is nothing to check.
pub(super) const NO_GOALS: &str = "--check: this campaign has no goals; `bench` has";

/// What is wanted of the network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wanted {
    OneHost,
    TwoHosts,
    /// Publisher, subscriber and what is between them.
    ThreeHosts,
    /// The same, and the campaign on none of them, so that runs on one host see no other network.
    ThreeHostsApart,
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
    /// By the network that they use.
    pub(super) benches: BTreeMap<String, Bench>,
    /// For the user, before it begins.
    pub(super) notes: Vec<String>,
    /// What `--resume` needs beside the directory.
    pub(super) how_to_reach: String,
    /// Held while the sides run.
    _hosts: Vec<Held>,
}

/// Where both sides will run.
struct Site {
    wanted: Wanted,
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
    let mut file = wanted(arguments)?;
    if arguments.check && file.chapters.iter().all(|one| one.groups.is_empty()) {
        return Err(NO_GOALS.into());
    }
    let only = file.narrow(&arguments.only);
    let Ready {
        mut systems,
        absent: mut skipped,
    } = ready(&file.systems(), arguments.agent.is_some())?;
    let seconds = file.seconds.0;
    let parts = parts(arguments, &file, &systems);
    let mut sites = sites(arguments, parts.values().copied().collect(), seconds)?;
    let of_part = |chapter: &str| {
        let wanted = parts.get(chapter).copied().unwrap_or(Wanted::OneHost);
        sites.iter().find(|site| site.wanted == wanted)
    };
    let elsewhere = |chapter: &str| {
        let network = of_part(chapter).map(|site| site.network);
        matches!(network, Some(Network::Hosts(_) | Network::Switch(_)))
    };
    let Plan {
        cells,
        skipped: lacking,
    } = plan(&file, &systems, &only, elsewhere);
    let possible = plan(&file, &systems, &[], elsewhere).cells;
    let chapters = file.chapters.iter().map(|chapter| Chapter {
        title: chapter.title.clone(),
        network: of_part(&chapter.title).map_or(String::new(), |site| site.name.clone()),
        subject: chapter.subject().to_owned(),
        missing: missing(chapter, &possible, &skipped),
        goals: chapter.goals(),
    });
    // Without cells and without a reason, it was not asked for.
    let is_there =
        |one: &Chapter| one.missing.is_some() || cells.iter().any(|cell| cell.chapter == one.title);
    let chapters: Vec<_> = chapters.filter(is_there).collect();
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
        network: sites
            .first()
            .map_or(String::new(), |site| site.name.clone()),
        hosts: sites.first().map_or(vec![], |site| site.hosts.clone()),
        chapters,
    };
    let (path, note) = match &arguments.output {
        Some(path) => (path.clone(), None),
        None => output::fresh(Path::new(""))?,
    };
    let directory =
        Directory::create(path, &campaign).map_err(|error| drive::stopped(error).to_string())?;
    let of_sites = sites.iter_mut().filter_map(|site| site.note.take());
    let notes = note.into_iter().chain(of_sites).collect();
    prepared(arguments, campaign, directory, systems, sites, notes)
}

/// Why a chapter has no cells, whatever was asked for: those that it is about are not here.
fn missing(chapter: &file::Chapter, possible: &[Cell], absent: &[String]) -> Option<String> {
    if possible.iter().any(|cell| cell.chapter == chapter.title) {
        return None;
    }
    let own = |line: &&String| {
        let name = line.split_once(": ").map(|(name, _)| name);
        chapter
            .systems
            .iter()
            .any(|system| name == Some(system.as_str()))
    };
    let lines: Vec<_> = absent.iter().filter(own).cloned().collect();
    (!lines.is_empty()).then(|| lines.join("; "))
}

/// Where the sides of each chapter are to run; those of what is in none at "".
fn parts(
    arguments: &Arguments,
    file: &File,
    systems: &[Box<dyn System>],
) -> BTreeMap<String, Wanted> {
    let routed = |names: &[String]| {
        let ours = systems
            .iter()
            .filter(|one| names.iter().any(|name| name == one.name()));
        ours.into_iter().any(|system| system.is_routed())
    };
    let hosts = |layout| arguments.hosts || layout == Layout::Hosts;
    let mut parts: BTreeMap<_, _> = file
        .chapters
        .iter()
        .map(|one| {
            (
                one.title.clone(),
                wanted_network(hosts(file.layout(one)), routed(&one.systems)),
            )
        })
        .collect();
    if !file.work.is_empty() {
        parts.insert(
            String::new(),
            wanted_network(hosts(file.network), routed(&file.with)),
        );
    }
    // Where some runs are on one host, it is none of several.
    if parts.values().any(|wanted| *wanted == Wanted::OneHost) {
        let several = parts
            .values_mut()
            .filter(|wanted| **wanted != Wanted::OneHost);
        several.for_each(|wanted| *wanted = Wanted::ThreeHostsApart);
    }
    parts
}

fn wanted_network(apart: bool, routed: bool) -> Wanted {
    match (apart, routed) {
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
    let networks = campaign.networks();
    let several = networks.len() > 1;
    let wanted = networks.iter().map(|network| match *network {
        HOSTS => Wanted::TwoHosts,
        SWITCH if several => Wanted::ThreeHostsApart,
        SWITCH => Wanted::ThreeHosts,
        _ => Wanted::OneHost,
    });
    let sites = sites(arguments, wanted.collect(), campaign.seconds)?;
    let now: Vec<_> = sites.iter().map(|site| site.name.as_str()).collect();
    if let Some(before) = networks.iter().find(|network| !now.contains(network)) {
        return Err(format!(
            "this campaign began on {before}, and this is {}: figures of both must not be mixed; begin a new one{}",
            now.join(" and "),
            if before.starts_with("agent") {
                ", or name the agent (--agent, --secret-file)"
            } else {
                ""
            }
        ));
    }
    prepared(arguments, campaign, directory, systems, sites, vec![])
}

fn prepared(
    arguments: &Arguments,
    campaign: Campaign,
    directory: Directory,
    systems: Vec<Box<dyn System>>,
    sites: Vec<Site>,
    notes: Vec<String>,
) -> Result<Prepared, String> {
    let stop = stop_signal()?;
    let mut benches = BTreeMap::new();
    let mut held = vec![];
    for site in sites {
        let bench = Bench {
            seconds: campaign.seconds,
            network: site.network,
            pins: site.pins,
            places: site.places,
            between: site.between,
            counts_calls: arguments.system_calls,
            stop: stop.clone(),
        };
        benches.insert(site.name, bench);
        held.push(site.held);
    }
    let how_to_reach = match &arguments.agent {
        Some(agent) => format!(" (with --agent {agent} and its --secret-file)"),
        None => String::new(),
    };
    Ok(Prepared {
        campaign,
        directory,
        systems,
        benches,
        notes,
        how_to_reach,
        _hosts: held,
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
        let named = with.iter().filter(|name| !name.is_empty()).cloned();
        file.measure_with(&named.collect::<Vec<_>>());
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
    systems.retain(|system| with.iter().any(|name| name == system.name()));
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

/// One for each that is wanted, the first one first.
fn sites(
    arguments: &Arguments,
    wanted: BTreeSet<Wanted>,
    seconds: f64,
) -> Result<Vec<Site>, String> {
    if arguments.agent.is_some() {
        return Ok(vec![site(arguments, Wanted::OneHost, seconds)?]);
    }
    let one = |wanted| match site(arguments, wanted, seconds) {
        // The file would rather have hosts, the command line must have them.
        Err(reason) if !arguments.hosts && wanted != Wanted::OneHost => Ok(Site {
            wanted,
            note: Some(format!("runs on one host instead of several: {reason}")),
            ..site(arguments, Wanted::OneHost, seconds)?
        }),
        site => site,
    };
    wanted.into_iter().map(one).collect()
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
            wanted,
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
        (Wanted::ThreeHosts | Wanted::ThreeHostsApart, _) => {
            let switch = Switch::create(&before, wanted == Wanted::ThreeHostsApart)?;
            (Network::Switch(switch::HOSTS), SWITCH, Held::Switch(switch))
        }
        (Wanted::OneHost, true) => (Network::Namespace, NAMESPACE, Held::Nothing),
        (Wanted::OneHost, false) => (Network::Loopback, LOOPBACK, Held::Nothing),
    };
    let [publisher, subscriber, between] = match &held {
        Held::Nothing => [vec![], vec![], vec![]],
        // With nothing between them.
        Held::OtherHost(host) => [vec![], host.words(), vec![]],
        Held::Switch(switch) => [
            switch.publisher.as_ref().map_or(vec![], OtherHost::words),
            switch.subscriber.words(),
            switch.between.words(),
        ],
    };
    let (pins, between_pins) = pins();
    Ok(Site {
        wanted,
        network,
        name: name.into(),
        hosts: vec![host::this()],
        pins,
        places: [local(publisher), local(subscriber)],
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
