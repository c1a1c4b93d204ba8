//! Changes of state, for those who watch.
use super::json::{kind, state};
use crate::state::{Node, State};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What was told of each entity last.
#[derive(Debug, Default)]
pub(super) struct Known(BTreeMap<String, (&'static str, Option<String>)>);

impl Known {
    /// What has changed since this was called last; the first time all that there is.
    pub(super) fn changes(&mut self, tree: &Node) -> Vec<Value> {
        let mut changes = Vec::new();
        let mut gone = std::mem::take(&mut self.0);
        for node in tree.walk() {
            let now = (state(&node.state), reason(node));
            let before = gone.remove(&node.path.0);
            if before.as_ref() != Some(&now) {
                changes.push(json!({
                    "path": node.path.0,
                    "kind": kind(node.kind),
                    "state": now.0,
                    "reason": now.1,
                }));
            }
            self.0.insert(node.path.0.clone(), now);
        }
        let gone = gone.into_keys();
        changes.extend(gone.map(|path| json!({ "path": path, "state": "gone" })));
        changes
    }
}

fn reason(node: &Node) -> Option<String> {
    match &node.state {
        State::Failed(reason) => Some(reason.clone()),
        _ => node.note.clone(),
    }
}
