use std::collections::VecDeque;

use lasthop_contract::{Cause, Chunk, Layer, LookupMap, Provenance};
use lasthop_tls::add_span;

use crate::crypto::{Agreed, Noted};
use crate::frames::{Kind, Space};

/// The provenance of the bytes that a connection sends, for data from above and for its own frames.
#[derive(Debug)]
pub(crate) struct Labels {
    /// How many bytes of a handshake were sent at least once, by the kinds of packets that carry them.
    handshake: [u32; 3],
    streams: LookupMap<u64, SentStream>,
    /// Those that did not leave yet.
    datagrams: VecDeque<Vec<(Provenance, usize)>>,
    /// What a PING is for.
    ping: Cause,
    /// Nothing more is to be labelled.
    has_stopped: bool,
}

/// A run of bytes with one provenance.
pub(crate) type Span = (Provenance, usize);

#[derive(Debug, Default)]
struct SentStream {
    /// How many bytes were given.
    given: u64,
    /// How many bytes were sent at least once.
    end: u64,
    /// Where bytes come from, up to an offset each.
    runs: VecDeque<(u64, Provenance)>,
}

/// For how many runs there is room in a stream at rest.
const SETTLED_RUNS: usize = 4;

const fn of_quic(cause: Cause) -> Provenance {
    Provenance::new(Layer::Quic, cause)
}

const AGAIN: Provenance = of_quic(Cause::Retransmission);

/// How many runs of a stream that were sent are remembered: of bytes before them that are sent again, the message is not
/// known any more.
const REMEMBERED_RUNS: usize = 256;

impl Labels {
    /// Creates labels. A PING counts as keep-alive if the connection has keep-alives, else as a loss probe.
    pub(crate) fn new(keeps_alive: bool) -> Self {
        Self {
            handshake: [0; 3],
            streams: LookupMap::new(),
            datagrams: VecDeque::new(),
            ping: match keeps_alive {
                true => Cause::KeepAlive,
                false => Cause::Retransmission,
            },
            has_stopped: false,
        }
    }

    /// Stops labelling and frees the memory.
    pub(crate) fn stop(&mut self) {
        if !core::mem::replace(&mut self.has_stopped, true) {
            self.streams = LookupMap::new();
            self.datagrams = VecDeque::new();
        }
    }

