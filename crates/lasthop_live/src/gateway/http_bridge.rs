use std::collections::BTreeMap;

use lasthop_broker::Ticket;
use lasthop_contract::{Application, ApplicationInput, ApplicationOutput, Cause, Transport};
use lasthop_gateway::{Asked, GatewayPort};
use lasthop_http::{ExchangeId, PORT, Purpose, RequestServer, ServerEvent, ServerLimits};
use lasthop_units::Instant;

/// The gateway's bridge for HTTP: a request that brings a message is answered once that is kept.
#[derive(Debug)]
pub(crate) struct HttpBridge {
    requests: RequestServer,
    gateway: GatewayPort,
    awaiting: BTreeMap<Ticket, ExchangeId>,
}

/// An event of 256 KiB in base64, and what is around it.
const LARGEST_BODY: usize = 360 << 10;

impl HttpBridge {
    pub(crate) fn new(gateway: GatewayPort, limits: ServerLimits) -> Self {
        Self {
            requests: RequestServer::new(ServerLimits {
                largest_body: LARGEST_BODY,
                ..limits
            }),
            gateway,
            awaiting: BTreeMap::new(),
        }
    }

    fn attend(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(event) = self.requests.next_event() {
            match event {
                ServerEvent::Asked { exchange, request } => match self.gateway.ask(now, &request) {
                    Asked::Answer(answer) => {
                        let purpose = Purpose::whole(Cause::Acknowledgement);
                        self.requests
                            .respond(now, exchange, &answer, purpose, transport);
                    }
                    Asked::Awaits(ticket) => {
                        self.awaiting.insert(ticket, exchange);
                    }
                },
                // What it brought is kept all the same.
                ServerEvent::Gone(gone) => self.awaiting.retain(|_, exchange| *exchange != gone),
            }
        }
    }

    fn answer(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some((ticket, answer)) = self.gateway.next_answer() {
            if let Some(exchange) = self.awaiting.remove(&ticket) {
                let purpose = Purpose::whole(Cause::Acknowledgement);
                self.requests
                    .respond(now, exchange, &answer, purpose, transport);
            }
        }
        self.attend(now, transport);
    }
}

impl Application for HttpBridge {
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
        self.answer(now, transport);
        ApplicationOutput::WaitUntil(self.requests.next_deadline())
    }
}
