//! Fuzzes [`lasthop_fuzz::post_handshake`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::post_handshake(data));
