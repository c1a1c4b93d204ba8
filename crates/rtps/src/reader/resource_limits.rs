//! Is there room for all changes of a set at once?
use super::cache::Cache;
use super::writer_proxy::Waiting;
use super::{Rejection, RejectionReason};
use crate::{ChangeKind, InstanceHandle};
use alloc::collections::BTreeMap;
use dunlin_qos::History;

/// The answer.
pub(super) enum Room {
    Now,
    /// Not before the application takes something.
    Later(Rejection),
    /// Not even in an empty cache.
    Never,
}

/// What a limit is compared with: the whole cache with the set in it, and the set alone.
struct Need {
    with: usize,
    alone: usize,
}

impl Cache {
    /// Is there room for all of these at once, by QoS?
    pub(super) fn room_for(&self, changes: &[(i64, Waiting)]) -> Room {
        let limits = self.limits;
        if limits.max_samples.is_none()
            && limits.max_instances.is_none()
            && limits.max_samples_per_instance.is_none()
        {
            return Room::Now;
        }
        let instances = self.needs(changes);
        let mut samples = Need {
            with: self.valid(),
            alone: 0,
        };
        let mut room = Room::Now;
        for (instance, need) in &instances {
            let place = self.place_of(*instance);
            let had = place.map_or(0, |place| self.count(place) as usize);
            samples.with += need.with.saturating_sub(had);
            samples.alone += need.alone;
            let limit = limits.max_samples_per_instance;
            room = room.and(need, limit, RejectionReason::SamplesPerInstance, *instance);
        }
        let nil = InstanceHandle::NIL;
        let unknown = |handle: &&InstanceHandle| self.place_of(**handle).is_none();
        let known = Need {
            with: self.instances.len() + instances.keys().filter(unknown).count(),
            alone: instances.len(),
        };
        room.and(&samples, limits.max_samples, RejectionReason::Samples, nil)
            .and(
                &known,
                limits.max_instances,
                RejectionReason::Instances,
                nil,
            )
    }

    /// How many samples each instance has with those of the set, and without others.
    fn needs(&self, changes: &[(i64, Waiting)]) -> BTreeMap<InstanceHandle, Need> {
        let depth = match self.history {
            History::KeepLast(depth) => depth.max(1) as usize,
            History::KeepAll => usize::MAX,
        };
        let mut needs = BTreeMap::new();
        for (_, change) in changes {
            let sample = usize::from(change.kind == ChangeKind::Alive);
            let place = self.place_of(change.instance);
            let need = needs.entry(change.instance).or_insert_with(|| Need {
                with: place.map_or(0, |place| self.count(place) as usize),
                alone: 0,
            });
            need.with = (need.with + sample).min(depth);
            need.alone = (need.alone + sample).min(depth);
        }
        needs
    }
}

impl Room {
    fn and(
        self,
        need: &Need,
        limit: Option<u32>,
        reason: RejectionReason,
        instance: InstanceHandle,
    ) -> Self {
        let Some(limit) = limit.map(|limit| limit as usize) else {
            return self;
        };
        match self {
            Self::Never => Self::Never,
            _ if need.alone > limit => Self::Never,
            Self::Now if need.with > limit => Self::Later(Rejection { reason, instance }),
            room => room,
        }
    }
}
