use core::num::NonZeroU32;
use std::collections::BTreeMap;

use lasthop_contract::message_text::MAX_PART;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, DeviceId, FlowId, MessageEvent,
    MessageId, OutgoingMessage, ShortQueue, Transport,
};
use lasthop_units::Instant;

use super::{Gateway, Message, bundle};

/// The upstream side of a gateway: its client forwards queued messages.
///
/// Each message that the client sends belongs to the first flow of the gateway device, and carries one or several
/// forwarded messages. The protocol sees an ordinary client.
#[derive(Debug)]
pub struct Outlet<P> {
    protocol: P,
    gateway: Gateway,
    /// The number of the gateway in the run.
    device: DeviceId,
    is_ready: bool,
    bundles: u32,
    /// What the client has not got rid of, and how many messages that are.
    open: BTreeMap<MessageId, u32>,
    events: ShortQueue<MessageEvent>,
}

impl<P: Application> Outlet<P> {
    /// Creates an outlet over the client of a protocol.
    pub fn new(protocol: P, gateway: Gateway, device: DeviceId) -> Self {
        Self {
            protocol,
            gateway,
            device,
            is_ready: false,
            bundles: 0,
            open: BTreeMap::new(),
            events: ShortQueue::new(),
        }
    }

    /// Passes on what is due; whether there was something.
    fn pass_on(&mut self, now: Instant, transport: &mut dyn Transport) -> bool {
        if !self.is_ready {
            return false;
        }
        let Some(messages) = self.gateway.next(now) else {
            return false;
        };
        let id = self.next_bundle();
        let payload = &bundle::write(id, &messages);
        self.say_where(&messages, id, payload.len());
        *self.open.entry(id).or_default() += messages.len() as u32;
        let message = OutgoingMessage {
            id,
            payload,
            asks: false,
        };
        self.protocol
            .handle(now, ApplicationInput::Send(message), transport);
        true
    }

    fn say_where(&mut self, messages: &[Message], bundle: MessageId, length: usize) {
        let payload_bytes = length as u32;
        for message in messages {
            self.events.push(MessageEvent::Bundled {
                id: message.id,
                bundle,
                payload_bytes,
            });
        }
    }

    fn next_bundle(&mut self) -> MessageId {
        self.bundles = self.bundles % MAX_PART + 1;
        MessageId {
            flow: FlowId::of(self.device, 0),
            number: NonZeroU32::new(self.bundles).unwrap_or(NonZeroU32::MIN),
        }
    }

    /// Notes what the client says of a message that it has.
    fn note(&mut self, event: &MessageEvent) {
        let is_over = match event {
            MessageEvent::Transmitted { last, .. } => *last,
            MessageEvent::Acknowledged { .. } | MessageEvent::Failed { .. } => true,
            _ => false,
        };
        if is_over && let Some(messages) = event.message().and_then(|id| self.open.remove(&id)) {
            self.gateway.let_go(messages);
        }
    }

    fn crash(&mut self, keeps: bool) {
        self.is_ready = false;
        if !keeps {
            self.gateway.forget();
            let open = core::mem::take(&mut self.open);
            self.gateway.let_go(open.into_values().sum());
        }
    }
}

impl<P: Application> Application for Outlet<P> {
    fn awaits(&self) -> Awaited {
        self.protocol.awaits()
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Crash(survives) => self.crash(survives.sessions.is_durable()),
            ApplicationInput::Stop => self.is_ready = false,
            _ => {}
        }
        self.protocol.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            if let Some(event) = self.events.pop() {
                return ApplicationOutput::Event(event);
            }
            if self.pass_on(now, transport) {
                continue;
            }
            match self.protocol.poll(now, transport) {
                ApplicationOutput::Ready(..) => self.is_ready = true,
                // Nothing goes down to the devices.
                ApplicationOutput::Received(_) => {}
                ApplicationOutput::Event(event) => {
                    self.note(&event);
                    return ApplicationOutput::Event(event);
                }
                ApplicationOutput::WaitUntil(deadline) => {
                    let due = self.gateway.next_due().filter(|_| self.is_ready);
                    let next = [deadline, due].into_iter().flatten().min();
                    return ApplicationOutput::WaitUntil(next);
                }
            }
        }
    }
}
