use core::net::IpAddr;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Host, HostEvent, HostInput, HostOutput,
    InterfaceId, LookupMap, Packet, Transport, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use crate::IpPacket;

/// A host that runs an application over a transport.
///
/// It wakes only what is due, and holds nothing of its own for a connection: what is idle costs nothing.
#[derive(Debug)]
pub struct StackHost<T, A> {
    transport: T,
    application: A,
    routes: Routes,
    transport_deadline: Option<Instant>,
    /// What the application waits for; [`AT_ONCE`] while it was told something and has not been asked yet.
    application_deadline: Option<Instant>,
}

/// Which interface leads to an address.
#[derive(Debug)]
pub enum Routes {
    /// All packets leave by the first interface.
    OneInterface,
    /// By the destination; a packet to an address that is not listed leaves by the first interface.
    ByDestination(Box<LookupMap<IpAddr, InterfaceId>>),
}

impl<T: Transport, A: Application> StackHost<T, A> {
    /// A host.
    pub fn new(transport: T, application: A, routes: Routes) -> Self {
        Self {
            transport,
            application,
            routes,
            transport_deadline: None,
            application_deadline: AT_ONCE,
        }
    }

    fn inform(&mut self, now: Instant, input: ApplicationInput<'_>) {
        self.application_deadline = AT_ONCE;
        self.application.handle(now, input, &mut self.transport);
    }

    fn timeout(&mut self, now: Instant) {
        if is_due(self.transport_deadline, now) {
            self.transport.handle(now, TransportInput::Timeout);
        }
        if is_due(self.application_deadline, now) {
            self.inform(now, ApplicationInput::Timeout);
        }
    }

    /// Lets the application and the transport talk to each other until one has something for the outside.
    ///
    /// The application comes first: what it says of a message precedes the packets that carry it.
    fn advance(&mut self, now: Instant) -> Option<HostOutput> {
        loop {
            if is_due(self.application_deadline, now) {
                match self.application.poll(now, &mut self.transport) {
                    ApplicationOutput::Event(event) => {
                        return Some(HostOutput::Event(HostEvent::Message(event)));
                    }
                    // The outermost application is the traffic, which keeps these to itself.
                    ApplicationOutput::Ready(_) | ApplicationOutput::Received(_) => continue,
                    ApplicationOutput::WaitUntil(deadline) => {
                        self.application_deadline = deadline;
                    }
                }
            }
            match self.transport.poll(now) {
                TransportOutput::Transmit(packet) => {
                    let interface = self.routes.interface_of(&packet);
                    return Some(HostOutput::Transmit { interface, packet });
                }
                TransportOutput::Event(connection, event) => {
                    self.inform(now, ApplicationInput::Transport(connection, event));
                }
                TransportOutput::Discard(packet, reason) => {
                    return Some(HostOutput::Event(HostEvent::Discarded { packet, reason }));
                }
                TransportOutput::WaitUntil(deadline) => {
                    self.transport_deadline = deadline;
                    return None;
                }
            }
        }
    }
}

impl<T: Transport, A: Application> Host for StackHost<T, A> {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match input {
            HostInput::Start => self.inform(now, ApplicationInput::Start),
            HostInput::Received { packet, .. } => {
                self.transport.handle(now, TransportInput::Packet(packet));
            }
            HostInput::AddressChanged { address, .. } => self
                .transport
                .handle(now, TransportInput::AddressChanged(address)),
            HostInput::Timeout => self.timeout(now),
            HostInput::Stop => self.inform(now, ApplicationInput::Stop),
        }
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        self.advance(now).unwrap_or_else(|| {
            let deadlines = [self.transport_deadline, self.application_deadline];
            HostOutput::WaitUntil(deadlines.into_iter().flatten().min())
        })
    }
}

const AT_ONCE: Option<Instant> = Some(Instant::ZERO);

fn is_due(deadline: Option<Instant>, now: Instant) -> bool {
    deadline.is_some_and(|at| at <= now)
}

impl Routes {
    fn interface_of(&self, packet: &Packet) -> InterfaceId {
        let Self::ByDestination(table) = self else {
            return InterfaceId(0);
        };
        IpPacket::parse(packet.bytes())
            .ok()
            .and_then(|ip| table.get(&ip.destination).copied())
            .unwrap_or(InterfaceId(0))
    }
}
