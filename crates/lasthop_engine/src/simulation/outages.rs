//! Hosts and links that let nothing through for a time.

use lasthop_contract::{Clock, DropReason, Packet};

use super::{HostId, LinkId, Simulation};
use crate::Observer;

/// What an outage can be of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutagePlace {
    /// What a host sends is lost at its door, and so is what comes for it. The host knows nothing of it.
    Host(HostId),
    /// What enters a link is lost; what is on its way in it goes on.
    Link(LinkId),
}

impl<C: Clock, O: Observer> Simulation<C, O> {
    /// Begins an outage, now. Packets that meet it end with [`DropReason::Outage`].
    pub fn begin_outage(&mut self, place: OutagePlace) {
        *self.outages_of(place) += 1;
    }

    /// Ends an outage, now. A place of several outages is back when all of them have ended.
    pub fn end_outage(&mut self, place: OutagePlace) {
        let outages = self.outages_of(place);
        *outages = outages.saturating_sub(1);
    }

    /// A packet meets an outage.
    pub(super) fn lose(&mut self, link: LinkId, packet: &Packet) {
        let reason = DropReason::Outage;
        self.observer.dropped(self.at, link, packet, reason);
    }

    fn outages_of(&mut self, place: OutagePlace) -> &mut u32 {
        match place {
            OutagePlace::Host(host) => &mut self.hosts[host.0 as usize].outages,
            OutagePlace::Link(link) => &mut self.links[link.0 as usize].outages,
        }
    }
}
