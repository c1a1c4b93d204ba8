//! Feeds `dunlin_fuzz::pl_cdr2`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::pl_cdr2(data));
