use lasthop_contract::{are_keys_noted, note_key};
use rustls::KeyLog;

/// Takes secrets down while someone wants them.
#[derive(Debug)]
pub(crate) struct Noted;

impl KeyLog for Noted {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        note_key(label, client_random, secret);
    }

    fn will_log(&self, _label: &str) -> bool {
        are_keys_noted()
    }
}
