//! The message bodies of HTTP/1.1 (RFC 9112 sections 6, 7).

use http::StatusCode;

/// Reads the body of one message in any of its three framings.
#[derive(Debug)]
pub(crate) enum BodyReader {
    /// This many bytes are left.
    Length(u64),
    /// The body uses chunked transfer coding.
    Chunked(Chunks),
    /// The body ends with the stream.
    UntilEnd,
}

/// A chunked body and its parsing position.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    place: Place,
    /// Bytes that are no body.
    framing: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// Before the line with a chunk's size.
    #[default]
    Size,
    /// In a chunk of which this many bytes are left.
    Data(u64),
    /// Before the line end that follows a chunk.
    DataEnd,
    /// In the trailer section.
    Trailer,
    /// After the whole body.
    End,
}

/// Why a body cannot be read, for the server's response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// The framing is invalid.
    Malformed,
    /// The body is larger than the limit.
    TooLarge,
}

/// The longest line that says how large a chunk is, extensions included.
const LONGEST_SIZE_LINE: usize = 256;
/// Bytes of framing that a body may have in any case, and for each byte of it beside: what chunks of one byte take and no more.
const FRAMING: usize = 16 * 1024;
const FRAMING_A_BYTE: usize = 8;
/// The longest line of a trailer.
const LONGEST_TRAILER_LINE: usize = 8 * 1024;

impl BodyError {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Malformed => StatusCode::BAD_REQUEST,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        }
    }
}

impl BodyReader {
    pub(crate) fn chunked() -> Self {
        Self::Chunked(Chunks::default())
    }

    /// Whether the body is complete.
    pub(crate) fn is_done(&self) -> bool {
        match self {
            Self::Length(left) => *left == 0,
            Self::Chunked(chunks) => chunks.place == Place::End,
            Self::UntilEnd => false,
        }
    }

