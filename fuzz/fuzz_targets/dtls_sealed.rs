//! Fuzzes [`lasthop_fuzz::dtls_sealed`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::dtls_sealed(data));
