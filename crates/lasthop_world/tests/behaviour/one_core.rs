//! MQTT over TCP, CoAP and JSON over UDP on one host, behind one core.

use core::net::{IpAddr, SocketAddr};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_broker::{BrokerCore, BrokerLimits, Everybody};
use lasthop_coap::{
    Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapRequest, CoapServer,
    CoapServerConfig, Code, MessageType, Push, RequestEvent,
};
use lasthop_contract::message_text::{ID_LENGTH, write_id};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, FlowId, Host, HostInput,
    HostOutput, InterfaceId, MessageId, OutgoingMessage, Packet, RandomStream, Transport, WakeFlag,
};
use lasthop_mqtt::{MqttBroker, MqttBrokerConfig, MqttClient, MqttClientConfig, Qos};
use lasthop_traffic::json_udp::{self, JsonUdpBroker, JsonUdpClient, JsonUdpClientConfig};
use lasthop_transport::{
    Column, HostNetwork, Local, Routes, Service, StackHost, Tcp, TcpProfile, Udp,
};
use lasthop_units::{Duration, Instant};

const FLOW: FlowId = FlowId(7);
const TOPIC: &str = "device/7";
const SERVER: IpAddr = IpAddr::V4(core::net::Ipv4Addr::new(192, 0, 2, 1));
const DELAY: Duration = Duration::from_millis(10);

type Heard = Rc<RefCell<Vec<Vec<u8>>>>;

/// A client that says something at an instant, and keeps what it hears.
struct Device<A> {
    client: A,
    says_at: Instant,
    has_said: bool,
    heard: Heard,
}

/// What a client does beside being an application.
trait Speaks: Application {
    fn begin(&mut self, _now: Instant, _transport: &mut dyn Transport) {}

    fn say(&mut self, now: Instant, number: u32, transport: &mut dyn Transport) {
        let id = MessageId {
            flow: FLOW,
            number: number.try_into().unwrap(),
        };
        let payload = payload(number);
        let message = OutgoingMessage {
            id,
            payload: &payload,
            asks: false,
        };
        self.handle(now, ApplicationInput::Send(message), transport);
    }

    fn hear(&mut self, _heard: &Heard) {}
}

impl Speaks for MqttClient {}

impl Speaks for JsonUdpClient {}

impl Speaks for CoapClient {
    fn begin(&mut self, now: Instant, transport: &mut dyn Transport) {
        let observe = CoapRequest {
            observe: true,
            ..CoapRequest::new(MessageType::Confirmable, Code::GET, &format!("ps/{TOPIC}"))
        };
        self.request(now, observe, transport).unwrap();
    }

    fn say(&mut self, now: Instant, number: u32, transport: &mut dyn Transport) {
        let put = CoapRequest {
            payload: payload(number),
            ..CoapRequest::new(MessageType::Confirmable, Code::PUT, &format!("ps/{TOPIC}"))
        };
        self.request(now, put, transport).unwrap();
    }

    fn hear(&mut self, heard: &Heard) {
        while let Some(event) = self.next_event() {
            if let RequestEvent::Response(response) = event
                && response.code == Code::CONTENT
            {
                heard.borrow_mut().push(response.payload.to_vec());
            }
        }
    }
}

/// A payload that names its message, as those of runs do.
fn payload(number: u32) -> Vec<u8> {
    let mut id = [0; ID_LENGTH];
    write_id(FLOW, number, &mut id);
    [b"{\"id\":\"", &id[..], b"\",\"celsius\":21.5}"].concat()
}

impl<A: Speaks> Application for Device<A> {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        let is_start = matches!(input, ApplicationInput::Start);
        self.client.handle(now, input, transport);
        if is_start {
            self.client.begin(now, transport);
        }
        if !self.has_said && self.says_at <= now {
            self.has_said = true;
            let second = now.as_nanos() / 1_000_000_000;
            self.client.say(now, second as u32, transport);
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        let output = self.client.poll(now, transport);
        self.client.hear(&self.heard);
        if let ApplicationOutput::Received(received) = &output {
            self.heard.borrow_mut().push(received.payload.to_vec());
        }
        match output {
            ApplicationOutput::WaitUntil(deadline) if !self.has_said => {
                let says_at = self.says_at;
                ApplicationOutput::WaitUntil(Some(deadline.map_or(says_at, |at| at.min(says_at))))
            }
            output => output,
        }
    }
}

/// Hosts at an address each, [`DELAY`] apart.
struct World {
    hosts: Vec<(IpAddr, Box<dyn Host>, Option<Instant>)>,
    wire: Vec<(Instant, IpAddr, Packet)>,
    now: Instant,
}

impl World {
    fn tell(&mut self, host: usize, input: HostInput) {
        let (_, machine, deadline) = &mut self.hosts[host];
        machine.handle(self.now, input);
        loop {
            match machine.poll(self.now) {
                HostOutput::Transmit { packet, .. } => {
                    let ip = lasthop_transport::IpPacket::parse(packet.bytes()).unwrap();
                    self.wire.push((self.now + DELAY, ip.destination, packet));
                }
                HostOutput::Event(_) | HostOutput::Discard { .. } => {}
                HostOutput::WaitUntil(at) => {
                    *deadline = at;
                    return;
                }
            }
        }
    }

