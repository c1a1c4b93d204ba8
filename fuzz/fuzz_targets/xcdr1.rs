//! Feeds `dunlin_fuzz::xcdr1`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::xcdr1(data));
