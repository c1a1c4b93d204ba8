//! A key of a route is changed.
use crate::plan::{AutoRoute, Filter, Input, Output, Pattern, Route, RouteSettings};

/// What can be changed of a route or an auto route.
pub(super) struct Changed<'c> {
    enabled: &'c mut bool,
    pub(super) settings: &'c mut RouteSettings,
    pub(super) inputs: &'c mut [Input],
    pub(super) outputs: &'c mut [Output],
    /// `None` of a route of one topic.
    patterns: Option<Patterns<'c>>,
}

/// Which routes an auto route makes.
struct Patterns<'c> {
    topics: &'c mut Filter,
    types: &'c mut Filter,
    renames: &'c mut Vec<(Pattern, String)>,
}

impl<'c> Changed<'c> {
    pub(super) fn of_route(route: &'c mut Route) -> Self {
        Self {
            enabled: &mut route.enabled,
            settings: &mut route.settings,
            inputs: &mut route.inputs,
            outputs: &mut route.outputs,
            patterns: None,
        }
    }

    pub(super) fn of_auto(auto: &'c mut AutoRoute) -> Self {
        Self {
            enabled: &mut auto.enabled,
            settings: &mut auto.settings,
            inputs: std::slice::from_mut(&mut auto.input),
            outputs: &mut auto.outputs,
            patterns: Some(Patterns {
                topics: &mut auto.topics,
                types: &mut auto.types,
                renames: &mut auto.renames,
            }),
        }
    }
}

/// Takes over what `fresh` says for a key, for the input and the output at a position.
///
/// # Errors
/// The route has no such key.
pub(super) fn apply(
    changed: &mut Changed<'_>,
    end: usize,
    key: &str,
    fresh: &AutoRoute,
) -> Result<(), String> {
    let settings = &mut *changed.settings;
    let new = &fresh.settings;
    match key {
        "enabled" => *changed.enabled = fresh.enabled,
        "processor" => settings.processor.clone_from(&new.processor),
        "period" => settings.period = new.period,
        "original_info" => settings.original_info = new.original_info,
        "original_timestamp" => settings.original_timestamp = new.original_timestamp,
        "route_types" => settings.route_types = new.route_types,
        "propagate_dispose" => settings.propagate_dispose = new.propagate_dispose,
        "propagate_unregister" => settings.propagate_unregister = new.propagate_unregister,
        "linger" => settings.linger = new.linger,
        "unregister_delay" => settings.unregister_delay = new.unregister_delay,
        "reassert" => settings.reassert = new.reassert,
        "backlog" => settings.backlog = new.backlog,
        "filter_propagation" => settings.filter_propagation = new.filter_propagation,
        "stall_timeout" => settings.stall_timeout = new.stall_timeout,
        "topics" | "deny" | "types" | "deny_types" | "rename" => {
            let Some(patterns) = &mut changed.patterns else {
                return Err(format!("{key} is of auto routes: this route has one topic"));
            };
            match key {
                "topics" => patterns.topics.allow.clone_from(&fresh.topics.allow),
                "deny" => patterns.topics.deny.clone_from(&fresh.topics.deny),
                "types" => patterns.types.allow.clone_from(&fresh.types.allow),
                "deny_types" => patterns.types.deny.clone_from(&fresh.types.deny),
                _ => patterns.renames.clone_from(&fresh.renames),
            }
        }
        _ => return apply_ends(changed, end, key, fresh),
    }
    Ok(())
}

fn apply_ends(
    changed: &mut Changed<'_>,
    end: usize,
    key: &str,
    fresh: &AutoRoute,
) -> Result<(), String> {
    const OF_INPUTS: [&str; 2] = ["filter", "max_rate"];
    const OF_OUTPUTS: [&str; 5] = [
        "partitions",
        "writers",
        "representation",
        "map",
        "output_type",
    ];
    const OF_BOTH: [&str; 6] = [
        "qos",
        "qos.reader",
        "qos.writer",
        "profile",
        "creation_mode",
        "announce",
    ];
    let known = OF_INPUTS.iter().chain(&OF_OUTPUTS).chain(&OF_BOTH);
    if !known.copied().any(|known| known == key) {
        return Err(format!("a route has no key {key:?} that can be changed"));
    }
    if let Some(input) = changed.inputs.get_mut(end) {
        let new = &fresh.input;
        match key {
            "filter" => input.filter.clone_from(&new.filter),
            "max_rate" => input.max_rate = new.max_rate,
            "qos" | "qos.reader" | "profile" => input.qos.clone_from(&new.qos),
            "creation_mode" | "announce" => input.mode = new.mode,
            _ => {}
        }
    }
    if let (Some(output), Some(new)) = (changed.outputs.get_mut(end), fresh.outputs.first()) {
        match key {
            "partitions" => output.partitions.clone_from(&new.partitions),
            "writers" => output.writers = new.writers,
            "representation" => output.representation = new.representation,
            "map" => output.transformation.clone_from(&new.transformation),
            "output_type" => {
                output.type_name.clone_from(&new.type_name);
                output.keyed = None;
            }
            "qos" | "qos.writer" | "profile" => output.qos.clone_from(&new.qos),
            "creation_mode" | "announce" => output.mode = new.mode,
            _ => {}
        }
    }
    Ok(())
}
