use lasthop_contract::{
    ApplicationOutput, ConnectionId, FailureReason, OutgoingMessage, Payload, Received, Transport,
};
use lasthop_units::Instant;

use super::{CoapClient, Session, resource_of};
use crate::answering::ask;
use crate::codec::{Code, Message, MessageType, Token};
use crate::context::{Context, Purpose};
use crate::endpoint::{Answer, Endpoint, Parcel, Role};
use crate::inbox::{FILE, INBOX, MessageOptions, is_question, path_of, take_message};
use crate::{CoapRequest, RequestEvent};

/// What is sent, and what comes.
impl CoapClient {
    pub(super) fn send(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let OutgoingMessage { id, payload, .. } = message;
        let mut cx = Context::new(now, transport, &mut self.outputs);
        let Some(connection) = self.connection else {
            return cx.fail(id, FailureReason::NotConnected);
        };
        if let Some(answering) = &mut self.answering
            && answering.give(&mut self.endpoint, &mut cx, message, None)
        {
            return;
        }
        if message.asks {
            // A block that is lost would be the end of a file, so these are confirmable always.
            let resource_ids = self.endpoint.resource_ids.as_deref();
            let resource = resource_ids.and_then(|resource_ids| resource_ids.resource_of(id));
            let question = match resource {
                None => ask(MessageType::Confirmable, FILE),
                Some(resource) => CoapRequest {
                    etag: resource_ids
                        .and_then(|resource_ids| resource_ids.tag_for(id))
                        .map(|tag| Token::from_bits(tag.into(), 4)),
                    ..ask(MessageType::Confirmable, &path_of(resource))
                },
            };
            return self.endpoint.ask_in_turn(&mut cx, connection, id, question);
        }
        let kind = self.config.kind;
        let topics = self.topics.as_ref();
        let topic = topics.and_then(|topics| topics.resource_of(id.flow));
        let resource_ids = self.endpoint.resource_ids.as_deref();
        let named = resource_ids.and_then(|resource_ids| resource_ids.resource_of(id));
        let topic = topic.or(named.map(path_of));
        if payload.len() > self.endpoint.whole_limit(connection) {
            let path = topic.unwrap_or_else(|| resource_of(self.config.device));
            let request = CoapRequest {
                payload: payload.into(),
                ..CoapRequest::new(kind, Code::POST, &path)
            };
            let role = Role::Message(id);
            self.endpoint.request(&mut cx, connection, request, role);
        } else {
            let is_answered =
                kind == MessageType::Confirmable || !self.endpoint.is_over_datagrams();
            let of_topic = topic.map(|path| MessageOptions::to(&path));
            let options = of_topic.as_ref().unwrap_or(&self.options);
            let parcel = Parcel {
                id,
                kind,
                code: Code::POST,
                options: options.get(is_answered),
                payload,
                is_answered,
            };
            self.endpoint.send_parcel(&mut cx, connection, &parcel);
        }
    }

    pub(super) fn receive(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        transport: &mut dyn Transport,
    ) {
        let mut cx = Context::new(now, transport, &mut self.outputs);
        while let Some((request, datagram)) = self.endpoint.next_request(&mut cx, connection) {
            let endpoint = &mut self.endpoint;
            if let Some(answering) = &mut self.answering
                && is_question(&request, &datagram, INBOX)
            {
                let question = (&request, &datagram[..]);
                answering.take(endpoint, &mut cx, connection, question, None);
                continue;
            }
            if let Some(payload) = serve(endpoint, &mut cx, connection, &request, datagram) {
                cx.outputs.push(ApplicationOutput::Received(Received {
                    connection,
                    payload,
                }));
            }
        }
        while let Some(usable) = self.endpoint.next_usable() {
            if self.connection == Some(usable) {
                self.make_known(now, transport);
            }
        }
        self.attend(now);
    }

    /// Processes the outcomes of requests: those of the session and those of the application.
    pub(super) fn attend(&mut self, now: Instant) {
        if !self.endpoint.has_news() {
            return;
        }
        // Nobody observes a resource of a device, and its connection stays.
        self.endpoint.take_ended_observations();
        while self.endpoint.next_forgotten().is_some() {}
        while let Some(event) = self.endpoint.next_event() {
            let request = event.request();
            let is_own = matches!(self.session,
                Session::Registering(own) | Session::Registered(own) if own == request);
            if is_own {
                self.attend_session(now, event);
            } else {
                self.attend_other(now, event);
            }
        }
    }

    /// Processes the outcome of a topic request or of an application request.
    pub(super) fn attend_other(&mut self, now: Instant, event: RequestEvent) {
        let taken = match &mut self.topics {
            Some(topics) => topics.take(now, event),
            None => Err(event),
        };
        let taken = match (taken, &mut self.proxying) {
            // What is left of a request that was ended is for nobody.
            (Err(event), Some(proxying)) => {
                let _ = proxying.take(now, event);
                Ok(None)
            }
            (taken, _) => taken,
        };
        match (taken, self.connection) {
            (Err(event), _) => self.events.push(Box::new(event)),
            (Ok(Some(payload)), Some(connection)) => {
                self.outputs.push(ApplicationOutput::Received(Received {
                    connection,
                    payload,
                }));
            }
            (Ok(_), _) => {}
        }
    }
}

/// Serves a request of the server's to the device; gives a message that it brought.
fn serve(
    endpoint: &mut Endpoint,
    cx: &mut Context<'_>,
    connection: ConnectionId,
    request: &Message,
    datagram: Payload,
) -> Option<Payload> {
    if endpoint.refuse_impossible(cx, connection, request) {
        return None;
    }
    let is_inbox = request.content.has_path(&datagram, &[INBOX]);
    let code = match request.content.code {
        Code::POST | Code::PUT if is_inbox => {
            return take_message(endpoint, cx, connection, request, datagram);
        }
        _ if is_inbox => Code::METHOD_NOT_ALLOWED,
        _ => Code::NOT_FOUND,
    };
    let answer = Answer::bare(code, Purpose::Acknowledgement(None));
    endpoint.respond(cx, connection, request, &answer);
    None
}
