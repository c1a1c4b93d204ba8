//! The same side with a later version of the types.
#![forbid(unsafe_code)]

mod matrix {
    include!(concat!(env!("OUT_DIR"), "/later/matrix.rs"));
}

include!("program.rs");
