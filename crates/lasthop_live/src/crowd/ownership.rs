use core::net::SocketAddr;

use lasthop_contract::{Chunk, ConnectionId, OpenError, OpenOptions, Transport, forward_transport};
use lasthop_transport::place_of;
use lasthop_units::Instant;

/// The owner of each connection, as the index of a client.
#[derive(Debug, Default)]
pub(super) struct Owners {
    at_place: Vec<(ConnectionId, u32)>,
}

impl Owners {
    pub(super) fn of(&self, connection: ConnectionId) -> Option<u32> {
        let (known, owner) = self.at_place.get(place_of(connection)).copied()?;
        (known == connection).then_some(owner)
    }

    /// Returns all connections that a client may still own.
    pub(super) fn all_of(&self, owner: u32) -> Vec<ConnectionId> {
        let all = self.at_place.iter();
        let of_owner = all.filter(|(_, known)| *known == owner);
        of_owner.map(|(connection, _)| *connection).collect()
    }

    pub(super) fn note(&mut self, connection: ConnectionId, owner: u32) {
        let place = place_of(connection);
        if self.at_place.len() <= place {
            self.at_place.resize(place + 1, (connection, owner));
        }
        self.at_place[place] = (connection, owner);
    }
}

/// A shared transport as seen by one client, which owns the connections that it opens.
pub(super) struct Owned<'a> {
    transport: &'a mut dyn Transport,
    owner: u32,
    owners: &'a mut Owners,
}

impl<'a> Owned<'a> {
    pub(super) fn new(
        transport: &'a mut dyn Transport,
        owner: u32,
        owners: &'a mut Owners,
    ) -> Self {
        Self {
            transport,
            owner,
            owners,
        }
    }
}

impl Transport for Owned<'_> {
    forward_transport! {
        self => self.transport;
        handle poll listen join initial_stream own_stream open_stream write read send_datagram
        expect receive_datagram finish reset_stream prioritise outlast_streams close reset forget unanswered peer
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let opened = self.transport.open_with(now, peer, options, early_data)?;
        self.owners.note(opened, self.owner);
        Ok(opened)
    }
}
