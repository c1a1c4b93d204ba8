//! A service that runs, and how it takes over another configuration.
use super::log::Log;
use super::options::{Options, Verbosity};
use super::run::adapt;
use super::{inputs, with_profiles};
use crate::administration::Administrator;
use crate::config::edit::{Edit, EditError, edit};
use crate::config::{self, Input};
use crate::engine::lock;
use crate::plan::{Administration, Difference, Plan};
use crate::service::{Action, Service, UnknownPath};
use crate::show::Administered;
use crate::state::Tree;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// Reports that are kept until somebody logs them.
const MOST_REPORTS: usize = 64;

/// A service with the options that it was started with.
pub(super) struct Running {
    service: Service,
    options: Options,
    /// What became of configurations that came since somebody looked.
    reports: Mutex<Vec<Report>>,
    /// What the configuration was read from beside the files of the command line.
    files: Mutex<Vec<PathBuf>>,
    /// One change at a time: each begins with the plan that the one before made.
    changing: Mutex<()>,
}

/// Requests over DDS are answered as this plan says.
pub(super) struct Administrated {
    plan: Administration,
    /// `None` if its domain could not be joined.
    _by: Option<Administrator>,
}

/// What became of a configuration.
pub(super) enum Report {
    /// It is what counts now; this is what that did.
    TakenOver(Vec<Difference>),
    /// It is wrong, and nothing has changed.
    Refused(String),
}

impl Report {
    /// Tells it.
    pub(super) fn log(&self, log: &mut Log) {
        match self {
            Self::TakenOver(all) if all.is_empty() => {
                log.line(Verbosity::Info, "", "Reloaded", "nothing differs");
            }
            Self::TakenOver(all) => {
                for difference in all {
                    log.line(Verbosity::Info, "", "Reloaded", &difference.to_string());
                }
            }
            Self::Refused(why) => {
                let note = format!("nothing has changed\n{}", why.trim_end());
                log.line(Verbosity::Exception, "", "Refused", &note);
            }
        }
    }
}

impl Running {
    pub(super) fn new(service: Service, options: &Options, files: Vec<PathBuf>) -> Self {
        Self {
            service,
            options: options.clone(),
            reports: Mutex::default(),
            files: Mutex::new(files),
            changing: Mutex::default(),
        }
    }

    /// Reads the files of the command line again, and takes over what they say.
    pub(super) fn read_again(&self) {
        let _ = self.take_over(&inputs(&self.options), false);
    }

    /// What the configuration was read from beside the files of the command line.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        lock(&self.files).clone()
    }

    /// What became of configurations since the last call.
    pub(super) fn take_reports(&self) -> Vec<Report> {
        std::mem::take(&mut *lock(&self.reports))
    }

    /// Who answers requests over DDS as the plan says now; `before` is who did so up to now.
    pub(super) fn administrator(
        self: &Arc<Self>,
        before: Option<Administrated>,
    ) -> Option<Administrated> {
        let wanted = self.service.administration();
        let plan = wanted.as_ref().map(|(plan, _)| plan);
        if before.as_ref().map(|known| &known.plan) == plan {
            return before;
        }
        // There is one participant of a service in a domain of it.
        drop(before);
        let (plan, config) = wanted?;
        let service = Arc::clone(self) as Arc<dyn Administered>;
        let started = Administrator::start(service, &plan, config);
        let by = started.map_err(|error| {
            let domain = plan.domain;
            let why = format!("administration: domain {domain} cannot be joined: {error}");
            self.report(Err(why));
        });
        let by = by.ok();
        Some(Administrated { plan, _by: by })
    }

    /// Ends the service.
    pub(super) fn stop(self) {
        self.service.stop();
    }

    fn take_over(&self, inputs: &[Input], is_dry_run: bool) -> Result<Vec<Difference>, String> {
        let _one = lock(&self.changing);
        let done = self
            .plan(inputs)
            .and_then(|plan| self.become_plan(plan, is_dry_run));
        if !is_dry_run {
            self.report(done.as_ref().map_err(Clone::clone));
        }
        done
    }

    fn become_plan(&self, plan: Plan, is_dry_run: bool) -> Result<Vec<Difference>, String> {
        let done = match is_dry_run {
            true => self.service.compare(&plan),
            false => self.service.reload(plan),
        };
        done.map_err(|error| error.to_string())
    }

    fn report(&self, done: Result<&Vec<Difference>, String>) {
        let report = match done {
            Ok(differences) => Report::TakenOver(differences.clone()),
            Err(why) => Report::Refused(why),
        };
        let mut reports = lock(&self.reports);
        if reports.len() < MOST_REPORTS {
            reports.push(report);
        }
    }

    fn plan(&self, inputs: &[Input]) -> Result<Plan, String> {
        let loaded = config::load(inputs, &self.options.config);
        let is_strict = self.options.strict && loaded.problems.warnings() > 0;
        let report = loaded.report();
        let mut plan = loaded.plan.filter(|_| !is_strict).ok_or(report)?;
        *lock(&self.files) = loaded.places.files().to_vec();
        adapt(&mut plan, &self.options);
        Ok(plan)
    }
}

