use lasthop_contract::{Cause, Direction, Layer, Spans};
use lasthop_units::Instant;

use crate::conversation::ConversationId;
use crate::datagram::{HEADER, Recent, Submessage};
use crate::marks::mark;

/// A parser of RTPS over TCP as Fast DDS frames it. A header has the length and a logical port. An RTPS message
/// follows, or a control message at port 0 (`TCPHeader` and `TCPControlMsgHeader` of Fast DDS 2.9).
#[derive(Debug, Default)]
pub(crate) struct RtpsStream {
    state: State,
    /// The beginning of what comes next, which is told of and not whole yet.
    begun: Vec<u8>,
    /// Who sends the message, and who made that.
    prefix: [u8; 12],
    vendor: [u8; 2],
    samples: Recent,
}

/// The time, conversation and direction of a message.
pub(crate) type Said = (Instant, ConversationId, Direction);

#[derive(Clone, Copy, Debug)]
enum State {
    /// Before this element.
    Before(Next),
    /// In the body of an element.
    Within {
        cause: Cause,
        rest: usize,
        next: Next,
    },
    Lost,
}

/// What begins.
#[derive(Clone, Copy, Debug)]
enum Next {
    Frame,
    /// A message, with this many bytes of its frame left.
    Message(usize),
    /// A submessage, with this many bytes of its frame left.
    Submessage(usize),
}

/// What stands at a place.
struct Part {
    /// Its first bytes, and what they are for.
    framing: (Cause, usize),
    body: (Cause, usize),
    next: Next,
}

/// Why nothing can be told.
enum Unread {
    EndsEarly,
    Malformed,
}

const FRAME: usize = 14;
const MAGIC: &[u8] = b"RTCP";

/// So much of a submessage tells what it is about.
const SUBMESSAGE_HEAD: usize = 128;

impl Default for State {
    fn default() -> Self {
        Self::Before(Next::Frame)
    }
}

impl RtpsStream {
    pub(crate) fn desync(&mut self) {
        self.state = State::Lost;
        self.begun.clear();
    }

    /// Parses the bytes of a segment.
    pub(crate) fn read(&mut self, mut bytes: &[u8], said: Said, spans: &mut Spans) {
        if matches!(self.state, State::Lost) && bytes.starts_with(MAGIC) {
            self.state = State::default();
        }
        while !bytes.is_empty() {
            let (cause, length) = self.step(bytes, said);
            mark(spans, Layer::Application, cause, length);
            bytes = &bytes[length..];
        }
    }

    /// Skips bytes missing in the capture. Returns their purpose.
    pub(crate) fn skip_gap(&mut self, length: usize) -> Cause {
        match self.state {
            State::Within { cause, rest, next } if length <= rest => {
                self.go_on(cause, rest - length, next);
                cause
            }
            _ => {
                self.desync();
                Cause::Opaque
            }
        }
    }

    fn step(&mut self, bytes: &[u8], said: Said) -> (Cause, usize) {
        match self.state {
            State::Lost => (Cause::Opaque, bytes.len()),
            State::Within { cause, rest, next } => {
                let length = rest.min(bytes.len());
                self.go_on(cause, rest - length, next);
                (cause, length)
            }
            State::Before(next) => {
                let told = self.begun.len();
                let room = bytes.len().min(SUBMESSAGE_HEAD.saturating_sub(told));
                self.begun.extend_from_slice(&bytes[..room]);
                match self.part(next, said) {
                    Ok(part) => {
                        self.begun.clear();
                        let (framing, body) = (part.framing, part.body);
                        // What was told before its end was known was told to be framing.
                        let passed = framing.1.max(told);
                        self.go_on(body.0, framing.1 + body.1 - passed, part.next);
                        (framing.0, passed - told)
                    }
                    Err(Unread::EndsEarly) if told + room < SUBMESSAGE_HEAD => {
                        (Cause::Header, bytes.len())
                    }
                    Err(_) => {
                        self.desync();
                        (Cause::Opaque, bytes.len())
                    }
                }
            }
        }
    }

