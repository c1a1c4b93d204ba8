//! `dunlin ls` and `dunlin why`: looking at a domain from outside.
//!
//! An [`observer`] is a participant without endpoints: it only listens to what the others announce.
//! [`view`] puts what it hears into the order in which people and programs read it; [`text`] and
//! JSON are two ways to print that.
mod group;
pub mod ls;
pub mod observer;
mod qos;
mod text;
pub mod view;
pub mod why;

pub use observer::{Domains, Where};
