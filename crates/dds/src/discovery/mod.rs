//! Who is there, who matches whom, and why not.
pub(crate) mod builtin_topics;
pub(crate) mod matching;
pub mod observe;
pub(crate) mod peers;
pub mod why;
