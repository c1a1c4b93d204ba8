//! What an output does to samples before it writes them.
//!
//! A transformation is compiled in, has a name, and is given properties by the configuration:
//! [`map`](mod@map) is built in, and a program that uses this library adds its own by
//! [`register`]. It works in the thread that received the sample, so it must not wait.
//!
//! ```
//! use dunlin_routing::transformation::{Refusal, Sample, Transformation, Written, register};
//!
//! /// Lets samples through until there were enough.
//! struct First(u64);
//!
//! impl Transformation for First {
//!     fn apply(&mut self, _: &mut Sample) -> Result<Written, Refusal> {
//!         match self.0.checked_sub(1) {
//!             Some(left) => self.0 = left,
//!             None => return Ok(Written::Nothing),
//!         }
//!         Ok(Written::Sample)
//!     }
//! }
//!
//! register("first", |properties, _| {
//!     let count = properties.get("count").and_then(|count| count.parse().ok());
//!     let count = count.ok_or("first: property count is missing: a number")?;
//!     Ok(Box::new(First(count)))
//! })?;
//! # Ok::<(), dunlin_routing::transformation::Taken>(())
//! ```
mod map;
mod path;

use crate::engine::lock;
use crate::plan::{Output, Plugin, Route};
use crate::types::{RouteType, Types};
use bytes::Bytes;
use dunlin::untyped::WriteOptions;
use dunlin::xtypes::DynamicType;
use dunlin::{ChangeKind, Timestamp};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

/// Its name in configurations.
pub(crate) const MAP: &str = "map";

/// A change that is about to be written.
#[derive(Clone, Debug)]
pub struct Sample {
    /// A sample, or which end of its instance.
    pub kind: ChangeKind,
    /// The serialized sample or key, encapsulation header included; of a dispose or unregister it
    /// may be empty. A transformation leaves here what is to be written.
    pub payload: Bytes,
    pub(crate) options: WriteOptions,
}

impl Sample {
    /// When it was written, if that is kept.
    pub fn source_timestamp(&self) -> Option<Timestamp> {
        self.options.timestamp
    }
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The change, as it is now.
    Sample,
    /// Nothing: it is held back.
    Nothing,
}

/// Why a sample is not written; it is lost and counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

/// Something that an output does to what it writes.
///
/// The instance of what it makes is found out by the service, from the key of the output's type. A
/// refusal or a panic costs that sample; after 100 in a row the route pauses.
pub trait Transformation: Send {
    /// Makes of a change what is to be written.
    ///
    /// # Errors
    /// Why it cannot.
    fn apply(&mut self, sample: &mut Sample) -> Result<Written, Refusal>;
}

/// The types of what a transformation gets and of what it makes.
#[derive(Clone, Debug)]
pub struct Ends {
    /// The type of the route.
    pub input: DynamicType,
    /// The type of the output; the same unless the configuration says otherwise.
    pub output: DynamicType,
}

/// Makes a transformation with its properties.
type Make = dyn Fn(&BTreeMap<String, String>, &Ends) -> Result<Box<dyn Transformation>, String>
    + Send
    + Sync;

/// Those that programs have added.
static REGISTERED: Mutex<BTreeMap<String, Arc<Make>>> = Mutex::new(BTreeMap::new());

/// There is a transformation of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken(pub String);

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is a transformation {:?} already", self.0)
    }
}

impl std::error::Error for Taken {}

/// Adds a transformation that configurations name `class`. `make` gets the properties that the
/// configuration gives; what it fails with is the reason why the route does not start, so it names
/// the property that is wrong.
///
/// # Errors
/// [`Taken`] if there is one of this name.
pub fn register(
    class: &str,
    make: impl Fn(&BTreeMap<String, String>, &Ends) -> Result<Box<dyn Transformation>, String>
    + Send
    + Sync
    + 'static,
) -> Result<(), Taken> {
    let mut registered = lock(&REGISTERED);
    if class == MAP || registered.contains_key(class) {
        return Err(Taken(class.to_owned()));
    }
    registered.insert(class.to_owned(), Arc::new(make));
    Ok(())
}

/// The names of all transformations that there are.
pub fn names() -> Vec<String> {
    let registered = lock(&REGISTERED);
    let own = registered.keys().cloned();
    [MAP.to_owned()].into_iter().chain(own).collect()
}

/// What is wrong with one whose types are not known yet.
pub(crate) fn check(plugin: &Plugin) -> Result<(), String> {
    match &*plugin.class {
        MAP => map::check(&plugin.properties),
        class => registered(class).map(drop),
    }
}

/// What is wrong with one of which files tell both types. One that a program has added is made only
/// when it is needed.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn check_types(
    output: &Output,
    input: &DynamicType,
    types: &Types,
) -> Result<(), String> {
    let Some(plugin) = output
        .transformation
        .as_ref()
        .filter(|one| one.class == MAP)
    else {
        return Ok(());
    };
    let to = match &output.type_name {
        None => Some(input.clone()),
        Some(name) if input.name() == name => Some(input.clone()),
        Some(name) => types.get(name).map(|known| known.ty),
    };
    let Some(to) = to else {
        return Ok(());
    };
    let ends = Ends {
        input: input.resolved(),
        output: to.resolved(),
    };
    map::make(&plugin.properties, &ends).map(drop)
}

fn registered(class: &str) -> Result<Arc<Make>, String> {
    let found = lock(&REGISTERED).get(class).cloned();
    found.ok_or_else(|| {
        let names = names().join(", ");
        format!("there is no transformation {class:?}; there are {names}")
    })
}

/// The type of what an output writes.
///
/// # Errors
/// What is missing, in words.
pub(crate) fn output_type(
    route: &Route,
    output: &Output,
    input: &RouteType,
    types: &Types,
) -> Result<DynamicType, String> {
    let Some(name) = &output.type_name else {
        return Ok(input.ty.clone());
    };
    if let Some(known) = types.get(name) {
        return Ok(known.ty);
    }
    let mut inputs = route.inputs.iter();
    let is_same = inputs.any(|input| input.type_name.as_ref() == Some(name));
    match is_same || input.ty.name() == name {
        true => Ok(input.ty.clone()),
        false => Err(format!(
            "the type {name:?} of output {} is in no file: name that by idl_files, or define it in \
             <types>",
            output.name
        )),
    }
}

/// A transformation, and the type of what it makes.
pub(crate) type Made = (Box<dyn Transformation>, DynamicType);

/// What an output does to samples of this type; `None` if it does nothing.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn of_output(
    route: &Route,
    output: &Output,
    input: &RouteType,
    types: &Types,
) -> Result<Option<Made>, String> {
    let Some(plugin) = &output.transformation else {
        return Ok(None);
    };
    let ends = Ends {
        input: input.ty.resolved(),
        output: output_type(route, output, input, types)?.resolved(),
    };
    let made = match &*plugin.class {
        MAP => map::make(&plugin.properties, &ends),
        class => registered(class)?(&plugin.properties, &ends),
    };
    let made = made.map_err(|why| format!("output {}: {why}", output.name))?;
    Ok(Some((made, ends.output)))
}
