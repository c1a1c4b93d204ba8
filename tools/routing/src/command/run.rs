//! `dunlin route run` and `check`.
use super::log::Log;
use super::options::{Options, Verbosity};
use super::running::{Running, Watched};
use super::{exit, load, print};
use crate::plan::{Administration, Monitoring, Plan};
use crate::service::{Service, StartError};
use crate::show::{Administered, Bounds, Http, HttpOptions};
use crate::state::{Counters, EntityKind, State, Tree};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How often the state is looked at, for the log, and whether there is another configuration.
const LOOK: Duration = Duration::from_millis(200);
/// A state is looked at again after so many times the time that the last look took: those of
/// thousands of routes cost no processor time either.
const LOOK_FACTOR: u32 = 1000;
/// But after this time at the latest.
const LATEST_LOOK: Duration = Duration::from_secs(5);

/// Runs the service that options name until it is asked to stop.
pub(super) fn run(options: Options) -> u8 {
    let loaded = load(&options);
    let files = loaded.places.files().to_vec();
    let warnings = loaded.problems.warnings();
    let Some(mut plan) = loaded.plan else {
        return exit::MISUSED;
    };
    if options.strict && warnings > 0 {
        let warnings = match warnings {
            1 => "a warning".to_owned(),
            more => format!("{more} warnings"),
        };
        eprintln!("{warnings}, and --strict");
        return exit::FAILED;
    }
    adapt(&mut plan, &options);
    if options.dry_run {
        print(&format!("{}\n", summary(&plan)));
        return exit::DONE;
    }
    serve(plan, &options, files).unwrap_or_else(|error| {
        eprintln!("{error}");
        exit::FAILED
    })
}

/// Lays the options over the plan.
pub(super) fn adapt(plan: &mut Plan, options: &Options) {
    if let Some(name) = &options.application {
        plan.name.clone_from(name);
    }
    if options.identify {
        let host = rustix::system::uname();
        let host = host.nodename().to_string_lossy();
        plan.name = format!("{}_{host}_{}", plan.name, std::process::id());
    }
    plan.enabled &= options.enable;
    if let Some(domain) = options.administration {
        let administration = plan.administration.get_or_insert(Administration {
            domain,
            participant: Box::default(),
            allows_changes: false,
        });
        administration.domain = domain;
    }
    if let Some(domain) = options.monitoring {
        let monitoring = plan.monitoring.get_or_insert(Monitoring {
            domain,
            participant: Box::default(),
            publication_period: dunlin::Duration::from_secs(5),
            sampling_period: dunlin::Duration::from_secs(1),
        });
        monitoring.domain = domain;
    }
    for route in &mut plan.domain_routes {
        for connection in &mut route.connections {
            if let Some(participant) = connection.kind.participant_mut() {
                participant.waiting = options.waiting.or(participant.waiting);
            }
        }
        for session in &mut route.sessions {
            if !options.processors.is_empty() {
                session.threads.processors.clone_from(&options.processors);
            }
        }
    }
}

/// What there is, in a line.
pub(super) fn summary(plan: &Plan) -> String {
    let participants = plan
        .domain_routes
        .iter()
        .map(|route| route.connections.len());
    let sessions = || plan.domain_routes.iter().flat_map(|route| &route.sessions);
    let routes: usize = sessions().map(|session| session.routes.len()).sum();
    let auto_routes: usize = sessions().map(|session| session.auto_routes.len()).sum();
    format!(
        "service {}: participants {}, routes {routes}, auto routes {auto_routes}",
        plan.name,
        participants.sum::<usize>()
    )
}

