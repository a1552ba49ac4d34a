use core::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use lasthop_contract::message_text::topic_of;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, DeviceId, FlowId, RandomStream,
    Transport, TransportEvent,
};
use lasthop_units::Instant;

use crate::config::{Carrier, DdsConfig};
use crate::contact::Contact;
use crate::endpoint::Endpoint;
use crate::ports::Ports;
use crate::sample::REPORTS;

/// The DDS participant of a device.
pub struct DdsClient {
    config: DdsClientConfig,
    endpoint: Endpoint,
    is_ready: bool,
}

/// The configuration of a device's participant.
#[derive(Clone, Debug)]
pub struct DdsClientConfig {
    /// The device's address.
    pub address: IpAddr,
    /// The address of the server, with the port of its service.
    pub server: SocketAddr,
    /// The device.
    pub device: DeviceId,
    /// Whether the device sends messages.
    pub speaks: bool,
    /// The devices whose topics the participant reads: its own for messages to it, others for their reports.
    pub hears: Vec<DeviceId>,
    /// The settings of the participant.
    pub settings: Arc<DdsConfig>,
}

impl DdsClient {
    /// Creates the participant of a device. `identities` gives its GUID.
    #[must_use]
    pub fn new(config: DdsClientConfig, identities: RandomStream) -> Self {
        let server = match config.settings.carrier {
            Carrier::Udp => {
                let ports = Ports::of_service(config.server.port());
                Contact::udp(SocketAddr::new(config.server.ip(), ports.metatraffic))
            }
            Carrier::Tcp => Contact::tcp(config.server, Ports::LOGICAL.metatraffic),
        };
        let settings = Arc::clone(&config.settings);
        let place = (config.address, None);
        Self {
            endpoint: Endpoint::new(settings, place, Some(server), identities),
            config,
            is_ready: false,
        }
    }

    fn start(&mut self, now: Instant, transport: &mut dyn Transport) {
        let DdsClientConfig {
            device,
            speaks,
            ref hears,
            ..
        } = self.config;
        self.is_ready = false;
        self.endpoint.start(now, transport, |running| {
            if speaks {
                let writer = running.participant.add_writer(now, REPORTS);
                running.writers.insert(device, writer);
            }
            for whose in hears {
                let topic = topic_of(FlowId::of(*whose, 0));
                let reader = running.participant.add_reader(now, &topic);
                running.readers.push(reader);
            }
        });
    }

    /// Looks whether those who are to hear it, and whom it is to hear, are there.
    fn look(&mut self, now: Instant) {
        let Some(running) = self.endpoint.running() else {
            return;
        };
        let DdsClientConfig { device, speaks, .. } = self.config;
        let is_heard = !speaks || running.is_read(now, device);
        let mut readers = running.readers.iter();
        let hears = readers.all(|reader| running.participant.is_written(now, reader));
        if is_heard && hears {
            self.is_ready = true;
            let ready = ApplicationOutput::Ready(self.config.device, ChannelSet::ALL);
            self.endpoint.push(ready);
        }
    }
}

impl Application for DdsClient {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => self.start(now, transport),
            ApplicationInput::Stop => self.endpoint.stop(now, transport),
            ApplicationInput::Crash(_) => self.endpoint.crash(),
            ApplicationInput::Transport(connection, TransportEvent::DatagramReadable) => {
                while let Some(is_news) = self.endpoint.receive(now, connection, transport) {
                    if is_news && !self.is_ready {
                        self.look(now);
                        self.endpoint.flush(now, transport);
                    }
                }
            }
            ApplicationInput::Transport(connection, TransportEvent::Closed(_)) => {
                self.endpoint.lose(now, connection, transport);
            }
            ApplicationInput::Transport(_, TransportEvent::Moved) => {
                self.endpoint.follow_address(now, transport);
            }
            ApplicationInput::Transport(..) => {}
            ApplicationInput::Send(message) => self.endpoint.write(now, message, transport),
            ApplicationInput::Timeout => self.endpoint.run(now, transport),
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.endpoint.poll()
    }
}
