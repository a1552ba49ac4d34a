use core::net::SocketAddr;

use lasthop_contract::{ConnectionId, LookupMap};
use lasthop_units::Instant;
use smallvec::SmallVec;

use crate::peer_limit::{AtRest, PeerLimit};

/// The flows of a host, indexed by ID and by peer: UDP flows or TCP connections.
///
/// A device has one flow, which lies in the table itself; a few are searched one by one. Only from
/// [`INDEXED_FROM`] flows on, as servers have them, there is an index.
#[derive(Debug)]
pub struct FlowTable<F> {
    slots: SmallVec<[Slot<F>; 1]>,
    index: Option<Box<Index>>,
}

/// A flow that is identified by a local port and a peer.
pub trait Flow {
    /// Returns the local port.
    fn local_port(&self) -> u16;
    /// Returns the address of the peer.
    fn peer(&self) -> SocketAddr;
}

/// The table is full and no flow can be evicted.
#[derive(Debug)]
pub struct Full;

/// A place for a flow. The generation tells its occupants apart, so that an id is never used twice.
#[derive(Debug)]
struct Slot<F> {
    generation: u32,
    flow: Option<F>,
}

#[derive(Debug, Default)]
struct Index {
    free: Vec<u32>,
    by_peer: LookupMap<(u16, SocketAddr), ConnectionId>,
    /// Where the number of flows is limited: only servers do that, and they have an index.
    at_rest: Option<AtRest>,
}

const INDEXED_FROM: usize = 8;

/// Room for 16 million flows at a time; with the 32 bits of the generation it leaves those of a column free.
const PLACE_BITS: u32 = 24;

impl<F: Flow> FlowTable<F> {
    /// Creates an empty table.
    #[must_use]
    pub fn new() -> Self {
        Self {
            slots: SmallVec::new(),
            index: None,
        }
    }

    /// Creates a table with a limit on peers. Its index exists from the start.
    #[must_use]
    pub fn bounded(limit: PeerLimit) -> Self {
        let index = Index {
            at_rest: Some(AtRest::new(limit)),
            ..Index::default()
        };
        Self {
            slots: SmallVec::new(),
            index: Some(Box::new(index)),
        }
    }

    /// Returns the flows by idle time, if their number is limited.
    fn at_rest(&mut self) -> Option<&mut AtRest> {
        self.index.as_mut()?.at_rest.as_mut()
    }

    /// Returns the flow to evict for a new one, or `None` if there is room.
    ///
    /// # Errors
    ///
    /// No flow has been at rest for long enough.
    pub fn make_room(
        &mut self,
        now: Instant,
        last_used: impl Fn(&F) -> Instant,
    ) -> Result<Option<ConnectionId>, Full> {
        let count = self.len();
        let Some(at_rest) = self
            .at_rest()
            .filter(|at_rest| count >= at_rest.limit.peers)
        else {
            return Ok(None);
        };
        let mut longest = core::mem::replace(at_rest, AtRest::new(at_rest.limit));
        let all = self.iter().map(|(id, flow)| (last_used(flow), id));
        let left = longest.take_longest(now, all, |id| self.get(id).map(&last_used));
        if let Some(at_rest) = self.at_rest() {
            *at_rest = longest;
        }
        left.map(Some).ok_or(Full)
    }

    /// Returns the flow with this ID, if it exists.
    #[must_use]
    pub fn get(&self, id: ConnectionId) -> Option<&F> {
        let slot = self.slots.get(place_of(id))?;
        slot.flow.as_ref().filter(|_| slot.is_of(id))
    }

    /// Returns the flow with this ID for changes, if it exists.
    pub fn get_mut(&mut self, id: ConnectionId) -> Option<&mut F> {
        let slot = self.slots.get_mut(place_of(id))?;
        let is_current = slot.is_of(id);
        slot.flow.as_mut().filter(|_| is_current)
    }

    /// Returns the flow between a local port and a peer.
    #[must_use]
    pub fn find(&self, local_port: u16, peer: SocketAddr) -> Option<ConnectionId> {
        match &self.index {
            Some(index) => index.by_peer.get(&(local_port, peer)).copied(),
            None => (0..).zip(&self.slots).find_map(|(place, slot)| {
                let flow = slot.flow.as_ref()?;
                let is_it = flow.local_port() == local_port && flow.peer() == peer;
                is_it.then(|| slot.id(place))
            }),
        }
    }

    /// Returns all flows with a peer, for any local port. It checks each flow.
    #[must_use]
    pub fn with_peer(&self, peer: SocketAddr) -> Vec<ConnectionId> {
        let with_peer = self.iter().filter(|(_, flow)| flow.peer() == peer);
        with_peer.map(|(id, _)| id).collect()
    }

