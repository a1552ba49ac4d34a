//! Fuzzes [`lasthop_fuzz::coap`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::coap(data));
