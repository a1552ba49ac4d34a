use std::cell::Cell;
use std::os::fd::AsFd;
use std::rc::Rc;

use lasthop_contract::{
    Cause, Host, HostInput, HostOutput, InterfaceId, Layer, Packet, Provenance,
};
use lasthop_link::{DuplexLink, LinkConfig};
use lasthop_live::{HostPump, PacketDevice, WallClock};
use lasthop_units::{Duration, Instant};

use crate::relay::{packets_at, pair};

/// Says its name after a while, and then sends back what it gets.
struct Echo {
    at: Option<Instant>,
    outgoing: Vec<Packet>,
    answered: Rc<Cell<u32>>,
}

const NAME: Provenance = Provenance::new(Layer::Application, Cause::Payload);

impl Host for Echo {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match input {
            HostInput::Start => self.at = Some(now + Duration::from_millis(5)),
            HostInput::Timeout if self.at.is_some_and(|at| at <= now) => {
                self.at = None;
                self.outgoing.push(Packet::of(b"echo", NAME));
            }
            HostInput::Received { packet, .. } => {
                self.answered.set(self.answered.get() + 1);
                self.outgoing.push(packet);
            }
            _ => {}
        }
    }

    fn poll(&mut self, _now: Instant) -> HostOutput {
        match self.outgoing.pop() {
            Some(packet) => HostOutput::Transmit {
                interface: InterfaceId(0),
                packet,
            },
            None => HostOutput::WaitUntil(self.at),
        }
    }
}

#[test]
fn wakes_a_host_at_its_deadline_and_brings_it_packets() {
    let (far, device) = pair();
    let answered = Rc::new(Cell::new(0));
    let host = Echo {
        at: None,
        outgoing: Vec::new(),
        answered: Rc::clone(&answered),
    };
    let clock = WallClock::starting_now();
    let link = DuplexLink::new(&LinkConfig::default(), 1, "path/0");
    let device = PacketDevice::new(device.as_fd()).unwrap();
    rustix::io::write(&far, b"hello").unwrap();
    let mut pump = HostPump::new(clock, host, link, device);
    let end = clock.now() + Duration::from_millis(50);
    pump.run(end, || false).unwrap();
    assert!(clock.now() >= end);
    assert_eq!(answered.get(), 1);
    assert_eq!(packets_at(&far), [b"hello".to_vec(), b"echo".to_vec()]);
}

#[test]
fn stops_as_soon_as_the_host_is_done() {
    let (far, device) = pair();
    let answered = Rc::new(Cell::new(0));
    let host = Echo {
        at: None,
        outgoing: Vec::new(),
        answered: Rc::clone(&answered),
    };
    let link = DuplexLink::new(&LinkConfig::default(), 1, "path/0");
    let device = PacketDevice::new(device.as_fd()).unwrap();
    rustix::io::write(&far, b"hello").unwrap();
    let mut pump = HostPump::new(WallClock::starting_now(), host, link, device);
    pump.run(Instant::FAR_FUTURE, || answered.get() == 1)
        .unwrap();
    assert_eq!(packets_at(&far), [b"hello"]);
}
