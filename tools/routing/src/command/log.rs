//! The log of a service: a line per change of state, and per reason that begins or ends.
use super::options::{Options, Verbosity};
use crate::state::{EntityKind, Node, State, Tree};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where lines go, and what was said last of each entity.
pub(super) struct Log {
    file: Option<File>,
    json: bool,
    verbosity: Verbosity,
    said: BTreeMap<String, Said>,
    /// Which call of [`changes`](Self::changes) it is.
    look: u64,
}

struct Said {
    state: State,
    note: Option<String>,
    /// The last call that saw it.
    look: u64,
}

impl Log {
    /// # Errors
    /// Which file cannot be made, in words.
    pub(super) fn open(options: &Options) -> Result<Self, String> {
        let path = options.log_file.as_ref();
        let file = path.map(|path| {
            File::create(path).map_err(|error| format!("-logFile {}: {error}", path.display()))
        });
        let file = file.transpose()?;
        Ok(Self {
            file,
            json: options.json_log,
            verbosity: options.verbosity,
            said: BTreeMap::new(),
            look: 0,
        })
    }

    /// Tells what has changed since the last call.
    pub(super) fn changes(&mut self, tree: &Tree) {
        self.look += 1;
        let look = self.look;
        for node in tree.walk() {
            let is_new = match self.said.get_mut(&node.path.0) {
                Some(said) => {
                    said.look = look;
                    if said.state == node.state && said.note == node.note {
                        continue;
                    }
                    said.state = node.state.clone();
                    said.note.clone_from(&node.note);
                    false
                }
                None => {
                    let said = Said {
                        state: node.state.clone(),
                        note: node.note.clone(),
                        look,
                    };
                    self.said.insert(node.path.0.clone(), said);
                    true
                }
            };
            let level = level(node);
            if !is_new || is_told_at_start(node.kind) || level < Verbosity::Info {
                let note = node.note.as_deref().unwrap_or_default();
                self.line(level, &node.path.0, &node.state.to_string(), note);
            }
        }
        let (file, json, verbosity) = (&mut self.file, self.json, self.verbosity);
        self.said.retain(|path, said| {
            let is_there = said.look == look;
            if !is_there {
                write(file, json, verbosity, (Verbosity::Info, path, "Gone", ""));
            }
            is_there
        });
    }

    /// Says something of the service as a whole.
    pub(super) fn line(&mut self, level: Verbosity, path: &str, state: &str, note: &str) {
        write(
            &mut self.file,
            self.json,
            self.verbosity,
            (level, path, state, note),
        );
    }
}

/// A note says what somebody may have to do something about.
fn level(node: &Node) -> Verbosity {
    match (&node.state, &node.note) {
        (State::Failed(_), _) => Verbosity::Exception,
        (_, Some(_)) => Verbosity::Warning,
        (_, None) => Verbosity::Info,
    }
}

/// Inputs and outputs begin with their routes: they are told when they change, or have a note.
fn is_told_at_start(kind: EntityKind) -> bool {
    !matches!(kind, EntityKind::Input | EntityKind::Output)
}

fn write(
    file: &mut Option<File>,
    as_json: bool,
    verbosity: Verbosity,
    (level, path, state, note): (Verbosity, &str, &str, &str),
) {
    if level > verbosity {
        return;
    }
    let now = SystemTime::now();
    let line = if as_json {
        let since = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        json!({ "time": since.as_secs_f64(), "path": path, "state": state, "note": note })
            .to_string()
    } else {
        let colon = if note.is_empty() { "" } else { ": " };
        let time = humantime::format_rfc3339_millis(now);
        format!("{time} {path} {state}{colon}{note}")
    };
    // Nobody can be told that the log cannot be written.
    let _ = match file {
        Some(file) => writeln!(file, "{line}"),
        None => writeln!(io::stderr(), "{line}"),
    };
}