    fn part(&mut self, next: Next, said: Said) -> Result<Part, Unread> {
        match next {
            Next::Frame => frame(&self.begun),
            Next::Message(left) => {
                let header: &[u8; HEADER] = self.begun.first_chunk().ok_or(Unread::EndsEarly)?;
                if !header.starts_with(b"RTPS") {
                    return Err(Unread::Malformed);
                }
                self.prefix.copy_from_slice(&header[8..]);
                self.vendor.copy_from_slice(&header[6..8]);
                Ok(Part {
                    framing: (Cause::Header, HEADER),
                    body: (Cause::Header, 0),
                    next: Next::behind(left.checked_sub(HEADER).ok_or(Unread::Malformed)?),
                })
            }
            Next::Submessage(left) => self.submessage(left, said),
        }
    }

    fn submessage(&mut self, left: usize, (at, from, way): Said) -> Result<Part, Unread> {
        if self.begun.len() < left.min(4) {
            return Err(Unread::EndsEarly);
        }
        let submessage = Submessage::read(&self.begun, 0, left).ok_or(Unread::Malformed)?;
        if self.begun.len() < submessage.length.min(SUBMESSAGE_HEAD) {
            return Err(Unread::EndsEarly);
        }
        let mut causes = submessage.causes(self.vendor);
        if let Some(name) = submessage.sample(&self.prefix)
            && self.samples.note(at, (from, way, name), 0)
            && causes.1 == Cause::Payload
        {
            causes = (Cause::Retransmission, Cause::Retransmission);
        }
        let framing = submessage.framing();
        Ok(Part {
            framing: (causes.0, framing),
            body: (causes.1, submessage.length - framing),
            next: Next::behind(left - submessage.length),
        })
    }

    fn go_on(&mut self, cause: Cause, rest: usize, next: Next) {
        self.state = match rest {
            0 => State::Before(next),
            rest => State::Within { cause, rest, next },
        };
    }
}

impl Next {
    /// What comes with so many bytes of a frame left.
    fn behind(left: usize) -> Self {
        match left {
            0 => Self::Frame,
            left => Self::Submessage(left),
        }
    }
}

