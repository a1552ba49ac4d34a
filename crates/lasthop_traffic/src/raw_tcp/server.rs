use lasthop_contract::message_text::read_id;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, ConnectionId, DeviceId,
    FailureReason, LookupMap, OutgoingMessage, ShortQueue, Transport, TransportEvent,
};
use lasthop_units::Instant;

use super::PORT;
use super::framed_stream::{FramedStream, failed, is_greeting};

/// The server of `raw_tcp`. It answers a device on the connection by which the device's last message came.
#[derive(Debug, Default)]
pub struct RawTcpServer {
    streams: LookupMap<ConnectionId, FramedStream>,
    by_device: LookupMap<DeviceId, ConnectionId>,
    outputs: ShortQueue<ApplicationOutput>,
}

impl RawTcpServer {
    /// Creates a server for any number of devices.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn receive(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        let Some(stream) = self.streams.get_mut(&connection) else {
            return;
        };
        let (outputs, by_device) = (&mut self.outputs, &mut self.by_device);
        let mut greeting = None;
        let goes_on = stream.receive(now, transport, |received| {
            let Some((flow, _)) = read_id(&received.payload) else {
                return;
            };
            by_device.insert(flow.device(), connection);
            if is_greeting(&received.payload) {
                greeting = Some(received.payload);
                outputs.push(ApplicationOutput::Ready(flow.device(), ChannelSet::ALL));
            } else {
                outputs.push(ApplicationOutput::Received(received));
            }
        });
        if let Some(greeting) = greeting {
            stream.greet(now, &greeting, transport);
        }
        if !goes_on {
            stream.finish(now, transport);
        }
    }

    fn send(&mut self, now: Instant, message: OutgoingMessage<'_>, transport: &mut dyn Transport) {
        let connection = self.by_device.get(&message.id.flow.device());
        let stream = connection.and_then(|connection| self.streams.get_mut(connection));
        let event = match stream {
            Some(stream) => stream.send(now, message, transport),
            None => failed(message.id, FailureReason::NotConnected),
        };
        self.outputs.push(ApplicationOutput::Event(event));
    }
}

impl Application for RawTcpServer {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => transport
                .listen(PORT)
                .expect("nobody else listens on this host"),
            ApplicationInput::Send(message) => self.send(now, message, transport),
            ApplicationInput::Stop | ApplicationInput::Crash(_) => {
                self.streams = LookupMap::new();
                self.by_device = LookupMap::new();
            }
            ApplicationInput::Timeout => {}
            ApplicationInput::Transport(connection, event) => match event {
                TransportEvent::Established(_) | TransportEvent::StreamOpened(..) => {
                    if let Some(stream) = event.new_stream(connection, transport) {
                        let stream = FramedStream::new(connection, stream);
                        self.streams.insert(connection, stream);
                    }
                }
                TransportEvent::Readable(_) => self.receive(now, connection, transport),
                TransportEvent::Writable(_) => {
                    if let Some(stream) = self.streams.get_mut(&connection) {
                        stream.flush(now, transport);
                    }
                }
                TransportEvent::Closed(_) => {
                    if let Some(stream) = self.streams.remove(&connection) {
                        stream.give_up(&mut self.outputs);
                    }
                }
                TransportEvent::StreamReset(..)
                | TransportEvent::DatagramReadable
                | TransportEvent::StreamsAllowed
                | TransportEvent::Rebound
                | TransportEvent::Moved => {}
            },
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.outputs
            .pop()
            .unwrap_or(ApplicationOutput::WaitUntil(None))
    }
}
