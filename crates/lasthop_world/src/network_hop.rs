use lasthop_contract::Port;
use lasthop_engine::LinkId;

use crate::hops::{HopEnd, ends_of};
use crate::network::RadioNetwork;

/// A radio network of a run. The members that left last make room for the next.
pub(crate) struct NetworkHop<'a> {
    /// Of its hop; hops of this name are this network.
    pub(crate) name: &'a str,
    pub(crate) network: Box<dyn RadioNetwork>,
    link: LinkId,
    members: u32,
    free: Vec<u32>,
}

/// A network of a run, by its hop's name.
pub(crate) type NamedNetwork<'a> = (&'a str, Box<dyn RadioNetwork>);

/// The place of a device in one of the networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Which network of the run.
    pub(crate) network: usize,
    /// Which of its places.
    pub(crate) place: u32,
}

impl<'a> NetworkHop<'a> {
    /// A network that is this link, in which nobody is.
    pub(crate) fn new((name, network): NamedNetwork<'a>, link: LinkId) -> Self {
        Self {
            name,
            network,
            link,
            members: 0,
            free: Vec::new(),
        }
    }

    /// The link that it is.
    pub(crate) fn link(&self) -> LinkId {
        self.link
    }

    /// A place for a device.
    pub(crate) fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.members += 1;
            self.members - 1
        })
    }

    /// Makes a place free.
    pub(crate) fn leave(&mut self, place: u32) {
        self.free.push(place);
    }

    /// The ends of the network for a device at this place: at its radio, and at the core.
    pub(crate) fn ends_of(&self, place: u32) -> (HopEnd, HopEnd) {
        ends_of(self.link, place)
    }
}

impl Member {
    /// The port of its radio.
    pub(crate) fn radio(self) -> Port {
        Port(2 * self.place)
    }
}
