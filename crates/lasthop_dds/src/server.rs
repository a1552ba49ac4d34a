use core::net::IpAddr;
use std::collections::BTreeSet;
use std::sync::Arc;

use lasthop_contract::message_text::{flow_of, topic_of};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, DeviceId, FlowId, RandomStream,
    Transport, TransportEvent,
};
use lasthop_units::Instant;

use crate::config::DdsConfig;
use crate::endpoint::Endpoint;
use crate::participant::SubscriptionReader;
use crate::sample::REPORTS;

/// The DDS participant of a server. It reads from all devices, and writes to each device that reads its own topic.
pub struct DdsServer {
    endpoint: Endpoint,
    subscriptions: Option<SubscriptionReader>,
    /// Devices that read, and do not hear it yet.
    unheard: BTreeSet<DeviceId>,
}

/// The configuration of a server's participant.
#[derive(Clone, Debug)]
pub struct DdsServerConfig {
    /// The server's address.
    pub address: IpAddr,
    /// The port of its service, which determines its participant number.
    pub port: u16,
    /// The settings of the participant.
    pub settings: Arc<DdsConfig>,
}

/// The maximum number of flows of a server: two for each participant.
///
/// A participant lists the ones it knows in its announcements, which must fit a datagram.
pub const MAX_FLOWS: usize = 4096;

impl DdsServer {
    /// Creates the participant of a server. `identities` gives its GUID.
    #[must_use]
    pub fn new(config: DdsServerConfig, identities: RandomStream) -> Self {
        let place = (config.address, Some(config.port));
        Self {
            endpoint: Endpoint::new(config.settings, place, None, identities),
            subscriptions: None,
            unheard: BTreeSet::new(),
        }
    }

    fn start(&mut self, now: Instant, transport: &mut dyn Transport) {
        let subscriptions = &mut self.subscriptions;
        self.endpoint.start(now, transport, |running| {
            let participant = &mut running.participant;
            running.readers.push(participant.add_reader(now, REPORTS));
            *subscriptions = Some(participant.subscriptions(now));
        });
    }

    /// Looks who has begun to read, and writes to them from now on.
    fn look(&mut self, now: Instant) {
        let (Some(running), Some(subscriptions)) = (self.endpoint.running(), &self.subscriptions)
        else {
            return;
        };
        let participant = &mut running.participant;
        let topics = participant.take_subscribed(now, subscriptions);
        let devices = topics.iter().filter_map(|topic| flow_of(topic));
        for device in devices.map(FlowId::device) {
            let topic = topic_of(FlowId::of(device, 0));
            let writers = &mut running.writers;
            writers
                .entry(device)
                .or_insert_with(|| participant.add_writer(now, &topic));
            self.unheard.insert(device);
        }
        let mut heard = Vec::new();
        for device in &self.unheard {
            if running.is_read(now, *device) {
                heard.push(*device);
            }
        }
        for device in heard {
            self.unheard.remove(&device);
            let ready = ApplicationOutput::Ready(device, ChannelSet::ALL);
            self.endpoint.push(ready);
        }
    }

    fn forget(&mut self) {
        self.subscriptions = None;
        self.unheard.clear();
    }
}

impl Application for DdsServer {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => self.start(now, transport),
            ApplicationInput::Stop => {
                self.forget();
                self.endpoint.stop(now, transport);
            }
            ApplicationInput::Crash(_) => {
                self.forget();
                self.endpoint.crash();
            }
            ApplicationInput::Transport(connection, TransportEvent::DatagramReadable) => {
                while let Some(is_news) = self.endpoint.receive(now, connection, transport) {
                    if is_news {
                        self.look(now);
                        self.endpoint.flush(now, transport);
                    }
                }
            }
            ApplicationInput::Transport(connection, TransportEvent::Closed(_)) => {
                self.endpoint.lose(now, connection, transport);
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
