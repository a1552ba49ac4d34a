use std::sync::{Arc, OnceLock};

use lasthop_contract::testing::{STREAM, WireEnd};
use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Layer, Provenance, RandomStream, ReadOutcome,
    Transport, TransportEvent, TransportOutput,
};
use lasthop_units::Instant;
use lasthop_websocket::{WebSocket, WebSocketConfig};

/// One end of a WebSocket, to which any bytes come.
///
/// The first byte says which (1: the client's, else the server's; 2: they stand behind a handshake that is well). However
/// the bytes are cut, the end reads the same, answers the same and ends the same.
pub fn websocket(data: &[u8]) {
    let Some((flags, bytes)) = data.split_first() else {
        return;
    };
    let is_client = flags & 1 == 1;
    let handshake: &[u8] = match flags & 2 {
        0 => &[],
        _ => &honest_handshake()[usize::from(is_client)],
    };
    let bytes = [handshake, bytes].concat();
    let in_one_go = hear(is_client, &bytes, usize::MAX);
    assert_eq!(in_one_go, hear(is_client, &bytes, 1), "byte by byte");
    assert_eq!(in_one_go, hear(is_client, &bytes, 7), "seven at a time");
    assert!(in_one_go.read.len() <= bytes.len(), "out of nothing");
}

/// What became of it.
#[derive(Debug, PartialEq, Eq)]
struct Heard {
    read: Vec<u8>,
    /// What it wrote.
    answered: Vec<u8>,
    is_finished: bool,
    closed: Option<CloseReason>,
}

const NOW: Instant = Instant::ZERO;
const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

type End = WebSocket<WireEnd>;

fn end_of(below: WireEnd, name: &str) -> End {
    let config = Arc::new(WebSocketConfig::new("mqtt"));
    WebSocket::new(below, config, Some(RandomStream::named(1, name)))
}

/// The request and the response of two honest ends.
fn honest_handshake() -> &'static [Vec<u8>; 2] {
    static BYTES: OnceLock<[Vec<u8>; 2]> = OnceLock::new();
    BYTES.get_or_init(|| {
        let (client, server, wire) = WireEnd::pair();
        let (mut client, mut server) = (end_of(client, "client"), end_of(server, "server"));
        let peer = "192.0.2.1:80".parse().expect("it is an address");
        client.open(NOW, peer, &[]).expect("the wire is up");
        while !matches!(server.poll(NOW), TransportOutput::WaitUntil(_)) {}
        while !matches!(client.poll(NOW), TransportOutput::WaitUntil(_)) {}
        let written = &wire.borrow().written;
        [0, 1].map(|end: usize| written[end].iter().flat_map(|it| it.1.clone()).collect())
    })
}

/// Has an end hear these bytes, so many at a time.
fn hear(is_client: bool, bytes: &[u8], piece: usize) -> Heard {
    let (client, server, wire) = WireEnd::pair();
    let peer = "192.0.2.1:80".parse().expect("it is an address");
    let (mut ours, mut theirs, id) = if is_client {
        let mut ours = end_of(client, "client");
        let id = ours.open(NOW, peer, &[]).expect("the wire is up");
        (ours, server, id)
    } else {
        let mut theirs = client;
        let id = theirs.open(NOW, peer, &[]).expect("the wire is up");
        (end_of(server, "server"), theirs, id)
    };
    let mut heard = Heard {
        read: Vec::new(),
        answered: Vec::new(),
        is_finished: false,
        closed: None,
    };
    for bytes in bytes.chunks(piece.min(bytes.len().max(1))) {
        let provenance = PAYLOAD;
        // Of a connection that is over nothing is taken.
        let _ = theirs.write(NOW, id, STREAM, &[Chunk { bytes, provenance }]);
        heard.attend(&mut ours, id);
    }
    let written = &wire.borrow().written[usize::from(!is_client)];
    heard.answered = written.iter().flat_map(|it| it.1.clone()).collect();
    heard
}

impl Heard {
    fn attend(&mut self, ours: &mut End, id: ConnectionId) {
        loop {
            match ours.poll(NOW) {
                TransportOutput::Event(_, TransportEvent::Closed(reason)) => {
                    assert_eq!(self.closed, None, "it ends once");
                    self.closed = Some(reason);
                }
                TransportOutput::Event(..) => self.read(ours, id),
                TransportOutput::WaitUntil(_) => return,
                _ => {}
            }
        }
    }

    fn read(&mut self, ours: &mut End, id: ConnectionId) {
        let mut room = [0; 64];
        loop {
            match ours.read(NOW, id, STREAM, &mut room) {
                Ok(ReadOutcome::Read(count)) => {
                    assert!(!self.is_finished, "nothing follows an end");
                    self.read.extend(&room[..count]);
                }
                Ok(ReadOutcome::Finished) => {
                    self.is_finished = true;
                    return;
                }
                Ok(ReadOutcome::Blocked) | Err(_) => return,
            }
        }
    }
}
