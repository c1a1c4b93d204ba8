//! Topics, and the parts of topics that content filters make.
use crate::callback::{Listener, dunlin_listener, give};
use crate::error::{Failure, Outcome, entry};
use crate::handle::Kind;
use crate::memory::{Array, In, Out, dunlin_block, dunlin_text};
use crate::names::adopt_topic;
use crate::object::{self, New, Object, adopt};
use crate::participant::dunlin_participant;
use crate::qos::{dunlin_topic_qos, duration, read_or};
use crate::types::dunlin_type;

/// A topic.
pub type dunlin_topic = u64;
/// A part of a topic, which a content filter makes.
pub type dunlin_filtered_topic = u64;

/// A topic. One of that name that the participant has already is the same, with the same handle, if
/// it is of the same type and QoS.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_topic_new(
    participant: dunlin_participant,
    name: dunlin_text,
    ty: dunlin_type,
    qos: In<'_, dunlin_topic_qos>,
    listener: In<'_, dunlin_listener>,
    topic: Out<'_, dunlin_topic>,
) -> i32 {
    entry(|| {
        let place = topic.required("topic")?;
        let above = object::participant(participant)?;
        let name = name.get("name")?;
        let ty = object::ty(ty)?;
        let qos = read_or(qos, || above.core.default_topic_qos())?;
        let listener = Listener::of(listener)?;
        let core = above.core.create_untyped_topic(name, &ty.support, qos)?;
        let handle = adopt_topic(&core, participant)?;
        give(listener, |listener, mask| core.set_listener(listener, mask));
        place.put(handle);
        Ok(())
    })
}

/// The topic of this name and type, as soon as some participant has it. TIMEOUT if nobody has it by
/// then; with a timeout of 0 it looks once.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_topic_find(
    participant: dunlin_participant,
    name: dunlin_text,
    ty: dunlin_type,
    timeout: i64,
    topic: Out<'_, dunlin_topic>,
) -> i32 {
    entry(|| {
        let place = topic.required("topic")?;
        let above = object::participant(participant)?;
        let (name, timeout) = (name.get("name")?, duration(timeout, "timeout")?);
        let ty = object::ty(ty)?;
        let core = above.core.find_untyped_topic(name, &ty.support, timeout)?;
        place.put(adopt_topic(&core, participant)?);
        Ok(())
    })
}

/// The topic of this name that was made in this participant; NO_DATA if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_topic_lookup(
    participant: dunlin_participant,
    name: dunlin_text,
    topic: Out<'_, dunlin_topic>,
) -> i32 {
    entry(|| {
        let place = topic.required("topic")?;
        let above = object::participant(participant)?;
        let found = above.core.lookup_topic(name.get("name")?);
        place.put(adopt_topic(&found.ok_or(Failure::NO_DATA)?, participant)?);
        Ok(())
    })
}

/// Those samples of a topic that pass a filter, in the SQL of DDS 1.4 annex B: `color = 'RED' AND
/// size <= %0`. Readers are made for it as for a topic.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_filtered_topic_new(
    topic: dunlin_topic,
    name: dunlin_text,
    expression: dunlin_text,
    parameters: Array<'_, dunlin_text>,
    parameter_count: u64,
    filtered: Out<'_, dunlin_filtered_topic>,
) -> i32 {
    entry(|| {
        let place = filtered.required("filtered")?;
        let related = object::topic(topic)?;
        let parameters = parameter_list(parameters, parameter_count)?;
        let (name, expression) = (name.get("name")?, expression.get("expression")?);
        let Some(participant) = related.participant() else {
            return Err(Failure::precondition(
                "the topic has no participant any more",
            ));
        };
        let core = participant.create_untyped_contentfilteredtopic(
            name,
            &related,
            expression,
            &parameters,
        )?;
        place.put(adopt(New {
            kind: Kind::FilteredTopic,
            parent: object::parent(topic),
            guid: None,
            object: Object::FilteredTopic(core),
        })?);
        Ok(())
    })
}

/// The parameters of an expression.
pub(crate) fn parameter_list<'a>(
    parameters: Array<'a, dunlin_text>,
    count: u64,
) -> Outcome<Vec<&'a str>> {
    let parameters = parameters.slice(count, "parameters")?.iter();
    parameters.map(|one| one.get("parameters")).collect()
}

/// The values of the parameters of its expression, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_filtered_topic_parameters_get(
    filtered: dunlin_filtered_topic,
    text: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let place = text.required("text")?;
        let parameters = object::filtered_topic(filtered)?.expression_parameters();
        place.put(dunlin_block::text(&parameters.join("\n")));
        Ok(())
    })
}

/// Other values for the parameters of its expression.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_filtered_topic_parameters_set(
    filtered: dunlin_filtered_topic,
    parameters: Array<'_, dunlin_text>,
    parameter_count: u64,
) -> i32 {
    entry(|| {
        let filtered = object::filtered_topic(filtered)?;
        let parameters = parameter_list(parameters, parameter_count)?;
        Ok(filtered.set_expression_parameters(&parameters)?)
    })
}
