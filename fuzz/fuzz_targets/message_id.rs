//! Fuzzes [`lasthop_fuzz::message_id`].
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| lasthop_fuzz::message_id(data));
