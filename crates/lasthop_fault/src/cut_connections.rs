use core::net::IpAddr;
use std::collections::BTreeSet;

use lasthop_contract::{IpView, TCP_PROTOCOL};

/// The connections that a fault has cut, by their two ends.
#[derive(Debug, Default)]
pub(crate) struct CutConnections {
    cut: BTreeSet<Ends>,
}

/// The protocol and both ends, the lesser first.
type Ends = (u8, (IpAddr, u16), (IpAddr, u16));

/// Where the flags lie in a TCP header, and two of them.
const FLAGS: usize = 13;
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

impl CutConnections {
    /// Whether a packet belongs to a connection that is cut. A SYN begins a new connection, which is not cut.
    pub(crate) fn stop(&mut self, packet: &[u8]) -> bool {
        if self.cut.is_empty() {
            return false;
        }
        let Some((view, ends)) = ends_of(packet) else {
            return false;
        };
        if opens(&view, packet) {
            self.cut.remove(&ends);
        }
        self.cut.contains(&ends)
    }

    /// Cuts the connection of a packet and drops this packet as well.
    pub(crate) fn cut(&mut self, packet: &[u8]) {
        self.cut.extend(ends_of(packet).map(|(_, ends)| ends));
    }
}

fn ends_of(packet: &[u8]) -> Option<(IpView, Ends)> {
    let view = IpView::read(packet)?;
    let (from, to) = view.ports(packet)?;
    let source = (view.source(packet), from);
    let destination = (view.destination(packet), to);
    let ends = (source.min(destination), source.max(destination));
    let ends = (view.protocol(), ends.0, ends.1);
    Some((view, ends))
}

fn opens(view: &IpView, packet: &[u8]) -> bool {
    let flags = packet.get(view.payload().start + FLAGS);
    view.protocol() == TCP_PROTOCOL && flags.is_some_and(|flags| flags & (SYN | ACK) == SYN)
}
