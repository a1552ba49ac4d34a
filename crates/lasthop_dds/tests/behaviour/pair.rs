use core::net::{IpAddr, SocketAddr};
use core::num::NonZeroU32;
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, DeviceId, DiscardReason, FlowId, InterfaceId,
    MessageEvent, MessageId, OutgoingMessage, Packet, RandomStream, Survives, Transport,
    TransportInput, TransportOutput,
};
use lasthop_dds::{
    Carrier, DdsClient, DdsClientConfig, DdsConfig, DdsServer, DdsServerConfig, PORT, RtpsTcp,
};
use lasthop_transport::Udp;
use lasthop_transport::tcp::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};

pub(crate) const DEVICE: DeviceId = DeviceId(7);

/// A host with its application.
pub(crate) struct Host {
    application: Box<dyn Application>,
    transport: Box<dyn Transport>,
    deadline: Option<Instant>,
    transport_deadline: Option<Instant>,
    /// The devices that it can reach.
    pub(crate) ready: Vec<DeviceId>,
    pub(crate) events: Vec<MessageEvent>,
    pub(crate) received: Vec<Vec<u8>>,
    pub(crate) discarded: Vec<DiscardReason>,
}

/// A device and a server, 10 ms apart unless it is said otherwise.
pub(crate) struct Pair {
    pub(crate) now: Instant,
    /// The device, and the server.
    pub(crate) hosts: [Host; 2],
    wire: BTreeMap<(Instant, u64), (usize, Packet)>,
    pub(crate) sent: u64,
    /// How long a packet takes.
    pub(crate) delay: Duration,
    /// What becomes of a packet on its way to a host.
    pub(crate) meddle: Box<dyn FnMut(usize, Packet) -> Option<Packet>>,
}

pub(crate) const fn message(number: u32) -> MessageId {
    MessageId {
        flow: FlowId(DEVICE.0),
        number: NonZeroU32::new(number).unwrap(),
    }
}

/// The transport of a host.
fn transport(carrier: Carrier, name: &str, address: IpAddr) -> Box<dyn Transport> {
    match carrier {
        Carrier::Udp => Box::new(Udp::new(address)),
        Carrier::Tcp => Box::new(over_tcp(name, address)),
    }
}

/// The connections of a participant over TCP.
pub(crate) fn over_tcp(name: &str, address: IpAddr) -> RtpsTcp<Tcp> {
    let profile = Arc::new(TcpProfile::linux());
    let tcp = Tcp::new(
        address,
        profile,
        RandomStream::named(1, format!("tcp/{name}")),
    );
    RtpsTcp::new(tcp, address)
}

impl Host {
    fn new(application: impl Application + 'static, transport: Box<dyn Transport>) -> Self {
        Self {
            application: Box::new(application),
            transport,
            deadline: None,
            transport_deadline: None,
            ready: Vec::new(),
            events: Vec::new(),
            received: Vec::new(),
            discarded: Vec::new(),
        }
    }

    pub(crate) fn tell(&mut self, now: Instant, input: ApplicationInput<'_>) {
        self.application.handle(now, input, &mut *self.transport);
    }

    pub(crate) fn crash(&mut self, now: Instant) {
        self.tell(now, ApplicationInput::Crash(Survives::default()));
        self.transport
            .handle(now, TransportInput::Crash(Survives::default()));
    }

    /// Says that it ends, and takes no new connections.
    pub(crate) fn stop(&mut self, now: Instant) {
        self.tell(now, ApplicationInput::Stop);
        self.transport.handle(now, TransportInput::Stop);
    }

    /// Has another address from now on, and not the one from before, as it is told.
    pub(crate) fn move_to(&mut self, now: Instant, address: &str) {
        let changed = TransportInput::AddressChanged {
            interface: InterfaceId(0),
            address: address.parse().unwrap(),
        };
        self.transport.handle(now, changed);
        self.transport.handle(now, TransportInput::AddressNoticed);
    }

    /// The same, and nobody tells it.
    pub(crate) fn move_unnoticed_to(&mut self, now: Instant, address: &str) {
        let changed = TransportInput::AddressChanged {
            interface: InterfaceId(0),
            address: address.parse().unwrap(),
        };
        self.transport.handle(now, changed);
    }

