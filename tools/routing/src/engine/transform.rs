//! A transformation at work: what its panics cost, and which instance its samples are of.
use super::output::Passing;
use crate::transformation::{Sample, Transformation, Written};
use bytes::Bytes;
use dunlin::untyped::WriteOptions;
use dunlin::xtypes::{DynamicType, KeyPlan};
use dunlin::{ChangeKind, InstanceHandle};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Instances of which is known what they became.
const MOST_INSTANCES: usize = 100_000;

/// What an output does to changes before it writes them.
pub(crate) struct Transform {
    transformation: Box<dyn Transformation>,
    /// Those of what it makes.
    keys: KeyPlan,
    /// What became of the instances of the route, so that a dispose or unregister message that says
    /// nothing but which one ends is understood.
    instances: HashMap<InstanceHandle, InstanceHandle>,
}

/// What is to be written in the place of a change.
pub(crate) struct Transformed {
    pub(crate) payload: Bytes,
    pub(crate) options: WriteOptions,
}

impl Transform {
    /// Makes samples of `output`.
    pub(crate) fn new(transformation: Box<dyn Transformation>, output: &DynamicType) -> Self {
        Self {
            transformation,
            keys: KeyPlan::new(output),
            instances: HashMap::new(),
        }
    }

    /// What is to be written; `None` if nothing is.
    ///
    /// # Errors
    /// Why the change is lost.
    pub(crate) fn apply(&mut self, change: &Passing<'_>) -> Result<Option<Transformed>, String> {
        let mut sample = Sample {
            kind: change.kind,
            payload: change.payload.clone(),
            options: *change.options,
        };
        let work = || self.transformation.apply(&mut sample);
        let written = match catch_unwind(AssertUnwindSafe(work)) {
            Ok(written) => written.map_err(|refusal| refusal.to_string())?,
            Err(_) => return Err("the transformation panicked".to_owned()),
        };
        let from = change.options.instance.unwrap_or(InstanceHandle::NIL);
        if change.kind == ChangeKind::Alive {
            if written == Written::Nothing {
                return Ok(None);
            }
            let hash = self.keys.key_hash(&sample.payload);
            let to = InstanceHandle(hash.map_err(|error| error.to_string())?);
            self.note(from, to);
            return Ok(Some(self.transformed(sample, to)));
        }
        if !self.keys.has_key() {
            return Ok(None);
        }
        let known = match change.kind {
            ChangeKind::Unregistered | ChangeKind::DisposedUnregistered => {
                self.instances.remove(&from)
            }
            _ => self.instances.get(&from).copied(),
        };
        if written == Written::Sample && !sample.payload.is_empty() {
            let hash = self.keys.key_hash_of_key(&sample.payload);
            let to = InstanceHandle(hash.map_err(|error| error.to_string())?);
            return Ok(Some(self.transformed(sample, to)));
        }
        sample.payload = Bytes::new();
        Ok(known.map(|to| self.transformed(sample, to)))
    }

    fn note(&mut self, from: InstanceHandle, to: InstanceHandle) {
        let is_named = from != InstanceHandle::NIL && self.keys.has_key();
        if is_named && (self.instances.len() < MOST_INSTANCES || self.instances.contains_key(&from))
        {
            self.instances.insert(from, to);
        }
    }

    fn transformed(&self, sample: Sample, instance: InstanceHandle) -> Transformed {
        let mut options = sample.options;
        options.instance = Some(instance);
        if let Some(origin) = &mut options.origin {
            // It is a hash of our own.
            origin.foreign_key_hash = false;
        }
        Transformed {
            payload: sample.payload,
            options,
        }
    }
}
