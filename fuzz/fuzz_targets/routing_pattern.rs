//! Feeds `dunlin_fuzz::routing_pattern`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::routing_pattern(data));
