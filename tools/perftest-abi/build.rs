//! How the shared library is linked: programs look for `libdunlin_perftest.so.0`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libdunlin_perftest.so.0");
    }
}
