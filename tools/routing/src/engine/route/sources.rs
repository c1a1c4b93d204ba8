//! Sources of a route that vanish and return: what they leave is unregistered, or disposed if they
//! were deleted and that disposes it, and what they had is written again if the plan wants that.
use super::{RouteCore, Work};
use crate::engine::output::{OutputLane, Passing, Sources};
use crate::engine::registry::{Heirs, Orphan};
use crate::engine::tally::add;
use crate::processor::Change;
use bytes::Bytes;
use dunlin::untyped::WriteOptions;
use dunlin::{ChangeKind, Guid, SetPlace};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::Duration;

impl Work {
    /// Unregisters or disposes what sources have left that are gone, once everything is taken that
    /// they wrote.
    pub(super) fn forget_sources(&mut self, route: &RouteCore) {
        let is_behind = self.room() == 0 || route.paused.load(Relaxed);
        let is_thinned = !is_behind && route.thinned.swap(false, SeqCst);
        let has_strays = self.strays.due().is_some();
        let leaves = self.registry.as_ref().is_some_and(|r| r.due().is_some());
        if !is_thinned && !leaves && !has_strays {
            return;
        }
        let now = route.clock.now();
        for input in &self.inputs {
            input
                .admission
                .each_returning(|writer| self.strays.drop_of(writer));
        }
        let expired = self.strays.expire(now);
        if let Some(input) = self.inputs.first() {
            add(&input.tally.failed, expired);
        }
        self.forget_sources_of(route, now, is_thinned);
    }

    fn forget_sources_of(&mut self, route: &RouteCore, now: Duration, is_thinned: bool) {
        let stray = self.strays.due();
        let Some(registry) = &mut self.registry else {
            return route.look_again(stray);
        };
        if is_thinned {
            for input in &self.inputs {
                let there = input.reader.writers();
                input.thin(registry, now, &there);
                if input.scope.is_some() {
                    input.admission.keep(&there);
                }
            }
        }
        registry.forget(now, &mut self.orphans);
        route.look_again(stray.into_iter().chain(registry.due()).min());
        let mut orphans = std::mem::take(&mut self.orphans);
        for orphan in orphans.drain(..) {
            self.tell_of(route, now, orphan);
        }
        self.orphans = orphans;
        if is_thinned {
            self.reassert(route);
        }
    }

    /// Says beyond what has become of an instance whose source is gone.
    fn tell_of(&mut self, route: &RouteCore, now: Duration, orphan: Orphan) {
        let Orphan { kind, instance, to } = orphan;
        if let (Some(last), Heirs::Shared(scope)) = (&mut self.last_samples, to) {
            match kind.is_dispose() {
                true => last.forget((scope, instance)),
                false => last.orphan((scope, instance)),
            }
        }
        let Some(kind) = route.rules.kind(kind) else {
            return;
        };
        let options = WriteOptions {
            instance: Some(instance),
            ..WriteOptions::default()
        };
        let change = Passing {
            kind,
            payload: &Bytes::new(),
            options: &options,
            origin: None,
            is_reliable: true,
            set: SetPlace::Outside,
        };
        let is_heir = |output: &&mut OutputLane| match (to, output.sources) {
            (Heirs::Own(_, source), Sources::Writer(own)) => own == source,
            (Heirs::Shared(scope), sources) => sources.include(scope, &Guid::UNKNOWN),
            (Heirs::Own(..), Sources::All | Sources::Group(_)) => false,
        };
        let mut is_told = false;
        for output in self.outputs.iter_mut().filter(is_heir) {
            output.put(&change);
            is_told = true;
        }
        let Heirs::Own(lane, source) = to else {
            return;
        };
        // Its output may be still to be made, and is, behind what it wrote.
        let mut inputs = self.inputs.iter();
        let input = inputs.find(|input| input.lane() == lane && input.scope.is_none());
        if !is_told
            && !self.outputs.is_empty()
            && input.is_some_and(|input| input.admission.may_have_output(&source))
        {
            self.strays.push(now, source, &change);
        }
    }

    /// Writes the last samples again of sources that have returned: not as copies, or readers that
    /// have had them would drop them.
    fn reassert(&mut self, route: &RouteCore) {
        let Self {
            inputs,
            outputs,
            registry,
            processor,
            last_samples: Some(last_samples),
            ..
        } = self
        else {
            return;
        };
        for input in inputs {
            let (Some(scope), Some(registry)) = (input.scope, registry.as_mut()) else {
                continue;
            };
            let mut there = input.reader.writers();
            there.retain(|writer| input.admission.look(writer));
            for ((of, instance), last) in last_samples.returned(scope, &there) {
                let source = (input.lane(), last.writer);
                registry.note(source, (of, instance), ChangeKind::Alive);
                let change = Change {
                    kind: ChangeKind::Alive,
                    payload: Bytes::copy_from_slice(&last.payload),
                    options: WriteOptions {
                        timestamp: last.timestamp.filter(|_| route.rules.original_timestamp),
                        instance: Some(instance),
                        origin: None,
                    },
                    written: last.timestamp,
                    input: input.slot.index,
                    writer: last.writer,
                    is_reliable: input.is_reliable,
                    group: input.slot.group,
                };
                if let Some(process) = processor {
                    let now = route.clock.now();
                    process.call(outputs, |processor, out| {
                        processor.on_data(now, change, out)
                    });
                    continue;
                }
                let passing = Passing {
                    kind: change.kind,
                    payload: &change.payload,
                    options: &change.options,
                    origin: None,
                    is_reliable: change.is_reliable,
                    set: SetPlace::Outside,
                };
                for at in input.targets(&change.writer) {
                    if let Some(output) = outputs.get_mut(at) {
                        output.put(&passing);
                    }
                }
            }
        }
    }
}
