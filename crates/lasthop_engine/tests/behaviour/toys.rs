//! Machines that do just enough.

use std::collections::VecDeque;

use lasthop_contract::{
    Cause, Direction, DropReason, Host, HostEvent, HostInput, HostOutput, InterfaceId, Layer, Link,
    LinkInput, LinkOutput, Packet, Port, Provenance, RadioState, Spans,
};
use lasthop_engine::{HostId, LinkId, Observer};
use lasthop_units::{Duration, Instant};

/// Sends a packet every 100 ms, so many times.
pub(crate) struct Greeter {
    left: u32,
    next: Instant,
}

impl Greeter {
    pub(crate) fn new(count: u32) -> Self {
        Self {
            left: count,
            next: Instant::ZERO,
        }
    }
}

impl Host for Greeter {
    fn handle(&mut self, _: Instant, _: HostInput) {}

    fn poll(&mut self, now: Instant) -> HostOutput {
        if self.left == 0 {
            return HostOutput::WaitUntil(None);
        }
        if self.next > now {
            return HostOutput::WaitUntil(Some(self.next));
        }
        self.left -= 1;
        self.next = now + Duration::from_millis(100);
        HostOutput::Transmit {
            interface: InterfaceId(0),
            packet: Packet::of(b"hello", Provenance::new(Layer::Ip, Cause::Payload)),
        }
    }
}

/// Wants to be woken when it is too late already.
pub(crate) struct WaitsForThePast;

impl Host for WaitsForThePast {
    fn handle(&mut self, _: Instant, _: HostInput) {}

    fn poll(&mut self, _: Instant) -> HostOutput {
        HostOutput::WaitUntil(Some(Instant::ZERO))
    }
}

/// Waits for nothing.
pub(crate) struct Sleeper;

impl Host for Sleeper {
    fn handle(&mut self, _: Instant, _: HostInput) {}

    fn poll(&mut self, _: Instant) -> HostOutput {
        HostOutput::WaitUntil(None)
    }
}

/// Carries one packet at a time and says what its radio does.
pub(crate) struct Radio {
    delay: Duration,
    on_air: Option<(Instant, Port, Packet)>,
    given_up: Option<(Port, Packet)>,
    states: VecDeque<(Port, RadioState)>,
}

impl Radio {
    pub(crate) fn new(delay: Duration) -> Self {
        Self {
            delay,
            on_air: None,
            given_up: None,
            states: VecDeque::new(),
        }
    }
}

impl Link for Radio {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        if let LinkInput::Offered { port, packet } = input {
            self.states.push_back((port, RadioState::Transmit));
            self.on_air = Some((now + self.delay, port, packet));
        } else if let LinkInput::Detach { port } = input {
            let gone = self.on_air.take_if(|(_, from, _)| *from == port);
            self.given_up = gone.map(|(_, port, packet)| (port, packet));
        }
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        if let Some((port, state)) = self.states.pop_front() {
            return LinkOutput::RadioState { port, state };
        }
        if let Some((port, packet)) = self.given_up.take() {
            let reason = DropReason::NotAttached;
            return LinkOutput::Drop {
                port,
                packet,
                reason,
            };
        }
        match self.on_air.take_if(|(at, ..)| *at <= now) {
            Some((_, from, packet)) => {
                self.states.push_back((from, RadioState::Idle));
                let port = Port(1 - from.0);
                LinkOutput::Deliver { port, packet }
            }
            None => LinkOutput::WaitUntil(self.on_air.as_ref().map(|(at, ..)| *at)),
        }
    }
}

/// Writes down what it sees.
#[derive(Default)]
pub(crate) struct Journal {
    pub(crate) horizon: Instant,
    pub(crate) sent: Vec<Instant>,
    pub(crate) arrived: Vec<Instant>,
    pub(crate) dropped: Vec<DropReason>,
    pub(crate) radio: Vec<(Instant, Port, RadioState)>,
    pub(crate) late: Vec<Duration>,
}

impl Journal {
    pub(crate) fn until(horizon: Instant) -> Self {
        Self {
            horizon,
            ..Self::default()
        }
    }
}

impl Observer for Journal {
    fn transmitted(&mut self, now: Instant, _: HostId, _: InterfaceId, _: &Packet) {
        self.sent.push(now);
    }

    fn received(&mut self, now: Instant, _: HostId, _: InterfaceId, _: &Packet) {
        self.arrived.push(now);
    }

    fn dropped(&mut self, _: Instant, _: LinkId, _: &Packet, reason: DropReason) {
        self.dropped.push(reason);
    }

    fn duplicated(&mut self, _: Instant, _: u64, _: Direction, _: &Spans) {}

    fn host_event(&mut self, _: Instant, _: HostId, _: Direction, _: &HostEvent) {}

    fn radio_state(&mut self, now: Instant, _: LinkId, port: Port, state: RadioState) {
        self.radio.push((now, port, state));
    }

    fn late(&mut self, _: Instant, by: Duration) {
        self.late.push(by);
    }

    fn horizon(&self) -> Instant {
        self.horizon
    }
}