impl Administered for Running {
    fn state(&self) -> Tree {
        self.service.state()
    }

    fn act(&self, path: &str, action: Action) -> Result<(), UnknownPath> {
        self.service.act(path, action)
    }

    fn edit(&self, wanted: &Edit<'_>, is_dry_run: bool) -> Result<Vec<Difference>, EditError> {
        let _one = lock(&self.changing);
        let plan = edit(&self.service.plan(), wanted, &self.options.config)?;
        let done = self.become_plan(plan, is_dry_run);
        if !is_dry_run {
            self.report(done.as_ref().map_err(Clone::clone));
        }
        done.map_err(EditError::Wrong)
    }

    fn configure(&self, text: &str, is_dry_run: bool) -> Result<Vec<Difference>, String> {
        if text.trim().is_empty() {
            return self.take_over(&inputs(&self.options), is_dry_run);
        }
        let input = Input::Text {
            name: "the configuration sent".to_owned(),
            text: text.to_owned(),
        };
        self.take_over(&with_profiles(vec![input], false), is_dry_run)
    }
}

/// The files of a command line, and what these name, to see when they change.
pub(super) struct Watched {
    files: Vec<PathBuf>,
    /// What they name.
    named: Vec<PathBuf>,
    seen: Vec<Option<Seen>>,
    /// A change that may not be over.
    pending: bool,
}

/// What tells a file from what it was.
type Seen = (SystemTime, u64);

impl Watched {
    pub(super) fn new(options: &Options, named: Vec<PathBuf>) -> Self {
        let inputs = inputs(options).into_iter();
        let files = inputs.filter_map(|input| match input {
            Input::File(path) => Some(path),
            Input::Text { .. } => None,
        });
        let mut watched = Self {
            files: files.collect(),
            named,
            seen: Vec::new(),
            pending: false,
        };
        watched.seen = watched.look();
        watched
    }

    fn look(&self) -> Vec<Option<Seen>> {
        let of = |path: &PathBuf| {
            let known = std::fs::metadata(path).ok()?;
            Some((known.modified().ok()?, known.len()))
        };
        self.files.iter().chain(&self.named).map(of).collect()
    }

    /// True once after a change, when the files have been the same for two looks: an editor may
    /// write a file in pieces, or take it away for a moment.
    pub(super) fn has_changed(&mut self, named: &[PathBuf]) -> bool {
        if self.named != named {
            self.named = named.to_vec();
            self.seen = self.look();
        }
        let now = self.look();
        if now != self.seen {
            self.seen = now;
            self.pending = true;
            return false;
        }
        let is_whole = self.seen.iter().all(Option::is_some);
        is_whole && std::mem::take(&mut self.pending)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_changed_when_it_rests_after_a_change() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("service.toml");
        std::fs::write(&path, "one").unwrap();
        let mut watched = Watched {
            files: vec![path.clone()],
            named: Vec::new(),
            seen: Vec::new(),
            pending: false,
        };
        watched.seen = watched.look();
        assert!(!watched.has_changed(&[]));
        std::fs::write(&path, "longer").unwrap();
        assert!(!watched.has_changed(&[]) && watched.has_changed(&[]) && !watched.has_changed(&[]));
        std::fs::remove_file(&path).unwrap();
        assert!(!watched.has_changed(&[]) && !watched.has_changed(&[]));
        std::fs::write(&path, "again, and longer").unwrap();
        assert!(!watched.has_changed(&[]) && watched.has_changed(&[]));
        // What it names counts, too.
        let named = [directory.path().join("shapes.idl")];
        std::fs::write(&named[0], "one").unwrap();
        assert!(!watched.has_changed(&named) && !watched.has_changed(&named));
        std::fs::write(&named[0], "longer").unwrap();
        assert!(!watched.has_changed(&named) && watched.has_changed(&named));
    }
}
