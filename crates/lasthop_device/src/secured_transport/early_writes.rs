use lasthop_contract::{Chunk, ConnectionId, Expectation, Provenance, Transport};
use lasthop_units::Instant;

/// Datagrams of connections whose key computation is not finished.
#[derive(Debug, Default)]
pub(super) struct EarlyWrites(Vec<Connection>);

#[derive(Debug)]
struct Connection {
    id: ConnectionId,
    datagrams: Vec<Datagram>,
    /// What is expected to follow the next one.
    expectation: Option<Expectation>,
}

/// A datagram as it was handed over.
#[derive(Debug)]
struct Datagram {
    chunks: Vec<(Vec<u8>, Provenance)>,
    expectation: Option<Expectation>,
}

impl EarlyWrites {
    /// Holds back the datagrams of this connection until [`Self::leave`].
    pub(super) fn begin(&mut self, id: ConnectionId) {
        self.0.push(Connection {
            id,
            datagrams: Vec::new(),
            expectation: None,
        });
    }

    fn of(&mut self, id: ConnectionId) -> Option<&mut Connection> {
        self.0.iter_mut().find(|it| it.id == id)
    }

    /// Stores a datagram. Returns whether its connection is held back.
    pub(super) fn keep(&mut self, id: ConnectionId, chunks: &[Chunk<'_>]) -> bool {
        let Some(connection) = self.of(id) else {
            return false;
        };
        let owned = |chunk: &Chunk<'_>| (chunk.bytes.to_vec(), chunk.provenance);
        connection.datagrams.push(Datagram {
            chunks: chunks.iter().map(owned).collect(),
            expectation: connection.expectation.take(),
        });
        true
    }

    /// Stores the expectation for the next datagram. Returns whether its connection is held back.
    pub(super) fn expect(&mut self, id: ConnectionId, expectation: Expectation) -> bool {
        let Some(connection) = self.of(id) else {
            return false;
        };
        connection.expectation = Some(expectation);
        true
    }

    /// Sends the datagrams of a connection, which is no longer held back.
    pub(super) fn leave(&mut self, now: Instant, id: ConnectionId, transport: &mut dyn Transport) {
        let Some(place) = self.0.iter().position(|it| it.id == id) else {
            return;
        };
        for datagram in self.0.swap_remove(place).datagrams {
            let chunks = datagram.chunks.iter().map(|(bytes, provenance)| Chunk {
                bytes,
                provenance: *provenance,
            });
            if let Some(expectation) = datagram.expectation {
                transport.expect(id, expectation);
            }
            // What is too large is lost, as a datagram may be: who said it has gone on.
            let _ = transport.send_datagram(now, id, &chunks.collect::<Vec<_>>());
        }
    }

    /// Removes a closed connection.
    pub(super) fn forget(&mut self, id: ConnectionId) {
        self.0.retain(|it| it.id != id);
    }
}
