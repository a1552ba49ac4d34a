use super::codes::{Code, EXCESSIVE_LOAD, FRAME_UNEXPECTED, ID_ERROR, MISSING_SETTINGS};
use super::varint::{read_varint, write_varint};

/// Splits the bytes of a stream into frames (RFC 9114 section 7).
#[derive(Debug)]
pub(super) struct FrameReader {
    of: Of,
    /// The type and the length of the next frame, as far as they have come.
    head: Vec<u8>,
    /// The type of the frame that comes, and what is left of it.
    current: Option<(u64, u64)>,
    payload: Vec<u8>,
    /// Whether a frame has come.
    is_begun: bool,
}

/// The message type that a stream carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Control,
    Request,
    /// The response to a request.
    Response,
}

/// The next element of a stream.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame<'a> {
    /// A part of a DATA frame.
    Data(&'a [u8]),
    /// A complete frame of this type.
    Whole(u64, Vec<u8>),
}

pub(super) const DATA: u64 = 0;
pub(super) const HEADERS: u64 = 1;
pub(super) const CANCEL_PUSH: u64 = 3;
pub(super) const SETTINGS: u64 = 4;
pub(super) const PUSH_PROMISE: u64 = 5;
pub(super) const GOAWAY: u64 = 7;
pub(super) const MAX_PUSH_ID: u64 = 0xd;

/// The longest frame on a stream that carries no requests.
const LONGEST_CONTROL: usize = 4096;
const LONGEST_HEAD: usize = 16;

impl FrameReader {
    pub(super) fn new(of: Of) -> Self {
        Self {
            of,
            head: Vec::new(),
            current: None,
            payload: Vec::new(),
            is_begun: false,
        }
    }

    /// Whether the position in the stream is between two frames.
    pub(super) fn is_between(&self) -> bool {
        self.current.is_none() && self.head.is_empty()
    }

    /// Returns the next frame, or a part of a DATA frame, from the front of the bytes.
    pub(super) fn next<'a>(&mut self, bytes: &mut &'a [u8]) -> Result<Option<Frame<'a>>, Code> {
        loop {
            let Some((kind, left)) = &mut self.current else {
                if !self.begin(bytes)? {
                    return Ok(None);
                }
                continue;
            };
            let kind = *kind;
            let count = bytes
                .len()
                .min(usize::try_from(*left).unwrap_or(usize::MAX));
            let (part, behind) = bytes.split_at(count);
            *bytes = behind;
            *left -= count as u64;
            let is_whole = *left == 0;
            if is_whole {
                self.current = None;
            }
            match kind {
                DATA if count > 0 => return Ok(Some(Frame::Data(part))),
                _ if is_known(kind) && kind != DATA => {
                    self.payload.extend_from_slice(part);
                    if is_whole {
                        let payload = core::mem::take(&mut self.payload);
                        return Ok(Some(Frame::Whole(kind, payload)));
                    }
                }
                _ => {}
            }
            if !is_whole {
                return Ok(None);
            }
        }
    }

    /// Takes the type and the length of a frame; whether they are there.
    fn begin(&mut self, bytes: &mut &[u8]) -> Result<bool, Code> {
        while let Some((first, behind)) = bytes.split_first() {
            self.head.push(*first);
            *bytes = behind;
            let mut head = &self.head[..];
            let kind = read_varint(&mut head);
            if let Some(kind) = kind {
                self.admit(kind)?;
                if let Some(length) = read_varint(&mut head) {
                    let most = match self.of {
                        Of::Control => LONGEST_CONTROL,
                        Of::Request | Of::Response => crate::h1::LONGEST_HEAD,
                    };
                    if is_known(kind) && kind != DATA && length > most as u64 {
                        return Err(EXCESSIVE_LOAD);
                    }
                    self.head.clear();
                    self.current = Some((kind, length));
                    self.is_begun = true;
                    return Ok(true);
                }
            }
            debug_assert!(self.head.len() < LONGEST_HEAD);
        }
        Ok(false)
    }

    /// Which frames may come where (RFC 9114 section 7.2).
    fn admit(&self, kind: u64) -> Result<(), Code> {
        let is_first_settings = kind == SETTINGS && !self.is_begun;
        match (self.of, kind) {
            (Of::Control, _) if !self.is_begun && !is_first_settings => Err(MISSING_SETTINGS),
            // Those of HTTP/2 that HTTP/3 has not.
            (_, 2 | 6 | 8 | 9) => Err(FRAME_UNEXPECTED),
            (Of::Control, SETTINGS) if self.is_begun => Err(FRAME_UNEXPECTED),
            (Of::Control, DATA | HEADERS | PUSH_PROMISE) => Err(FRAME_UNEXPECTED),
            (Of::Response, PUSH_PROMISE) => Err(ID_ERROR),
            (Of::Request | Of::Response, DATA | HEADERS) => Ok(()),
            (Of::Request | Of::Response, _) if is_known(kind) => Err(FRAME_UNEXPECTED),
            _ => Ok(()),
        }
    }
}

fn is_known(kind: u64) -> bool {
    matches!(
        kind,
        DATA | HEADERS | CANCEL_PUSH | SETTINGS | PUSH_PROMISE | GOAWAY | MAX_PUSH_ID
    )
}

/// Returns the type and length fields of a frame.
pub(super) fn frame_head(kind: u64, length: usize) -> Vec<u8> {
    let mut head = Vec::with_capacity(LONGEST_HEAD);
    write_varint(kind, &mut head);
    write_varint(length as u64, &mut head);
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_the_same_however_they_are_cut() {
        let mut bytes = Vec::new();
        for (kind, payload) in [
            (HEADERS, &b"head"[..]),
            (0x21, b"grease"),
            (DATA, b""),
            (DATA, b"body"),
        ] {
            bytes.extend(frame_head(kind, payload.len()));
            bytes.extend(payload);
        }
        for piece in 1..=bytes.len() {
            let mut reader = FrameReader::new(Of::Request);
            let (mut heads, mut body) = (Vec::new(), Vec::new());
            for mut part in bytes.chunks(piece) {
                while let Some(frame) = reader.next(&mut part).unwrap() {
                    match frame {
                        Frame::Data(part) => body.extend_from_slice(part),
                        Frame::Whole(kind, payload) => heads.push((kind, payload)),
                    }
                }
            }
            assert_eq!(heads, [(HEADERS, b"head".to_vec())], "{piece}");
            assert_eq!(body, b"body", "{piece}");
            assert!(reader.is_between());
        }
    }
}
