//! Readers of capture files in pieces: pcapng (draft-ietf-opsawg-pcapng) and pcap (draft-ietf-opsawg-pcap).

mod error;
mod ieee802154;
mod iphc;
mod link_layer;
mod lowpan;
mod pcap;
mod pcapng;
mod wireless;
mod words;

use core::ops::Range;

use lasthop_units::Instant;

pub use error::CaptureError;
pub(crate) use link_layer::{Link, strip};
pub(crate) use lowpan::{Lowpan, Unpacked};
use pcap::Pcap;
use pcapng::Pcapng;
use words::ByteOrder;

use crate::Sight;

/// Reads a capture file in pieces of any size, and returns its frames.
///
/// It holds no more than one block of the file and the piece that it was given.
#[derive(Debug)]
pub struct CaptureReader {
    buffer: Vec<u8>,
    /// How many bytes of the buffer are read.
    read: usize,
    /// Where in the file the buffer begins.
    offset: u64,
    format: Format,
}

/// A captured frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The time of capture since 1970.
    pub at: Instant,
    /// The link-layer type, a LINKTYPE value.
    pub link_type: u32,
    /// Whether the capturing host sent or received the frame.
    pub sight: Sight,
    /// The captured bytes.
    pub bytes: &'a [u8],
    /// The original length in bytes.
    pub length: usize,
    /// Its options in pcapng, after the order of their bytes.
    options: (ByteOrder, &'a [u8]),
}

#[derive(Debug)]
enum Format {
    Unknown,
    Pcap(Pcap),
    Pcapng(Pcapng),
}

/// A block, or a record, at the beginning of the buffer.
enum Step {
    /// A block that is not complete.
    Incomplete,
    /// A block without a captured frame.
    Other { length: usize },
    /// A block with a captured frame.
    Frame { length: usize, place: Place },
}

/// A frame, and where in its block the bytes are.
struct Place {
    at: Instant,
    link_type: u32,
    sight: Sight,
    start: usize,
    kept: usize,
    length: usize,
    /// Where the options begin and end, and the order of their bytes.
    options: (ByteOrder, Range<usize>),
}

/// No block that anybody writes is longer.
const LONGEST_BLOCK: usize = 1 << 24;

impl CaptureReader {
    /// Creates a reader at the beginning of a file.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            buffer: Vec::new(),
            read: 0,
            offset: 0,
            format: Format::Unknown,
        }
    }

    /// Adds the next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.read);
        self.offset += self.read as u64;
        self.read = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next frame, or `None` until more bytes are added.
    ///
    /// # Errors
    /// The bytes are no capture; they are refused from there on.
    pub fn next_frame(&mut self) -> Result<Option<Frame<'_>>, CaptureError> {
        let place = loop {
            let rest = &self.buffer[self.read..];
            let step = match &mut self.format {
                Format::Unknown => match Format::of(rest)? {
                    Some(format) => {
                        self.format = format;
                        continue;
                    }
                    None => Ok(Step::Incomplete),
                },
                Format::Pcap(pcap) => pcap.step(rest),
                Format::Pcapng(pcapng) => pcapng.step(rest),
            };
            let at = self.offset + self.read as u64;
            match step.map_err(|what| CaptureError::Damaged { at, what })? {
                Step::Incomplete => return Ok(None),
                Step::Other { length } => self.read += length,
                Step::Frame { length, mut place } => {
                    place.start += self.read;
                    place.options.1.start += self.read;
                    place.options.1.end += self.read;
                    self.read += length;
                    break place;
                }
            }
        };
        Ok(Some(Frame {
            at: place.at,
            link_type: place.link_type,
            sight: place.sight,
            bytes: &self.buffer[place.start..place.start + place.kept],
            length: place.length,
            options: (place.options.0, &self.buffer[place.options.1]),
        }))
    }

    /// Ends the file. Returns the number of bytes of an incomplete block.
    ///
    /// # Errors
    /// It is no capture.
    pub fn finish(&self) -> Result<usize, CaptureError> {
        match self.format {
            Format::Unknown => Err(CaptureError::NoCapture),
            _ => Ok(self.buffer.len() - self.read),
        }
    }
}

impl Default for CaptureReader {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Frame<'a> {
    /// Returns the comments that the capturing program stored with the frame.
    #[must_use]
    pub fn comments(&self) -> Vec<&'a str> {
        const COMMENT: u16 = 1;
        let (order, bytes) = self.options;
        let mut comments = Vec::new();
        pcapng::visit_options(order, bytes, |code, value| {
            if code == COMMENT {
                comments.extend(str::from_utf8(value));
            }
        });
        comments
    }
}

impl Format {
    fn of(bytes: &[u8]) -> Result<Option<Self>, CaptureError> {
        let Some(magic) = bytes.first_chunk::<4>() else {
            return Ok(None);
        };
        match *magic {
            [0x0a, 0x0d, 0x0d, 0x0a] => Ok(Some(Self::Pcapng(Pcapng::new()))),
            [0x1f, 0x8b, ..] => Err(CaptureError::Compressed),
            magic => match Pcap::of(magic) {
                Some(pcap) => Ok(Some(Self::Pcap(pcap))),
                None => Err(CaptureError::NoCapture),
            },
        }
    }
}

impl Place {
    /// `None` where the lengths cannot be.
    fn within(self, block: usize) -> Option<Self> {
        let end = self.start.checked_add(self.kept)?;
        let options = &self.options.1;
        let are_within = options.start <= options.end && options.end <= block;
        (end <= block && are_within && self.length <= LONGEST_BLOCK).then(|| Self {
            length: self.length.max(self.kept),
            ..self
        })
    }
}
