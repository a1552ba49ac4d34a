use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lasthop_contract::testing::STREAM;
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Layer, Provenance, ReadOutcome, ResetReason, Transport,
    TransportEvent, TransportOutput,
};
use lasthop_tls::Tls;
use lasthop_units::Instant;

use crate::hostile_peer::{ADDRESS, HostilePeer};

/// One end of TLS connections, with an application that reads at once, over bytes that others carry.
pub(crate) struct TlsEnd {
    transport: Tls<HostilePeer>,
    streams: BTreeMap<u64, Stream>,
    /// Of which the other end has been told that nothing follows.
    ended: BTreeSet<u64>,
}

/// What the application wrote and read on a connection.
#[derive(Default)]
pub(crate) struct Stream {
    pub(crate) written: Vec<u8>,
    pub(crate) read: Vec<u8>,
    /// It writes nothing more.
    pub(crate) is_finished: bool,
    /// The peer writes nothing more, as far as TLS knows.
    pub(crate) peer_finished: bool,
}

/// How the bytes of an end stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Finished,
    Reset,
}

/// More outputs than this for one input are a loop.
const MOST_OUTPUTS: usize = 10_000;
const NOW: Instant = Instant::ZERO;

impl TlsEnd {
    pub(crate) fn new(transport: Tls<HostilePeer>) -> Self {
        Self {
            transport,
            streams: BTreeMap::new(),
            ended: BTreeSet::new(),
        }
    }

    pub(crate) fn stream(&self, place: u64) -> &Stream {
        &self.streams[&place]
    }

    /// Opens the next connection.
    pub(crate) fn open(&mut self, early: &[u8]) {
        let chunks = [chunk(early)];
        let opened = self.transport.open(NOW, ADDRESS, &chunks);
        let place = opened.expect("there is room for it").0;
        let stream = Stream {
            written: early.to_vec(),
            ..Stream::default()
        };
        self.streams.insert(place, stream);
        self.drain();
    }

    /// The peer opens the next connection.
    pub(crate) fn accept(&mut self) {
        let place = self.transport.lower().add().0;
        self.streams.insert(place, Stream::default());
        self.drain();
    }

    pub(crate) fn write(&mut self, place: u64, bytes: &[u8]) {
        let written = self
            .transport
            .write(NOW, ConnectionId(place), STREAM, &[chunk(bytes)]);
        if let (Ok(taken), Some(stream)) = (written, self.streams.get_mut(&place)) {
            stream.written.extend(&bytes[..taken]);
        }
        self.drain();
    }

    pub(crate) fn finish(&mut self, place: u64) {
        self.transport.finish(NOW, ConnectionId(place), STREAM);
        if let Some(stream) = self.streams.get_mut(&place) {
            stream.is_finished = true;
        }
        self.drain();
    }

    pub(crate) fn reset(&mut self, place: u64) {
        self.transport
            .reset(NOW, ConnectionId(place), ResetReason::NotNeeded);
        self.drain();
    }

    /// The stream below takes so many more bytes.
    pub(crate) fn make_room(&mut self, room: usize) {
        self.transport.lower().make_room(room);
        self.drain();
    }

    /// What this end has sent and nobody has taken yet.
    pub(crate) fn under_way(&mut self, place: u64) -> Option<&mut VecDeque<u8>> {
        self.transport.lower().heard.get_mut(&place)
    }

    /// Takes what is under way, up to so many bytes, with the end behind the last of them.
    pub(crate) fn take(&mut self, place: u64, most: usize) -> (Vec<u8>, Option<Ending>) {
        let bytes = self.under_way(place).map_or_else(Vec::new, |it| {
            let count = it.len().min(most);
            it.drain(..count).collect()
        });
        let is_rest = self.under_way(place).is_none_or(|it| it.is_empty());
        let ending = match self.transport.lower() {
            lower if lower.has_said_all(place) => Some(Ending::Finished),
            lower if !lower.has(place) => Some(Ending::Reset),
            _ => None,
        };
        let is_known = self.streams.contains_key(&place);
        let ending = ending.filter(|_| is_known && is_rest && self.ended.insert(place));
        (bytes, ending)
    }

    /// Takes what the peer has sent; whether it was anything.
    pub(crate) fn receive(&mut self, place: u64, bytes: &[u8], ending: Option<Ending>) -> bool {
        let lower = self.transport.lower();
        if !bytes.is_empty() {
            lower.say(place, bytes);
        }
        match ending {
            Some(Ending::Finished) => lower.end(place),
            Some(Ending::Reset) => lower.vanish(place),
            None => {}
        }
        self.drain();
        !bytes.is_empty() || ending.is_some()
    }

    fn drain(&mut self) {
        for _ in 0..MOST_OUTPUTS {
            match self.transport.poll(NOW) {
                TransportOutput::Event(id, TransportEvent::Readable(_)) => self.read(id),
                TransportOutput::Event(..) => {}
                TransportOutput::WaitUntil(_) => return,
                other => panic!("{other:?} of a stream"),
            }
        }
        panic!("the end does not come to rest");
    }

    fn read(&mut self, id: ConnectionId) {
        let mut room = [0; 256];
        let Some(stream) = self.streams.get_mut(&id.0) else {
            panic!("nobody opened {id:?}");
        };
        while let Ok(outcome) = self.transport.read(NOW, id, STREAM, &mut room) {
            match outcome {
                ReadOutcome::Read(count) => stream.read.extend(&room[..count]),
                ReadOutcome::Blocked => return,
                ReadOutcome::Finished => {
                    stream.peer_finished = true;
                    return;
                }
            }
        }
    }
}

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: Provenance::new(Layer::Application, Cause::Payload),
    }
}
