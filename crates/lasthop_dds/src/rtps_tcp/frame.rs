//! The frames of RTPS over TCP, as Fast DDS 2.9 writes them.
//!
//! A frame begins with `RTCP`, its length in bytes, a checksum and a logical port. Numbers are little-endian. An RTPS
//! message follows, or a control message at logical port 0.

use super::checksum::checksum;

/// The bytes before the content of a frame.
pub(crate) const FRAME_HEADER: usize = 14;

/// The most bytes of content in one frame: one RTPS message of at most 64 KiB.
pub(crate) const MOST_CONTENT: usize = 65_536;

/// The logical port of control messages.
pub(crate) const CONTROL: u16 = 0;

const MAGIC: [u8; 4] = *b"RTCP";

/// A frame that arrived.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) logical_port: u16,
    pub(crate) content: Vec<u8>,
    /// Whether the checksum is right, or the peer wrote none.
    pub(crate) is_intact: bool,
}

/// The bytes of a stream are no frames.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NotAFrame;

/// Splits a stream into frames.
#[derive(Debug, Default)]
pub(crate) struct FrameReader {
    /// The bytes that arrived and do not make a frame yet.
    begun: Vec<u8>,
}

impl FrameReader {
    /// Appends bytes of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.begun.extend_from_slice(bytes);
    }

    /// Returns the next frame, or `None` if it has not arrived as a whole.
    ///
    /// # Errors
    /// When a frame begins otherwise, or has an impossible length. The stream cannot be read any further.
    pub(crate) fn next(&mut self) -> Result<Option<Frame>, NotAFrame> {
        let told = self.begun.len().min(MAGIC.len());
        if self.begun[..told] != MAGIC[..told] {
            return Err(NotAFrame);
        }
        let Some(header) = self.begun.first_chunk::<FRAME_HEADER>() else {
            return Ok(None);
        };
        let [_, _, _, _, a, b, c, d, e, f, g, h, i, j] = *header;
        let length = u32::from_le_bytes([a, b, c, d]) as usize;
        let written = u32::from_le_bytes([e, f, g, h]);
        if !(FRAME_HEADER..=FRAME_HEADER + MOST_CONTENT).contains(&length) {
            return Err(NotAFrame);
        }
        if self.begun.len() < length {
            return Ok(None);
        }
        let content = self.begun[FRAME_HEADER..length].to_vec();
        self.begun.drain(..length);
        if self.begun.is_empty() {
            self.begun = Vec::new();
        }
        Ok(Some(Frame {
            logical_port: u16::from_le_bytes([i, j]),
            is_intact: written == 0 || written == checksum([&content[..]]),
            content,
        }))
    }
}

/// Returns the header of a frame with this content, which may be in several pieces.
pub(crate) fn frame_header<'a>(
    logical_port: u16,
    content: impl IntoIterator<Item = &'a [u8]> + Clone,
) -> [u8; FRAME_HEADER] {
    let size: usize = content.clone().into_iter().map(<[u8]>::len).sum();
    let length = u32::try_from(FRAME_HEADER + size).expect("the content of a frame has its limit");
    let mut header = [0; FRAME_HEADER];
    header[..4].copy_from_slice(&MAGIC);
    header[4..8].copy_from_slice(&length.to_le_bytes());
    header[8..12].copy_from_slice(&checksum(content).to_le_bytes());
    header[12..].copy_from_slice(&logical_port.to_le_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use lasthop_contract::RandomStream;

    fn framed(logical_port: u16, content: &[u8]) -> Vec<u8> {
        [&frame_header(logical_port, [content])[..], content].concat()
    }

    fn all(reader: &mut FrameReader) -> Vec<Frame> {
        core::iter::from_fn(|| reader.next().unwrap()).collect()
    }

    #[test]
    fn a_frame_has_the_header_that_fast_dds_writes() {
        // An OPEN_LOGICAL_PORT response of Fast DDS 2.9.1.
        let captured = [
            0x52, 0x54, 0x43, 0x50, 0x22, 0, 0, 0, 0xfd, 0, 0, 0, 0, 0, //
            0xe2, 0x06, 0x14, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ];
        let content = &captured[FRAME_HEADER..];
        assert_eq!(framed(CONTROL, content), captured);
        let pieces = [&content[..3], &[], &content[3..]];
        assert_eq!(frame_header(CONTROL, pieces), captured[..FRAME_HEADER]);
    }

    #[test]
    fn frames_are_found_wherever_segments_end() {
        let stream = [
            framed(7410, b"RTPS one"),
            framed(7411, b""),
            framed(0, &[7; 3000]),
        ]
        .concat();
        for size in [1, 2, 13, 14, 15, 500, stream.len()] {
            let mut reader = FrameReader::default();
            let mut frames = Vec::new();
            for segment in stream.chunks(size) {
                reader.push(segment);
                frames.extend(all(&mut reader));
            }
            let told: Vec<_> = frames
                .iter()
                .map(|it| (it.logical_port, it.content.len()))
                .collect();
            assert_eq!(
                told,
                [(7410, 8), (7411, 0), (0, 3000)],
                "segments of {size} B"
            );
            assert!(frames.iter().all(|it| it.is_intact));
        }
    }

    #[test]
    fn a_changed_byte_is_noticed_unless_there_is_no_checksum() {
        let mut frame = framed(7410, b"RTPS one");
        frame[FRAME_HEADER] ^= 1;
        let mut reader = FrameReader::default();
        reader.push(&frame);
        assert!(!all(&mut reader)[0].is_intact);
        frame[8..12].fill(0);
        reader.push(&frame);
        assert!(all(&mut reader)[0].is_intact);
    }

    #[test]
    fn other_bytes_and_impossible_lengths_end_the_stream() {
        let long = [
            &MAGIC[..],
            &(15 + MOST_CONTENT as u32).to_le_bytes(),
            &[0; 6],
        ]
        .concat();
        let short = [&MAGIC[..], &13_u32.to_le_bytes(), &[0; 6]].concat();
        for bytes in [&b"GET / HTTP/1.1"[..], b"RX", &long, &short] {
            let mut reader = FrameReader::default();
            reader.push(bytes);
            assert_eq!(reader.next(), Err(NotAFrame), "{bytes:?}");
        }
    }

    #[test]
    fn any_bytes_are_read_without_a_panic_and_without_more_memory_than_a_frame() {
        let mut stream = RandomStream::named(1, "frames");
        for _ in 0..2_000 {
            let mut bytes = [framed(7410, &[7; 40]), framed(0, &[9; 20])].concat();
            for _ in 0..=stream.below(3) {
                let place = stream.below(bytes.len() as u64) as usize;
                bytes[place] = stream.next_u64() as u8;
            }
            let mut reader = FrameReader::default();
            reader.push(&bytes);
            while let Ok(Some(frame)) = reader.next() {
                assert!(frame.content.len() <= bytes.len());
            }
        }
    }
}
