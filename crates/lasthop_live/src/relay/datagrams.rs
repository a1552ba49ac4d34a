use core::net::SocketAddr;

use lasthop_contract::{
    Cause, Chunk, ConnectionId, Layer, LookupMap, Provenance, ResetReason, TransportEvent,
};
use lasthop_units::Instant;

use super::{ACCEPTING, Carrier, OPENING, Side, Sides};

/// Relays datagrams one by one.
pub(super) struct Datagrams {
    to: SocketAddr,
    /// For the flows of each side, the flow of the other one.
    partners: [LookupMap<ConnectionId, ConnectionId>; 2],
}

const FOREIGN: Provenance = Provenance::new(Layer::Udp, Cause::Opaque);

impl Datagrams {
    pub(super) fn new(to: SocketAddr) -> Self {
        Self {
            to,
            partners: [LookupMap::new(), LookupMap::new()],
        }
    }

    /// The flow on which to carry on; a peer that speaks again after its flow has ended gets another one.
    fn partner(
        &mut self,
        now: Instant,
        transports: &mut Sides,
        (side, id): (Side, ConnectionId),
    ) -> Option<ConnectionId> {
        if let Some(partner) = self.partners[side].get(&id) {
            return Some(*partner);
        }
        if side == OPENING {
            return None;
        }
        let opened = transports[OPENING].open(now, self.to, &[]).ok()?;
        self.partners[ACCEPTING].insert(id, opened);
        self.partners[OPENING].insert(opened, id);
        Some(opened)
    }
}

impl Carrier for Datagrams {
    fn event(
        &mut self,
        now: Instant,
        transports: &mut Sides,
        of: (Side, ConnectionId),
        event: TransportEvent,
    ) {
        let (side, id) = of;
        match event {
            TransportEvent::DatagramReadable => {
                while let Some(datagram) = transports[side].receive_datagram(id) {
                    let chunk = Chunk {
                        bytes: &datagram,
                        provenance: FOREIGN,
                    };
                    if let Some(partner) = self.partner(now, transports, of) {
                        // One that is too large for UDP cannot have come by UDP.
                        let _ = transports[1 - side].send_datagram(now, partner, &[chunk]);
                    }
                }
            }
            TransportEvent::Closed(_) => {
                if let Some(partner) = self.partners[side].remove(&id) {
                    self.partners[1 - side].remove(&partner);
                    // The client's flow stays: it may speak again.
                    if side == ACCEPTING {
                        transports[OPENING].reset(now, partner, ResetReason::NotNeeded);
                    }
                }
            }
            _ => {}
        }
    }
}
