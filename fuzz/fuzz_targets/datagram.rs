//! Feeds `dunlin_fuzz::datagram`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::datagram(data));
