//! Header fields that frame the body and control the connection (RFC 9112 sections 6.3, 9.3).

use http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Version};
use httparse::Header;

use super::body::BodyReader;

/// The maximum size of a request or response head, in bytes.
pub(crate) const LONGEST_HEAD: usize = 16 * 1024;
/// The maximum number of fields in a head.
pub(crate) const MOST_FIELDS: usize = 100;

/// Why header fields do not define the framing of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldError {
    /// The framing is ambiguous: two readers could disagree about it.
    Ambiguous,
    /// The transfer coding is not supported.
    UnknownCoding,
}

/// Returns the fields of a head, in order.
pub(super) fn fields(parsed: &[Header<'_>]) -> Result<HeaderMap, FieldError> {
    let mut fields = HeaderMap::with_capacity(parsed.len());
    for field in parsed {
        let name = HeaderName::from_bytes(field.name.as_bytes());
        let value = HeaderValue::from_bytes(field.value);
        let (Ok(name), Ok(value)) = (name, value) else {
            return Err(FieldError::Ambiguous);
        };
        fields.append(name, value);
    }
    Ok(fields)
}

/// Returns the body framing that the fields announce, or `None` without a body. Ambiguous framing is rejected against
/// request smuggling (RFC 9112 section 11.2).
pub(super) fn announced(
    version: Version,
    fields: &HeaderMap,
) -> Result<Option<BodyReader>, FieldError> {
    let mut lengths = fields.get_all(CONTENT_LENGTH).iter();
    let length = lengths.next();
    let mut codings = fields.get_all(TRANSFER_ENCODING).iter();
    let coding = codings.next();
    match (length, coding) {
        (None, None) => Ok(None),
        (Some(length), None) if lengths.next().is_none() => {
            let length = decimal(length.as_bytes()).ok_or(FieldError::Ambiguous)?;
            Ok(Some(BodyReader::Length(length)))
        }
        (None, Some(coding)) if codings.next().is_none() && version == Version::HTTP_11 => {
            if coding.as_bytes().eq_ignore_ascii_case(b"chunked") {
                Ok(Some(BodyReader::chunked()))
            } else {
                Err(FieldError::UnknownCoding)
            }
        }
        _ => Err(FieldError::Ambiguous),
    }
}

/// Whether the connection stays open after a message.
pub(super) fn keeps(version: Version, fields: &HeaderMap) -> bool {
    let options = fields.get_all(CONNECTION).iter();
    let mut options = options.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    if version == Version::HTTP_11 {
        !options.any(|it| it.trim_ascii().eq_ignore_ascii_case(b"close"))
    } else {
        options.any(|it| it.trim_ascii().eq_ignore_ascii_case(b"keep-alive"))
    }
}

fn decimal(text: &[u8]) -> Option<u64> {
    let is_number = (1..=18).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    is_number.then(|| {
        text.iter()
            .fold(0, |number, digit| number * 10 + u64::from(digit - b'0'))
    })
}

/// Whether a line ends with LF without CR, which two readers could interpret differently.
pub(super) fn has_bare_line_feed(head: &[u8]) -> bool {
    let mut before = 0;
    head.iter().any(|byte| {
        let is_bare = *byte == b'\n' && before != b'\r';
        before = *byte;
        is_bare
    })
}
