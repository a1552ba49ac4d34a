//! Fuzzes [`lasthop_fuzz::http3`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::http3(data));
