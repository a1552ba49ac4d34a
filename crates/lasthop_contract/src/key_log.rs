//! A log of session secrets, for captures that are to be decrypted.

use core::cell::RefCell;
use core::fmt::{self, Write};

thread_local! {
    static NOTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Logs the secrets of all sessions on this thread while `work` runs, one line each, in the format of `SSLKEYLOGFILE`
/// (RFC 9850). These secrets decrypt all data.
pub fn noting_keys<R>(work: impl FnOnce() -> R) -> (R, String) {
    let before = NOTED.replace(Some(String::new()));
    let result = work();
    (result, NOTED.replace(before).unwrap_or_default())
}

/// Whether a log of secrets is wanted on this thread.
#[must_use]
pub fn are_keys_noted() -> bool {
    NOTED.with_borrow(Option::is_some)
}

/// Logs a secret of the session with this client random, if a log is wanted.
pub fn note_key(label: &str, client_random: &[u8], secret: &[u8]) {
    NOTED.with_borrow_mut(|noted| {
        if let Some(text) = noted {
            let _ = writeln!(text, "{label} {} {}", Hex(client_random), Hex(secret));
        }
    });
}

struct Hex<'a>(&'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
