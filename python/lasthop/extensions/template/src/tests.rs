//! Both ends over a transport in memory, without packets: what is sent when, and what arrives.

use core::num::NonZeroU32;

use lasthop_contract::message_text::{ID_LENGTH, write_id};
use lasthop_contract::testing::WireEnd;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, FlowId, MessageEvent, MessageId,
    OutgoingMessage, Transport, TransportOutput,
};
use lasthop_units::{Duration, Instant};
use lasthop_world::Registry;

use super::protocol::{ENTRY, Repeater, Settings};

const FLOW: FlowId = FlowId(7);
const SETTINGS: Settings = Settings {
    copies: 3,
    apart: Duration::from_millis(500),
};

struct End {
    protocol: Repeater,
    transport: WireEnd,
    transmitted: Vec<u16>,
    received: Vec<Vec<u8>>,
    waits_until: Option<Instant>,
}

impl End {
    fn new(protocol: Repeater, transport: WireEnd) -> Self {
        let mut end = Self {
            protocol,
            transport,
            transmitted: Vec::new(),
            received: Vec::new(),
            waits_until: None,
        };
        end.handle(Instant::ZERO, ApplicationInput::Start);
        end
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>) {
        self.protocol.handle(now, input, &mut self.transport);
        loop {
            match self.protocol.poll(now, &mut self.transport) {
                ApplicationOutput::Event(MessageEvent::Transmitted { attempt, .. }) => {
                    self.transmitted.push(attempt);
                }
                ApplicationOutput::Received(message) => {
                    self.received.push(message.payload.to_vec());
                }
                ApplicationOutput::WaitUntil(deadline) => {
                    self.waits_until = deadline;
                    return;
                }
                _ => {}
            }
        }
    }

    /// Takes what has arrived.
    fn listen(&mut self, now: Instant) {
        while let TransportOutput::Event(connection, event) = self.transport.poll(now) {
            self.handle(now, ApplicationInput::Transport(connection, event));
        }
    }

    fn send(&mut self, now: Instant, number: u32, payload: &[u8]) {
        let number = NonZeroU32::new(number).expect("messages count from 1");
        let id = MessageId { flow: FLOW, number };
        self.handle(
            now,
            ApplicationInput::Send(OutgoingMessage {
                id,
                payload,
                asks: false,
            }),
        );
    }
}

fn both() -> (End, End) {
    let (up, down, _) = WireEnd::pair();
    let server = "192.0.2.1:40100".parse().expect("an address");
    let server_end = End::new(Repeater::server(SETTINGS, 40_100), down);
    (
        End::new(Repeater::client(SETTINGS, server, FLOW.device()), up),
        server_end,
    )
}

fn payload(number: u32) -> [u8; ID_LENGTH] {
    let mut text = [0; ID_LENGTH];
    write_id(FLOW, number, &mut text);
    text
}

#[test]
fn sends_each_message_as_often_as_told_and_as_far_apart() {
    let (mut client, _) = both();
    client.send(Instant::ZERO, 1, &payload(1));
    let mut instants = Vec::new();
    while let Some(at) = client.waits_until {
        instants.push(at);
        client.handle(at, ApplicationInput::Timeout);
    }
    assert_eq!(client.transmitted, [1, 2, 3]);
    let apart = [500, 1000].map(|at| Instant::ZERO + Duration::from_millis(at));
    assert_eq!(instants, apart);
}

#[test]
fn passes_on_the_first_copy_alone() {
    let (mut client, mut server) = both();
    client.send(Instant::ZERO, 1, &payload(1));
    client.send(Instant::ZERO, 2, &payload(2));
    while let Some(at) = client.waits_until {
        client.handle(at, ApplicationInput::Timeout);
    }
    server.listen(Instant::ZERO);
    assert_eq!(server.received, [payload(1), payload(2)]);
}

#[test]
fn answers_a_device_where_it_heard_from_it() {
    let (mut client, mut server) = both();
    server.send(Instant::ZERO, 1, &payload(1));
    assert!(server.transmitted.is_empty());
    client.send(Instant::ZERO, 1, &payload(1));
    server.listen(Instant::ZERO);
    server.send(Instant::ZERO, 1, &payload(1));
    client.listen(Instant::ZERO);
    assert_eq!(client.received, [payload(1)]);
}

#[test]
fn forgets_what_waits_when_its_host_goes_off() {
    let (mut client, _) = both();
    client.send(Instant::ZERO, 1, &payload(1));
    client.handle(Instant::ZERO, ApplicationInput::Stop);
    assert_eq!(client.waits_until, None);
}

#[test]
fn its_options_are_read_as_those_of_lasthop_are() {
    let registry = Registry::standard().with_application(ENTRY);
    let layers = format!("{}/udp", ENTRY.name);
    let stack = registry
        .stack(&layers, &[("copies", "2")])
        .expect("the options are right");
    assert_eq!(stack.application.options["copies"], 2);
    assert_eq!(stack.application.options["apart"], 500_000_000);
    assert!(registry.stack(&layers, &[("copies", "11")]).is_err());
}
