//! What happens to changes between the inputs and the outputs of a route.
//!
//! A processor is compiled in, has a name, and is given properties by the configuration. It gets
//! each change in the thread that received it, so it must not wait; what it keeps for later it
//! writes when its period is over, in the service's own thread.
mod builtin;
mod filter;

use crate::plan::{Plugin, Route};
use crate::types::RouteType;
use bytes::Bytes;
use dunlin::untyped::WriteOptions;
use dunlin::{ChangeKind, Guid, InstanceHandle, Timestamp};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

pub use builtin::BUILT_IN;

/// A change on its way.
#[derive(Clone, Debug)]
pub struct Change {
    /// A sample, or which end of its instance.
    pub kind: ChangeKind,
    /// The serialized sample or key, encapsulation header included.
    pub payload: Bytes,
    /// What is said of it beside its payload.
    pub options: WriteOptions,
    /// When it was written, whether outputs are told so or not.
    pub written: Option<Timestamp>,
    /// Which input it came by, by position.
    pub input: usize,
    /// Who wrote it.
    pub writer: Guid,
    /// Its source may be made to wait for room; otherwise it is dropped if there is none.
    pub is_reliable: bool,
    /// The group of its source, for outputs that are for one group.
    pub(crate) group: u64,
}

impl Change {
    /// Its instance, if the writer named it.
    pub fn instance(&self) -> InstanceHandle {
        self.options.instance.unwrap_or(InstanceHandle::NIL)
    }

    /// When it was written, if outputs are told so.
    pub fn source_timestamp(&self) -> Option<Timestamp> {
        self.options.timestamp
    }
}

/// Where a processor writes.
pub trait Outputs {
    /// Writes a change to the outputs that are for its source.
    fn put(&mut self, change: &Change);

    /// Writes it to one output, by position.
    fn put_to(&mut self, output: usize, change: &Change);

    /// How many outputs the route has in its plan.
    fn count(&self) -> usize;
}

/// Something between the inputs and the outputs of a route.
pub trait Processor: Send {
    /// How often [`on_period`](Self::on_period) is to be called; `None` for never.
    fn period(&self) -> Option<Duration> {
        None
    }

    /// How often if neither [`period`](Self::period) nor the configuration says.
    fn usual_period(&self) -> Option<Duration> {
        None
    }

    /// A change came. Times are those since the service started.
    fn on_data(&mut self, now: Duration, change: Change, out: &mut dyn Outputs);

    /// Its period is over.
    fn on_period(&mut self, now: Duration, out: &mut dyn Outputs) {
        let _ = (now, out);
    }
}

/// Why a processor was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcessorError {
    /// None of this name is compiled in.
    Unknown(String),
    /// A property of the processor is missing or wrong.
    Property {
        /// Of which processor.
        class: String,
        /// Its name.
        name: String,
        /// Its value, if it has one.
        value: Option<String>,
        /// What it may be.
        expected: &'static str,
    },
    /// An expression is wrong.
    Expression {
        /// Of which processor.
        class: String,
        /// What is wrong, with the expression and a caret below it.
        message: String,
    },
    /// The processor has no such property.
    UnknownProperty {
        /// Which processor.
        class: String,
        /// The name.
        name: String,
        /// Those that it has.
        known: &'static [&'static str],
    },
}

impl fmt::Display for ProcessorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(class) => {
                let names: Vec<&str> = BUILT_IN.iter().map(|one| one.class).collect();
                let names = names.join(", ");
                write!(f, "there is no processor {class:?}; built in are {names}")
            }
            Self::Property {
                class,
                name,
                value: None,
                expected,
            } => write!(
                f,
                "processor {class}: property {name} is missing: {expected}"
            ),
            Self::Property {
                class,
                name,
                value: Some(value),
                expected,
            } => write!(
                f,
                "processor {class}: property {name} is {value:?}: {expected}"
            ),
            Self::Expression { class, message } => write!(f, "processor {class}: {message}"),
            Self::UnknownProperty { class, name, known } => match known {
                [] => write!(f, "processor {class} has no properties, so no {name}"),
                known => {
                    let known = known.join(", ");
                    write!(
                        f,
                        "processor {class} has no property {name}; it has {known}"
                    )
                }
            },
        }
    }
}

impl std::error::Error for ProcessorError {}

/// A processor that is compiled in.
#[derive(Clone, Copy, Debug)]
pub struct BuiltIn {
    /// Its name in configurations.
    pub class: &'static str,
    /// What it does, in a sentence.
    pub does: &'static str,
    /// Its properties.
    pub properties: &'static [&'static str],
    make: fn(&Properties<'_>) -> Result<Box<dyn Processor>, ProcessorError>,
}

/// The properties of a processor as the configuration has them.
struct Properties<'a> {
    class: &'a str,
    values: &'a BTreeMap<String, String>,
    /// The type of the route, if it is known.
    ty: Option<&'a RouteType>,
}

/// Makes the processor that a configuration names; `None` if it forwards and nothing else. One that
/// needs the type lets nothing through as long as that is not known.
///
/// # Errors
/// See [`ProcessorError`].
pub fn make(
    plugin: &Plugin,
    ty: Option<&RouteType>,
) -> Result<Option<Box<dyn Processor>>, ProcessorError> {
    let class = &plugin.class;
    let found = BUILT_IN.iter().find(|one| one.class == class);
    let found = found.ok_or_else(|| ProcessorError::Unknown(class.clone()))?;
    let mut names = plugin.properties.keys();
    if let Some(name) = names.find(|name| !found.properties.contains(&name.as_str())) {
        return Err(ProcessorError::UnknownProperty {
            class: class.clone(),
            name: name.clone(),
            known: found.properties,
        });
    }
    if ["forward", "merge"].contains(&found.class) {
        return Ok(None);
    }
    let properties = Properties {
        class,
        values: &plugin.properties,
        ty,
    };
    (found.make)(&properties).map(Some)
}

/// The processor of a route: that of its plan, or what its inputs ask for.
pub(crate) fn of_route(
    route: &Route,
    ty: Option<&RouteType>,
) -> Result<Option<Box<dyn Processor>>, ProcessorError> {
    if let Some(plugin) = &route.settings.processor {
        return make(plugin, ty);
    }
    let rates = route.inputs.iter().map(|input| input.max_rate);
    let has_rates = rates.clone().any(|rate| rate.is_some());
    Ok(has_rates.then(|| Box::new(builtin::Rates::new(rates)) as Box<dyn Processor>))
}

impl Properties<'_> {
    fn value(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A number above 0; `otherwise` if it is not there.
    fn number(
        &self,
        name: &str,
        otherwise: Option<f64>,
        expected: &'static str,
    ) -> Result<f64, ProcessorError> {
        let value = self.value(name);
        let number = match value {
            None => otherwise,
            Some(text) => text.trim().parse().ok(),
        };
        let valid = number.filter(|number: &f64| number.is_finite() && *number > 0.0);
        valid.ok_or_else(|| ProcessorError::Property {
            class: self.class.to_owned(),
            name: name.to_owned(),
            value: value.map(str::to_owned),
            expected,
        })
    }
}
