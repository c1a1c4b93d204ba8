//! Joins sites beyond one network through zenoh: an adapter of Dunlin's Routing Service.
//!
//! A connection is a site's door: samples go in as they are, and come out at other doors.
//! [`register`] makes the adapter known; configurations call it `dunlin::zenoh`.
#![forbid(unsafe_code)]

mod attachment;
mod beat;
mod directory;
mod election;
#[cfg(test)]
mod expressions;
mod failure;
mod hub;
mod keys;
mod listing;
mod page;
mod reader;
mod record;
mod settings;
mod store;
mod stream;
mod streams;
mod writer;

use dunlin_routing::adapter::{
    self, Adapter, AdapterProperties, Connection, Context, Taken, WrongProperty,
};
use hub::{Door, Hub};
use keys::Keys;
use settings::Settings;
use zenoh::{Session, Wait};

/// Makes the adapter known to configurations of this program.
///
/// # Errors
/// [`Taken`] if it is known already.
pub fn register() -> Result<(), Taken> {
    adapter::register(adapter::ZENOH, Zenoh)
}

/// The adapter, for programs that know it by another name or make connections themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zenoh;

impl Adapter for Zenoh {
    fn check(&self, properties: &AdapterProperties) -> Result<(), WrongProperty> {
        Settings::of(properties).map(drop)
    }

    fn connect(
        &self,
        properties: &AdapterProperties,
        context: Context,
    ) -> Result<Box<dyn Connection>, String> {
        let settings = Settings::of(properties).map_err(|wrong| wrong.message)?;
        let session = open(&settings)?;
        let hub = Hub::start(session, Keys::new(&settings.scope), settings.site, context)?;
        Ok(Box::new(Door(hub)))
    }
}

/// Opens a session: at once if somebody is there to connect to, else it waits for them, unless they
/// do not want this site.
fn open(settings: &Settings) -> Result<Session, String> {
    failure::listen();
    let error = match zenoh::open(settings.zenoh(false)?).wait() {
        Ok(session) => return Ok(session),
        Err(error) => error.to_string().replace('\n', " "),
    };
    let reason = failure::reason();
    let is_refused = |reason: &String| {
        let words = ["certificate", "Certificate", "tls", "TLS", "handshake"];
        let about = reason.split_once('!').map_or("", |(_, about)| about);
        words.iter().any(|word| about.contains(word))
    };
    if settings.mode == "client" || reason.as_ref().is_none_or(is_refused) {
        return Err(reason.unwrap_or(error));
    }
    zenoh::open(settings.zenoh(true)?)
        .wait()
        .map_err(|error| error.to_string().replace('\n', " "))
}
