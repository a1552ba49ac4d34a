//! Fuzzes [`lasthop_fuzz::json_udp`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::json_udp(data));
