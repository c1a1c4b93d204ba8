//! Feeds `dunlin_fuzz::pl_cdr`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::pl_cdr(data));
