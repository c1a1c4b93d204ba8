//! Feeds `dunlin_fuzz::document`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::document(data));
