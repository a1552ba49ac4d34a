use smallvec::SmallVec;

use super::sequence::Seq;

/// What the options of a segment say (RFC 9293 section 3.2). Unknown ones are skipped.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Options {
    /// The largest segment that the sender takes.
    pub(crate) max_segment_size: Option<u16>,
    /// By how many bits its windows are shifted (RFC 7323 section 2).
    pub(crate) window_scale: Option<u8>,
    /// Whether it takes selective acknowledgements (RFC 2018 section 2).
    pub(crate) sack_permitted: bool,
    /// Value and echo (RFC 7323 section 3).
    pub(crate) timestamps: Option<(u32, u32)>,
    /// Blocks that have arrived (RFC 2018 section 3), the most recent first.
    pub(crate) sack: SmallVec<[(Seq, Seq); 4]>,
    /// A request for a cookie (empty) or a cookie (RFC 7413 section 4.1.1).
    pub(crate) fast_open: Option<SmallVec<[u8; 16]>>,
}

const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MAX_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;
const FAST_OPEN: u8 = 34;

/// All the room that there is for options.
pub(crate) const MAX_OPTIONS: usize = 40;

/// What the time stamps of a data segment take, padding included.
pub(crate) const TIMESTAMPS_LENGTH: usize = 12;

impl Options {
    /// Reads the options of a header; `None` when a length runs past it.
    pub(crate) fn parse(mut bytes: &[u8]) -> Option<Self> {
        let mut options = Self::default();
        // What nearly every data segment of Linux carries, and nothing else.
        if let [NO_OPERATION, NO_OPERATION, TIMESTAMPS, 10, value @ ..] = bytes
            && value.len() == 8
        {
            options.timestamps = Some((word(value), word(&value[4..])));
            return Some(options);
        }
        while let Some((&kind, rest)) = bytes.split_first() {
            match kind {
                END => break,
                NO_OPERATION => bytes = rest,
                _ => {
                    let length = usize::from(*rest.first()?);
                    let body = bytes.get(2..length)?;
                    options.take(kind, body);
                    bytes = &bytes[length..];
                }
            }
        }
        Some(options)
    }

    /// Reads one option. An option of the wrong length is ignored.
    fn take(&mut self, kind: u8, body: &[u8]) {
        match (kind, body) {
            (MAX_SEGMENT_SIZE, [high, low]) => {
                self.max_segment_size = Some(u16::from_be_bytes([*high, *low]));
            }
            // A shift above 14 counts as 14 (RFC 7323 section 2.3).
            (WINDOW_SCALE, [shift]) => self.window_scale = Some((*shift).min(14)),
            (SACK_PERMITTED, []) => self.sack_permitted = true,
            (SACK, blocks) if blocks.len() % 8 == 0 => {
                let edge = |bytes: &[u8]| Seq(word(bytes));
                let blocks = blocks.chunks_exact(8).take(4);
                self.sack = blocks.map(|b| (edge(b), edge(&b[4..]))).collect();
            }
            (TIMESTAMPS, body) if body.len() == 8 => {
                self.timestamps = Some((word(body), word(&body[4..])));
            }
            (FAST_OPEN, cookie) if cookie.is_empty() || (4..=16).contains(&cookie.len()) => {
                self.fast_open = Some(cookie.into());
            }
            _ => {}
        }
    }

    /// Writes the options of a SYN in the order of Linux and returns their length, a multiple of four.
    pub(crate) fn write_handshake(&self, into: &mut [u8; MAX_OPTIONS]) -> usize {
        let mut out = Writer { into, length: 0 };
        if let Some(size) = self.max_segment_size {
            out.put(&[MAX_SEGMENT_SIZE, 4]);
            out.put(&size.to_be_bytes());
        }
        match (self.timestamps, self.sack_permitted) {
            (Some(stamps), true) => {
                out.put(&[SACK_PERMITTED, 2]);
                out.put_timestamps(stamps);
            }
            (Some(stamps), false) => {
                out.put(&[NO_OPERATION, NO_OPERATION]);
                out.put_timestamps(stamps);
            }
            (None, true) => out.put(&[NO_OPERATION, NO_OPERATION, SACK_PERMITTED, 2]),
            (None, false) => {}
        }
        if let Some(shift) = self.window_scale {
            out.put(&[NO_OPERATION, WINDOW_SCALE, 3, shift]);
        }
        if let Some(cookie) = &self.fast_open {
            out.put(&[FAST_OPEN, 2 + cookie.len() as u8]);
            out.put(cookie);
            out.pad();
        }
        out.length
    }

