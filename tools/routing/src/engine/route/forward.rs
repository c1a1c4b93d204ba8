//! The way of one change from an input to the outputs.
use super::RouteCore;
use crate::engine::echo::EchoWatch;
use crate::engine::input::InputLane;
use crate::engine::last_samples::LastSamples;
use crate::engine::lock;
use crate::engine::output::{OutputLane, Passing};
use crate::engine::process::Process;
use crate::engine::registry::Registry;
use crate::engine::strays::Strays;
use crate::engine::tally::add;
use crate::processor::Change;
use bytes::Bytes;
use dunlin::{Guid, SampleInfo};

/// What is between the inputs and the outputs of a route.
pub(super) struct Between<'w> {
    pub(super) registry: Option<&'w mut Registry>,
    pub(super) process: Option<&'w mut Process>,
    pub(super) strays: &'w mut Strays,
    pub(super) echoes: &'w mut EchoWatch,
    pub(super) last_samples: Option<&'w mut LastSamples>,
}

/// All of a writer's coherent set has been passed on.
#[cold]
pub(super) fn end_set(
    input: &InputLane,
    outputs: &mut [OutputLane],
    strays: &mut Strays,
    writer: &Guid,
) {
    strays.end_set(writer);
    for at in input.targets(writer) {
        if let Some(output) = outputs.get_mut(at) {
            output.end_set();
        }
    }
}

/// Passes one change on.
pub(super) fn forward(
    route: &RouteCore,
    input: &mut InputLane,
    outputs: &mut [OutputLane],
    between: &mut Between<'_>,
    info: &SampleInfo,
    payload: impl FnOnce() -> dunlin::Result<Bytes>,
) {
    let rules = &route.rules;
    let is_again = input.comes_again(route.about_now(), info);
    let Some(options) = rules.options(info, input.is_keyed) else {
        return add(&input.tally.duplicates, 1);
    };
    let (input, tally) = (&*input, &input.tally);
    let (instance, writer) = (info.instance, info.publication);
    let is_named = input.is_keyed && info.has_key_hash;
    let own = input.own(&writer);
    // What a source says counts here though it may not pass. As what outputs for several sources
    // write it, if they do.
    let (said, source) = (info.change_kind, (input.lane(), writer));
    let shared = match (between.registry.as_mut(), input.scope) {
        (Some(registry), Some(scope)) if is_named => match is_again {
            true => registry.note_again(source, (scope, instance), said),
            false => registry.note(source, (scope, instance), said),
        },
        _ => Some(said).filter(|_| !is_again),
    };
    if let Some(registry) = between.registry.as_mut()
        && is_named
        && (input.scope.is_none() || !own.is_empty())
    {
        registry.note_own(source, instance, said);
    }
    let Some(kind) = rules.kind(said) else {
        return add(&tally.held_back, 1);
    };
    let shared = shared.and_then(|said| rules.kind(said));
    if shared.is_none() && own.is_empty() {
        let counter = match is_again {
            true => &tally.duplicates,
            false => &tally.held_back,
        };
        return add(counter, 1);
    }
    let passed = shared.unwrap_or(kind);
    let Ok(payload) = payload() else {
        return add(&tally.failed, 1);
    };
    // What says of itself whose it is was looked up by that.
    if let Some(timestamp) = info.source_timestamp
        && EchoWatch::selects(timestamp)
        && rules.keeps_time(info)
    {
        let about = (timestamp, instance, info.publication);
        if between.echoes.look_up(route.clock.now(), about, &payload) {
            *lock(&route.echo) = Some(info.publication);
        }
    }
    if !input.passes(kind, &payload) {
        return add(&tally.held_back, 1);
    }
    tally.note(passed, payload.len());
    if let (Some(last), Some(scope), Some(kind)) =
        (between.last_samples.as_mut(), input.scope, shared)
        && is_named
    {
        let about = (writer, info.source_timestamp);
        last.note((scope, instance), kind, about, &payload);
    }
    if let Some(process) = between.process.as_mut() {
        let change = Change {
            kind: passed,
            payload,
            options,
            written: info.source_timestamp,
            input: input.slot.index,
            writer,
            is_reliable: input.is_reliable,
            group: input.slot.group,
        };
        let now = route.clock.now();
        let failed = process.call(outputs, |processor, out| {
            processor.on_data(now, change, out)
        });
        route.pause_if(process.is_out());
        return add(&tally.failed, u64::from(failed));
    }
    let change = Passing {
        kind,
        payload: &payload,
        options: &options,
        origin: Some((writer, info.sequence)),
        is_reliable: input.is_reliable,
        set: input.place_of(info),
    };
    let mut has_target = false;
    if let Some(kind) = shared {
        let change = Passing { kind, ..change };
        for at in input.shared() {
            if let Some(output) = outputs.get_mut(*at) {
                output.put(&change);
                has_target = true;
            }
        }
    }
    for at in own {
        if let Some(output) = outputs.get_mut(*at) {
            has_target = true;
            if !output.has(info.sequence) {
                output.put(&change);
            }
        }
    }
    if !has_target && !outputs.is_empty() && input.admission.may_have_output(&writer) {
        between.strays.push(route.clock.now(), writer, &change);
    }
}
