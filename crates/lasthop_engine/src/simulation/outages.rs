//! Outages of hosts and links.

use lasthop_contract::{Clock, DropReason, LinkInput, LookupMap, Packet};

use super::{HostId, LinkId, Simulation};
use crate::Observer;

/// The place of an outage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OutagePlace {
    /// A host: packets that it sends or that arrive for it are lost. The host is not notified.
    Host(HostId),
    /// A link: packets that enter it are lost.
    ///
    /// Packets in flight continue, unless the link is a radio cell that falls silent.
    Link(LinkId),
}

/// The number of outages at each place. It is empty in most runs, so hosts and links need no memory for it.
#[derive(Default)]
pub(super) struct Outages(LookupMap<OutagePlace, u32>);

impl Outages {
    #[inline]
    pub(super) fn are_at(&self, place: OutagePlace) -> bool {
        !self.0.is_empty() && self.0.contains(&place)
    }
}

impl<C: Clock, O: Observer> Simulation<C, O> {
    /// Begins an outage now. Packets that the outage affects are dropped with [`DropReason::Outage`].
    pub fn begin_outage(&mut self, place: OutagePlace) {
        *self.outages.0.get_or_insert_with(place, || 0) += 1;
        if let OutagePlace::Link(link) = place {
            self.tell_link(link, LinkInput::OutageBegins);
        }
    }

    /// Ends an outage now. A place with several outages works again when all of them have ended.
    pub fn end_outage(&mut self, place: OutagePlace) {
        if let Some(outages) = self.outages.0.get_mut(&place) {
            *outages -= 1;
            if *outages == 0 {
                self.outages.0.remove(&place);
            }
            if let OutagePlace::Link(link) = place {
                self.tell_link(link, LinkInput::OutageEnds);
            }
        }
    }

    /// Drops a packet because of an outage.
    pub(super) fn lose(&mut self, link: LinkId, packet: &Packet) {
        let reason = DropReason::Outage;
        self.observer.dropped(self.at, link, packet, reason);
    }
}
