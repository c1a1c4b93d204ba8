//! Feeds `dunlin_fuzz::assignability`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::assignability(data));
