//! What the plan says becomes of changes on their way.
use crate::plan::{Backlog, RouteSettings};
use dunlin::untyped::WriteOptions;
use dunlin::{ChangeKind, SampleInfo, SampleOrigin};
use std::time::Duration;

/// What becomes of a change on its way, the same for all outputs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// It says which sample it repeats, and that it came through this service.
    pub(crate) original_info: bool,
    /// It keeps its source timestamp.
    pub(crate) original_timestamp: bool,
    /// Disposes pass.
    pub(crate) disposes: bool,
    /// Unregisters pass.
    pub(crate) unregisters: bool,
    /// By which others know the service.
    pub(crate) router: u32,
    /// An instance is kept registered so long after its last source has vanished.
    pub(crate) unregister_delay: Duration,
    /// The last sample of an instance is written again when its source returns.
    pub(crate) reasserts: bool,
    /// Bounds of what waits.
    pub(crate) backlog: Backlog,
}

impl Rules {
    pub(crate) fn new(settings: &RouteSettings, router: u32) -> Self {
        Self {
            original_info: settings.original_info,
            original_timestamp: settings.original_timestamp,
            disposes: settings.propagate_dispose,
            unregisters: settings.propagate_unregister,
            router,
            unregister_delay: Duration::try_from(settings.unregister_delay)
                .unwrap_or(Duration::MAX / 4),
            reasserts: settings.reassert,
            backlog: settings.backlog,
        }
    }

    /// As what a change passes; `None` if it does not.
    pub(super) fn kind(&self, kind: ChangeKind) -> Option<ChangeKind> {
        match (kind, self.disposes, self.unregisters) {
            (ChangeKind::Alive, _, _) => Some(kind),
            (ChangeKind::Disposed, true, _) => Some(kind),
            (ChangeKind::Unregistered, _, true) => Some(kind),
            (ChangeKind::DisposedUnregistered, true, true) => Some(kind),
            (ChangeKind::DisposedUnregistered, true, false) => Some(ChangeKind::Disposed),
            (ChangeKind::DisposedUnregistered, false, true) => Some(ChangeKind::Unregistered),
            _ => None,
        }
    }

    /// Could it be known again if it came back without a word of whose it is?
    pub(super) fn keeps_time(&self, info: &SampleInfo) -> bool {
        let origin = info.origin.as_ref();
        self.original_timestamp && origin.is_none_or(|origin| origin.original_writer.is_none())
    }

    /// Has a change passed this service before?
    pub(super) fn has_been_here(&self, info: &SampleInfo) -> bool {
        let origin = info.origin.as_ref();
        origin.is_some_and(|origin| origin.hops.ids().contains(&self.router))
    }

    /// What is said of a change beside its payload; `None` if it has been here before, or has come
    /// too far.
    pub(super) fn options(&self, info: &SampleInfo, is_keyed: bool) -> Option<WriteOptions> {
        let came = info.origin.unwrap_or_default();
        let mut hops = came.hops;
        if self.has_been_here(info) || self.original_info && !hops.push(self.router) {
            return None;
        }
        // Without a hash nobody knows the instance: what is sent in its place is not to be
        // believed.
        let unnamed = is_keyed && !info.has_key_hash;
        let origin = SampleOrigin {
            original_writer: self.original_info.then(|| info.identity()),
            related: came.related,
            foreign_key_hash: info.foreign_key_hash || unnamed,
            hops,
        };
        Some(WriteOptions {
            timestamp: info.source_timestamp.filter(|_| self.original_timestamp),
            instance: Some(info.instance),
            origin: (!origin.is_empty()).then_some(origin),
        })
    }
}

#[cfg(test)]
impl Rules {
    /// What is in question is whether disposes and unregisters pass.
    pub(super) fn that_pass(disposes: bool, unregisters: bool) -> Self {
        Self {
            original_info: false,
            original_timestamp: false,
            disposes,
            unregisters,
            router: 7,
            unregister_delay: Duration::ZERO,
            reasserts: false,
            backlog: Backlog::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_propagated_is_taken_out_of_a_change() {
        use ChangeKind::*;
        let both = Rules::that_pass(true, true);
        for kind in [Alive, Disposed, Unregistered, DisposedUnregistered] {
            assert_eq!(both.kind(kind), Some(kind));
        }
        let disposes = Rules::that_pass(true, false);
        assert_eq!(disposes.kind(Unregistered), None);
        assert_eq!(disposes.kind(DisposedUnregistered), Some(Disposed));
        let unregisters = Rules::that_pass(false, true);
        assert_eq!(unregisters.kind(Disposed), None);
        assert_eq!(unregisters.kind(DisposedUnregistered), Some(Unregistered));
        assert_eq!(
            Rules::that_pass(false, false).kind(DisposedUnregistered),
            None
        );
    }
}
