use core::fmt::{self, Display, Formatter};
use std::io::Write;

use lasthop_contract::{Link, LinkInput, LinkOutput, Packet, Port};
use lasthop_transport::IpPacket;
use lasthop_units::Instant;

/// A link that writes a line for each segment of TCP that is offered to it, and whether it was lost.
///
/// The lines of the two TCPs have one form, so that they can be laid side by side.
pub struct Trace<L, W> {
    link: L,
    lines: W,
    start: Option<Instant>,
    /// The sequence numbers that each side began with.
    initial: [Option<u32>; 2],
    segments: [u32; 2],
    /// Lines of packets whose fate is not told yet, by the packets' numbers.
    offered: Vec<(u64, String)>,
}

/// What a line says of a segment.
struct Segment {
    flags: u8,
    sequence: u32,
    acknowledgement: u32,
    window: u16,
    length: usize,
    sacked: Vec<(u32, u32)>,
}

const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const ACK: u8 = 0x10;
const OPTION_NO_OPERATION: u8 = 1;
const OPTION_SACK: u8 = 5;

impl<L, W: Write> Trace<L, W> {
    /// A link that tells of its segments.
    pub fn new(link: L, lines: W) -> Self {
        Self {
            link,
            lines,
            start: None,
            initial: [None; 2],
            segments: [0; 2],
            offered: Vec::new(),
        }
    }

    fn note(&mut self, now: Instant, port: Port, packet: &Packet) {
        let side = usize::from(port != Port(0));
        let Some(mut segment) = Segment::read(packet) else {
            return;
        };
        let start = *self.start.get_or_insert(now);
        let own = *self.initial[side].get_or_insert(segment.sequence);
        let peer = self.initial[1 - side].unwrap_or(segment.acknowledgement);
        segment.make_relative(own, peer);
        let at = (now - start).as_secs_f64() * 1e3;
        let arrow = ["->", "<-"][side];
        let number = self.segments[side];
        self.segments[side] += 1;
        let line = format!("{at:10.1} ms {arrow} {number:3} {segment}");
        self.offered.push((packet.number(), line));
    }

    fn mark_lost(&mut self, packet: &Packet) {
        let number = packet.number();
        if let Some((_, line)) = self
            .offered
            .iter_mut()
            .find(|(offered, _)| *offered == number)
        {
            line.push_str("  LOST");
        }
    }

    fn tell(&mut self) {
        for (_, line) in self.offered.drain(..) {
            // A trace that nobody reads any more is no reason to stop.
            let _ = writeln!(self.lines, "{line}");
        }
    }
}

impl<L: Link, W: Write> Link for Trace<L, W> {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        if let LinkInput::Offered { port, packet } = &input {
            self.note(now, *port, packet);
        }
        self.link.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        let output = self.link.poll(now);
        match &output {
            LinkOutput::Drop { packet, .. } => self.mark_lost(packet),
            LinkOutput::WaitUntil(_) => self.tell(),
            _ => {}
        }
        output
    }
}

impl Segment {
    fn read(packet: &Packet) -> Option<Self> {
        let ip = IpPacket::parse(packet.bytes()).ok()?;
        let bytes = &packet.bytes()[ip.payload];
        let header = bytes.first_chunk::<20>()?;
        let word = |at: usize| {
            u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        let header_length = usize::from(header[12] >> 4) * 4;
        let options = bytes.get(20..header_length)?;
        Some(Self {
            flags: header[13],
            sequence: word(4),
            acknowledgement: word(8),
            window: u16::from_be_bytes([header[14], header[15]]),
            length: bytes.len() - header_length,
            sacked: sacked(options),
        })
    }

    fn make_relative(&mut self, own: u32, peer: u32) {
        self.sequence = self.sequence.wrapping_sub(own);
        self.acknowledgement = self.acknowledgement.wrapping_sub(peer);
        for (from, to) in &mut self.sacked {
            *from = from.wrapping_sub(peer);
            *to = to.wrapping_sub(peer);
        }
    }
}

fn sacked(mut options: &[u8]) -> Vec<(u32, u32)> {
    let mut blocks = Vec::new();
    while let [kind, rest @ ..] = options {
        match (*kind, rest) {
            (0, _) => break,
            (OPTION_NO_OPERATION, _) => options = rest,
            (kind, [length, ..]) => {
                let length = usize::from(*length).max(2);
                let (Some(option), Some(after)) = (options.get(2..length), options.get(length..))
                else {
                    break;
                };
                if kind == OPTION_SACK {
                    let (edges, _) = option.as_chunks::<4>();
                    let (pairs, _) = edges.as_chunks::<2>();
                    blocks.extend(
                        pairs
                            .iter()
                            .map(|[from, to]| (u32::from_be_bytes(*from), u32::from_be_bytes(*to))),
                    );
                }
                options = after;
            }
            _ => break,
        }
    }
    blocks
}

impl Display for Segment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (flag, name) in [(SYN, "SYN "), (FIN, "FIN "), (RST, "RST ")] {
            if self.flags & flag != 0 {
                f.write_str(name)?;
            }
        }
        write!(f, "seq {} len {}", self.sequence, self.length)?;
        if self.flags & ACK != 0 {
            write!(f, " ack {}", self.acknowledgement)?;
        }
        write!(f, " win {}", self.window)?;
        for (from, to) in &self.sacked {
            write!(f, " sack {from}-{to}")?;
        }
        Ok(())
    }
}
