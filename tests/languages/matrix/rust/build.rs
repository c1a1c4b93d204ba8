//! Makes Rust types of the IDL file.

fn main() {
    dunlin_build::idl(&["../matrix.idl"]);
}
