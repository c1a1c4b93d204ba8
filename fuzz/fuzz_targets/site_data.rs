//! Feeds `dunlin_fuzz::site_data`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::site_data(data));
