//! Feeds `dunlin_fuzz::lookup_reply`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::lookup_reply(data));
