use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_contract::testing::{Pair, STREAM};
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Direction, Layer, Provenance, RandomStream, ReadOutcome, Transport,
    TransportEvent,
};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::Duration;
use lasthop_websocket::{WebSocket, WebSocketConfig};

pub(crate) const DELAY: Duration = Duration::from_millis(50);
pub(crate) const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

/// A client and a server, 50 ms from each other.
pub(crate) struct World {
    pub(crate) ends: Pair<WebSocket<Tcp>, WebSocket<Tcp>>,
}

pub(crate) fn server() -> SocketAddr {
    "192.0.2.1:80".parse().unwrap()
}

pub(crate) fn tcp(address: &str) -> Tcp {
    let profile = Arc::new(TcpProfile::linux());
    let stream = RandomStream::named(1, format_args!("{address}/tcp"));
    Tcp::new(address.parse().unwrap(), profile, stream)
}

fn end(address: &str, config: WebSocketConfig) -> WebSocket<Tcp> {
    let random = RandomStream::named(1, format_args!("{address}/ws"));
    WebSocket::new(tcp(address), Arc::new(config), Some(random))
}

pub(crate) fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::of(WebSocketConfig::new("mqtt"), WebSocketConfig::new("mqtt"))
    }

    pub(crate) fn of(client: WebSocketConfig, listening: WebSocketConfig) -> Self {
        let mut listening = end("192.0.2.1", listening);
        listening.listen(server().port()).unwrap();
        Self {
            ends: Pair::new(end("10.0.0.1", client), listening, DELAY),
        }
    }

    pub(crate) fn open(&mut self, early: &[u8]) -> ConnectionId {
        let (now, chunk) = (self.ends.now(), chunk(early));
        let early = if early.is_empty() { &[][..] } else { &[chunk] };
        self.ends.client.open(now, server(), early).unwrap()
    }

    /// What both ends say in so many seconds: by which end (up is the client), about which connection, what.
    pub(crate) fn run(&mut self, seconds: u64) -> Vec<(Direction, ConnectionId, TransportEvent)> {
        self.ends.run_for(Duration::from_secs(seconds));
        let events = self.ends.take_events().into_iter();
        events.map(|it| (it.end, it.connection, it.event)).collect()
    }

    /// A connection that both ends have: its id here and there.
    pub(crate) fn connect(&mut self) -> (ConnectionId, ConnectionId) {
        let id = self.open(b"");
        let events = self.run(1);
        let there = events.iter().find(|it| it.0 == Direction::Down).unwrap().1;
        (id, there)
    }
}

/// All that can be read now, and whether it ends there.
pub(crate) fn read(
    transport: &mut impl Transport,
    now: lasthop_units::Instant,
    id: ConnectionId,
) -> (Vec<u8>, bool) {
    let (mut all, mut room) = (Vec::new(), [0; 777]);
    loop {
        match transport.read(now, id, STREAM, &mut room) {
            Ok(ReadOutcome::Read(count)) => all.extend(&room[..count]),
            Ok(ReadOutcome::Finished) => return (all, true),
            Ok(ReadOutcome::Blocked) | Err(_) => return (all, false),
        }
    }
}
