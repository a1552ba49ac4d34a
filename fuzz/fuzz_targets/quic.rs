//! Fuzzes [`lasthop_fuzz::quic`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::quic(data));
