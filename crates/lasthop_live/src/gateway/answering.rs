use core::fmt::Debug;
use std::collections::BTreeMap;

use http::{Request, Response};
use lasthop_broker::Ticket;
use lasthop_contract::{Application, ApplicationInput, ApplicationOutput, Cause, Transport};
use lasthop_gateway::Asked;
use lasthop_http::{ExchangeId, PORT, Purpose, RequestServer, ServerEvent, ServerLimits};
use lasthop_units::Instant;

/// An HTTP server that passes requests to an [`Answers`] implementation.
#[derive(Debug)]
pub(crate) struct Answering<A> {
    requests: RequestServer,
    answers: A,
    awaiting: BTreeMap<Ticket, ExchangeId>,
}

/// A source of responses, at once or later.
pub(crate) trait Answers: Debug {
    /// Takes a request.
    fn ask(&mut self, now: Instant, request: &Request<Vec<u8>>) -> Asked;

    /// The next answer to one that had to wait.
    fn next_answer(&mut self) -> Option<(Ticket, Response<Vec<u8>>)>;
}

impl<A: Answers> Answering<A> {
    pub(crate) fn new(answers: A, limits: ServerLimits) -> Self {
        Self {
            requests: RequestServer::new(limits),
            answers,
            awaiting: BTreeMap::new(),
        }
    }

    fn attend(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(event) = self.requests.next_event() {
            match event {
                ServerEvent::Asked { exchange, request } => match self.answers.ask(now, &request) {
                    Asked::Answer(answer) => self.respond(now, exchange, &answer, transport),
                    Asked::Awaits(ticket) => {
                        self.awaiting.insert(ticket, exchange);
                    }
                },
                // What it brought is taken all the same.
                ServerEvent::Gone(gone) => self.awaiting.retain(|_, exchange| *exchange != gone),
            }
        }
    }

    fn respond(
        &mut self,
        now: Instant,
        exchange: ExchangeId,
        answer: &Response<Vec<u8>>,
        transport: &mut dyn Transport,
    ) {
        // On sockets nobody keeps books of bytes.
        let purpose = Purpose::whole(Cause::Payload);
        self.requests
            .respond(now, exchange, answer, purpose, transport);
    }
}

impl<A: Answers> Application for Answering<A> {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => {
                let listens = transport.listen(PORT);
                debug_assert!(listens.is_ok(), "its sockets are open");
            }
            ApplicationInput::Transport(connection, event) => {
                self.requests.handle(now, connection, event, transport);
            }
            ApplicationInput::Timeout => self.requests.timeout(now, transport),
            ApplicationInput::Stop => self.requests.stop(now, transport),
            ApplicationInput::Crash(_) => self.requests.crash(),
            // It is no source of messages.
            ApplicationInput::Send(_) => {}
        }
        self.attend(now, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        while let Some((ticket, answer)) = self.answers.next_answer() {
            if let Some(exchange) = self.awaiting.remove(&ticket) {
                self.respond(now, exchange, &answer, transport);
            }
        }
        self.attend(now, transport);
        ApplicationOutput::WaitUntil(self.requests.next_deadline())
    }
}