    /// Records that a stream accepted the first `taken` bytes of these chunks.
    pub(crate) fn wrote(&mut self, stream: u64, chunks: &[Chunk<'_>], mut taken: usize) {
        if self.has_stopped {
            return;
        }
        let sent = self.of_stream(stream);
        for chunk in chunks {
            let length = chunk.bytes.len().min(taken);
            taken -= length;
            sent.push(chunk.provenance, length);
        }
    }

    /// Records that a datagram was accepted.
    pub(crate) fn wrote_datagram(&mut self, chunks: &[Chunk<'_>]) {
        if self.has_stopped {
            return;
        }
        let span = |it: &Chunk<'_>| (it.provenance, it.bytes.len());
        self.datagrams.push_back(chunks.iter().map(span).collect());
    }

    /// Records that a stream's early data was rejected and will be written again.
    pub(crate) fn rewind(&mut self, stream: u64) {
        if let Some(sent) = self.streams.get_mut(&stream) {
            sent.given = 0;
            sent.runs.clear();
        }
    }

    /// Records that all sent data is acknowledged, so that nothing is retransmitted.
    pub(crate) fn settle(&mut self) {
        self.streams.retain(|sent| {
            if sent.end == sent.given {
                sent.runs.clear();
                sent.runs.shrink_to(SETTLED_RUNS);
            }
            true
        });
    }

    fn of_stream(&mut self, stream: u64) -> &mut SentStream {
        self.streams.get_or_insert_with(stream, SentStream::default)
    }

    /// Removes a stream that sends no more data.
    pub(crate) fn forget(&mut self, stream: u64) {
        self.streams.remove(&stream);
    }

    /// Returns the provenance of a datagram's bytes in order. `agreed` holds that of handshake bytes.
    pub(crate) fn label(&mut self, noted: &Noted, agreed: Option<&Agreed>) -> Vec<Span> {
        let mut spans = Vec::with_capacity(noted.pieces.len());
        for piece in &noted.pieces {
            let cause = match piece.kind {
                Kind::Header => Cause::Header,
                Kind::Acknowledgement => Cause::Acknowledgement,
                Kind::Padding => Cause::Padding,
                Kind::PathProbe => Cause::PathProbe,
                Kind::Token => Cause::AddressValidation,
                Kind::SetUp => Cause::SessionSetUp,
                Kind::Closing => Cause::SessionTearDown,
                Kind::Ping => self.ping,
                Kind::Handshake(space, offset) => {
                    self.label_handshake(space, offset, piece.length, agreed, &mut spans);
                    continue;
                }
                Kind::Stream(stream, offset) => {
                    let sent = self.of_stream(stream);
                    sent.label(offset, piece.length, &mut spans);
                    continue;
                }
                Kind::Datagram => {
                    spans.extend(self.datagrams.pop_front().unwrap_or_default());
                    continue;
                }
            };
            add_span(&mut spans, of_quic(cause), piece.length);
        }
        spans
    }

    fn label_handshake(
        &mut self,
        space: Space,
        offset: u64,
        length: usize,
        agreed: Option<&Agreed>,
        spans: &mut Vec<Span>,
    ) {
        let sent = &mut self.handshake[space as usize];
        let known = u64::from(*sent).saturating_sub(offset).min(length as u64) as usize;
        add_span(spans, AGAIN, known);
        let new = length - known;
        let mut told = 0;
        for (cause, length) in agreed
            .into_iter()
            .flat_map(|it| it.causes(space, offset + known as u64, new))
        {
            add_span(spans, Provenance::new(Layer::Tls, cause), length);
            told += length;
        }
        add_span(spans, of_quic(Cause::Opaque), new - told);
        *sent += new as u32;
    }
}

impl SentStream {
    fn push(&mut self, provenance: Provenance, length: usize) {
        if length == 0 {
            return;
        }
        self.given += length as u64;
        let end = self.given;
        match self.runs.back_mut() {
            Some((last, same)) if *same == provenance => *last = end,
            _ => self.runs.push_back((end, provenance)),
        }
    }

    fn label(&mut self, offset: u64, length: usize, spans: &mut Vec<Span>) {
        let (mut at, end) = (offset, offset + length as u64);
        let mut run = self.runs.partition_point(|(end, _)| *end <= at);
        while at < end {
            let is_again = at < self.end;
            let bound = if is_again { self.end.min(end) } else { end };
            let (until, provenance) = match self.runs.get(run) {
                Some((until, provenance)) => ((*until).min(bound), *provenance),
                None => (bound, AGAIN),
            };
            let provenance = Provenance {
                message: provenance.message,
                ..if is_again { AGAIN } else { provenance }
            };
            add_span(spans, provenance, (until - at) as usize);
            at = until;
            run = self.runs.partition_point(|(end, _)| *end <= at);
        }
        self.end = self.end.max(end);
        let sent = self.runs.partition_point(|(end, _)| *end <= self.end);
        if sent > REMEMBERED_RUNS {
            self.runs.drain(..sent - REMEMBERED_RUNS);
        }
    }
}

/// Splits bytes into chunks by provenance.
pub(crate) fn chunks_of<'a>(bytes: &'a [u8], spans: &[Span]) -> Vec<Chunk<'a>> {
    let mut rest = bytes;
    let mut chunks = Vec::with_capacity(spans.len());
    for (provenance, length) in spans {
        let Some((bytes, behind)) = rest.split_at_checked(*length) else {
            break;
        };
        rest = behind;
        chunks.push(Chunk {
            bytes,
            provenance: *provenance,
        });
    }
    if !rest.is_empty() {
        chunks.push(Chunk {
            bytes: rest,
            provenance: of_quic(Cause::Opaque),
        });
    }
    chunks
}
