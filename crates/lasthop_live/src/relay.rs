//! A relay host: each accepted connection is forwarded over a connection of another transport.

mod datagrams;
mod streams;

use core::net::{IpAddr, SocketAddr};
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{
    ConnectionId, Host, HostEvent, HostInput, HostOutput, IpView, Packet, RandomStream, Transport,
    TransportEvent, TransportInput, TransportOutput, UDP_PROTOCOL,
};
use lasthop_transport::{PeerLimit, Routes, Tcp, TcpProfile, Udp};
use lasthop_units::{Duration, Instant};

use crate::{ConnectionLimits, KernelTcp, KernelUdp, Listener, Poller};
use datagrams::Datagrams;
use streams::Streams;

/// A relay host with a TCP leg and a UDP leg. Each leg accepts at one port, and opens one connection to a fixed address
/// for each accepted one.
pub(crate) struct Relay {
    tcp: Leg<Streams>,
    udp: Leg<Datagrams>,
    /// The side whose transports live on packets; the others are sockets of the kernel.
    on_packets: Option<Side>,
    routes: Routes,
}

/// Two transports, and what is carried between them.
struct Leg<C> {
    transports: Sides,
    carrier: C,
}

/// The transport that accepts, and the one that opens.
type Sides = [Box<dyn Transport>; 2];

/// Which of the two.
type Side = usize;

const ACCEPTING: Side = 0;
const OPENING: Side = 1;

/// Carries what events of two transports tell of.
trait Carrier {
    /// An event of a connection of a side.
    fn event(
        &mut self,
        now: Instant,
        transports: &mut Sides,
        of: (Side, ConnectionId),
        event: TransportEvent,
    );
}

/// How many may talk by datagrams at a time; one that has rested gives way.
const PEERS: PeerLimit = PeerLimit {
    peers: 1_000,
    rest: Duration::from_secs(5),
};

impl Relay {
    /// Creates a relay from kernel listeners to a server, with kernel sockets on both sides.
    pub(crate) fn of_kernel(
        poller: &Rc<Poller>,
        [tcp, udp]: [Listener; 2],
        server: SocketAddr,
    ) -> io::Result<Self> {
        let tcp: Sides = [
            kernel_tcp(poller, tcp)?,
            Box::new(KernelTcp::client(poller)),
        ];
        let udp: Sides = [
            kernel_udp(poller, udp)?,
            Box::new(KernelUdp::client(poller)),
        ];
        Ok(Self::new(tcp, udp, server, None))
    }

    /// Creates a relay from kernel listeners into a simulated path, where lasthop's transports have this address.
    pub(crate) fn into_path(
        poller: &Rc<Poller>,
        [tcp, udp]: [Listener; 2],
        own: (IpAddr, u64),
        far: SocketAddr,
    ) -> io::Result<Self> {
        let (address, seed) = own;
        let tcp: Sides = [kernel_tcp(poller, tcp)?, own_tcp(address, seed, "near")];
        let udp: Sides = [kernel_udp(poller, udp)?, Box::new(Udp::new(address))];
        Ok(Self::new(tcp, udp, far, Some(OPENING)))
    }

    /// Creates a relay out of a simulated path to a server. lasthop's transports accept at an address and port.
    pub(crate) fn out_of_path(
        poller: &Rc<Poller>,
        own: (SocketAddr, u64),
        server: SocketAddr,
    ) -> io::Result<Self> {
        let (at, seed) = own;
        let mut tcp = own_tcp(at.ip(), seed, "far");
        let mut udp: Box<dyn Transport> = Box::new(Udp::bounded(at.ip(), PEERS));
        tcp.listen(at.port()).map_err(io::Error::other)?;
        udp.listen(at.port()).map_err(io::Error::other)?;
        let tcp: Sides = [tcp, Box::new(KernelTcp::client(poller))];
        let udp: Sides = [udp, Box::new(KernelUdp::client(poller))];
        Ok(Self::new(tcp, udp, server, Some(ACCEPTING)))
    }

    fn new(tcp: Sides, udp: Sides, to: SocketAddr, on_packets: Option<Side>) -> Self {
        Self {
            tcp: Leg {
                transports: tcp,
                carrier: Streams::new(to),
            },
            udp: Leg {
                transports: udp,
                carrier: Datagrams::new(to),
            },
            on_packets,
            routes: Routes::default(),
        }
    }

