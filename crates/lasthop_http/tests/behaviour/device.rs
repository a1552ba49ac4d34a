//! A device and the server of a study, in both versions: what either says reaches the other.

use core::num::NonZeroU32;
use std::sync::Arc;

use lasthop_contract::message_text::{ID_LENGTH, write_id};
use lasthop_contract::testing::WireEnd;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, DeviceId, FlowId, MessageEvent,
    MessageId, OutgoingMessage, Transport, TransportOutput,
};
use lasthop_http::{
    ConnectionPolicy, HttpClient, HttpClientConfig, HttpServer, HttpServerConfig, HttpVersion,
    ServerLimits,
};
use lasthop_units::{Duration, Instant};

const DEVICE: DeviceId = DeviceId(3);

struct Study {
    now: Instant,
    client: (HttpClient, WireEnd),
    server: (HttpServer, WireEnd),
    /// What each end was told (server last).
    told: [Vec<String>; 2],
}

fn id(number: u32) -> MessageId {
    MessageId {
        flow: FlowId::of(DEVICE, 0),
        number: number.try_into().unwrap(),
    }
}

fn payload(number: u32, length: usize) -> Vec<u8> {
    let mut payload = vec![b'x'; length];
    write_id(
        id(number).flow,
        number,
        payload.first_chunk_mut::<ID_LENGTH>().unwrap(),
    );
    payload
}

impl Study {
    fn new(version: HttpVersion, policy: ConnectionPolicy, echoes: bool) -> Self {
        Self::wrapping(version, policy, echoes, false)
    }

    fn wrapping(version: HttpVersion, policy: ConnectionPolicy, echoes: bool, wraps: bool) -> Self {
        let (client, server, _) = WireEnd::pair();
        let config = HttpClientConfig {
            server: "192.0.2.1:80".parse().unwrap(),
            authority: "192.0.2.1".into(),
            version,
            is_secured: false,
            window: 65_535,
            qpack_table: 4096,
            remembers_tokens: true,
            policy,
            connections: 2,
            is_chunked: false,
            timeout: Duration::from_secs(30),
            hold: Duration::from_secs(30),
            sends: true,
            receives: true,
            wraps_in_json: wraps,
            echoed: if echoes {
                ChannelSet::ALL
            } else {
                ChannelSet::NONE
            },
        };
        let serving = HttpServerConfig {
            port: 80,
            limits: ServerLimits {
                largest_body: 1 << 20,
                ..ServerLimits::default()
            },
            hold: Duration::from_secs(30),
            asks_tokens: false,
            unwraps_json: wraps,
        };
        let mut study = Self {
            now: Instant::ZERO,
            client: (HttpClient::new(Arc::new(config), DEVICE), client),
            server: (HttpServer::new(serving), server),
            told: [Vec::new(), Vec::new()],
        };
        let now = study.now;
        study
            .server
            .0
            .handle(now, ApplicationInput::Start, &mut study.server.1);
        study
            .client
            .0
            .handle(now, ApplicationInput::Start, &mut study.client.1);
        study.settle();
        study
    }

    fn settle(&mut self) {
        loop {
            let (mut client, mut server) = (Vec::new(), Vec::new());
            let client_moved = drain(
                self.now,
                &mut self.client.0,
                &mut self.client.1,
                &mut client,
            );
            let server_moved = drain(
                self.now,
                &mut self.server.0,
                &mut self.server.1,
                &mut server,
            );
            self.told[0].extend(client);
            self.told[1].extend(server);
            if !client_moved && !server_moved {
                return;
            }
        }
    }

    fn wait(&mut self, seconds: u64) {
        for _ in 0..seconds {
            self.now += Duration::from_secs(1);
            let now = self.now;
            self.client
                .0
                .handle(now, ApplicationInput::Timeout, &mut self.client.1);
            self.server
                .0
                .handle(now, ApplicationInput::Timeout, &mut self.server.1);
            self.settle();
        }
    }

    fn say(&mut self, by_server: bool, number: u32, length: usize, asks: bool) {
        let payload = payload(number, length);
        let message = OutgoingMessage {
            id: id(number),
            payload: &payload,
            asks,
        };
        let input = ApplicationInput::Send(message);
        if by_server {
            self.server.0.handle(self.now, input, &mut self.server.1);
        } else {
            self.client.0.handle(self.now, input, &mut self.client.1);
        }
        self.settle();
    }

    /// Takes what an end was told.
    fn take(&mut self, server: usize) -> Vec<String> {
        core::mem::take(&mut self.told[server])
    }
}