fn serve(plan: Plan, options: &Options, files: Vec<PathBuf>) -> io::Result<u8> {
    let stop = stop_signal()?;
    let hangup = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::clone(&hangup))?;
    let mut log = match Log::open(options) {
        Ok(log) => log,
        Err(message) => {
            eprintln!("{message}");
            return Ok(exit::MISUSED);
        }
    };
    let what = summary(&plan);
    let service = match Service::start(plan) {
        Ok(service) => service,
        Err(error @ StartError::NoParticipant(_)) => {
            eprintln!("{error}");
            return Ok(exit::NO_PARTICIPANT);
        }
        Err(error) => {
            eprintln!("{error}");
            return Ok(exit::FAILED);
        }
    };
    let running = Arc::new(Running::new(service, options, files.clone()));
    let mut administrated = running.administrator(None);
    let http = match shown(Arc::clone(&running), options) {
        Ok(http) => http,
        Err(message) => {
            eprintln!("{message}");
            return Ok(exit::MISUSED);
        }
    };
    log.line(Verbosity::Info, "", "Started", &what);
    if let Some(http) = &http {
        let place = format!("http://{}/", http.address());
        log.line(Verbosity::Info, "", "Shown", &place);
    }
    let end = options.stop_after.map(|after| Instant::now() + after);
    let mut watched = options.watch.then(|| Watched::new(options, files));
    let mut next_look = Instant::now();
    while !stop.load(Relaxed) && end.is_none_or(|end| Instant::now() < end) {
        let watched = watched.as_mut();
        let is_new = watched.is_some_and(|watched| watched.has_changed(&running.files()));
        if hangup.swap(false, Relaxed) || is_new {
            running.read_again();
        }
        administrated = running.administrator(administrated);
        let reports = running.take_reports();
        reports.iter().for_each(|report| report.log(&mut log));
        let begun = Instant::now();
        if begun >= next_look || !reports.is_empty() {
            log.changes(&running.state());
            let took = begun.elapsed();
            next_look = begun + (took * LOOK_FACTOR).min(LATEST_LOOK);
        }
        let left = end.map_or(LOOK, |end| end.saturating_duration_since(Instant::now()));
        std::thread::sleep(left.min(LOOK));
    }
    let tree = running.state();
    log.changes(&tree);
    // Nobody asks for it any more.
    drop((http, administrated));
    if let Ok(running) = Arc::try_unwrap(running) {
        running.stop();
    }
    log.line(Verbosity::Info, "", "Stopped", &totals(&tree));
    Ok(match has_failed(&tree) {
        true => exit::FAILED,
        false => exit::DONE,
    })
}

/// Shows the service over HTTP, if the options want it.
fn shown(service: Arc<Running>, options: &Options) -> Result<Option<Http>, String> {
    let Some(address) = options.http else {
        return match &options.token_file {
            Some(_) => Err("--http-token-file is of use with --http only".to_owned()),
            None => Ok(None),
        };
    };
    let token = options.token_file.as_deref().map(token).transpose()?;
    let bounds = Bounds::default();
    let options = HttpOptions {
        address,
        token,
        bounds,
    };
    let http = Http::start(service, options).map_err(|error| error.to_string())?;
    Ok(Some(http))
}

/// The first line of a file.
pub(super) fn token(file: &Path) -> Result<String, String> {
    const SHORTEST: usize = 16;
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("--http-token-file {}: {error}", file.display()))?;
    let token = text.lines().next().unwrap_or_default().trim();
    match token.len() {
        length if length < SHORTEST => Err(format!(
            "--http-token-file {}: a token has {SHORTEST} characters at least, this one has {length}; \
             make one with: head -c 24 /dev/urandom | base64",
            file.display()
        )),
        _ => Ok(token.to_owned()),
    }
}

/// Becomes true with the first SIGINT or SIGTERM; a second one ends the program at once.
fn stop_signal() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        let code = i32::from(exit::FAILED);
        signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}

fn has_failed(tree: &Tree) -> bool {
    let nodes = tree.walk();
    let mut states = nodes.iter().map(|node| &node.state);
    states.any(|state| matches!(state, State::Failed(_)))
}

/// What has passed, in a line.
fn totals(tree: &Tree) -> String {
    let nodes = tree.walk();
    let routes = nodes.iter().filter(|node| node.kind == EntityKind::Route);
    let counters = routes.fold(Counters::default(), |all, route| all.plus(route.counters));
    format!(
        "samples {}, bytes {}, disposes {}, unregisters {}, duplicates {}, dropped {}, failed {}",
        counters.samples,
        counters.bytes,
        counters.disposes,
        counters.unregisters,
        counters.duplicates,
        counters.dropped_full,
        counters.failed
    )
}
