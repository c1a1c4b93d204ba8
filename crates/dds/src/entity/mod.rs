//! The entities of DDS 1.4: participant, publisher, subscriber, conditions, listeners, statuses.
pub(crate) mod condition;
pub(crate) mod config;
pub(crate) mod diagnostics;
pub(crate) mod due;
pub(crate) mod group;
pub(crate) mod group_access;
pub(crate) mod identity;
pub(crate) mod listener;
pub(crate) mod participant;
pub(crate) mod publisher;
pub(crate) mod shared;
pub(crate) mod status;
pub(crate) mod subscriber;
pub(crate) mod type_settings;
pub(crate) mod wait_set;