fn drain(
    now: Instant,
    application: &mut dyn Application,
    transport: &mut WireEnd,
    told: &mut Vec<String>,
) -> bool {
    let mut moved = false;
    while let TransportOutput::Event(of, event) = transport.poll(now) {
        application.handle(now, ApplicationInput::Transport(of, event), transport);
        moved = true;
    }
    loop {
        told.push(match application.poll(now, transport) {
            ApplicationOutput::WaitUntil(_) => return moved,
            ApplicationOutput::Ready(..) => "ready".into(),
            ApplicationOutput::Received(it) => format!("received {}", it.payload.len()),
            ApplicationOutput::Event(MessageEvent::Acknowledged { id }) => {
                format!("acknowledged {}", id.number)
            }
            ApplicationOutput::Event(MessageEvent::Failed { id, reason }) => {
                format!("failed {} {}", id.number, reason.name())
            }
            ApplicationOutput::Event(_) => continue,
        });
        moved = true;
    }
}

fn each(echoes: bool, then: impl Fn(Study)) {
    for version in [HttpVersion::One, HttpVersion::Two] {
        for policy in [
            ConnectionPolicy::Keep,
            ConnectionPolicy::PerMessage,
            ConnectionPolicy::Messages(NonZeroU32::MIN),
            ConnectionPolicy::Messages(NonZeroU32::new(2).unwrap()),
        ] {
            for wraps in [false, true] {
                let mut study = Study::wrapping(version, policy, echoes, wraps);
                assert_eq!(study.take(0), ["ready"], "{version:?} {policy:?}");
                assert_eq!(study.take(1), ["ready"], "{version:?} {policy:?}");
                then(study);
            }
        }
    }
}

#[test]
fn a_report_is_received_and_acknowledged() {
    each(false, |mut study| {
        for length in [8, 1000, 300_000] {
            study.say(false, 1, length, false);
            assert_eq!(study.take(1), [format!("received {length}")]);
            assert_eq!(study.take(0), ["acknowledged 1"]);
        }
    });
}

#[test]
fn a_round_trip_comes_back_as_the_answer() {
    each(true, |mut study| {
        for length in [8, 300_000] {
            study.say(false, 1, length, false);
            assert_eq!(study.take(1), [format!("received {length}")]);
            study.say(true, 1, length, false);
            assert_eq!(
                study.take(0),
                [format!("received {length}"), "acknowledged 1".into()]
            );
        }
    });
}

#[test]
fn a_file_comes_as_the_answer_to_its_question() {
    each(false, |mut study| {
        study.say(false, 1, 8, true);
        assert_eq!(study.take(1), ["received 8"]);
        study.say(true, 1, 1_000_000, false);
        assert_eq!(study.take(0), ["received 1000000", "acknowledged 1"]);
    });
}

#[test]
fn what_the_server_says_first_comes_to_who_asks_and_is_acknowledged_by_the_next_question() {
    each(false, |mut study| {
        for number in 1..4 {
            study.say(true, number, 100, false);
            assert_eq!(study.take(0), ["received 100"]);
            assert_eq!(study.take(1), [format!("acknowledged {number}")]);
        }
        // Longer than a question is held.
        study.wait(100);
        study.say(true, 4, 100, false);
        assert_eq!(study.take(0), ["received 100"]);
    });
}

#[test]
fn nothing_is_said_to_a_device_that_never_came() {
    let mut study = Study::new(HttpVersion::One, ConnectionPolicy::Keep, false);
    study.take(1);
    let stranger = OutgoingMessage {
        id: MessageId {
            flow: FlowId(9),
            number: 1.try_into().unwrap(),
        },
        payload: b"AAAAJAAB",
        asks: false,
    };
    let now = study.now;
    let (server, transport) = &mut study.server;
    server.handle(now, ApplicationInput::Send(stranger), transport);
    study.settle();
    assert_eq!(study.take(1), ["failed 1 not_connected"]);
}

/// A server closes a connection without a request after a while; a device that slept hears of it when it asks.
#[test]
fn the_first_request_on_a_connection_that_was_idle_is_made_again_where_that_is_gone() {
    for (version, idle, told) in [
        (HttpVersion::One, 60, "acknowledged 1"),
        (HttpVersion::Two, 60, "acknowledged 1"),
        (HttpVersion::One, 0, "failed 1 connection_lost"),
    ] {
        let mut study = Study::new(version, ConnectionPolicy::Keep, false);
        study.take(0);
        study.now += Duration::from_secs(idle);
        let payload = payload(1, 100);
        let message = OutgoingMessage {
            id: id(1),
            payload: &payload,
            asks: false,
        };
        let (client, end) = &mut study.client;
        client.handle(study.now, ApplicationInput::Send(message), end);
        end.wire().borrow_mut().cut();
        study.settle();
        study.wait(5);
        let heard = study.take(0);
        assert!(
            heard.iter().any(|it| it == told),
            "{version:?} {idle} s: {heard:?}"
        );
    }
}
