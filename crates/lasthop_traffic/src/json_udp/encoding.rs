use core::ops::Range;
use std::borrow::Cow;

use serde_json::value::RawValue;

/// A payload of anybody as the data of a publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SentData<'a> {
    /// A JSON object, which stands as it is.
    Object(&'a str),
    /// The inside of a JSON string.
    Text(Cow<'a, str>),
}

/// What bytes are in JSON: an object, or text; `None` for what is neither.
pub(super) fn sent_data(payload: &[u8]) -> Option<SentData<'_>> {
    let text = str::from_utf8(payload).ok()?;
    if text.starts_with('{') && serde_json::from_str::<&RawValue>(text).is_ok() {
        return Some(SentData::Object(text));
    }
    let is_plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(is_plain) {
        return Some(SentData::Text(text.into()));
    }
    let quoted = serde_json::Value::from(text).to_string();
    Some(SentData::Text(
        quoted[1..quoted.len() - 1].to_owned().into(),
    ))
}

/// What the data at this place of a datagram are to those who speak no JSON: a string without its quotes and escapes, any
/// other value as it is written.
pub(super) fn plain_payload(datagram: &[u8], data: Range<usize>) -> Cow<'_, [u8]> {
    let written = &datagram[data.clone()];
    let is_string = data.start > 0 && datagram[data.start - 1] == b'"';
    if is_string && written.contains(&b'\\') {
        let quoted = &datagram[data.start - 1..data.end + 1];
        if let Ok(text) = serde_json::from_slice::<String>(quoted) {
            return text.into_bytes().into();
        }
    }
    written.into()
}

impl SentData<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Object(text) => text.as_bytes(),
            Self::Text(text) => text.as_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_comes_back_as_it_was() {
        for payload in [
            "",
            "21.5",
            "a \"b\" \\ c",
            "{no object",
            "line\nline",
            "\u{1F600}\u{7}",
        ] {
            let data = sent_data(payload.as_bytes()).expect("it is text");
            assert!(matches!(data, SentData::Text(_)), "{payload}");
            let datagram = [b"x\"", data.bytes(), b"\""].concat();
            let place = 2..datagram.len() - 1;
            assert_eq!(&*plain_payload(&datagram, place), payload.as_bytes());
        }
    }

    #[test]
    fn an_object_stands_as_it_is() {
        let text = r#"{"spo2": 98, "by": "\\"}"#;
        assert_eq!(sent_data(text.as_bytes()), Some(SentData::Object(text)));
        let datagram = [b"x:", text.as_bytes(), b"}"].concat();
        assert_eq!(
            &*plain_payload(&datagram, 2..2 + text.len()),
            text.as_bytes()
        );
    }

    #[test]
    fn what_is_no_text_cannot_be_said() {
        assert_eq!(sent_data(b"\xff"), None);
    }
}
