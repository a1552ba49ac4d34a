use lasthop_contract::{Cause, Chunk, Layer, Provenance, RandomStream};

use crate::frame::{FrameHeader, Opcode, apply_mask};
use crate::messages::MessageKind;

/// How many parts of a message go in one frame.
const PARTS: usize = 15;

/// Makes frames of what an end sends. All connections of a host share it.
#[derive(Debug)]
pub(crate) struct Outbound {
    /// That of a run; the operating system's where it is `None`.
    random: Option<RandomStream>,
    masked: Vec<u8>,
}

impl Outbound {
    pub(crate) const fn new(random: Option<RandomStream>) -> Self {
        Self {
            random,
            masked: Vec::new(),
        }
    }

    /// Random bytes of the host.
    pub(crate) fn random<const COUNT: usize>(&mut self) -> [u8; COUNT] {
        let Some(random) = &mut self.random else {
            let mut bytes = [0; COUNT];
            getrandom::fill(&mut bytes).expect("the operating system has random numbers");
            return bytes;
        };
        core::array::from_fn(|_| (random.next_u64() >> 56) as u8)
    }

    /// Hands out a message in a frame, or a frame for every [`PARTS`] parts of it.
    pub(crate) fn message(
        &mut self,
        is_masked: bool,
        kind: MessageKind,
        parts: &[Chunk<'_>],
        mut write: impl FnMut(&[Chunk<'_>]),
    ) {
        let mut frames = parts.chunks(PARTS);
        let mut opcode = match kind {
            MessageKind::Binary => Opcode::Binary,
            MessageKind::Text => Opcode::Text,
        };
        // An empty message is a frame, too.
        let mut next = frames.next().or(Some(&[]));
        while let Some(parts) = next {
            next = frames.next();
            self.frame(is_masked, opcode, next.is_none(), parts, &mut write);
            opcode = Opcode::Continuation;
        }
    }

    /// Hands out a control frame, all of it for one cause.
    pub(crate) fn control(
        &mut self,
        is_masked: bool,
        opcode: Opcode,
        payload: &[u8],
        cause: Cause,
        mut write: impl FnMut(&[Chunk<'_>]),
    ) {
        let provenance = Provenance::new(Layer::WebSocket, cause);
        let mask = is_masked.then(|| self.random());
        let (frame, end) = header(true, opcode, mask, payload.len()).bytes();
        self.masked.clear();
        self.masked.extend(payload);
        apply_mask(&mut self.masked, mask.unwrap_or_default(), 0);
        let chunk = |bytes| Chunk { bytes, provenance };
        write(&[chunk(&frame[..end]), chunk(&self.masked)]);
    }

    fn frame(
        &mut self,
        is_masked: bool,
        opcode: Opcode,
        is_final: bool,
        parts: &[Chunk<'_>],
        write: &mut impl FnMut(&[Chunk<'_>]),
    ) {
        let length = parts.iter().map(|part| part.bytes.len()).sum();
        let mask = is_masked.then(|| self.random());
        let (bytes, end) = header(is_final, opcode, mask, length).bytes();
        let mut chunks = [Chunk {
            bytes: &bytes[..end],
            provenance: Provenance::new(Layer::WebSocket, Cause::Header),
        }; PARTS + 1];
        let chunks = &mut chunks[..=parts.len()];
        chunks[1..].copy_from_slice(parts);
        if let Some(mask) = mask {
            self.masked.clear();
            for part in parts {
                self.masked.extend(part.bytes);
            }
            apply_mask(&mut self.masked, mask, 0);
            let mut rest = &self.masked[..];
            for chunk in &mut chunks[1..] {
                (chunk.bytes, rest) = rest.split_at(chunk.bytes.len());
            }
        }
        write(chunks);
    }
}

const fn header(
    is_final: bool,
    opcode: Opcode,
    mask: Option<[u8; 4]>,
    length: usize,
) -> FrameHeader {
    FrameHeader {
        is_final,
        opcode,
        mask,
        length: length as u64,
    }
}