    fn receive(&mut self, now: Instant, packet: Packet) {
        let Some(side) = self.on_packets else {
            return;
        };
        let is_datagram =
            IpView::read(packet.bytes()).is_some_and(|view| view.protocol() == UDP_PROTOCOL);
        let transports = match is_datagram {
            true => &mut self.udp.transports,
            false => &mut self.tcp.transports,
        };
        transports[side].handle(now, TransportInput::Packet(packet));
    }

    /// What a transport wants that concerns the path.
    fn told(&self, output: TransportOutput) -> HostOutput {
        match output {
            TransportOutput::Transmit(packet) => {
                let interface = self.routes.interface_of(&packet);
                HostOutput::Transmit { interface, packet }
            }
            TransportOutput::Discard(packet, reason) => {
                HostOutput::Event(HostEvent::Discarded { packet, reason })
            }
            TransportOutput::Evicted => HostOutput::Event(HostEvent::Evicted),
            // A leg keeps events to itself, and tells of its deadline otherwise.
            TransportOutput::Event(..) => HostOutput::WaitUntil(None),
            TransportOutput::WaitUntil(deadline) => HostOutput::WaitUntil(deadline),
        }
    }

    fn transports(&mut self) -> impl Iterator<Item = &mut Box<dyn Transport>> {
        let of_tcp = self.tcp.transports.iter_mut();
        of_tcp.chain(&mut self.udp.transports)
    }
}

fn kernel_tcp(poller: &Rc<Poller>, listener: Listener) -> io::Result<Box<dyn Transport>> {
    let tcp = KernelTcp::server(poller, vec![listener], ConnectionLimits::NONE)?;
    Ok(Box::new(tcp))
}

fn kernel_udp(poller: &Rc<Poller>, listener: Listener) -> io::Result<Box<dyn Transport>> {
    Ok(Box::new(KernelUdp::server(poller, vec![listener], PEERS)?))
}

/// TCP of ours as Linux has it, which sends what it is given at once: whether to wait is for the client's kernel.
fn own_tcp(address: IpAddr, seed: u64, end: &str) -> Box<dyn Transport> {
    let profile = TcpProfile {
        nodelay: true,
        ..TcpProfile::linux()
    };
    let stream = RandomStream::named(seed, format_args!("relay/{end}/tcp"));
    Box::new(Tcp::new(address, Arc::new(profile), stream))
}

impl<C: Carrier> Leg<C> {
    /// The next thing for the outside, or until when both sides wait.
    fn poll(&mut self, now: Instant) -> Result<TransportOutput, Option<Instant>> {
        loop {
            let mut deadline: Option<Instant> = None;
            let mut has_rest = true;
            for side in [ACCEPTING, OPENING] {
                match self.transports[side].poll(now) {
                    TransportOutput::Event(id, event) => {
                        let transports = &mut self.transports;
                        self.carrier.event(now, transports, (side, id), event);
                        has_rest = false;
                    }
                    TransportOutput::WaitUntil(until) => {
                        deadline = [deadline, until].into_iter().flatten().min();
                    }
                    output => return Ok(output),
                }
            }
            if has_rest {
                return Err(deadline);
            }
        }
    }
}

impl Host for Relay {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match input {
            HostInput::Received { packet, .. } => self.receive(now, packet),
            HostInput::Timeout => self
                .transports()
                .for_each(|transport| transport.handle(now, TransportInput::Timeout)),
            HostInput::InterfaceMtu { interface, mtu } => self.transports().for_each(|transport| {
                transport.handle(now, TransportInput::InterfaceMtu { interface, mtu });
            }),
            HostInput::Start
            | HostInput::Stop
            | HostInput::Crash(_)
            | HostInput::AddressChanged { .. }
            | HostInput::AddressNoticed
            | HostInput::RouteChanged { .. } => {}
        }
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        let of_tcp = match self.tcp.poll(now) {
            Ok(output) => return self.told(output),
            Err(deadline) => deadline,
        };
        let of_udp = match self.udp.poll(now) {
            Ok(output) => return self.told(output),
            Err(deadline) => deadline,
        };
        let deadline = [of_tcp, of_udp].into_iter().flatten().min();
        HostOutput::WaitUntil(deadline)
    }
}
