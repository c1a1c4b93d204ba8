//! Feeds `dunlin_fuzz::profiles`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::profiles(data));
