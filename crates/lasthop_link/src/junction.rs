use core::net::IpAddr;
use std::collections::VecDeque;

use lasthop_contract::{DropReason, IpView, Link, LinkInput, LinkOutput, Packet, Port};
use lasthop_units::Instant;

/// A junction that connects one device to several hosts.
///
/// A packet of the device leaves at the port of its destination, and all others leave towards the device. It adds no
/// delay, and drops only packets without a destination.
#[derive(Debug)]
pub struct Junction {
    /// The host at port 1, and so on.
    hosts: Vec<IpAddr>,
    done: VecDeque<(Port, Packet)>,
}

/// Towards the device.
const DEVICE_SIDE: Port = Port(0);

impl Junction {
    /// Creates a junction with the device at port 0 and the hosts at ports 1 and above.
    #[must_use]
    pub fn new(hosts: Vec<IpAddr>) -> Self {
        Self {
            hosts,
            done: VecDeque::new(),
        }
    }

    fn exit(&self, entry: Port, packet: &Packet) -> Option<Port> {
        if entry != DEVICE_SIDE {
            return Some(DEVICE_SIDE);
        }
        let destination = IpView::read(packet.bytes())?.destination(packet.bytes());
        let place = self.hosts.iter().position(|host| *host == destination)?;
        Some(Port(place as u32 + 1))
    }
}

impl Link for Junction {
    fn handle(&mut self, _now: Instant, input: LinkInput) {
        if let LinkInput::Offered { port, packet } = input {
            self.done.push_back((port, packet));
        }
    }

    fn poll(&mut self, _now: Instant) -> LinkOutput {
        let Some((entry, packet)) = self.done.pop_front() else {
            return LinkOutput::WaitUntil(None);
        };
        match self.exit(entry, &packet) {
            Some(port) => LinkOutput::Deliver { port, packet },
            None => LinkOutput::Drop {
                port: entry,
                packet,
                reason: DropReason::NotAttached,
            },
        }
    }
}
