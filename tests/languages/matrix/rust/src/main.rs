//! The side in Rust of the live matrix: a publisher, a subscriber, or what all have to print.
#![forbid(unsafe_code)]

mod matrix {
    dunlin::include_idl!("matrix");
}

include!("program.rs");
