//! Fuzzes [`lasthop_fuzz::run_spec`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::run_spec(data));
