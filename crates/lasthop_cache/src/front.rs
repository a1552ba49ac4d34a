use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, MessageEvent, OutgoingMessage,
    ShortQueue, Transport,
};
use lasthop_units::Instant;

use crate::Cache;
use crate::state::Answer;

/// The downstream side of a caching proxy, which answers requests from the cache or fetches the resource.
#[derive(Debug)]
pub struct Front<P> {
    protocol: P,
    cache: Cache,
    /// Its number among the services of the proxy.
    number: usize,
    events: ShortQueue<MessageEvent>,
}

impl<P: Application> Front<P> {
    /// Creates a front on the server of a protocol. `number` identifies the service in the proxy.
    pub fn new(protocol: P, cache: Cache, number: usize) -> Self {
        Self {
            protocol,
            cache,
            number,
            events: ShortQueue::new(),
        }
    }

    fn answer(&mut self, now: Instant, answer: &Answer, transport: &mut dyn Transport) {
        let id = answer.message;
        if let Some(by) = answer.by {
            let age_ms = answer.age_ms();
            self.events.push(MessageEvent::Cached { id, by, age_ms });
        }
        let message = OutgoingMessage {
            id,
            payload: &answer.payload,
            asks: false,
        };
        self.protocol
            .handle(now, ApplicationInput::Send(message), transport);
    }
}

impl<P: Application> Application for Front<P> {
    fn awaits(&self) -> Awaited {
        self.protocol.awaits()
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        if matches!(input, ApplicationInput::Crash(_) | ApplicationInput::Stop) {
            self.cache.forget();
        }
        self.protocol.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            if let Some(event) = self.events.pop() {
                return ApplicationOutput::Event(event);
            }
            if let Some(answer) = self.cache.next_answer(self.number) {
                self.answer(now, &answer, transport);
                continue;
            }
            match self.protocol.poll(now, transport) {
                ApplicationOutput::Received(received) => {
                    if let Some(id) = message_id(&received.payload) {
                        self.cache.take(now, self.number, id, &received.payload);
                    }
                }
                // Nothing goes to readers that they have not asked for.
                ApplicationOutput::Ready(..) => {}
                output => return output,
            }
        }
    }
}
