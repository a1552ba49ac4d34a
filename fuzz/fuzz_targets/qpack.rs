//! Fuzzes [`lasthop_fuzz::qpack`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::qpack(data));
