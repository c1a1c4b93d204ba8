//! Feeds `dunlin_fuzz::type_support`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::type_support(data));
