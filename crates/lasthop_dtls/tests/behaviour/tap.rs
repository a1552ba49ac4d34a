use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, Provenance, Transport, forward_transport,
};
use lasthop_units::Instant;

pub(crate) const HANDSHAKE: u8 = 22;
pub(crate) const CLIENT_HELLO: u8 = 1;
pub(crate) const SERVER_HELLO: u8 = 2;

/// A transport that notes which datagrams are sent over it, and may change them under way.
pub(crate) struct Tap<T> {
    lower: T,
    pub(crate) sent: Vec<Sent>,
    pub(crate) change: Option<fn(&mut Vec<u8>)>,
}

/// A datagram, with what its bytes are there for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) at: Instant,
    pub(crate) bytes: Vec<u8>,
    pub(crate) spans: Vec<(Provenance, usize)>,
}

impl<T> Tap<T> {
    pub(crate) fn new(lower: T) -> Self {
        Self {
            lower,
            sent: Vec::new(),
            change: None,
        }
    }

    pub(crate) fn lower(&mut self) -> &mut T {
        &mut self.lower
    }
}

impl<T: Transport> Transport for Tap<T> {
    forward_transport! {
        self => self.lower;
        handle poll open_with listen expect receive_datagram reset peer
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        self.sent.push(Sent {
            at: now,
            bytes: chunks.iter().flat_map(|it| it.bytes).copied().collect(),
            spans: chunks
                .iter()
                .map(|it| (it.provenance, it.bytes.len()))
                .collect(),
        });
        let Some(change) = self.change else {
            return self.lower.send_datagram(now, connection, chunks);
        };
        let mut bytes = self
            .sent
            .last()
            .map_or_else(Vec::new, |it| it.bytes.clone());
        change(&mut bytes);
        let changed = Chunk {
            bytes: &bytes,
            provenance: chunks[0].provenance,
        };
        self.lower.send_datagram(now, connection, &[changed])
    }
}

/// Whether a datagram begins with a message of this kind.
pub(crate) fn is_message(datagram: &[u8], kind: u8) -> bool {
    datagram[0] == HANDSHAKE && datagram[13] == kind
}

/// Puts these bytes in place of those, where they are once, in a message of this kind.
pub(crate) fn replace(bytes: &mut [u8], message: u8, from: &[u8], to: &[u8]) {
    if is_message(bytes, message) {
        let mut places = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(from));
        let place = places.next().expect("it is there");
        bytes[place..place + to.len()].copy_from_slice(to);
    }
}
