//! Makes Rust types of the IDL file, and those of a later version.

use std::env;
use std::path::PathBuf;

fn main() {
    let idl = dunlin_build::Idl::new().file("../matrix.idl");
    let later = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("later");
    let evolved = idl.clone().define("EVOLVED", None).output(later);
    idl.compile();
    evolved.compile();
}
