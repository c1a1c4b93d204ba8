//! The TypeLookup service (DDS-XTypes 1.3 7.6.3.3): what participants ask each other for the types
//! of their endpoints, and what they keep of the answers.
//!
//! A [`Request`] names types, a [`Reply`] has their TypeObjects; both travel in samples of built-in
//! topics as PLAIN_CDR2, little endian. A [`TypeStore`] has the types of the own endpoints, each of
//! them a [`LocalType`](crate::LocalType), and what came from others. Nothing in it is believed
//! before its hash is checked, and it has bounds ([`limits`]).
//!
//! Who is asked when, and who is answered, is not decided here.

pub mod limits;
mod message;
mod reply;
mod request;
mod store;

pub use message::{MessageError, SampleIdentity};
pub use reply::{Dependencies, RemoteException, Reply, Return, TypeObjectPair, Types};
pub use request::{Call, Request};
pub use store::{StoreError, TypeStore};
