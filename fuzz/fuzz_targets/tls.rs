//! Feeds `dunlin_fuzz::tls`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::tls(data));
