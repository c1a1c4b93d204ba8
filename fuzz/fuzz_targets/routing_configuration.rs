//! Feeds `dunlin_fuzz::routing_configuration`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::routing_configuration(data));
