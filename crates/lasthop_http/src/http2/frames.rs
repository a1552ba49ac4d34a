use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::{Cause, Layer, Provenance};

/// Assigns provenance to the frames that an end writes (RFC 9113 section 6).
#[derive(Debug)]
pub(super) struct Frames {
    /// So many bytes of the preface are still to come.
    preface: usize,
    /// The header of the frame that is being told of, as far as it has come.
    header: Vec<u8>,
    /// What is left of its payload.
    rest: usize,
    provenance: Provenance,
    /// The stream whose data the payload is.
    data_of: Option<u32>,
    /// The stream whose last frame this is, or whose last head goes on in the next frame.
    ending: Option<u32>,
    /// Whether it is forgotten behind this frame.
    ends_here: bool,
    acknowledgements: u32,
    streams: BTreeMap<u32, Spoken>,
}

/// What an end says on a stream.
#[derive(Debug)]
struct Spoken {
    head: Provenance,
    framing: Provenance,
    /// The parts of its body that have not gone, by their lengths.
    body: VecDeque<(usize, Provenance)>,
}

const HEADER_LENGTH: usize = 9;
const END_STREAM: u8 = 1;
const ACK: u8 = 1;
const END_HEADERS: u8 = 4;

const fn of(cause: Cause) -> Provenance {
    Provenance::new(Layer::Application, cause)
}

impl Frames {
    /// Creates the state for an end that writes a preface of this many bytes first.
    pub(super) fn behind(preface: usize) -> Self {
        Self {
            preface,
            header: Vec::new(),
            rest: 0,
            provenance: of(Cause::SessionSetUp),
            data_of: None,
            ending: None,
            ends_here: false,
            acknowledgements: 0,
            streams: BTreeMap::new(),
        }
    }

    /// Records the provenance of the next message on a stream.
    pub(super) fn note(&mut self, stream: u32, head: Provenance, parts: &[(usize, Provenance)]) {
        let framing = parts.first().map_or(head, |(_, first)| Provenance {
            cause: match first.cause {
                Cause::Payload => Cause::Header,
                other => other,
            },
            ..*first
        });
        let spoken = Spoken {
            head,
            framing,
            body: parts.iter().copied().collect(),
        };
        self.streams.insert(stream, spoken);
    }

