//! Machines that do just enough.

use std::collections::VecDeque;

use lasthop_contract::{
    Cause, Direction, DropReason, Host, HostEvent, HostInput, HostOutput, InterfaceId, Layer, Link,
    LinkInput, LinkOutput, Packet, PathId, Port, Provenance, RadioCause, RadioState, Spans,
};
use lasthop_engine::{HostId, LinkId, Observer};
use lasthop_units::{DecibelMilliwatts, Duration, Instant};

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

/// Carries one packet at a time from port 0 to port 1 and tells what the radio at port 0 did.
pub(crate) struct Radio {
    delay: Duration,
    on_air: Option<(Instant, Packet)>,
    given_up: Option<Packet>,
    told: Instant,
    to_tell: VecDeque<Span>,
}

/// What a radio did: what, since when, how long.
pub(crate) type Span = (RadioState, Instant, Duration);

impl Radio {
    pub(crate) fn new(delay: Duration) -> Self {
        Self {
            delay,
            on_air: None,
            given_up: None,
            told: Instant::ZERO,
            to_tell: VecDeque::new(),
        }
    }

    fn tell(&mut self, until: Instant, state: RadioState) {
        let from = core::mem::replace(&mut self.told, until);
        self.to_tell.push_back((state, from, until - from));
    }
}

impl Link for Radio {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        match input {
            LinkInput::Offered { packet, .. } => {
                self.tell(now, RadioState::LightSleep);
                self.on_air = Some((now + self.delay, packet));
            }
            LinkInput::Detach { port: Port(0) } | LinkInput::SwitchedOff { port: Port(0) } => {
                self.given_up = self.on_air.take().map(|(_, packet)| packet);
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        if let Some((state, from, duration)) = self.to_tell.pop_front() {
            return LinkOutput::RadioTime {
                port: Port(0),
                state,
                cause: RadioCause::Payload,
                from,
                duration,
            };
        }
        if let Some(packet) = self.given_up.take() {
            return LinkOutput::Drop {
                port: Port(0),
                packet,
                reason: DropReason::NotAttached,
            };
        }
        match self.on_air.take_if(|(at, _)| *at <= now) {
            Some((_, packet)) => {
                self.tell(now, RadioState::Transmit(DecibelMilliwatts::new(23.0)));
                LinkOutput::Deliver {
                    port: Port(1),
                    packet,
                }
            }
            None => LinkOutput::WaitUntil(self.on_air.as_ref().map(|(at, _)| *at)),
        }
    }

    fn tell_radio_time(&mut self, now: Instant) {
        self.tell(now, RadioState::LightSleep);
    }
}

/// Writes down what it sees.
#[derive(Default)]
pub(crate) struct Journal {
    pub(crate) horizon: Instant,
    pub(crate) sent: Vec<Instant>,
    pub(crate) arrived: Vec<Instant>,
    pub(crate) dropped: Vec<DropReason>,
    pub(crate) radio: Vec<Span>,
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

    fn duplicated(&mut self, _: Instant, _: u64, _: Direction, _: PathId, _: &Spans) {}

    fn host_event(&mut self, _: Instant, _: HostId, _: Direction, _: &HostEvent) {}

    fn radio_time(
        &mut self,
        _: LinkId,
        port: Port,
        state: RadioState,
        cause: RadioCause,
        from: Instant,
        duration: Duration,
    ) {
        assert_eq!((port, cause), (Port(0), RadioCause::Payload));
        self.radio.push((state, from, duration));
    }

    fn late(&mut self, _: Instant, by: Duration) {
        self.late.push(by);
    }

    fn horizon(&self) -> Instant {
        self.horizon
    }
}
