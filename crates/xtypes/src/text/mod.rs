//! Types as text.

mod decimal;
pub mod idl;
