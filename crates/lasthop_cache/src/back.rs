use lasthop_contract::message_text::{ID_LENGTH, message_id, write_id};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, MessageEvent, OutgoingMessage,
    Transport,
};
use lasthop_units::Instant;

use crate::Cache;
use crate::state::Request;

/// The upstream side of a caching proxy. Its client fetches resources that are missing from the cache or stale.
///
/// What it asks has the number of the reader's request that made it ask.
#[derive(Debug)]
pub struct Back<P> {
    protocol: P,
    cache: Cache,
    is_ready: bool,
}

impl<P: Application> Back<P> {
    /// Wraps the client of a protocol.
    pub fn new(protocol: P, cache: Cache) -> Self {
        Self {
            protocol,
            cache,
            is_ready: false,
        }
    }

    fn request(&mut self, now: Instant, request: &Request, transport: &mut dyn Transport) {
        let id = request.message;
        let mut question = [0; ID_LENGTH];
        write_id(id.flow, id.number.get(), &mut question);
        let message = OutgoingMessage {
            id,
            payload: request.payload.as_deref().unwrap_or(&question),
            asks: request.payload.is_none(),
        };
        self.protocol
            .handle(now, ApplicationInput::Send(message), transport);
    }

    /// Takes what the client says of a request; gives what the run is told of it.
    fn note(&self, now: Instant, event: MessageEvent) -> Option<MessageEvent> {
        match event {
            MessageEvent::Acknowledged { id } => {
                self.cache.written(id);
                None
            }
            MessageEvent::Failed { id, .. } => {
                self.cache.failed(now, id);
                None
            }
            // Whether the message has failed is for its reader to say.
            MessageEvent::Transmitted {
                id,
                attempt,
                trigger,
                ..
            } => Some(MessageEvent::Transmitted {
                id,
                attempt,
                last: false,
                trigger,
            }),
            other => Some(other),
        }
    }
}

impl<P: Application> Application for Back<P> {
    fn awaits(&self) -> Awaited {
        self.protocol.awaits()
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        if matches!(input, ApplicationInput::Crash(_) | ApplicationInput::Stop) {
            self.is_ready = false;
            self.cache.forget();
        }
        self.protocol.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            if self.is_ready
                && let Some(request) = self.cache.next_request()
            {
                self.request(now, &request, transport);
                continue;
            }
            match self.protocol.poll(now, transport) {
                ApplicationOutput::Ready(..) => self.is_ready = true,
                ApplicationOutput::Received(received) => {
                    if let Some(id) = message_id(&received.payload) {
                        self.cache.fetched(now, id, &received.payload);
                    }
                }
                ApplicationOutput::Event(event) => {
                    if let Some(event) = self.note(now, event) {
                        return ApplicationOutput::Event(event);
                    }
                }
                wait @ ApplicationOutput::WaitUntil(_) => return wait,
            }
        }
    }
}