    /// Writes time stamps and as many blocks as fit beside them, and returns the length.
    pub(crate) fn write_data(
        timestamps: Option<(u32, u32)>,
        blocks: &[(Seq, Seq)],
        into: &mut [u8; MAX_OPTIONS],
    ) -> usize {
        let mut out = Writer { into, length: 0 };
        if let Some(stamps) = timestamps {
            out.put(&[NO_OPERATION, NO_OPERATION]);
            out.put_timestamps(stamps);
        }
        let room = (MAX_OPTIONS - out.length - 4) / 8;
        let blocks = &blocks[..blocks.len().min(room)];
        if !blocks.is_empty() {
            let length = 2 + 8 * blocks.len() as u8;
            out.put(&[NO_OPERATION, NO_OPERATION, SACK, length]);
            for (start, end) in blocks {
                out.put(&start.0.to_be_bytes());
                out.put(&end.0.to_be_bytes());
            }
        }
        out.length
    }
}

struct Writer<'a> {
    into: &'a mut [u8; MAX_OPTIONS],
    length: usize,
}

impl Writer<'_> {
    fn put(&mut self, bytes: &[u8]) {
        self.into[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    fn put_timestamps(&mut self, (value, echo): (u32, u32)) {
        self.put(&[TIMESTAMPS, 10]);
        self.put(&value.to_be_bytes());
        self.put(&echo.to_be_bytes());
    }

    fn pad(&mut self) {
        while !self.length.is_multiple_of(4) {
            self.put(&[NO_OPERATION]);
        }
    }
}

/// Returns the first four bytes as a number. The caller has checked the length.
fn word(bytes: &[u8]) -> u32 {
    bytes
        .first_chunk()
        .map_or(0, |word| u32::from_be_bytes(*word))
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn reads_back_what_it_wrote() {
        let all = Options {
            max_segment_size: Some(1460),
            window_scale: Some(7),
            sack_permitted: true,
            timestamps: Some((7, 9)),
            sack: SmallVec::new(),
            fast_open: Some(smallvec![1, 2, 3, 4, 5, 6, 7, 8]),
        };
        let mut bytes = [0; MAX_OPTIONS];
        let length = all.write_handshake(&mut bytes);
        assert_eq!(length, 32);
        assert_eq!(Options::parse(&bytes[..length]), Some(all));
        let blocks = [
            (Seq(1), Seq(2)),
            (Seq(5), Seq(9)),
            (Seq(20), Seq(21)),
            (Seq(30), Seq(31)),
        ];
        let length = Options::write_data(Some((1, 2)), &blocks, &mut bytes);
        assert_eq!(length, 40, "three blocks fit beside time stamps");
        let read = Options::parse(&bytes).unwrap();
        assert_eq!(read.sack[..], blocks[..3]);
        assert_eq!(read.timestamps, Some((1, 2)));
        let length = Options::write_data(None, &blocks, &mut bytes);
        assert_eq!(Options::parse(&bytes[..length]).unwrap().sack[..], blocks);
    }

    #[test]
    fn a_length_past_the_header_is_an_error_and_a_wrong_one_is_skipped() {
        for bytes in [&[2][..], &[2, 4, 5], &[8, 1], &[8, 0], &[5, 255, 0, 0]] {
            assert_eq!(Options::parse(bytes), None, "{bytes:?}");
        }
        for bytes in [
            &[2, 3, 5][..],
            &[3, 2],
            &[4, 3, 0],
            &[8, 3, 1],
            &[5, 4, 0, 0],
            &[34, 5, 1, 2, 3],
        ] {
            assert_eq!(Options::parse(bytes), Some(Options::default()), "{bytes:?}");
        }
        let shift = Options::parse(&[3, 3, 200]).unwrap().window_scale;
        assert_eq!(shift, Some(14));
    }
}
