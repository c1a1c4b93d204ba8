//! Feeds `dunlin_fuzz::d_cdr2`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::d_cdr2(data));