    /// Returns the provenance of the next bytes to send.
    pub(super) fn account(&mut self, bytes: &[u8]) -> Vec<(usize, Provenance)> {
        let mut told: Vec<(usize, Provenance)> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let (length, provenance) = self.step(&bytes[at..]);
            match told.last_mut() {
                Some((before, same)) if *same == provenance => *before += length,
                _ => told.push((length, provenance)),
            }
            at += length;
        }
        told
    }

    fn step(&mut self, bytes: &[u8]) -> (usize, Provenance) {
        if self.preface > 0 {
            let length = bytes.len().min(self.preface);
            self.preface -= length;
            return (length, of(Cause::SessionSetUp));
        }
        if self.rest > 0 {
            return self.step_payload(bytes.len().min(self.rest));
        }
        let missing = HEADER_LENGTH - self.header.len();
        let length = bytes.len().min(missing);
        self.header.extend_from_slice(&bytes[..length]);
        if self.header.len() == HEADER_LENGTH {
            self.begin();
            self.end_of_frame();
        }
        (length, self.provenance)
    }

    /// Forgets a stream behind its last frame.
    fn end_of_frame(&mut self) {
        if self.rest == 0
            && self.ends_here
            && let Some(stream) = self.ending.take()
        {
            self.streams.remove(&stream);
        }
    }

    /// A part of the payload goes.
    fn step_payload(&mut self, most: usize) -> (usize, Provenance) {
        let parts = self
            .data_of
            .and_then(|stream| self.streams.get_mut(&stream));
        let part = parts.and_then(|spoken| {
            while spoken.body.front().is_some_and(|(left, _)| *left == 0) {
                spoken.body.pop_front();
            }
            spoken.body.front_mut()
        });
        let (length, provenance) = match part {
            None => (most, self.provenance),
            Some((left, provenance)) => {
                let length = most.min(*left);
                *left -= length;
                (length, *provenance)
            }
        };
        self.rest -= length;
        self.end_of_frame();
        (length, provenance)
    }

    /// The header of a frame is there.
    fn begin(&mut self) {
        let [high, middle, low, kind, flags, ref stream @ ..] = self.header[..] else {
            return;
        };
        self.rest = u32::from_be_bytes([0, high, middle, low]) as usize;
        let stream = <[u8; 4]>::try_from(stream).map_or(0, u32::from_be_bytes) & 0x7fff_ffff;
        self.header.clear();
        self.data_of = None;
        let spoken = self.streams.get(&stream);
        self.provenance = match kind {
            0 => {
                self.data_of = Some(stream);
                spoken.map_or(of(Cause::Header), |it| it.framing)
            }
            1 | 9 => spoken.map_or(of(Cause::Header), |it| it.head),
            4 => of(Cause::SessionSetUp),
            6 => of(Cause::KeepAlive),
            3 | 7 => of(Cause::SessionTearDown),
            8 => of(Cause::Acknowledgement),
            _ => of(Cause::Opaque),
        };
        if matches!(kind, 0 | 1) && flags & END_STREAM != 0 || kind == 3 {
            self.ending = Some(stream);
        }
        // A head may go on behind the frame that ends its stream.
        self.ends_here = !matches!(kind, 1 | 9) || flags & END_HEADERS != 0;
        self.acknowledgements += u32::from(matches!(kind, 4 | 6) && flags & ACK != 0);
    }

    /// Returns the number of acknowledgement frames since the send queue was last empty.
    pub(super) fn acknowledgements(&mut self, is_all_gone: bool) -> u32 {
        if is_all_gone {
            self.acknowledgements = 0;
        }
        self.acknowledgements
    }

    /// Removes the state of a finished exchange.
    pub(super) fn forget(&mut self, stream: u32) {
        self.streams.remove(&stream);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: Provenance = of(Cause::Acknowledgement);

    fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
        let length = payload.len() as u8;
        let header = [0, 0, length, kind, flags, 0, 0, 0, stream];
        [&header[..], payload].concat()
    }

    /// What is told of a connection, in pieces of this length, and how many streams are known behind it.
    fn told(bytes: &[u8], piece: usize) -> (Vec<Cause>, usize) {
        let mut frames = Frames::behind(0);
        for stream in [1, 3, 5] {
            frames.note(stream, HEAD, &[(4, of(Cause::Payload))]);
        }
        let pieces = bytes.chunks(piece);
        let told = pieces.flat_map(|part| frames.account(part));
        let mut causes: Vec<Cause> = told.map(|(_, provenance)| provenance.cause).collect();
        causes.dedup();
        (causes, frames.streams.len())
    }

    #[test]
    fn a_stream_is_forgotten_behind_its_last_frame() {
        let of_data = [
            frame(1, END_HEADERS, 1, b"head"),
            frame(0, END_STREAM, 1, b"data"),
        ];
        let of_heads = [
            frame(1, END_STREAM, 3, b"he"),
            frame(9, END_HEADERS, 3, b"ad"),
        ];
        let empty = [
            frame(1, END_HEADERS, 5, b"head"),
            frame(0, 0, 5, b"data"),
            frame(0, END_STREAM, 5, b""),
        ];
        let bytes = [of_data.concat(), of_heads.concat(), empty.concat()].concat();
        for piece in 1..=bytes.len() {
            assert_eq!(told(&bytes, piece).1, 0, "{piece}");
        }
        let (causes, _) = told(&bytes, bytes.len());
        assert_eq!(causes[..3], [HEAD.cause, Cause::Header, Cause::Payload]);
    }
}
