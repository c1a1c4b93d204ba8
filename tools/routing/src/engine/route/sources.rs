//! Sources of a route that vanish and return: what they leave is unregistered, and what they had is
//! written again if the plan wants that.
use super::{RouteCore, Work};
use crate::engine::output::{OutputLane, Passing};
use crate::engine::tally::add;
use crate::processor::Change;
use bytes::Bytes;
use dunlin::untyped::WriteOptions;
use dunlin::{ChangeKind, Guid, SetPlace};
use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::Duration;

impl Work {
    /// Unregisters what sources have left that vanished, once everything is taken that they wrote.
    pub(super) fn forget_sources(&mut self, route: &RouteCore) {
        let is_behind = self.room() == 0 || route.paused.load(Relaxed);
        let is_thinned = !is_behind && route.thinned.swap(false, SeqCst);
        let has_strays = self.strays.due().is_some();
        let leaves = self.registry.as_ref().is_some_and(|r| r.due().is_some());
        if !is_thinned && !leaves && !has_strays {
            return;
        }
        let now = route.clock.now();
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
            for input in self.inputs.iter().filter(|input| input.scope.is_some()) {
                let there = input.reader.writers();
                registry.keep(now, input.lane(), &there);
                input.admission.keep(&there);
            }
        }
        registry.forget(now, &mut self.orphans);
        route.look_again(stray.into_iter().chain(registry.due()).min());
        for (scope, instance) in self.orphans.drain(..) {
            if let Some(last) = &mut self.last_samples {
                last.orphan((scope, instance));
            }
            let options = WriteOptions {
                instance: Some(instance),
                ..WriteOptions::default()
            };
            let change = Passing {
                kind: ChangeKind::Unregistered,
                payload: &Bytes::new(),
                options: &options,
                origin: None,
                is_reliable: true,
                set: SetPlace::Outside,
            };
            let takes = |output: &&mut OutputLane| output.sources.include(scope, &Guid::UNKNOWN);
            let outputs = self.outputs.iter_mut();
            outputs.filter(takes).for_each(|output| output.put(&change));
        }
        if is_thinned {
            self.reassert(route);
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
