//! Feeds `dunlin_fuzz::discovery`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::discovery(data));
