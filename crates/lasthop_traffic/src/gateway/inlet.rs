use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, FailureReason, MessageEvent,
    ShortQueue, Transport,
};
use lasthop_units::Instant;

use super::Gateway;

/// The downstream side of a gateway: it receives messages from devices and queues them for forwarding.
#[derive(Debug)]
pub struct Inlet<P> {
    protocol: P,
    gateway: Gateway,
    events: ShortQueue<MessageEvent>,
}

impl<P: Application> Inlet<P> {
    /// Creates an inlet over the server of a protocol.
    pub fn new(protocol: P, gateway: Gateway) -> Self {
        Self {
            protocol,
            gateway,
            events: ShortQueue::new(),
        }
    }

    fn receive(&mut self, now: Instant, payload: &[u8]) {
        let Some(id) = message_id(payload) else {
            return;
        };
        self.events.push(if self.gateway.take(now, id, payload) {
            MessageEvent::Taken { id }
        } else {
            let reason = FailureReason::QueueFull;
            MessageEvent::Failed { id, reason }
        });
    }
}

impl<P: Application> Application for Inlet<P> {
    fn awaits(&self) -> Awaited {
        self.protocol.awaits()
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.protocol.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            if let Some(event) = self.events.pop() {
                return ApplicationOutput::Event(event);
            }
            match self.protocol.poll(now, transport) {
                ApplicationOutput::Received(received) => self.receive(now, &received.payload),
                // Nothing goes down to the devices.
                ApplicationOutput::Ready(..) => {}
                output => return output,
            }
        }
    }
}