    fn run_until(&mut self, end: Instant) {
        loop {
            let arrival = self.wire.first().map(|(at, ..)| *at);
            let deadlines = self.hosts.iter().map(|(.., deadline)| *deadline);
            let next = deadlines.chain([arrival]).flatten().min();
            let Some(next) = next.filter(|at| *at <= end) else {
                break;
            };
            self.now = next.max(self.now);
            if arrival == Some(next) {
                let (_, to, packet) = self.wire.remove(0);
                let host = self.hosts.iter().position(|(address, ..)| *address == to);
                let interface = InterfaceId(0);
                self.tell(host.unwrap(), HostInput::Received { interface, packet });
                continue;
            }
            for host in 0..self.hosts.len() {
                if self.hosts[host].2.is_some_and(|at| at <= self.now) {
                    self.tell(host, HostInput::Timeout);
                }
            }
        }
        self.now = end;
    }
}

fn tcp(local: impl Into<Local>, name: &str) -> Tcp {
    let stream = RandomStream::named(1, name);
    Tcp::at(local.into(), Arc::new(TcpProfile::linux()), stream)
}

fn coap() -> (Carrier, Arc<CoapParameters>) {
    (Carrier::Datagrams, Arc::default())
}

/// Three services, each with a transport of its own, and one core.
fn server() -> StackHost {
    let wake = WakeFlag::new();
    let core = BrokerCore::new(BrokerLimits::default(), Box::new(Everybody), wake.clone());
    let stream = |name| RandomStream::named(1, name);
    let mqtt = MqttBroker::at(core.service(), MqttBrokerConfig::default(), stream("mqtt"));
    let (carrier, parameters) = coap();
    let config = CoapServerConfig {
        answers: false,
        kind: MessageType::Confirmable,
        push: Push::Observe,
        carrier,
        parameters,
    };
    let resources = CoapServer::new(config, stream("coap")).at(core.service());
    let json = JsonUdpBroker::new(false).at(core.service());
    let mut network = HostNetwork::new(SERVER);
    let [(a, at_a), (b, at_b), (c, at_c)] = [(); 3].map(|()| network.place());
    let services = vec![
        Service::new(
            Box::new(mqtt),
            vec![Column::new(a, Box::new(tcp(at_a, "tcp")))],
        ),
        Service::new(
            Box::new(resources),
            vec![Column::new(b, Box::new(Udp::at(at_b)))],
        ),
        Service::new(
            Box::new(json),
            vec![Column::new(c, Box::new(Udp::at(at_c)))],
        ),
    ];
    StackHost::with_services(&network, services, Routes::OneInterface, wake)
}

fn device<A: Speaks + 'static>(
    client: A,
    transport: Box<dyn Transport>,
    second: u64,
) -> (Box<dyn Host>, Heard) {
    let heard = Heard::default();
    let device = Device {
        client,
        says_at: Instant::from_nanos(second * 1_000_000_000),
        has_said: false,
        heard: Rc::clone(&heard),
    };
    let host = StackHost::new(transport, device, Routes::OneInterface);
    (Box::new(host), heard)
}

/// A device of each protocol, of which each speaks once, one after the other, from this second on.
fn devices(from: u64) -> Vec<(IpAddr, Box<dyn Host>, Heard)> {
    let address = |last| IpAddr::from([10, 0, 0, last]);
    let mqtt = MqttClientConfig {
        subscribes: ChannelSet::of(0),
        qos: Qos::AtLeastOnce,
        ..MqttClientConfig::new(SocketAddr::new(SERVER, lasthop_mqtt::PORT))
    };
    let mqtt = MqttClient::new(Arc::new(mqtt), FLOW, RandomStream::named(1, "client"));
    let json = JsonUdpClientConfig {
        hears: Box::default(),
        broker: SocketAddr::new(SERVER, json_udp::PORT),
        subscribes: ChannelSet::of(0),
        asks: ChannelSet::NONE,
        subscribe_timeout: Duration::from_secs(1),
    };
    let json = JsonUdpClient::new(Arc::new(json), FLOW);
    let (carrier, parameters) = coap();
    let coap = CoapClientConfig {
        answers: false,
        server: SocketAddr::new(SERVER, lasthop_coap::PORT),
        device: FLOW.device(),
        kind: MessageType::Confirmable,
        push: Push::Post,
        receives: false,
        carrier,
        parameters,
    };
    let coap = CoapClient::new(coap, RandomStream::named(1, "client"));
    let udp = |last| Box::new(Udp::new(address(last)));
    let made = [
        device(mqtt, Box::new(tcp(address(1), "client tcp")), from),
        device(json, udp(2), from + 1),
        device(coap, udp(3), from + 2),
    ];
    let numbered = (1..).zip(made);
    numbered
        .map(|(last, (host, heard))| (address(last), host, heard))
        .collect()
}

#[test]
fn what_any_device_says_reaches_those_of_every_protocol() {
    let devices = devices(1);
    let heard: Vec<Heard> = devices.iter().map(|(.., heard)| Rc::clone(heard)).collect();
    let mut hosts: Vec<(IpAddr, Box<dyn Host>, Option<Instant>)> =
        vec![(SERVER, Box::new(server()), None)];
    hosts.extend(devices.into_iter().map(|(at, host, _)| (at, host, None)));
    let mut world = World {
        hosts,
        wire: Vec::new(),
        now: Instant::ZERO,
    };
    for host in 0..4 {
        world.tell(host, HostInput::Start);
    }
    world.run_until(Instant::from_nanos(5_000_000_000));
    let all: Vec<Vec<u8>> = (1..=3).map(payload).collect();
    for (name, heard) in ["mqtt", "json_udp", "coap"].into_iter().zip(&heard) {
        let heard = heard.borrow();
        // What an observer hears first is that there is nothing yet.
        let messages: Vec<_> = heard.iter().filter(|text| !text.is_empty()).collect();
        assert_eq!(messages, all.iter().collect::<Vec<_>>(), "{name}");
    }
}
