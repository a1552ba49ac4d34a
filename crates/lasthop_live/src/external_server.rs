use lasthop_classify::{Classifier, Protocol, Sight};
use lasthop_contract::{Host, HostInput, HostOutput, Packet};
use lasthop_transport::Routes;
use lasthop_units::Instant;

use crate::PacketDevice;

/// An external server of a run behind a device. Its bytes are classified from their content.
#[derive(Debug)]
pub struct ExternalServer {
    device: PacketDevice,
    routes: Routes,
    classifier: Classifier,
}

impl ExternalServer {
    /// Creates an external server behind a device, with the routes to its peers.
    #[must_use]
    pub fn new(device: PacketDevice, routes: Routes) -> Self {
        Self {
            device,
            routes,
            classifier: Classifier::new(),
        }
    }

    /// Adds a service at a port, regardless of IANA's registry.
    #[must_use]
    pub fn offering(mut self, protocol: &str, port: u16) -> Self {
        let known = Protocol::OF_PORTS.into_iter();
        for known in known.filter(|known| known.name() == Some(protocol)) {
            self.classifier.say_port(port, known);
        }
        self
    }

    /// The same packet with a provenance. It is told of at once, as a sender leaves no gaps; what is not, stays opaque.
    fn classified(&mut self, now: Instant, packet: Packet) -> Packet {
        let bytes = packet.bytes();
        let classifier = &mut self.classifier;
        classifier.handle(now, Sight::Sent, bytes, bytes.len());
        let mut told = None;
        while let Some(portion) = classifier.poll() {
            told = Some(portion);
        }
        let is_its = |bytes: u64| bytes == packet.length() as u64;
        let Some(portion) =
            told.filter(|it| it.sight == Sight::Sent && it.packets == 1 && is_its(it.bytes()))
        else {
            return packet;
        };
        let mut classified = Packet::new();
        let mut rest = packet.bytes();
        for span in &portion.spans {
            let (bytes, behind) = rest.split_at(span.length as usize);
            classified.append(bytes, span.provenance);
            rest = behind;
        }
        classified
    }
}

impl Host for ExternalServer {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match &input {
            HostInput::Received { packet, .. } => {
                let bytes = packet.bytes();
                let classifier = &mut self.classifier;
                classifier.handle(now, Sight::Received, bytes, bytes.len());
                while classifier.poll().is_some() {}
            }
            HostInput::RouteChanged {
                destination,
                interface,
            } => self.routes.set(*destination, *interface),
            _ => {}
        }
        self.device.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        match self.device.poll(now) {
            HostOutput::Transmit { packet, .. } => {
                let packet = self.classified(now, packet);
                let interface = self.routes.interface_of(&packet);
                HostOutput::Transmit { interface, packet }
            }
            other => other,
        }
    }
}
