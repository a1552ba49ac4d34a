//! Requests for topics: PUT and POST publish, GET reads and observes, DELETE clears (draft-ietf-core-coap-pubsub).

use std::sync::Arc;

use lasthop_broker::{Holder, Identity, Message, Origin, Publication, Qos};
use lasthop_contract::Payload;
use lasthop_contract::message_text::message_id;

use super::condition::{has_already, is_fulfilled};
use super::observer::Observer;
use super::serving::{Served, Server};
use super::topics::{Topics, shows_credentials};
use crate::codec::{Code, Content, MessageType};
use crate::context::{Context, Purpose};
use crate::endpoint::Answer;
use crate::representation::{Delivery, Representation};

impl Server<'_> {
    /// Serves a request for a topic.
    pub(super) fn serve_topic(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        identity: Identity,
        topic: &str,
        datagram: &Payload,
    ) {
        let Some(topics) = self.topics.as_deref_mut() else {
            return self.answer_bare(cx, request, Code::NOT_FOUND);
        };
        let content = &request.message.content;
        let is_allowed = match content.code {
            Code::GET => topics.may_read(identity, topic),
            _ => topics.may_publish(identity, topic),
        };
        if !is_allowed {
            return self.answer_bare(cx, request, refusal(content, datagram));
        }
        let known = topics.state(cx.now, topic);
        let state = known.map(|message| topics.representation(message));
        let etag = state.as_ref().map(|state| state.etag());
        if !is_fulfilled(content, datagram, etag) {
            return self.answer_bare(cx, request, Code::PRECONDITION_FAILED);
        }
        let peer = cx.transport.peer(request.connection);
        let holder = Holder::of(identity, peer.map(|peer| peer.ip()));
        match content.code {
            Code::GET => self.serve_last(cx, request, topic, state, datagram),
            Code::PUT | Code::POST => {
                self.serve_publication(cx, request, (topic, holder), state.is_some(), datagram);
            }
            Code::DELETE => {
                self.publish(cx, holder, &publication(request, topic, &[]));
                self.answer_bare(cx, request, Code::DELETED);
            }
            _ => self.answer_bare(cx, request, Code::METHOD_NOT_ALLOWED),
        }
    }

    /// Gives out what was published last, and takes or ends an observation.
    fn serve_last(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        topic: &str,
        state: Option<Arc<Representation>>,
        datagram: &[u8],
    ) {
        let content = &request.message.content;
        let observe = content.facts.observe;
        let key = (request.connection, content.token);
        let has_room = observe == Some(0) && self.may_observe(key);
        let Some(topics) = self.topics.as_deref_mut() else {
            return;
        };
        if content.facts.accept.is_some() {
            return self.answer_bare(cx, request, Code::NOT_ACCEPTABLE);
        }
        let mut observes = false;
        match observe {
            Some(0) => {
                observes = has_room && topics.observe(topic, Observer::new(cx.now, key.0, key.1));
                if observes {
                    self.reachable.insert(key.0, ());
                }
            }
            Some(1) => topics.end_observation(key),
            _ => {}
        }
        let sequence = topics.sequence();
        let state = match state {
            // Nothing yet is a state, too, for who waits for the first message.
            None if observes => Arc::new(Representation::of_bytes(&[])),
            None => return self.answer_bare(cx, request, Code::NOT_FOUND),
            Some(state) => state,
        };
        if observe.is_none() && has_already(content, datagram, state.etag()) {
            let answer = state.still_valid(self.config.parameters.max_age);
            return self.answer(cx, request, &answer);
        }
        let delivery = Delivery {
            is_tagged: true,
            ..self.delivery(request, observes, Purpose::Content)
        };
        let answer = state.answer_as(delivery, sequence);
        request.give(cx, self.endpoint, self.proofs.as_deref_mut(), answer);
    }

    /// Publishes the body of a request. It stays the state of the resource, so it is retained.
    fn serve_publication(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        (topic, holder): (&str, Holder),
        is_known: bool,
        datagram: &Payload,
    ) {
        let block1 = request.message.content.facts.block1;
        let Some(body) = self.body(cx, request, datagram) else {
            return;
        };
        let has_room = self.publish(cx, holder, &publication(request, topic, &body));
        let code = match (has_room, is_known) {
            (false, _) => Code::SERVICE_UNAVAILABLE,
            (true, true) => Code::CHANGED,
            (true, false) => Code::CREATED,
        };
        let mut answer = Answer::bare(code, Purpose::Acknowledgement(message_id(&body)));
        if let Some(block) = block1 {
            self.endpoint.add_block1(&mut answer, block);
        }
        self.answer(cx, request, &answer);
    }

    /// Publishes; whether there was room for it.
    fn publish(
        &mut self,
        cx: &mut Context<'_>,
        holder: Holder,
        publication: &Publication<'_>,
    ) -> bool {
        let Some(topics) = self.topics.as_deref_mut() else {
            return false;
        };
        let (message, has_room) = topics.publish(holder, publication);
        if let Some(message) = message {
            self.tell_of(cx, &message);
        }
        has_room
    }

    /// Tells observers what other services of the host have published.
    pub(super) fn deliver_from_others(&mut self, cx: &mut Context<'_>) {
        while let Some(message) = self.topics.as_deref_mut().and_then(Topics::next_delivery) {
            self.tell_of(cx, &message);
        }
    }

    /// Tells the observers of its topic of a message.
    fn tell_of(&mut self, cx: &mut Context<'_>, message: &Arc<Message>) {
        let Some(topics) = self.topics.as_deref_mut() else {
            return;
        };
        // What nobody is to repeat is not repeated here.
        let usual = match message.qos() {
            Qos::AtMostOnce => MessageType::NonConfirmable,
            _ => self.config.kind,
        };
        let (sequence, state) = (
            topics.sequence(),
            topics.representation(Arc::clone(message)),
        );
        let purpose = message.id().map_or(Purpose::Content, Purpose::Message);
        for observer in topics.observers(message.topic()) {
            let kind = observer.kind_of_next(cx.now, usual);
            let delivery = Delivery {
                block: None,
                is_observed: true,
                is_tagged: true,
                largest_block: self.endpoint.largest_block(observer.connection),
                whole_limit: self.endpoint.whole_limit(observer.connection),
                max_age: self.config.parameters.max_age,
                block1: None,
                purpose,
            };
            if let Some(answer) = state.answer_as(delivery, sequence) {
                // It takes the place of an older one that waits; one that finds no room is lost.
                let _ = self.endpoint.notify(cx, observer.key(), kind, &answer);
            }
        }
    }
}

/// How somebody is refused: who showed nothing may yet show something.
pub(super) fn refusal(content: &Content, datagram: &[u8]) -> Code {
    if shows_credentials(content, datagram) {
        Code::FORBIDDEN
    } else {
        Code::UNAUTHORIZED
    }
}

fn publication<'a>(request: &Served<'_>, topic: &'a str, payload: &'a [u8]) -> Publication<'a> {
    Publication {
        topic,
        payload,
        properties: &[],
        qos: match request.message.kind {
            MessageType::NonConfirmable => Qos::AtMostOnce,
            _ => Qos::AtLeastOnce,
        },
        retain: true,
        expires_at: None,
        id: message_id(payload),
        origin: Origin::Gone,
    }
}
