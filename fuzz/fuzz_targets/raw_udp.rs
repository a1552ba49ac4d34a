//! Fuzzes [`lasthop_fuzz::raw_udp`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::raw_udp(data));
