//! Fuzzes [`lasthop_fuzz::mqtt`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::mqtt(data));
