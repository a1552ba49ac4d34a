use std::cell::Cell;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use lasthop_contract::{
    Cause, Host, HostInput, HostOutput, InterfaceId, Layer, Packet, Provenance,
};
use lasthop_engine::Outcome;
use lasthop_link::{DuplexLink, LinkConfig};
use lasthop_live::{End, PacketDevice, Poller, WallTime, Watch, join, live_run};
use lasthop_units::{Duration, Instant};

use crate::relay::{packets_at, pair};

/// Says its name after a while, and then sends back what it gets.
struct Echo {
    at: Option<Instant>,
    outgoing: Vec<Packet>,
    answered: Rc<Cell<bool>>,
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
                self.answered.set(true);
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

/// Runs the host on a device at which `hello` waits, until an instant or the host's first answer.
fn run(host: Echo, end: Duration, stops_early: bool) -> (WallTime, Instant, Vec<Vec<u8>>) {
    let (far, device) = pair();
    let (time, poller) = (WallTime::starting_now(), Poller::new().unwrap());
    let link = DuplexLink::new(&LinkConfig::default(), 1, "path/0");
    let device = PacketDevice::new(device.as_fd(), &poller).unwrap();
    rustix::io::write(&far, b"hello").unwrap();
    let end = time.now() + end;
    let done = if stops_early {
        Rc::clone(&host.answered)
    } else {
        Rc::default()
    };
    let mut run = live_run(time, &poller, Watch::until(end, done));
    let ends = [End::Ours(Box::new(host)), End::Outside(device)];
    join(&mut run, Box::new(link), ends);
    assert_eq!(run.run(&AtomicBool::new(false)), Outcome::HorizonReached);
    (time, end, packets_at(&far))
}

fn echo() -> Echo {
    Echo {
        at: None,
        outgoing: Vec::new(),
        answered: Rc::new(Cell::new(false)),
    }
}

#[test]
fn wakes_a_host_at_its_deadline_and_brings_it_packets() {
    let (time, end, told) = run(echo(), Duration::from_millis(50), false);
    assert!(time.now() >= end);
    assert_eq!(told, [b"hello".to_vec(), b"echo".to_vec()]);
}

#[test]
fn stops_as_soon_as_the_host_is_done() {
    let (time, end, told) = run(echo(), Duration::from_secs(1_000_000), true);
    assert!(time.now() < end);
    assert_eq!(told, [b"hello"]);
}

#[test]
fn a_run_ends_with_its_device() {
    let (far, device) = pair();
    let (time, poller) = (WallTime::starting_now(), Poller::new().unwrap());
    let watch = Watch::until(Instant::FAR_FUTURE, Rc::default());
    let mut run = live_run(time, &poller, watch);
    let link = DuplexLink::new(&LinkConfig::default(), 1, "path/0");
    let device = PacketDevice::new(device.as_fd(), &poller).unwrap();
    let ends = [End::Ours(Box::new(echo())), End::Outside(device)];
    join(&mut run, Box::new(link), ends);
    drop(far);
    assert_eq!(run.run(&AtomicBool::new(false)), Outcome::Interrupted);
    assert!(poller.take_failure().is_some());
}
