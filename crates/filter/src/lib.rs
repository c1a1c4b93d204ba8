//! Content filters and queries: the subset of SQL that DDS 1.4 annex B defines, evaluated over
//! serialized samples.
//!
//! ```
//! use bytes::BytesMut;
//! use dunlin_cdr::{Xcdr, to_payload};
//! use dunlin_derive::Topic;
//! use dunlin_filter::Filter;
//!
//! #[derive(Topic)]
//! #[topic(crate = "dunlin_cdr")] // users of the crate `dunlin` leave this out
//! struct Square {
//!     #[key]
//!     color: String,
//!     size: i32,
//! }
//!
//! let filter = Filter::of::<Square>("color LIKE 'R%' AND size <= %0", &["20"])?;
//! let mut payload = BytesMut::new();
//! to_payload(&Square { color: "RED".into(), size: 20 }, Xcdr::V2, &mut payload).unwrap();
//! assert!(filter.passes(&payload));
//!
//! let mistake = Filter::of::<Square>("colour = 'RED'", &[] as &[&str]).unwrap_err();
//! assert_eq!(
//!     mistake.to_string(),
//!     "no member \"colour\" in Square; did you mean \"color\"?\n  colour = 'RED'\n  ^~~~~~"
//! );
//! # Ok::<(), dunlin_filter::FilterError>(())
//! ```
//!
//! A filter is compiled once, against the type, which may be known at run time only
//! ([`dunlin_xtypes::DynamicType`]): members get places, literals and parameters become values of
//! their member's type. A sample is then gone through once, from its beginning to the last member
//! that the expression names; what is not named is passed over, and nothing is allocated.
//! Evaluation takes time in proportion to the bytes of the sample at most, times the number of
//! comparisons with them; [`limits`] bound the rest. Who evaluates what a stranger sent says how
//! much work that may be: [`Filter::evaluate_within`].
//!
//! What is absent, an optional member, an element beyond the end of a sequence, a case of a union
//! that is not selected, is neither equal nor unequal to anything: as in SQL, a comparison with it
//! is unknown, and a sample passes only if the whole is true.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod condition;
mod error;
mod facts;
mod filter;
mod join;
mod lexer;
pub mod limits;
mod literal;
mod locate;
mod members;
mod parser;
mod pattern;
mod plan;
mod steps;
mod value;

pub use error::FilterError;
pub use facts::Facts;
pub use filter::{Filter, check_limits};
pub use join::{all_of, any_of};
