//! How the shared library is linked: programs look for `libdunlin.so.0`, whose number is that of
//! the ABI, and it stays loaded once it is, since its threads may run.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libdunlin.so.0");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
