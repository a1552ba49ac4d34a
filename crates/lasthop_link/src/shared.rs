use lasthop_contract::{BackgroundTraffic, Link, LinkInput, LinkOutput, Port};
use lasthop_units::Instant;

use crate::DuplexLink;

/// One link that many pairs of ends share, with common losses, rate and queue.
///
/// The pair k has `Port(2k)` on the side of devices and `Port(2k + 1)` on the side of servers; what enters at one
/// leaves at the other.
#[derive(Debug)]
pub struct SharedLink {
    link: DuplexLink,
}

impl SharedLink {
    /// Creates a shared link from a duplex link.
    #[must_use]
    pub fn new(link: DuplexLink) -> Self {
        Self { link }
    }
}

impl Link for SharedLink {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        match input {
            LinkInput::Offered { port, mut packet } => {
                packet.set_lane(port.0 / 2);
                let port = Port(port.0 % 2);
                self.link.handle(now, LinkInput::Offered { port, packet });
            }
            LinkInput::Timeout => self.link.handle(now, LinkInput::Timeout),
            // Whatever is attached, the link is the same.
            _ => {}
        }
    }

    fn background(&mut self, until: Instant) -> [BackgroundTraffic; 2] {
        self.link.background(until)
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        let port_of = |lane: u32, port: Port| Port(2 * lane + port.0);
        match self.link.poll(now) {
            LinkOutput::Deliver { port, packet } => LinkOutput::Deliver {
                port: port_of(packet.lane(), port),
                packet,
            },
            LinkOutput::Drop {
                port,
                packet,
                reason,
            } => LinkOutput::Drop {
                port: port_of(packet.lane(), port),
                packet,
                reason,
            },
            other => other,
        }
    }
}
