//! Hosts with several services, several interfaces and a life of their own.

use core::cell::RefCell;
use core::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, CloseReason, ConnectionId,
    DiscardReason, Host, HostEvent, HostInput, HostOutput, InterfaceId, Layer, LookupMap,
    OpenError, OpenOptions, Packet, Provenance, RandomStream, ReadOutcome, Survives, Transport,
    TransportEvent, WakeFlag,
};
use lasthop_transport::{
    Column, HostNetwork, Routes, Service, StackHost, Tcp, TcpProfile, TransportSet, Udp,
};
use lasthop_units::{Duration, Instant};

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);
const DELAY: Duration = Duration::from_millis(10);

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn socket(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

fn tcp(local: impl Into<lasthop_transport::Local>, seed: u64) -> Tcp {
    let stream = RandomStream::named(seed, "tcp");
    Tcp::at(local.into(), Arc::new(TcpProfile::linux()), stream)
}

/// Who heard what, by which connection.
type Heard = (&'static str, ConnectionId, String);

/// What the services of a host have in common: what they heard, and what is to be said by each.
#[derive(Clone, Default)]
struct Core {
    heard: Rc<RefCell<Vec<Heard>>>,
    to_say: Rc<RefCell<Vec<(&'static str, String)>>>,
    events: Rc<RefCell<Vec<(&'static str, TransportEvent)>>>,
    polls: Rc<RefCell<u32>>,
    wake: WakeFlag,
}

impl Core {
    fn heard(&self) -> Vec<(&'static str, String)> {
        let all = self.heard.borrow_mut().drain(..).collect::<Vec<_>>();
        all.into_iter().map(|(by, _, text)| (by, text)).collect()
    }
}

/// A service or client that speaks over whatever it is given: what it hears goes to the core, and what others have for it
/// goes to the last peer.
struct Speaker {
    name: &'static str,
    core: Core,
    listens: Option<u16>,
    opens: Vec<(SocketAddr, OpenOptions)>,
    last: Option<ConnectionId>,
    echoes: bool,
}

impl Speaker {
    fn new(name: &'static str, core: &Core) -> Self {
        Self {
            name,
            core: core.clone(),
            listens: None,
            opens: Vec::new(),
            last: None,
            echoes: false,
        }
    }

    fn listening(self, port: u16) -> Self {
        Self {
            listens: Some(port),
            ..self
        }
    }

    fn echoing(self) -> Self {
        Self {
            echoes: true,
            ..self
        }
    }

    fn opening(mut self, peer: &str, options: OpenOptions) -> Self {
        self.opens.push((socket(peer), options));
        self
    }

    fn say(now: Instant, to: ConnectionId, text: &str, transport: &mut dyn Transport) {
        let chunks = [chunk(text.as_bytes())];
        match transport.initial_stream(to) {
            Some(stream) => drop(transport.write(now, to, stream, &chunks)),
            None => drop(transport.send_datagram(now, to, &chunks)),
        }
    }

    fn hear(&self, by: ConnectionId, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.core.heard.borrow_mut().push((self.name, by, text));
    }
}

impl Application for Speaker {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => {
                if let Some(port) = self.listens {
                    transport.listen(port).unwrap();
                }
                for (peer, options) in &self.opens {
                    let id = transport.open_with(now, *peer, *options, &[]).unwrap();
                    self.last = Some(id);
                    Self::say(now, id, self.name, transport);
                }
            }
            ApplicationInput::Transport(id, event) => {
                self.core.events.borrow_mut().push((self.name, event));
                match event {
                    TransportEvent::DatagramReadable => {
                        self.last = Some(id);
                        while let Some(datagram) = transport.receive_datagram(id) {
                            self.hear(id, &datagram);
                            if self.echoes {
                                Self::say(now, id, "echo", transport);
                            }
                        }
                    }
                    TransportEvent::Readable(stream) => {
                        self.last = Some(id);
                        let mut room = [0; 100];
                        while let Ok(ReadOutcome::Read(count)) =
                            transport.read(now, id, stream, &mut room)
                        {
                            self.hear(id, &room[..count]);
                        }
                    }
                    _ => {}
                }
                // Whatever one hears, the others are to repeat.
                self.core.wake.raise();
            }
            ApplicationInput::Crash(_) => self.last = None,
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        *self.core.polls.borrow_mut() += 1;
        let mut to_say = self.core.to_say.borrow_mut();
        let mut kept = Vec::new();
        for (by, text) in to_say.drain(..) {
            match self.last.filter(|_| by == self.name) {
                Some(id) => Self::say(now, id, &text, transport),
                None => kept.push((by, text)),
            }
        }
        *to_say = kept;
        ApplicationOutput::WaitUntil(None)
    }
}

/// Hosts on one medium: a packet goes to whoever is told to have its destination, and takes [`DELAY`].
struct World {
    hosts: Vec<StackHost>,
    /// Which host and interface has an address.
    places: LookupMap<IpAddr, (usize, InterfaceId)>,
    deadlines: Vec<Option<Instant>>,
    wire: Vec<(Instant, IpAddr, Packet)>,
    /// Which host sent packets, by which interface and from which address.
    sent: Vec<(usize, InterfaceId, IpAddr)>,
    discarded: Vec<(usize, DiscardReason)>,
    now: Instant,
}

impl World {
    fn new(hosts: Vec<(StackHost, &[(&str, u32)])>) -> Self {
        let mut world = Self {
            deadlines: vec![None; hosts.len()],
            hosts: Vec::new(),
            places: LookupMap::new(),
            wire: Vec::new(),
            sent: Vec::new(),
            discarded: Vec::new(),
            now: Instant::ZERO,
        };
        for (number, (host, addresses)) in hosts.into_iter().enumerate() {
            world.hosts.push(host);
            for (text, interface) in addresses {
                let place = (number, InterfaceId(*interface));
                world.places.insert(address(text), place);
            }
        }
        world
    }

    fn start(hosts: Vec<(StackHost, &[(&str, u32)])>) -> Self {
        let mut world = Self::new(hosts);
        for host in (0..world.hosts.len()).rev() {
            world.tell(host, HostInput::Start);
        }
        world
    }

    fn tell(&mut self, host: usize, input: HostInput) {
        self.hosts[host].handle(self.now, input);
        self.drain(host);
    }

    fn drain(&mut self, host: usize) {
        loop {
            match self.hosts[host].poll(self.now) {
                HostOutput::Transmit { interface, packet } => {
                    let ip = lasthop_transport::IpPacket::parse(packet.bytes()).unwrap();
                    self.sent.push((host, interface, ip.source));
                    self.wire.push((self.now + DELAY, ip.destination, packet));
                }
                HostOutput::Event(HostEvent::Discarded { reason, .. }) => {
                    self.discarded.push((host, reason));
                }
                HostOutput::Event(_) | HostOutput::Discard { .. } => {}
                HostOutput::WaitUntil(deadline) => {
                    self.deadlines[host] = deadline;
                    return;
                }
            }
        }
    }

    fn run(&mut self, span: Duration) {
        let end = self.now + span;
        loop {
            let arrival = self.wire.first().map(|(at, ..)| *at);
            let deadlines = self.deadlines.iter().copied().chain([arrival]);
            let Some(next) = deadlines.flatten().min().filter(|at| *at <= end) else {
                break;
            };
            self.now = next.max(self.now);
            if arrival == Some(next) {
                let (_, destination, packet) = self.wire.remove(0);
                if let Some((host, interface)) = self.places.get(&destination).copied() {
                    self.tell(host, HostInput::Received { interface, packet });
                }
            } else {
                for host in 0..self.hosts.len() {
                    if self.deadlines[host].is_some_and(|at| at <= self.now) {
                        self.tell(host, HostInput::Timeout);
                    }
                }
            }
        }
        self.now = end;
    }
}

/// A server with TCP at 1883, UDP at 5683, and a service at TCP 8883 and UDP 5684 at once.
fn server(core: &Core) -> StackHost {
    let mut network = HostNetwork::new(address("192.0.2.1"));
    let (a, at_a) = network.place();
    let (b, at_b) = network.place();
    let (c, at_c) = network.place();
    let (d, at_d) = network.place();
    let services = vec![
        Service::new(
            Box::new(Speaker::new("broker", core).listening(1883)),
            vec![Column::new(a, Box::new(tcp(at_a, 11)))],
        ),
        Service::new(
            Box::new(Speaker::new("resources", core).listening(5683)),
            vec![Column::new(b, Box::new(Udp::at(at_b)))],
        ),
        Service::new(
            Box::new(Speaker::new("gateway", core).listening(0)),
            vec![
                Column::new(c, Box::new(tcp(at_c, 12))).listening_at(8883),
                Column::new(d, Box::new(Udp::at(at_d))).listening_at(5684),
            ],
        ),
    ];
    StackHost::with_services(&network, services, Routes::OneInterface, core.wake.clone())
}

/// A client of all of them, by TCP and UDP, and one more that has UDP for itself.
fn device(core: &Core) -> StackHost {
    let mut network = HostNetwork::new(address("10.0.0.1"));
    let (a, at_a) = network.place();
    let (b, at_b) = network.place();
    let (c, at_c) = network.place();
    let by_udp = OpenOptions {
        column: 1,
        ..OpenOptions::default()
    };
    let all = Speaker::new("client", core)
        .opening("192.0.2.1:5684", by_udp)
        .opening("192.0.2.1:5683", by_udp)
        .opening("192.0.2.1:8883", OpenOptions::default())
        .opening("192.0.2.1:1883", OpenOptions::default());
    let fixed = OpenOptions {
        local_port: Some(7410),
        ..OpenOptions::default()
    };
    let other = Speaker::new("other", core).opening("192.0.2.1:5683", fixed);
    let services = vec![
        Service::new(
            Box::new(all),
            vec![
                Column::new(a, Box::new(tcp(at_a, 1))),
                Column::new(b, Box::new(Udp::at(at_b))),
            ],
        ),
        Service::new(
            Box::new(other),
            vec![Column::new(c, Box::new(Udp::at(at_c)))],
        ),
    ];
    StackHost::with_services(&network, services, Routes::OneInterface, core.wake.clone())
}

fn both() -> (World, Core, Core) {
    let (here, there) = (Core::default(), Core::default());
    let world = World::start(vec![
        (device(&here), &[("10.0.0.1", 0)]),
        (server(&there), &[("192.0.2.1", 0)]),
    ]);
    (world, here, there)
}

#[test]
fn three_services_of_one_host_hear_what_is_for_them() {
    let (mut world, _, there) = both();
    world.run(Duration::from_secs(1));
    let mut heard = there.heard();
    heard.sort();
    let expected = [
        ("broker", "client"),
        ("gateway", "client"),
        ("gateway", "client"),
        ("resources", "client"),
        ("resources", "other"),
    ];
    let heard: Vec<_> = heard
        .iter()
        .map(|(by, text)| (*by, text.as_str()))
        .collect();
    assert_eq!(heard, expected);
    assert!(world.discarded.is_empty(), "{:?}", world.discarded);
}

#[test]
fn what_one_service_hears_another_says_at_once() {
    let (mut world, here, there) = both();
    world.run(Duration::from_secs(1));
    there.heard();
    // The resource store has something for the broker, when it hears next.
    there
        .to_say
        .borrow_mut()
        .push(("broker", "news".to_owned()));
    here.to_say.borrow_mut().push(("other", "ping".to_owned()));
    here.wake.raise();
    world.tell(0, HostInput::Timeout);
    world.run(DELAY);
    assert_eq!(there.heard(), [("resources", "ping".to_owned())]);
    world.run(DELAY);
    assert_eq!(here.heard(), [("client", "news".to_owned())]);
}

#[test]
fn an_event_costs_few_polls_and_an_idle_service_none() {
    let (mut world, here, there) = both();
    world.run(Duration::from_secs(1));
    *there.polls.borrow_mut() = 0;
    here.to_say.borrow_mut().push(("other", "ping".to_owned()));
    here.wake.raise();
    world.tell(0, HostInput::Timeout);
    world.run(Duration::from_secs(1));
    // The service that heard it, twice, and each of the three for the flag that it raised.
    assert!(*there.polls.borrow() <= 5, "{}", there.polls.borrow());
    *there.polls.borrow_mut() = 0;
    world.run(Duration::from_secs(1000));
    assert_eq!(*there.polls.borrow(), 0);
}

#[test]
fn a_port_that_another_service_has_is_an_error_value() {
    let mut network = HostNetwork::new(address("192.0.2.1"));
    let (_, first) = network.place();
    let (_, second) = network.place();
    let (_, third) = network.place();
    let (mut first, mut second) = (Udp::at(first), Udp::at(second));
    let mut third = tcp(third, 1);
    first.listen(5683).unwrap();
    assert_eq!(second.listen(5683).unwrap_err().0, 5683);
    third.listen(5683).unwrap();
    let from = |port| OpenOptions {
        local_port: Some(port),
        ..OpenOptions::default()
    };
    let peer = socket("10.0.0.1:7000");
    let taken = second.open_with(Instant::ZERO, peer, from(5683), &[]);
    assert_eq!(taken, Err(OpenError::PortTaken(5683)));
    let mine = first.open_with(Instant::ZERO, peer, from(5683), &[]);
    assert!(mine.is_ok(), "a service may speak from its own port");
    let again = first.open_with(Instant::ZERO, peer, from(5683), &[]);
    assert_eq!(again, Err(OpenError::PortTaken(5683)), "it leads there");
}

#[test]
fn no_two_transports_of_a_host_give_clients_the_same_port() {
    let mut network = HostNetwork::new(address("10.0.0.1"));
    let mut transports: Vec<Udp> = (0..3).map(|_| Udp::at(network.place().1)).collect();
    let mut ports = Vec::new();
    let peer = socket("192.0.2.1:5683");
    loop {
        let number = ports.len() % 3;
        let Ok(id) = transports[number].open(Instant::ZERO, peer, &[chunk(b"x")]) else {
            break;
        };
        assert_eq!(transports[number].peer(id), Some(peer));
        while let lasthop_contract::TransportOutput::Transmit(packet)
        | lasthop_contract::TransportOutput::Discard(packet, _) =
            transports[number].poll(Instant::ZERO)
        {
            let bytes = packet.bytes();
            ports.push(u16::from_be_bytes([bytes[20], bytes[21]]));
        }
        while let lasthop_contract::TransportOutput::Event(..) =
            transports[number].poll(Instant::ZERO)
        {}
    }
    let given = ports.len();
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), given, "each once");
    // 16 blocks for three: the last one leaves the first or second transport with one more than the others.
    assert!(given >= 15 * 1024, "{given}");
}

/// A server that answers at the third of its interfaces, by which its client is; its routes know nothing of that.
#[test]
fn an_answer_leaves_by_the_interface_that_the_question_came_by() {
    let (here, there) = (Core::default(), Core::default());
    let server = StackHost::new(
        Box::new(Udp::new(address("192.0.2.1"))),
        Speaker::new("server", &there).listening(5683).echoing(),
        Routes::OneInterface,
    );
    let opening = Speaker::new("client", &here).opening("192.0.2.1:5683", OpenOptions::default());
    let client = StackHost::new(
        Box::new(Udp::new(address("10.0.0.1"))),
        opening,
        Routes::OneInterface,
    );
    let mut world = World::start(vec![
        (client, &[("10.0.0.1", 0)]),
        (server, &[("192.0.2.1", 3)]),
    ]);
    world.run(DELAY * 2);
    assert_eq!(here.heard(), [("client", "echo".to_owned())]);
    let answer = (1, InterfaceId(3), address("192.0.2.1"));
    assert_eq!(world.sent.last(), Some(&answer));
}

#[test]
fn a_packet_that_nobody_asked_for_leaves_as_the_routes_say() {
    let core = Core::default();
    let server = Speaker::new("server", &core).opening("10.0.0.9:7000", OpenOptions::default());
    let udp = Box::new(Udp::new(address("192.0.2.1")));
    let server = StackHost::new(udp, server, Routes::OneInterface);
    let mut world = World::new(vec![(server, &[("192.0.2.1", 0)])]);
    let route = HostInput::RouteChanged {
        destination: address("10.0.0.9"),
        interface: InterfaceId(4),
    };
    world.tell(0, route);
    world.tell(0, HostInput::Start);
    assert_eq!(world.sent[0].1, InterfaceId(4));
}

#[test]
fn a_gateway_has_an_address_on_each_side_and_a_client_of_it_may_choose_one() {
    let (core, there) = (Core::default(), Core::default());
    let mut network =
        HostNetwork::new(address("10.0.0.1")).with_address(InterfaceId(1), address("172.16.0.1"));
    let (id, place) = network.place();
    let by_second = OpenOptions {
        interface: Some(InterfaceId(1)),
        ..OpenOptions::default()
    };
    let gateway = Speaker::new("gateway", &core)
        .opening("192.0.2.1:5683", by_second)
        .opening("192.0.2.1:5683", OpenOptions::default());
    let columns = vec![Column::new(id, Box::new(Udp::at(place)))];
    let gateway = StackHost::with_services(
        &network,
        vec![Service::new(Box::new(gateway), columns)],
        Routes::OneInterface,
        WakeFlag::new(),
    );
    let server = StackHost::new(
        Box::new(Udp::new(address("192.0.2.1"))),
        Speaker::new("server", &there).listening(5683).echoing(),
        Routes::OneInterface,
    );
    let sides: &[(&str, u32)] = &[("10.0.0.1", 0), ("172.16.0.1", 1)];
    let mut world = World::start(vec![(gateway, sides), (server, &[("192.0.2.1", 0)])]);
    let sent = [
        (0, InterfaceId(1), address("172.16.0.1")),
        (0, InterfaceId(0), address("10.0.0.1")),
    ];
    assert_eq!(world.sent, sent);
    world.run(DELAY * 2);
    assert_eq!(core.heard().len(), 2, "both sides hear the answer");
    assert!(world.discarded.is_empty());
}

#[test]
fn a_changed_address_keeps_a_udp_flow_and_ends_a_tcp_connection_by_its_timers() {
    let (mut world, here, there) = both();
    world.run(Duration::from_secs(1));
    here.heard();
    there.heard();
    let moved = HostInput::AddressChanged {
        interface: InterfaceId(0),
        address: address("10.0.0.77"),
    };
    world.tell(0, moved);
    let here_now = (0, InterfaceId(0));
    world.places.insert(address("10.0.0.77"), here_now);
    // One speaks by UDP, the other by TCP.
    for by in ["other", "client"] {
        here.to_say.borrow_mut().push((by, "I moved".to_owned()));
    }
    here.events.borrow_mut().clear();
    world.sent.clear();
    here.wake.raise();
    world.tell(0, HostInput::Timeout);
    world.run(Duration::from_secs(2000));
    assert_eq!(there.heard(), [("resources", "I moved".to_owned())]);
    let timed_out = TransportEvent::Closed(CloseReason::TimedOut);
    assert_eq!(*here.events.borrow(), [("client", timed_out)]);
    let sent = world.sent.iter().filter(|it| it.0 == 0);
    assert!(sent.into_iter().all(|it| it.2 == address("10.0.0.77")));
}

#[test]
fn a_crash_forgets_connections_and_hears_nothing_until_the_next_start() {
    let (mut world, here, there) = both();
    world.run(Duration::from_secs(1));
    here.heard();
    there.heard();
    world.tell(1, HostInput::Crash(Survives::default()));
    assert!(world.wire.is_empty(), "it goes without a word");
    here.to_say
        .borrow_mut()
        .push(("other", "anyone?".to_owned()));
    here.wake.raise();
    world.tell(0, HostInput::Timeout);
    world.run(Duration::from_secs(1));
    assert_eq!(world.discarded, [(1, DiscardReason::HostDown)]);
    assert!(there.heard().is_empty());
    world.tell(1, HostInput::Start);
    world.tell(0, HostInput::Crash(Survives::default()));
    world.tell(0, HostInput::Start);
    world.run(Duration::from_secs(5));
    assert_eq!(there.heard().len(), 5, "all five are there again");
}

#[test]
fn a_stop_closes_connections_in_order_and_the_next_start_listens_again() {
    let (mut world, here, there) = both();
    world.run(Duration::from_secs(1));
    here.heard();
    there.heard();
    here.events.borrow_mut().clear();
    world.tell(1, HostInput::Stop);
    world.run(Duration::from_secs(1));
    let readable = here
        .events
        .borrow()
        .iter()
        .filter(|(_, event)| matches!(event, TransportEvent::Readable(_)))
        .count();
    assert_eq!(readable, 2, "both TCP connections end");
    world.tell(1, HostInput::Start);
    world.tell(0, HostInput::Crash(Survives::default()));
    world.tell(0, HostInput::Start);
    world.run(Duration::from_secs(5));
    assert_eq!(there.heard().len(), 5);
}

#[test]
fn a_set_says_whose_a_connection_is_and_has_no_more_transports_than_it_has() {
    let mut network = HostNetwork::new(address("10.0.0.1"));
    let (a, at_a) = network.place();
    let (b, at_b) = network.place();
    let columns = vec![
        Column::new(a, Box::new(Udp::at(at_a))),
        Column::new(b, Box::new(Udp::at(at_b))),
    ];
    let mut set = TransportSet::new(&network, columns);
    let by = |column| OpenOptions {
        column,
        ..OpenOptions::default()
    };
    let peer = socket("192.0.2.1:5683");
    let mut open = |column| set.open_with(Instant::ZERO, peer, by(column), &[]);
    let (first, second) = (open(0).unwrap(), open(1).unwrap());
    assert_eq!((first.column(), second.column()), (0, 1));
    assert_eq!(first.within_column(), second.within_column());
    assert_eq!(open(2), Err(OpenError::NoSuchColumn));
    assert_eq!(set.peer(second), Some(peer));
    assert_eq!(set.peer(ConnectionId(7).in_column(9)), None);
}

#[test]
fn programs_that_are_told_of_a_changed_address_lose_their_connections_at_once() {
    let (mut world, here, there) = both();
    world.run(Duration::from_secs(1));
    here.heard();
    there.heard();
    let moved = HostInput::AddressChanged {
        interface: InterfaceId(0),
        address: address("10.0.0.77"),
    };
    world.tell(0, moved);
    world
        .places
        .insert(address("10.0.0.77"), (0, InterfaceId(0)));
    here.events.borrow_mut().clear();
    world.tell(0, HostInput::AddressNoticed);
    world.run(Duration::ZERO);
    let told = [
        TransportEvent::Moved,
        TransportEvent::Closed(CloseReason::AddressGone),
    ];
    let events = here.events.borrow().clone();
    for event in told {
        let some = events.iter().filter(|it| it.1 == event).count();
        assert!(some > 0, "{event:?}: {events:?}");
    }
    // The server hears nothing of it.
    world.run(Duration::from_secs(10));
    assert_eq!(there.heard(), []);
}
