//! Connections that lead beyond a domain: what they lead to looks like endpoints of a domain.
//!
//! A program registers an adapter by its name, as `plugin_name` of a `<connection>` has it. The
//! endpoints beyond are discovered, and those of routes are made, by way of its [`Connection`].
//! Nothing here waits: who receives forwards, so what takes long belongs in threads of the adapter.
use crate::engine::lock;
use bytes::Bytes;
use dunlin::observe::{DiscoveryEvent, ReaderData, WriterData};
use dunlin::untyped::{TryWriteError, WriteOptions};
use dunlin::{ChangeKind, GuardCondition, Guid, SampleInfo};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The adapter for zenoh, which the key `zenoh` of a participant in TOML names.
pub const ZENOH: &str = "dunlin::zenoh";

/// What a configuration says of a connection, by name.
pub type AdapterProperties = BTreeMap<String, String>;

/// Called when something has happened; it does not wait.
pub type Notify = Arc<dyn Fn() + Send + Sync>;

/// What is wrong with the properties of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongProperty {
    /// Which one; `None` if one is missing.
    pub name: Option<String>,
    /// What is wrong, in a line.
    pub message: String,
}

/// Who makes a connection.
#[derive(Clone)]
pub struct Context {
    /// The name of the service.
    pub service: String,
    /// The name of the connection.
    pub connection: String,
    /// By which others know the service in the hops of a sample.
    pub router: u32,
    /// To be set when there are events to take.
    pub wake: GuardCondition,
}

/// Makes connections of a kind.
pub trait Adapter: Send + Sync {
    /// Looks at the properties of a connection, without making one.
    ///
    /// # Errors
    /// What is wrong with them.
    fn check(&self, properties: &AdapterProperties) -> Result<(), WrongProperty>;

    /// Makes a connection. It comes back by itself when what it leads to was away.
    ///
    /// # Errors
    /// Why it cannot, in a line; it is tried again.
    fn connect(
        &self,
        properties: &AdapterProperties,
        context: Context,
    ) -> Result<Box<dyn Connection>, String>;
}

/// Beyond which writers an endpoint hears, as far as its route can tell.
pub type Accepts = Box<dyn Fn(&WriterData) -> bool + Send + Sync>;

/// A way out of the domains of a service.
pub trait Connection: Send + Sync {
    /// What was discovered since the last call.
    fn take_events(&self) -> Vec<DiscoveryEvent>;

    /// Makes a reader of what is written beyond. Its GUID is the connection's to choose. `on_data`
    /// is called when there is something to take, `on_matched` when writers came or went.
    ///
    /// # Errors
    /// Why it cannot, in a line; it is tried again.
    fn create_reader(
        &self,
        data: ReaderData,
        keyed: bool,
        accepts: Accepts,
        events: [Notify; 2],
    ) -> Result<Arc<dyn AdapterReader>, String>;

    /// Makes a writer for those beyond. Its GUID is the connection's to choose. `on_room` is called
    /// when it takes changes again after it was full.
    ///
    /// # Errors
    /// Why it cannot, in a line; it is tried again.
    fn create_writer(
        &self,
        data: WriterData,
        keyed: bool,
        on_room: Notify,
    ) -> Result<Arc<dyn AdapterWriter>, String>;

    /// What there is beyond, in a line.
    fn note(&self) -> Option<String>;

    /// Ends it.
    fn close(&self);
}

/// A change from beyond.
#[derive(Clone, Debug)]
pub struct AdapterSample {
    /// What is known of it.
    pub info: SampleInfo,
    /// Its payload, encapsulation header included.
    pub payload: Bytes,
}

/// Reads what is written beyond.
pub trait AdapterReader: Send + Sync {
    /// Takes so many changes at most, in the order of each writer.
    fn take(&self, most: usize, into: &mut Vec<AdapterSample>);

    /// The writers that it hears.
    fn matched(&self) -> Vec<Guid>;

    /// Announces something else of itself from now on.
    fn announce(&self, data: ReaderData);

    /// Takes nothing more.
    fn close(&self);
}

/// Writes for those beyond.
pub trait AdapterWriter: Send + Sync {
    /// Takes a change, or says that there is no room for it. Never waits.
    ///
    /// # Errors
    /// See [`TryWriteError`].
    fn try_write(
        &self,
        kind: ChangeKind,
        payload: &Bytes,
        options: &WriteOptions,
    ) -> Result<(), TryWriteError>;

    /// How many readers there are beyond.
    fn matched(&self) -> usize;

    /// Announces something else of itself from now on.
    fn announce(&self, data: WriterData);

    /// Waits until what was written is under way, so long at most.
    fn finish(&self, most: Duration);

    /// Writes nothing more.
    fn close(&self);
}

static REGISTERED: Mutex<BTreeMap<String, Arc<dyn Adapter>>> = Mutex::new(BTreeMap::new());

/// There is an adapter of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken(pub String);

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is an adapter {:?} already", self.0)
    }
}

impl std::error::Error for Taken {}

/// Adds an adapter that configurations name `class`.
///
/// # Errors
/// [`Taken`] if there is one of this name.
pub fn register(class: &str, adapter: impl Adapter + 'static) -> Result<(), Taken> {
    let mut registered = lock(&REGISTERED);
    if registered.contains_key(class) {
        return Err(Taken(class.to_owned()));
    }
    registered.insert(class.to_owned(), Arc::new(adapter));
    Ok(())
}

/// The names of all adapters that there are.
pub fn names() -> Vec<String> {
    lock(&REGISTERED).keys().cloned().collect()
}

pub(crate) fn find(class: &str) -> Option<Arc<dyn Adapter>> {
    lock(&REGISTERED).get(class).cloned()
}
