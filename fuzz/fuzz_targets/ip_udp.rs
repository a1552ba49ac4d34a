//! Fuzzes [`lasthop_fuzz::ip_udp`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::ip_udp(data));
