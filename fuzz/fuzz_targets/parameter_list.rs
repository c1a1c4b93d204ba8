//! Feeds `dunlin_fuzz::parameter_list`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| dunlin_fuzz::parameter_list(data));
