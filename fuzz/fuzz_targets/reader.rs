//! Feeds `dunlin_fuzz::reader`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::reader(data));