    pub(crate) fn send(&mut self, now: Instant, number: u32, payload: &[u8]) {
        let message = OutgoingMessage {
            id: message(number),
            payload,
            asks: false,
        };
        self.tell(now, ApplicationInput::Send(message));
    }

    /// Polls until it waits, and gives what it sends.
    fn drain(&mut self, now: Instant) -> Vec<Packet> {
        let mut packets = Vec::new();
        loop {
            match self.application.poll(now, &mut *self.transport) {
                ApplicationOutput::Ready(device, _) => self.ready.push(device),
                ApplicationOutput::Event(event) => self.events.push(event),
                ApplicationOutput::Received(it) => self.received.push(it.payload.to_vec()),
                ApplicationOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    match self.transport.poll(now) {
                        TransportOutput::Transmit(packet) => packets.push(packet),
                        TransportOutput::Event(connection, event) => {
                            self.tell(now, ApplicationInput::Transport(connection, event));
                        }
                        TransportOutput::Evicted => {}
                        TransportOutput::Discard(_, reason) => self.discarded.push(reason),
                        TransportOutput::WaitUntil(at) => {
                            self.transport_deadline = at;
                            return packets;
                        }
                    }
                }
            }
        }
    }
}

impl Pair {
    pub(crate) fn new(settings: DdsConfig) -> Self {
        let settings = Arc::new(settings);
        let [device, server] = ["10.0.0.1", "10.0.0.2"].map(|it| it.parse::<IpAddr>().unwrap());
        let client = DdsClientConfig {
            address: device,
            server: SocketAddr::new(server, PORT),
            device: DEVICE,
            speaks: true,
            hears: vec![DEVICE],
            settings: Arc::clone(&settings),
        };
        let service = DdsServerConfig {
            address: server,
            port: PORT,
            settings: Arc::clone(&settings),
        };
        let stream = |name| RandomStream::named(1, name);
        let carrier = settings.carrier;
        let over = |name, address| transport(carrier, name, address);
        let mut hosts = [
            Host::new(
                DdsClient::new(client, stream("device")),
                over("device", device),
            ),
            Host::new(
                DdsServer::new(service, stream("server")),
                over("server", server),
            ),
        ];
        for host in &mut hosts {
            host.tell(Instant::ZERO, ApplicationInput::Start);
        }
        Self {
            now: Instant::ZERO,
            hosts,
            wire: BTreeMap::new(),
            sent: 0,
            delay: Duration::from_millis(10),
            meddle: Box::new(|_, packet| Some(packet)),
        }
    }

    /// The time of a pair, to which both ends have come.
    pub(crate) fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            self.drain();
            let deadlines = self.hosts.iter();
            let deadlines = deadlines.flat_map(|host| [host.deadline, host.transport_deadline]);
            let deadlines = deadlines.flatten();
            let arrival = self.wire.keys().map(|(at, _)| *at).next();
            let next = deadlines.chain(arrival).min();
            let Some(next) = next.filter(|next| *next <= end) else {
                break;
            };
            self.now = next.max(self.now);
            while let Some(entry) = self.wire.first_entry()
                && entry.key().0 <= self.now
            {
                let (to, packet) = entry.remove();
                let now = self.now;
                self.hosts[to]
                    .transport
                    .handle(now, TransportInput::Packet(packet));
            }
            for host in &mut self.hosts {
                if host.deadline.is_some_and(|at| at <= self.now) {
                    host.tell(self.now, ApplicationInput::Timeout);
                }
                if host.transport_deadline.is_some_and(|at| at <= self.now) {
                    host.transport_deadline = None;
                    host.transport.handle(self.now, TransportInput::Timeout);
                }
            }
        }
        self.now = end;
    }

    /// Brings a packet to a host.
    pub(crate) fn deliver(&mut self, to: usize, packet: Packet) {
        self.sent += 1;
        self.wire.insert((self.now, self.sent), (to, packet));
    }

    fn drain(&mut self) {
        for from in 0..2 {
            for packet in self.hosts[from].drain(self.now) {
                self.sent += 1;
                let to = 1 - from;
                if let Some(packet) = (self.meddle)(to, packet) {
                    let at = self.now + self.delay;
                    self.wire.insert((at, self.sent), (to, packet));
                }
            }
        }
    }
}
