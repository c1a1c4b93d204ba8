//! Feeds `dunlin_fuzz::writer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::writer(data));
