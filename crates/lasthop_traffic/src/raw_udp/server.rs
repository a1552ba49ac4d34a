use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, ConnectionId, DeviceId,
    LookupMap, RandomStream, ResetReason, Transport, TransportEvent,
};
use lasthop_units::Instant;

use super::message_link::MessageLink;
use super::reliability::RetransmissionPolicy;
use crate::raw_udp::{Frame, PORT};
use lasthop_contract::message_text::read_id;

/// The server of `raw_udp`. It answers a device at the address of the device's last datagram.
#[derive(Debug)]
pub struct RawUdpServer {
    acknowledges: bool,
    by_device: LookupMap<DeviceId, ConnectionId>,
    messages: MessageLink,
}

impl RawUdpServer {
    /// Creates a server for any number of devices.
    #[must_use]
    pub fn new(policy: Option<RetransmissionPolicy>, stream: RandomStream) -> Self {
        Self {
            acknowledges: policy.is_some(),
            by_device: LookupMap::new(),
            messages: MessageLink::new(policy, stream),
        }
    }

    fn receive(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        while let Some(datagram) = transport.receive_datagram(connection) {
            let text = datagram
                .get(if self.acknowledges { Frame::LENGTH } else { 0 }..)
                .unwrap_or_default();
            let said = read_id(text).map(|(flow, number)| (flow.device(), number));
            if let Some((device, _)) = said {
                self.locate(now, device, connection, transport);
            }
            if let Some((device, 0)) = said
                && let Some(greeting) = self.messages.greeting(&datagram)
            {
                self.messages.greet(now, connection, greeting, transport);
                self.messages
                    .push(ApplicationOutput::Ready(device, ChannelSet::ALL));
            } else {
                self.messages.receive(now, connection, datagram, transport);
            }
        }
    }

    /// The host goes off.
    fn leave(&mut self) {
        self.by_device = LookupMap::new();
        self.messages.forget();
    }

    /// Notes where a device is now; its connection from before, if another, has no further use.
    fn locate(
        &mut self,
        now: Instant,
        device: DeviceId,
        connection: ConnectionId,
        transport: &mut dyn Transport,
    ) {
        if let Some(before) = self.by_device.insert(device, connection)
            && before != connection
        {
            transport.reset(now, before, ResetReason::NotNeeded);
        }
    }
}

impl Application for RawUdpServer {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => transport
                .listen(PORT)
                .expect("nobody else listens on this host"),
            ApplicationInput::Transport(connection, TransportEvent::DatagramReadable) => {
                self.receive(now, connection, transport);
            }
            ApplicationInput::Transport(..) => {}
            ApplicationInput::Send(message) => {
                let connection = self.by_device.get(&message.id.flow.device()).copied();
                self.messages.send(now, connection, message, transport);
            }
            ApplicationInput::Stop | ApplicationInput::Crash(_) => self.leave(),
            ApplicationInput::Timeout => self.messages.timeout(now, transport),
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.messages
            .poll()
            .unwrap_or_else(|| ApplicationOutput::WaitUntil(self.messages.next_deadline()))
    }
}
