use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;

/// What stands before a message in base64url.
pub(crate) const BEFORE: &str = r#"{"binary_data": ""#;

/// What stands behind it.
pub(crate) const BEHIND: &str = r#""}"#;

/// The message that a client of ours has wrapped; `None` where it is none.
pub(super) fn unwrapped(body: &[u8]) -> Option<Vec<u8>> {
    let text = body.strip_prefix(BEFORE.as_bytes())?;
    URL_SAFE.decode(text.strip_suffix(BEHIND.as_bytes())?).ok()
}
