use base64::Engine;
use base64::engine::general_purpose::URL_SAFE;

/// The bytes before a message in base64url.
pub(crate) const BEFORE: &str = r#"{"binary_data": ""#;

/// The bytes after a message in base64url.
pub(crate) const BEHIND: &str = r#""}"#;

/// Returns the message that a lasthop client has wrapped, or `None` if the body has another form.
pub(super) fn unwrapped(body: &[u8]) -> Option<Vec<u8>> {
    let text = body.strip_prefix(BEFORE.as_bytes())?;
    URL_SAFE.decode(text.strip_suffix(BEHIND.as_bytes())?).ok()
}
