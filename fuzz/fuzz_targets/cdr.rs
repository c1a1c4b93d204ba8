//! Feeds `dunlin_fuzz::cdr`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::cdr(data));