    /// Returns the number of flows.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.index {
            Some(index) => self.slots.len() - index.free.len(),
            None => self.slots.iter().filter(|slot| slot.flow.is_some()).count(),
        }
    }

    /// The ids of all flows.
    pub(crate) fn ids(&self) -> Vec<ConnectionId> {
        self.iter().map(|(id, _)| id).collect()
    }

    /// Whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All flows.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (ConnectionId, &F)> {
        let slots = (0..).zip(&self.slots);
        slots.filter_map(|(place, slot)| Some((slot.id(place), slot.flow.as_ref()?)))
    }

    /// Notes when a flow began, if the number of flows is limited.
    pub fn note(&mut self, now: Instant, id: ConnectionId) {
        if let Some(at_rest) = self.at_rest() {
            at_rest.note(now, id);
        }
    }

    /// Adds a new flow.
    pub fn add(&mut self, flow: F) -> ConnectionId {
        let key = (flow.local_port(), flow.peer());
        let place = self.free_place();
        let slot = &mut self.slots[place as usize];
        slot.flow = Some(flow);
        let id = slot.id(place);
        if let Some(index) = &mut self.index {
            index.by_peer.insert(key, id);
        } else if self.slots.len() == INDEXED_FROM {
            self.index = Some(Box::new(self.indexed()));
        }
        id
    }

    /// Removes a flow and returns it.
    pub fn remove(&mut self, id: ConnectionId) -> Option<F> {
        let slot = self
            .slots
            .get_mut(place_of(id))
            .filter(|slot| slot.is_of(id))?;
        let flow = slot.flow.take()?;
        slot.generation += 1;
        if let Some(index) = &mut self.index {
            index.by_peer.remove(&(flow.local_port(), flow.peer()));
            index.free.push(place_of(id) as u32);
        }
        Some(flow)
    }

    /// Takes all flows out. Their ids are not used again.
    pub(crate) fn clear(&mut self) {
        for id in self.ids() {
            self.remove(id);
        }
        if let Some(at_rest) = self.at_rest() {
            *at_rest = AtRest::new(at_rest.limit);
        }
    }

    /// Returns the slot that was freed last if there is an index, else the first free one.
    fn free_place(&mut self) -> u32 {
        let free = match &mut self.index {
            Some(index) => index.free.pop(),
            None => (0..)
                .zip(&self.slots)
                .find_map(|(place, slot)| slot.flow.is_none().then_some(place)),
        };
        free.unwrap_or_else(|| {
            assert!(self.slots.len() < 1 << PLACE_BITS, "a host has fewer flows");
            self.slots.push(Slot {
                generation: 0,
                flow: None,
            });
            (self.slots.len() - 1) as u32
        })
    }

    /// Builds the index of all flows. No slot is free at that moment.
    fn indexed(&self) -> Index {
        let mut index = Index::default();
        for (place, slot) in (0..).zip(&self.slots) {
            if let Some(flow) = &slot.flow {
                let key = (flow.local_port(), flow.peer());
                index.by_peer.insert(key, slot.id(place));
            }
        }
        index
    }
}

impl<F: Flow> Default for FlowTable<F> {
    fn default() -> Self {
        Self::new()
    }
}

impl<F> Slot<F> {
    fn id(&self, place: u32) -> ConnectionId {
        ConnectionId(u64::from(self.generation) << PLACE_BITS | u64::from(place))
    }

    /// Whether an id is that of the present occupant.
    fn is_of(&self, id: ConnectionId) -> bool {
        u64::from(self.generation) == id.0 >> PLACE_BITS
    }
}

/// Returns the slot of a flow in the table.
///
/// It is below the maximum number of simultaneous flows, and is reused.
#[must_use]
pub const fn place_of(id: ConnectionId) -> usize {
    (id.0 & ((1 << PLACE_BITS) - 1)) as usize
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use lasthop_contract::RandomStream;

    use super::*;

    impl Flow for (u16, SocketAddr) {
        fn local_port(&self) -> u16 {
            self.0
        }

        fn peer(&self) -> SocketAddr {
            self.1
        }
    }

    #[test]
    fn finds_the_flows_that_are_there_and_no_others() {
        let mut table: FlowTable<(u16, SocketAddr)> = FlowTable::new();
        let mut model: BTreeMap<u16, ConnectionId> = BTreeMap::new();
        let mut ids = Vec::new();
        let mut random = RandomStream::named(1, "flows");
        let server = SocketAddr::from(([198, 18, 0, 1], 40_000));
        for step in 0..20_000 {
            // First a few flows, which need no index, then many.
            let port = random.below(if step < 2_000 { 6 } else { 100 }) as u16;
            match model.remove(&port) {
                Some(id) => assert_eq!(table.remove(id).map(|flow| flow.0), Some(port)),
                None => {
                    let id = table.add((port, server));
                    model.insert(port, id);
                    ids.push(id);
                }
            }
            let port = random.below(100) as u16;
            assert_eq!(table.find(port, server), model.get(&port).copied());
            assert_eq!(table.with_peer(server).len(), model.len());
            let id = ids[random.below(ids.len() as u64) as usize];
            let found = table.get(id).map(|flow| flow.0);
            assert_eq!(found.and_then(|port| model.get(&port)), found.map(|_| &id));
        }
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "an id is used once");
    }
}
