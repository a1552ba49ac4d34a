//! The machines of a simulation and the wires between them.

use core::mem;

use lasthop_contract::{
    Clock, Direction, Host, HostInput, HostOutput, InterfaceId, Link, LinkInput, PathId, Port,
};
use lasthop_units::Instant;
use smallvec::SmallVec;

use super::{End, HostId, HostSlot, Interface, LinkId, LinkSlot, Simulation};
use crate::Observer;
use crate::parts::Parts;
use crate::wake_up_queue::Machine;

/// Who is where a host is gone.
struct Nobody;

impl<C: Clock, O: Observer> Simulation<C, O> {
    /// Adds a host whose packets go in `direction` unless an interface overrides it: up for devices, down for servers.
    ///
    /// The host starts when the loop continues. The number of the most recently removed host is reused.
    pub fn add_host(&mut self, machine: Box<dyn Host>, direction: Direction) -> HostId {
        let slot = HostSlot {
            machine,
            direction,
            interfaces: SmallVec::new(),
        };
        let id = if let Some(id) = self.free_hosts.pop() {
            self.hosts[id.0 as usize] = slot;
            id
        } else {
            let id = HostId(self.hosts.len() as u32);
            self.hosts.push(slot);
            self.queue.add(Machine::Host(id.0));
            id
        };
        self.new_hosts.push(id);
        id
    }

    /// Marks a host as open to the outside, for example because it has sockets.
    ///
    /// When the clock reports an arrival, the host receives [`HostInput::Timeout`] and checks for input.
    pub fn open_to_outside(&mut self, host: HostId) {
        self.outside.push(host);
    }

    /// Removes a host.
    ///
    /// Its links are notified, its deadline is cancelled, and its number becomes free.
    ///
    /// What a link still has for it ends there, or where it would have left.
    pub fn remove_host(&mut self, host: HostId) {
        let slot = &mut self.hosts[host.0 as usize];
        slot.machine = Box::new(Nobody);
        let interfaces = mem::take(&mut slot.interfaces);
        self.new_hosts.retain(|new| *new != host);
        self.outside.retain(|open| *open != host);
        self.queue.arm(Machine::Host(host.0), None);
        for Interface { link, port, .. } in interfaces {
            self.detach((link, port));
        }
        self.free_hosts.push(host);
        self.settle();
    }

    /// Adds a link.
    pub fn add_link(&mut self, machine: Box<dyn Link>) -> LinkId {
        let id = LinkId(self.links.len() as u32);
        self.links.push(LinkSlot {
            machine,
            ends: SmallVec::new(),
        });
        self.queue.add(Machine::Link(id.0));
        id
    }

    /// Attaches the host's next interface to a port of a link, where the only path of the run ends.
    pub fn attach(&mut self, host: HostId, link: LinkId, port: Port) -> InterfaceId {
        let direction = self.hosts[host.0 as usize].direction;
        self.attach_on(PathId::default(), host, (link, port), direction)
    }

    /// Attaches the host's next interface to an end of a path.
    ///
    /// Packets that leave by it go in `direction`: a gateway's go up to its server and down to its devices.
    pub fn attach_on(
        &mut self,
        path: PathId,
        host: HostId,
        (link, port): (LinkId, Port),
        direction: Direction,
    ) -> InterfaceId {
        let interfaces = &mut self.hosts[host.0 as usize].interfaces;
        let interface = InterfaceId(interfaces.len() as u32);
        interfaces.push(Interface {
            link,
            port,
            direction,
            path,
        });
        self.set_end(link, port, End::Host(host, interface));
        interface
    }

    /// Moves an interface of a host to a port of another link, now.
    ///
    /// Packets that the old link still holds for it are dropped. The interface can move back later.
    pub fn move_interface(
        &mut self,
        host: HostId,
        interface: InterfaceId,
        to: (LinkId, Port),
        path: PathId,
    ) {
        let place = &mut self.hosts[host.0 as usize].interfaces[interface.0 as usize];
        let moved = Interface {
            link: to.0,
            port: to.1,
            path,
            ..*place
        };
        let Interface { link, port, .. } = mem::replace(place, moved);
        self.links[link.0 as usize].ends[port.0 as usize] = None;
        self.tell_link(link, LinkInput::SwitchedOff { port });
        let (link, port) = to;
        self.wire(link, port, End::Host(host, interface));
        self.tell_link(link, LinkInput::SwitchedOn { port });
    }

    /// Joins two links: packets that leave one at its port enter the other at its port.
    pub fn join(&mut self, one: (LinkId, Port), other: (LinkId, Port)) {
        self.set_end(one.0, one.1, End::Link(other.0, other.1));
        self.set_end(other.0, other.1, End::Link(one.0, one.1));
    }

    /// Runs each part of the world for up to [`FORESIGHT`] of time before the next part.
    ///
    /// A part is a set of machines joined by wires. Events within a part keep their order, and its data stays in the
    /// processor's cache.
    ///
    /// The clock must be virtual. The observer is told of events of different parts out of order, and its horizon
    /// must never come to lie earlier than [`FORESIGHT`] after the event that sets it. Call this when
    /// everything is wired.
    pub fn order_by_parts(&mut self) {
        let hosts = self.hosts.len();
        let mut parts = Parts::apart(hosts + self.links.len());
        for (host, slot) in self.hosts.iter().enumerate() {
            for interface in &slot.interfaces {
                parts.join(host, hosts + interface.link.0 as usize);
            }
        }
        for (link, slot) in self.links.iter().enumerate() {
            for end in slot.ends.iter().flatten() {
                if let End::Link(other, _) = end {
                    parts.join(hosts + link, hosts + other.0 as usize);
                }
            }
        }
        let mut parts_of_hosts = parts.of_all();
        let parts_of_links = parts_of_hosts.split_off(hosts);
        if parts_of_hosts.iter().any(|part| *part > 0) {
            self.queue.order_by_parts([parts_of_links, parts_of_hosts]);
        }
    }

    fn detach(&mut self, (link, port): (LinkId, Port)) {
        let slot = &mut self.links[link.0 as usize];
        slot.ends[port.0 as usize] = None;
        slot.machine.handle(self.at, LinkInput::Detach { port });
        self.unsettled.push(Machine::Link(link.0));
    }

    fn set_end(&mut self, link: LinkId, port: Port, end: End) {
        self.wire(link, port, end);
        let slot = &mut self.links[link.0 as usize];
        slot.machine.handle(self.at, LinkInput::Attach { port });
        self.unsettled.push(Machine::Link(link.0));
    }

    fn wire(&mut self, link: LinkId, port: Port, end: End) {
        let ends = &mut self.links[link.0 as usize].ends;
        let index = port.0 as usize;
        if ends.len() <= index {
            ends.resize(index + 1, None);
        }
        ends[index] = Some(end);
    }
}

impl Host for Nobody {
    fn handle(&mut self, _: Instant, _: HostInput) {}

    fn poll(&mut self, _: Instant) -> HostOutput {
        HostOutput::WaitUntil(None)
    }
}
