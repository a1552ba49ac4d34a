use lasthop_contract::message_text::message_id;
use lasthop_contract::{ApplicationOutput, ChannelSet, ConnectionId, Received, Transport};
use lasthop_units::{Duration, Instant};

use super::{CoapClient, Session, resource_of};
use crate::codec::{Code, MessageType};
use crate::context::Context;
use crate::endpoint::Role;
use crate::inbox::REGISTRATION;
use crate::{Carrier, CoapRequest, Push, RequestEvent};

/// How long after a registration that failed the next one leaves.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// How the server comes to know the device, and what is observed.
impl CoapClient {
    /// Opens the connection. Over a stream, registration follows after the server's settings.
    pub(super) fn open(&mut self, now: Instant, transport: &mut dyn Transport) {
        // The first flow of a host always finds a port.
        self.connection = transport.open(now, self.config.server, &[]).ok();
        self.session = Session::Unknown;
        self.is_set_up = false;
        let Some(connection) = self.connection else {
            return;
        };
        let stream = match self.config.carrier {
            Carrier::Datagrams => None,
            Carrier::Streams => transport.own_stream(now, connection).ok(),
        };
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.opened(&mut cx, connection, stream);
        if self.endpoint.is_over_datagrams() {
            self.make_known(now, transport);
        }
    }

    /// Drops all state of exchanges because the host is switched off.
    pub(super) fn leave(&mut self) {
        let resource_ids = self.endpoint.resource_ids.take();
        self.endpoint = self.endpoint.anew(self.config.carrier);
        self.endpoint.resource_ids = resource_ids;
        if !self.config.receives {
            self.endpoint.hear_answers_only();
        }
        self.answering = self.config.answers.then(Box::default);
        self.session = Session::Unknown;
        self.connection = None;
        if let Some(topics) = &mut self.topics {
            topics.crash();
        }
        if let Some(proxying) = &mut self.proxying {
            proxying.crash();
        }
        self.newest = None;
        self.is_released = false;
    }

    pub(super) fn make_known(&mut self, now: Instant, transport: &mut dyn Transport) {
        if self.config.receives {
            self.register(now, transport);
        } else {
            let ready = ApplicationOutput::Ready(self.config.device, ChannelSet::ALL);
            self.outputs.push(ready);
        }
        self.observe(now, transport);
    }

    pub(super) fn observe(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(connection) = self.connection else {
            return;
        };
        let mut cx = Context::new(now, transport, &mut self.outputs);
        if let Some(topics) = &mut self.topics {
            topics.observe(&mut cx, &mut self.endpoint, connection);
        }
        if let Some(proxying) = &mut self.proxying {
            proxying.observe(&mut cx, &mut self.endpoint, connection);
        }
        self.attend(now);
    }

    /// Handles a closed connection. Unless it was released, a new one is opened after the reconnection delay.
    pub(super) fn closed(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        transport: &mut dyn Transport,
    ) {
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.closed(&mut cx, connection);
        if let Some(answering) = &mut self.answering {
            answering.forget(connection);
        }
        self.attend(now);
        if self.connection == Some(connection) {
            self.connection = None;
            if let Some(topics) = &mut self.topics {
                topics.lapse();
            }
            if let Some(proxying) = &mut self.proxying {
                proxying.lapse();
            }
            self.session = if self.is_released {
                Session::Unknown
            } else {
                Session::Retrying(now + self.config.parameters.reconnect_delay)
            };
        }
    }

    /// Handles a new session of the security layer. After the first session, the client registers and observes again,
    /// because the server may have lost that state with the old session (RFC 7641 section 4.5).
    pub(super) fn established(&mut self, now: Instant, transport: &mut dyn Transport) {
        if core::mem::replace(&mut self.is_set_up, true) {
            self.make_known_again(now, transport);
        }
    }

    /// Registers and observes again if the device was registered, because the server now sees a new client.
    pub(super) fn make_known_again(&mut self, now: Instant, transport: &mut dyn Transport) {
        if let Session::Registered(before) = self.session {
            let mut cx = Context::new(now, transport, &mut self.outputs);
            self.endpoint.forget(&mut cx, before);
            self.register(now, transport);
        }
        if let Some(topics) = &mut self.topics {
            topics.lapse();
        }
        if let Some(proxying) = &mut self.proxying {
            proxying.lapse();
        }
        self.observe(now, transport);
    }

    /// Registers the device or observes its resource, by a confirmable request.
    pub(super) fn register(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(connection) = self.connection else {
            return;
        };
        let device = self.config.device;
        let confirmable = MessageType::Confirmable;
        let request = match self.config.push {
            Push::Post | Push::Put => CoapRequest {
                query: vec![format!("ep={}", device.0)],
                ..CoapRequest::new(confirmable, Code::POST, REGISTRATION)
            },
            Push::Observe => CoapRequest {
                observe: true,
                ..CoapRequest::new(confirmable, Code::GET, &resource_of(device))
            },
        };
        let mut cx = Context::new(now, transport, &mut self.outputs);
        let id = self
            .endpoint
            .request(&mut cx, connection, request, Role::SessionSetUp);
        self.session = Session::Registering(id);
        self.attend(now);
    }

    /// Processes an answer to the registration, a notification, or the end of either.
    pub(super) fn attend_session(&mut self, now: Instant, event: RequestEvent) {
        let response = match event {
            RequestEvent::Response(response) if response.code.is_success() => response,
            _ => {
                self.session = Session::Retrying(now + RETRY_DELAY);
                return;
            }
        };
        if matches!(self.session, Session::Registering(_)) {
            self.session = Session::Registered(response.request);
            let ready = ApplicationOutput::Ready(self.config.device, ChannelSet::ALL);
            self.outputs.push(ready);
        }
        let message = message_id(&response.payload);
        let is_new = message.is_none() || message != self.newest;
        if !response.payload.is_empty()
            && is_new
            && let Some(connection) = self.connection
        {
            self.newest = message;
            self.outputs.push(ApplicationOutput::Received(Received {
                connection,
                payload: response.payload,
            }));
        }
    }

    pub(super) fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        if self.next_deadline().is_none_or(|at| at > now) {
            return;
        }
        let mut cx = Context::new(now, transport, &mut self.outputs);
        self.endpoint.timeout(&mut cx);
        if matches!(self.session, Session::Retrying(at) if at <= now) {
            if self.connection.is_none() {
                self.open(now, transport);
            } else {
                self.register(now, transport);
            }
        }
        if self.observe_deadline().is_some_and(|at| at <= now) {
            self.observe(now, transport);
        }
        self.attend(now);
    }

    /// Returns when an observation must be registered again.
    #[inline]
    pub(super) fn observe_deadline(&self) -> Option<Instant> {
        let topics = self.topics.as_ref().and_then(|it| it.next_deadline());
        let proxying = self.proxying.as_ref().and_then(|it| it.next_deadline());
        match (topics, proxying) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    #[inline]
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let retry = match self.session {
            Session::Retrying(at) => Some(at),
            _ => None,
        };
        let (next, forget) = (
            self.endpoint.next_deadline(),
            self.endpoint.forget_deadline(),
        );
        let observe = self.observe_deadline();
        match (retry, next, forget) {
            (None, None, None) => observe,
            deadlines => [deadlines.0, deadlines.1, deadlines.2, observe]
                .into_iter()
                .flatten()
                .min(),
        }
    }
}
