//! Fuzzes [`lasthop_fuzz::payload_template`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::payload_template(data));
