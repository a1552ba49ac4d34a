use core::cell::RefCell;
use core::fmt::Write;

use rustls::KeyLog;

thread_local! {
    static NOTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Notes the secrets of all sessions of runs while `work` runs on this thread, in the format of `SSLKEYLOGFILE`
/// (RFC 9850), a line each. Who has them reads everything.
pub fn noting_keys<R>(work: impl FnOnce() -> R) -> (R, String) {
    let before = NOTED.replace(Some(String::new()));
    let result = work();
    (result, NOTED.replace(before).unwrap_or_default())
}

/// Takes secrets down while someone wants them.
#[derive(Debug)]
pub(crate) struct Noted;

impl KeyLog for Noted {
    fn log(&self, label: &str, client_random: &[u8], secret: &[u8]) {
        NOTED.with_borrow_mut(|noted| {
            if let Some(text) = noted {
                let _ = writeln!(text, "{label} {} {}", Hex(client_random), Hex(secret));
            }
        });
    }

    fn will_log(&self, _label: &str) -> bool {
        NOTED.with_borrow(Option::is_some)
    }
}

struct Hex<'a>(&'a [u8]);

impl core::fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
