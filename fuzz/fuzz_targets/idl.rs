//! Feeds `dunlin_fuzz::idl`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::idl(data));
