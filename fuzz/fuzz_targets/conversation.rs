//! Feeds `dunlin_fuzz::conversation`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::conversation(data));
