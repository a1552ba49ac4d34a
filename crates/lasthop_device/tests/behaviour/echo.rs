//! A host that delivers and answers what it gets, with something to say by itself.

use core::cell::{Cell, RefCell};
use core::net::Ipv4Addr;
use core::num::NonZeroU32;
use std::collections::VecDeque;
use std::rc::Rc;

use lasthop_contract::{
    Cause, FlowId, Host, HostEvent, HostInput, HostOutput, InterfaceId, Layer, MessageEvent,
    MessageId, Packet, Provenance,
};
use lasthop_device::{BusyHost, ServiceTime};
use lasthop_units::{DataSize, Duration, Instant};

thread_local! {
    static NUMBERS: Cell<NonZeroU32> = const { Cell::new(NonZeroU32::MIN) };
}

/// Delivers the message of each packet and answers; at each of its times a message is due, and sent.
#[derive(Default)]
pub(crate) struct Echo {
    outputs: VecDeque<HostOutput>,
    times: VecDeque<Instant>,
    crashes: Rc<RefCell<u32>>,
}

impl Echo {
    pub(crate) fn speaking_at(times: &[Duration]) -> Self {
        let times = times.iter().map(|at| Instant::ZERO + *at).collect();
        Self {
            times,
            ..Self::default()
        }
    }

    pub(crate) fn crashes(&self) -> Rc<RefCell<u32>> {
        Rc::clone(&self.crashes)
    }

    fn tell(&mut self, event: MessageEvent) {
        let event = HostEvent::Message(event);
        self.outputs.push_back(HostOutput::Event(event));
    }

    fn send(&mut self, packet: Packet) {
        let interface = InterfaceId(0);
        self.outputs
            .push_back(HostOutput::Transmit { interface, packet });
    }
}

impl Host for Echo {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match input {
            HostInput::Received { packet, .. } => {
                let id = packet.messages().next().unwrap();
                self.tell(MessageEvent::Delivered { id, receiver: 0 });
                let answer = Provenance::new(Layer::Application, Cause::Acknowledgement);
                self.send(Packet::of(packet.bytes(), answer));
            }
            HostInput::Timeout => {
                while self.times.front().is_some_and(|at| *at <= now) {
                    self.times.pop_front();
                    let packet = packet_to(1);
                    let id = packet.messages().next().unwrap();
                    let payload = DataSize::from_bytes(4);
                    self.tell(MessageEvent::Intended { id, payload });
                    self.tell(MessageEvent::Transmitted {
                        id,
                        attempt: 1,
                        last: true,
                        trigger: None,
                    });
                    self.send(packet);
                }
            }
            HostInput::Crash(_) => *self.crashes.borrow_mut() += 1,
            _ => {}
        }
    }

    fn poll(&mut self, _: Instant) -> HostOutput {
        let wait = || HostOutput::WaitUntil(self.times.front().copied());
        self.outputs.pop_front().unwrap_or_else(wait)
    }
}

/// A packet of 24 bytes to 192.0.2.`last`.
pub(crate) fn packet_to(last: u8) -> Packet {
    packet_of(last, 24)
}

/// A packet of so many bytes to 192.0.2.`last`, with a message that there was not before.
pub(crate) fn packet_of(last: u8, length: u8) -> Packet {
    let mut bytes = vec![0; usize::from(length)];
    bytes[0] = 0x45;
    bytes[3] = length;
    bytes[16..20].copy_from_slice(&Ipv4Addr::new(192, 0, 2, last).octets());
    let number = NUMBERS.with(|numbers| numbers.replace(numbers.get().saturating_add(1)));
    let flow = FlowId(last.into());
    Packet::of(
        &bytes,
        Provenance::of_message(Cause::Payload, MessageId { flow, number }),
    )
}

/// No time for anything, and one worker with a good deal of room.
pub(crate) fn no_time() -> ServiceTime {
    ServiceTime {
        workers: 1.try_into().unwrap(),
        room: DataSize::from_bytes(1 << 20),
        packet: Duration::ZERO,
        byte: Duration::ZERO,
        connection: Duration::ZERO,
        resumption: Duration::ZERO,
        message: Duration::ZERO,
    }
}

/// Packets come to a busy host at these times, in this order; what it does, and when, until nothing is left.
pub(crate) fn outputs_of(
    host: &mut BusyHost,
    mut arrivals: VecDeque<(Instant, Packet)>,
) -> Vec<(Instant, HostOutput)> {
    let mut outputs = Vec::new();
    let mut now = Instant::ZERO;
    host.handle(now, HostInput::Start);
    loop {
        let deadline = loop {
            match host.poll(now) {
                HostOutput::WaitUntil(deadline) => break deadline,
                output => outputs.push((now, output)),
            }
        };
        let arrival = arrivals.front().map(|(at, _)| *at);
        let Some(next) = [deadline, arrival].into_iter().flatten().min() else {
            return outputs;
        };
        assert!(next >= now, "it waits for the past");
        now = next;
        match arrivals.pop_front() {
            Some((at, packet)) if at == now => {
                let interface = InterfaceId(0);
                host.handle(now, HostInput::Received { interface, packet });
            }
            later => {
                if let Some(later) = later {
                    arrivals.push_front(later);
                }
                host.handle(now, HostInput::Timeout);
            }
        }
    }
}