    /// Processes received bytes. Returns how many of them belong to the body and its framing.
    ///
    /// # Errors
    /// When it is no body, or larger than `limit`.
    pub(crate) fn take(
        &mut self,
        bytes: &[u8],
        body: &mut Vec<u8>,
        limit: usize,
    ) -> Result<usize, BodyError> {
        match self {
            Self::Length(left) => {
                if *left > (limit - body.len().min(limit)) as u64 {
                    return Err(BodyError::TooLarge);
                }
                let taken = bytes
                    .len()
                    .min(usize::try_from(*left).unwrap_or(usize::MAX));
                body.extend_from_slice(&bytes[..taken]);
                *left -= taken as u64;
                Ok(taken)
            }
            Self::UntilEnd => {
                if body.len() + bytes.len() > limit {
                    return Err(BodyError::TooLarge);
                }
                body.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            Self::Chunked(chunks) => chunks.take(bytes, body, limit),
        }
    }
}

impl Chunks {
    fn take(&mut self, bytes: &[u8], body: &mut Vec<u8>, limit: usize) -> Result<usize, BodyError> {
        let mut taken = 0;
        loop {
            let rest = &bytes[taken..];
            let step = match &mut self.place {
                Place::Size => match line(rest, LONGEST_SIZE_LINE)? {
                    None => break,
                    Some(line) => {
                        let size = chunk_size(line)?;
                        if size > (limit - body.len().min(limit)) as u64 {
                            return Err(BodyError::TooLarge);
                        }
                        self.place = match size {
                            0 => Place::Trailer,
                            _ => Place::Data(size),
                        };
                        self.framing += line.len() + 2;
                        line.len() + 2
                    }
                },
                Place::Data(left) => {
                    let step = rest.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                    body.extend_from_slice(&rest[..step]);
                    *left -= step as u64;
                    if *left == 0 {
                        self.place = Place::DataEnd;
                    } else {
                        return Ok(taken + step);
                    }
                    step
                }
                Place::DataEnd => match rest {
                    [b'\r', b'\n', ..] => {
                        self.place = Place::Size;
                        self.framing += 2;
                        2
                    }
                    [] | [b'\r'] => break,
                    _ => return Err(BodyError::Malformed),
                },
                Place::Trailer => match line(rest, LONGEST_TRAILER_LINE)? {
                    None => break,
                    Some([]) => {
                        self.place = Place::End;
                        return Ok(taken + 2);
                    }
                    // What a trailer says is left out (RFC 9110 section 6.5.1).
                    Some(line) => {
                        self.framing += line.len() + 2;
                        line.len() + 2
                    }
                },
                Place::End => break,
            };
            if self.framing > FRAMING + FRAMING_A_BYTE * body.len() {
                return Err(BodyError::TooLarge);
            }
            taken += step;
        }
        Ok(taken)
    }
}

/// The line at the start, without its end; `None` while that has not come.
fn line(bytes: &[u8], longest: usize) -> Result<Option<&[u8]>, BodyError> {
    let within = &bytes[..bytes.len().min(longest + 2)];
    match within.iter().position(|byte| *byte == b'\n') {
        // A lone CR or LF ends no line.
        Some(end) if end > 0 && !within[..end - 1].contains(&b'\r') && within[end - 1] == b'\r' => {
            Ok(Some(&within[..end - 1]))
        }
        Some(_) => Err(BodyError::Malformed),
        None if bytes.len() > longest => Err(BodyError::TooLarge),
        None => Ok(None),
    }
}

/// The size of a chunk: hexadecimal digits, and perhaps extensions behind a semicolon (RFC 9112 section 7.1).
fn chunk_size(line: &[u8]) -> Result<u64, BodyError> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit());
    let digits = digits.count();
    let behind = line[digits..].trim_ascii_start();
    let is_size = (1..=16).contains(&digits) && (behind.is_empty() || behind[0] == b';');
    if !is_size {
        return Err(BodyError::Malformed);
    }
    let value = |byte: u8| u64::from((byte as char).to_digit(16).unwrap_or(0));
    Ok(line[..digits]
        .iter()
        .fold(0, |size, byte| size << 4 | value(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body, and how many bytes were left over, however the stream is cut.
    fn read(mut reader: BodyReader, pieces: &[&[u8]]) -> Result<(Vec<u8>, usize), BodyError> {
        let (mut body, mut waiting) = (Vec::new(), Vec::new());
        for piece in pieces {
            waiting.extend_from_slice(piece);
            let taken = reader.take(&waiting, &mut body, 100)?;
            waiting.drain(..taken);
        }
        assert!(reader.is_done(), "{reader:?}");
        Ok((body, waiting.len()))
    }

    #[test]
    fn a_body_does_not_depend_on_how_the_stream_was_cut() {
        let chunked = b"3\r\none\r\n0A;name=value\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nNEXT";
        for first in 0..chunked.len() {
            for second in first..chunked.len() {
                let pieces = [
                    &chunked[..first],
                    &chunked[first..second],
                    &chunked[second..],
                ];
                let read = read(BodyReader::chunked(), &pieces).unwrap();
                assert_eq!(read, (b"one0123456789".to_vec(), 4), "{first} {second}");
            }
        }
        assert_eq!(
            read(BodyReader::Length(3), &[b"on", b"eN"]).unwrap(),
            (b"one".to_vec(), 1)
        );
    }

    #[test]
    fn chunks_that_two_readers_could_cut_otherwise_are_refused() {
        for bad in [
            &b"+3\r\none\r\n"[..],
            b"0x3\r\none\r\n",
            b"-1\r\n",
            b"\r\none",
            b" 3\r\none\r\n",
            b"3 one\r\n",
            b"3\none\r\n",
            b"3\r\r\none\r\n",
            b"3;a\rb\r\none\r\n",
            b"3\r\nonetwo",
            b"3\r\none\n",
            b"11111111111111111\r\n",
            b"g\r\n",
        ] {
            let read = BodyReader::chunked().take(bad, &mut Vec::new(), 100);
            assert_eq!(read, Err(BodyError::Malformed), "{bad:?}");
        }
    }

    #[test]
    fn what_is_too_large_is_refused_before_it_is_held() {
        let refused = |mut reader: BodyReader, bytes: &[u8]| {
            let mut body = Vec::new();
            let read = reader.take(bytes, &mut body, 100);
            assert!(body.len() <= 100);
            read == Err(BodyError::TooLarge)
        };
        assert!(refused(BodyReader::Length(101), b""));
        assert!(refused(BodyReader::Length(u64::MAX), b""));
        assert!(refused(BodyReader::chunked(), b"65\r\n"));
        assert!(refused(BodyReader::chunked(), b"ffffffffffffffff\r\n"));
        assert!(refused(BodyReader::chunked(), &[b'0'; 300]));
        assert!(refused(BodyReader::UntilEnd, &[0; 101]));
        let extended: Vec<u8> = (0..90)
            .flat_map(|_| [b"1;".as_slice(), &[b'x'; 250], b"\r\ny\r\n"].concat())
            .collect();
        assert!(
            refused(BodyReader::chunked(), &extended),
            "extensions alone"
        );
        let trailers = [b"0\r\n".as_slice(), &b"a: b\r\n".repeat(4000)].concat();
        assert!(refused(BodyReader::chunked(), &trailers));
    }
}
