//! Feeds `dunlin_fuzz::idl_preprocessor`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::idl_preprocessor(data));
