//! One application, and a peer that says any bytes.

use core::net::SocketAddr;
use std::collections::BTreeSet;

use lasthop_coap::PORT;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, ConnectionId, Layer,
    MessageEvent, Provenance, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_transport::Udp;
use lasthop_units::{Duration, Instant};

use crate::harness::{client_address, server_address};

/// The bytes go over UDP from one end to the other at once.
pub(crate) struct Peer<A> {
    pub(crate) application: A,
    pub(crate) events: Vec<MessageEvent>,
    pub(crate) now: Instant,
    own: Udp,
    other: Udp,
    connection: Option<ConnectionId>,
    /// Connections that the application was told of, and not told that they are closed.
    pub(crate) known: BTreeSet<ConnectionId>,
    received: usize,
    deadline: Option<Instant>,
    heard: Vec<Vec<u8>>,
}

const OPAQUE: Provenance = Provenance::new(Layer::Application, Cause::Opaque);

impl<A: Application> Peer<A> {
    /// The peer of a server.
    pub(crate) fn of(application: A) -> Self {
        let mut peer = Self::new(application);
        peer.inform(ApplicationInput::Start);
        peer
    }

    /// The peer of a client of its address, which speaks first.
    pub(crate) fn of_client(application: A) -> Self {
        let mut peer = Self::new(application);
        peer.own.listen(PORT).unwrap();
        peer.inform(ApplicationInput::Start);
        peer
    }

    fn new(application: A) -> Self {
        Self {
            application,
            events: Vec::new(),
            now: Instant::ZERO,
            own: Udp::new(client_address()),
            other: Udp::new(server_address()),
            connection: None,
            known: BTreeSet::new(),
            received: 0,
            deadline: None,
            heard: Vec::new(),
        }
    }

    /// Sends a datagram; gives what comes back at once.
    pub(crate) fn says(&mut self, datagram: &[u8]) -> Vec<Vec<u8>> {
        let chunk = [Chunk {
            bytes: datagram,
            provenance: OPAQUE,
        }];
        match self.connection {
            Some(connection) => self
                .own
                .send_datagram(self.now, connection, &chunk)
                .unwrap(),
            None => {
                let server = SocketAddr::new(server_address(), PORT);
                self.connection = Some(self.own.open(self.now, server, &chunk).unwrap());
            }
        }
        self.pump();
        self.hears()
    }

    /// Speaks from another port from now on.
    pub(crate) fn moves(&mut self) {
        self.connection = None;
    }

    /// What the application has said since.
    pub(crate) fn hears(&mut self) -> Vec<Vec<u8>> {
        core::mem::take(&mut self.heard)
    }

    /// Lets what was heard be heard again, before what came since.
    pub(crate) fn put_back(&mut self, heard: Vec<Vec<u8>>) {
        self.heard.splice(..0, heard);
    }

    /// How many messages the application has handed up.
    pub(crate) fn received(&self) -> usize {
        self.received
    }

    pub(crate) fn wait(&mut self, seconds: u64) {
        let end = self.now + Duration::from_secs(seconds);
        while let Some(next) = self.deadline.filter(|at| *at <= end) {
            self.now = next.max(self.now);
            self.inform(ApplicationInput::Timeout);
        }
        self.now = end;
    }

    pub(crate) fn inform(&mut self, input: ApplicationInput<'_>) {
        self.application.handle(self.now, input, &mut self.other);
        self.pump();
    }

    pub(crate) fn pump(&mut self) {
        let now = self.now;
        loop {
            let mut is_quiet = true;
            while let Some(output) = next(&mut self.own, now) {
                is_quiet = false;
                match output {
                    TransportOutput::Transmit(packet) => {
                        self.other.handle(now, TransportInput::Packet(packet));
                    }
                    TransportOutput::Event(connection, TransportEvent::DatagramReadable) => {
                        self.connection = Some(connection);
                        while let Some(datagram) = self.own.receive_datagram(connection) {
                            self.heard.push(datagram.to_vec());
                        }
                    }
                    _ => {}
                }
            }
            loop {
                match self.application.poll(now, &mut self.other) {
                    ApplicationOutput::Ready(..) => {}
                    ApplicationOutput::Event(event) => self.events.push(event),
                    ApplicationOutput::Received(_) => self.received += 1,
                    ApplicationOutput::WaitUntil(deadline) => {
                        self.deadline = deadline;
                        break;
                    }
                }
            }
            while let Some(output) = next(&mut self.other, now) {
                is_quiet = false;
                match output {
                    TransportOutput::Transmit(packet) => {
                        self.own.handle(now, TransportInput::Packet(packet));
                    }
                    TransportOutput::Event(connection, event) => {
                        match event {
                            TransportEvent::Closed(_) => self.known.remove(&connection),
                            _ => self.known.insert(connection),
                        };
                        let input = ApplicationInput::Transport(connection, event);
                        self.application.handle(now, input, &mut self.other);
                    }
                    _ => {}
                }
            }
            if is_quiet {
                return;
            }
        }
    }
}

fn next(transport: &mut Udp, now: Instant) -> Option<TransportOutput> {
    match transport.poll(now) {
        TransportOutput::WaitUntil(_) => None,
        output => Some(output),
    }
}