fn frame(bytes: &[u8]) -> Result<Part, Unread> {
    let head: &[u8; FRAME] = bytes.first_chunk().ok_or(Unread::EndsEarly)?;
    let [_, _, _, _, a, b, c, d, _, _, _, _, e, f] = *head;
    let length = u32::from_le_bytes([a, b, c, d]) as usize;
    let is_frame = head.starts_with(MAGIC) && length >= FRAME;
    let rest = Some(length - FRAME.min(length)).filter(|_| is_frame);
    let rest = rest.ok_or(Unread::Malformed)?;
    if u16::from_le_bytes([e, f]) != 0 {
        return Ok(Part {
            framing: (Cause::Header, FRAME),
            body: (Cause::Header, 0),
            next: match rest {
                0 => Next::Frame,
                rest => Next::Message(rest),
            },
        });
    }
    // Of a connection: that it is there, at which logical ports somebody listens, and whether it still is.
    const KEEP_ALIVE: [u8; 2] = [0xd4, 0xe4];
    let kind = *bytes.get(FRAME).ok_or(Unread::EndsEarly)?;
    let cause = if KEEP_ALIVE.contains(&kind) {
        Cause::KeepAlive
    } else {
        Cause::SessionSetUp
    };
    Ok(Part {
        framing: (cause, FRAME),
        body: (cause, rest),
        next: Next::Frame,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: Said = (Instant::ZERO, ConversationId(0), Direction::Up);

    /// A frame as Fast DDS 2.9.1 sends it.
    fn framed(logical_port: u16, content: &[u8]) -> Vec<u8> {
        let length = (FRAME + content.len()) as u32;
        let head = [MAGIC, &length.to_le_bytes(), &[0; 4]].concat();
        [&head[..], &logical_port.to_le_bytes(), content].concat()
    }

    /// A message with a time stamp, a sample of a user with 100 bytes and a heartbeat.
    fn message(number: u8) -> Vec<u8> {
        let header = [b"RTPS\x02\x03\x01\x0f", &[7; 12][..]].concat();
        let stamp = [&[9, 1, 8, 0][..], &[0; 8]].concat();
        let sample = [
            &[0x15, 5, 124, 0, 0, 0, 16, 0][..],
            &[0, 0, 1, 4, 0, 0, 1, 3],
            &[0, 0, 0, 0, number, 0, 0, 0],
            &[0, 1, 0, 0],
            &[b'x'; 100],
        ]
        .concat();
        let heartbeat = [&[7, 1, 28, 0, 0, 0, 1, 4, 0, 0, 1, 3][..], &[0; 20]].concat();
        framed(7411, &[header, stamp, sample, heartbeat].concat())
    }

    /// Bytes by cause of segments, one after the other.
    fn told<'a>(segments: impl Iterator<Item = &'a [u8]>) -> Vec<(Cause, u32)> {
        let (mut stream, mut sums) = (RtpsStream::default(), Vec::new());
        for segment in segments {
            let mut spans = Spans::new();
            stream.read(segment, SAID, &mut spans);
            let length: u32 = spans.iter().map(|span| u32::from(span.length)).sum();
            assert_eq!(length as usize, segment.len(), "each byte is told of once");
            for span in &spans {
                let cause = span.provenance.cause;
                match sums.iter_mut().find(|(known, _)| *known == cause) {
                    Some((_, sum)) => *sum += u32::from(span.length),
                    None => sums.push((cause, u32::from(span.length))),
                }
            }
        }
        sums.sort_unstable();
        sums
    }

    fn expected(causes: &[(Cause, u32)]) -> Vec<(Cause, u32)> {
        let mut causes = causes.to_vec();
        causes.sort_unstable();
        causes
    }

    #[test]
    fn frames_and_messages_are_told_by_their_causes() {
        let bind = framed(0, &[&[0xd1, 14, 54, 0][..], &[0; 50]].concat());
        let alive = framed(0, &[&[0xd4, 14, 16, 0][..], &[0; 12]].concat());
        let stream = [bind, message(1), alive].concat();
        let causes = expected(&[
            (Cause::SessionSetUp, 14 + 54),
            (Cause::Header, 14 + 20 + 12 + 28),
            (Cause::Payload, 100),
            (Cause::Acknowledgement, 32),
            (Cause::KeepAlive, 14 + 16),
        ]);
        assert_eq!(told([&stream[..]].into_iter()), causes);
    }

    #[test]
    fn a_note_of_fast_dds_for_its_statistics_is_a_header_and_that_of_another_vendor_opaque() {
        for (vendor, cause) in [([1, 15], Cause::Header), ([1, 16], Cause::Opaque)] {
            let header = [b"RTPS\x02\x03", &vendor[..], &[7; 12]].concat();
            let note = [&[0x80, 1, 56, 0][..], &[4; 56]].concat();
            let told = told([&framed(7411, &[header, note].concat())[..]].into_iter());
            let of = told.iter().filter(|(known, _)| *known == cause);
            let bytes: u32 = of.map(|(_, sum)| *sum).sum();
            let framing = if cause == Cause::Header { 14 + 20 } else { 0 };
            assert_eq!(bytes, framing + 60, "{told:?}");
        }
    }

    #[test]
    fn where_segments_end_moves_no_payload() {
        let stream = [message(1), message(2)].concat();
        let whole = told([&stream[..]].into_iter());
        for length in [1, 7, 100, 150] {
            let cut = told(stream.chunks(length));
            let of = |sums: &[(Cause, u32)]| sums.iter().map(|(_, sum)| sum).sum::<u32>();
            assert_eq!(of(&cut), of(&whole));
            assert!(
                cut.iter().all(|(cause, _)| *cause != Cause::Opaque),
                "{cut:?}"
            );
        }
        assert_eq!(told(stream.chunks(150)).len(), whole.len());
    }

    #[test]
    fn a_sample_that_is_written_again_is_a_retransmission() {
        let stream = [message(1), message(1)].concat();
        let told = told([&stream[..]].into_iter());
        assert!(told.contains(&(Cause::Payload, 100)));
        assert!(told.contains(&(Cause::Retransmission, 128)));
    }

    #[test]
    fn what_is_no_frame_is_opaque_until_one_begins_a_segment() {
        let noise = [0x15; 300];
        let short = [MAGIC, &[3, 0, 0, 0], &[0; 10]].concat();
        let message = message(1);
        let stream = [
            &noise[..],
            &message[..],
            &short[..],
            &noise[..],
            &message[..],
        ];
        let told = told(stream.into_iter());
        assert!(told.contains(&(Cause::Opaque, 300 + 18 + 300)), "{told:?}");
        assert!(told.contains(&(Cause::Payload, 100)), "{told:?}");
    }
}
