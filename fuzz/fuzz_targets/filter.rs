//! Feeds `dunlin_fuzz::filter`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::filter(data));
