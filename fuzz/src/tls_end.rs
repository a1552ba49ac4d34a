use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use lasthop_contract::testing::{STREAM, Wire, WireEnd};
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Layer, Provenance, ReadOutcome, ResetReason, Transport,
    TransportEvent, TransportOutput,
};
use lasthop_tls::Tls;
use lasthop_units::Instant;

/// One end of TLS connections, with an application that reads at once, over bytes that others carry.
pub(crate) struct TlsEnd {
    transport: Tls<WireEnd>,
    /// The other end of the bytes below, and what lies between.
    far: WireEnd,
    wire: Rc<RefCell<Wire>>,
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
const ADDRESS: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)), 4433);

impl TlsEnd {
    /// An end of what `tls` lays on a transport.
    pub(crate) fn new(tls: impl FnOnce(WireEnd) -> Tls<WireEnd>) -> Self {
        let (near, far, wire) = WireEnd::pair();
        wire.borrow_mut().record = false;
        Self {
            transport: tls(near),
            far,
            wire,
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
        let opened = self.far.open(NOW, ADDRESS, &[]);
        let place = opened.expect("a wire has no limits").0;
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
        self.wire.borrow_mut().set_room([room, usize::MAX]);
        self.drain();
    }

    /// Does something to what this end has sent and nobody has taken yet.
    pub(crate) fn meddle(&mut self, place: u64, change: impl FnOnce(&mut VecDeque<u8>)) {
        let mut wire = self.wire.borrow_mut();
        let bytes = wire.under_way(ConnectionId(place), 0);
        if let Some(bytes) = bytes.filter(|_| !self.ended.contains(&place)) {
            change(bytes);
        }
    }

    /// Takes what is under way, up to so many bytes, with the end behind the last of them.
    pub(crate) fn take(&mut self, place: u64, most: usize) -> (Vec<u8>, Option<Ending>) {
        let id = ConnectionId(place);
        let mut bytes = Vec::new();
        self.meddle(place, |it| bytes = vec![0; it.len().min(most)]);
        let ending = match self.far.read(NOW, id, STREAM, &mut bytes) {
            Ok(ReadOutcome::Finished) => Some(Ending::Finished),
            Ok(_) => None,
            Err(_) => Some(Ending::Reset),
        };
        let is_known = self.streams.contains_key(&place);
        let ending = ending.filter(|_| is_known && self.ended.insert(place));
        self.drain();
        (bytes, ending)
    }

    /// Takes what the peer has sent; whether it was anything.
    pub(crate) fn receive(&mut self, place: u64, bytes: &[u8], ending: Option<Ending>) -> bool {
        let id = ConnectionId(place);
        if !bytes.is_empty() {
            // A connection that is over hears no more.
            let _ = self.far.write(NOW, id, STREAM, &[chunk(bytes)]);
        }
        match ending {
            Some(Ending::Finished) => self.far.finish(NOW, id, STREAM),
            Some(Ending::Reset) => self.far.reset(NOW, id, ResetReason::NotNeeded),
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
