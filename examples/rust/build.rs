//! Makes Rust types of the IDL files.

fn main() {
    dunlin_build::idl(&["idl/shape.idl"]);
}
