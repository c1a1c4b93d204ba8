//! The entities of DDS 1.4: the participant and its settings, what publishers and subscribers
//! share with what they contain, listeners.
pub(crate) mod coherent_set;
pub(crate) mod config;
pub(crate) mod contained;
pub(crate) mod diagnostics;
pub(crate) mod due;
pub(crate) mod group;
pub(crate) mod group_access;
pub(crate) mod guard_condition;
pub(crate) mod identity;
pub(crate) mod listener;
pub(crate) mod listener_thread;
pub(crate) mod member;
pub(crate) mod participant;
pub(crate) mod shared;
pub(crate) mod type_settings;
