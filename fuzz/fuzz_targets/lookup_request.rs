//! Feeds `dunlin_fuzz::lookup_request`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::lookup_request(data));
