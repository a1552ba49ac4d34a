//! A meter that reports, who it reports to, and the radio between them.

use core::num::NonZeroU32;
use std::collections::VecDeque;

use lasthop_contract::{
    Cause, FlowId, Host, HostEvent, HostInput, HostOutput, InterfaceId, Link, LinkInput,
    LinkOutput, MessageEvent, MessageId, Packet, Port, Provenance, RadioCause, RadioState,
};
use lasthop_units::{DataSize, DecibelMilliwatts, Duration, Instant};

pub(crate) const PERIOD: Duration = Duration::from_secs(3_600);
pub(crate) const ON_AIR: Duration = Duration::from_secs(2);

/// Reports every hour, so many times.
pub(crate) struct Reporter {
    wanted: VecDeque<(Instant, HostOutput)>,
}

impl Reporter {
    pub(crate) fn new(reports: u32) -> Self {
        let flow = FlowId(0);
        let event = |event| HostOutput::Event(HostEvent::Message(event));
        let mut wanted = VecDeque::new();
        wanted.push_back((Instant::ZERO, event(MessageEvent::TrafficStarted { flow })));
        let mut due = Instant::ZERO;
        for number in 1..=reports {
            due = Instant::ZERO + PERIOD * u64::from(number - 1);
            let id = report(number);
            let payload = DataSize::from_bytes(5);
            wanted.push_back((due, event(MessageEvent::Intended { id, payload })));
            let packet = Packet::of(b"hello", Provenance::of_message(Cause::Payload, id));
            let interface = InterfaceId(0);
            wanted.push_back((due, HostOutput::Transmit { interface, packet }));
        }
        wanted.push_back((due, event(MessageEvent::TrafficEnded { flow })));
        Self { wanted }
    }
}

fn report(number: u32) -> MessageId {
    MessageId {
        flow: FlowId(0),
        number: NonZeroU32::new(number).expect("counted from 1"),
    }
}

impl Host for Reporter {
    fn handle(&mut self, _: Instant, _: HostInput) {}

    fn poll(&mut self, now: Instant) -> HostOutput {
        match self.wanted.front() {
            Some((at, _)) if *at > now => HostOutput::WaitUntil(Some(*at)),
            Some(_) => self.wanted.pop_front().expect("it is there").1,
            None => HostOutput::WaitUntil(None),
        }
    }
}

/// Takes the reports in the order in which they were sent.
#[derive(Default)]
pub(crate) struct Collector {
    delivered: u32,
    told: u32,
}

impl Host for Collector {
    fn handle(&mut self, _: Instant, input: HostInput) {
        self.delivered += u32::from(matches!(input, HostInput::Received { .. }));
    }

    fn poll(&mut self, _: Instant) -> HostOutput {
        if self.told == self.delivered {
            return HostOutput::WaitUntil(None);
        }
        self.told += 1;
        let id = report(self.told);
        HostOutput::Event(HostEvent::Message(MessageEvent::Delivered {
            id,
            receiver: 0,
        }))
    }
}

/// Sends for 2 s, listens for 2 s, and is in deep sleep otherwise.
pub(crate) struct Radio {
    told: Instant,
    to_tell: VecDeque<LinkOutput>,
    on_air: Option<(Instant, Packet)>,
    /// Whether it forgets what it has told already.
    forgetful: bool,
}

impl Radio {
    pub(crate) fn new() -> Self {
        Self {
            told: Instant::ZERO,
            to_tell: VecDeque::new(),
            on_air: None,
            forgetful: false,
        }
    }

    pub(crate) fn forgetful() -> Self {
        Self {
            forgetful: true,
            ..Self::new()
        }
    }

    fn tell(&mut self, state: RadioState, cause: RadioCause, until: Instant) {
        self.to_tell.push_back(LinkOutput::RadioTime {
            port: Port(0),
            state,
            cause,
            from: self.told,
            duration: until - self.told,
        });
        if !self.forgetful {
            self.told = until;
        }
    }
}

impl Link for Radio {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        if let LinkInput::Offered { packet, .. } = input {
            self.tell(RadioState::DeepSleep, RadioCause::Sleep, now);
            self.on_air = Some((now + ON_AIR + ON_AIR, packet));
        }
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        if let Some(told) = self.to_tell.pop_front() {
            return told;
        }
        let Some((at, packet)) = self.on_air.take_if(|(at, _)| *at <= now) else {
            return LinkOutput::WaitUntil(self.on_air.as_ref().map(|(at, _)| *at));
        };
        let sends = RadioState::Transmit(DecibelMilliwatts::new(23.0));
        self.tell(sends, RadioCause::Payload, self.told + ON_AIR);
        self.tell(RadioState::Receive, RadioCause::Acknowledgement, at);
        let port = Port(1);
        LinkOutput::Deliver { port, packet }
    }

    fn tell_radio_time(&mut self, now: Instant) {
        self.tell(RadioState::DeepSleep, RadioCause::Sleep, now);
    }
}
