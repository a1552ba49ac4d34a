use core::fmt;

use crate::codec::Content;

/// The path of a resource: segments, which may hold any character, `/` as well (RFC 7252 section 6.4).
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path {
    segments: Vec<Box<str>>,
}

impl Path {
    /// The path that a request asks for; `None` when a segment is no text.
    pub(super) fn of(content: &Content, datagram: &[u8]) -> Option<Self> {
        let segments = content.path(datagram).map(str::from_utf8);
        let segments = segments.map(|text| text.map(Box::from));
        let segments = segments.collect::<Result<_, _>>().ok()?;
        Some(Self { segments })
    }

    /// The path of these segments, apart by `/`.
    pub(super) fn named(text: &str) -> Self {
        Self {
            segments: text.split('/').map(Box::from).collect(),
        }
    }

    /// The path one segment below.
    pub(super) fn child(&self, segment: &str) -> Self {
        let mut child = self.clone();
        child.segments.push(segment.into());
        child
    }

    pub(super) fn segments(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().map(|segment| &**segment)
    }
}

/// As it stands in a URI: what would not be itself there is written as `%` and two digits (RFC 3986 sections 2.1, 3.3).
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.segments.is_empty() {
            return f.write_str("/");
        }
        for segment in &self.segments {
            f.write_str("/")?;
            for byte in segment.bytes() {
                if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
                    write!(f, "{}", char::from(byte))?;
                } else {
                    write!(f, "%{byte:02X}")?;
                }
            }
        }
        Ok(())
    }
}
