//! Requests for resources that anybody may set, read, observe and remove (RFC 7252 §5.8).

use lasthop_contract::Payload;

use super::condition::{has_already, is_fulfilled};
use super::observer::Observer;
use super::path::Path;
use super::representation::Delivery;
use super::serving::{ANSWER, Served, Server};
use crate::codec::Code;
use crate::context::{Context, Purpose};
use crate::endpoint::Answer;

impl Server<'_> {
    /// Serves a request for a resource that anybody may set.
    pub(super) fn serve_resource(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        path: &Path,
        datagram: &Payload,
    ) {
        match request.message.content.code {
            Code::GET => self.serve_state(cx, request, path, datagram),
            Code::PUT | Code::POST => self.change(cx, request, path, datagram),
            Code::DELETE => self.remove(cx, request, path, datagram),
            _ => self.answer_bare(cx, request, Code::METHOD_NOT_ALLOWED),
        }
    }

    fn remove(&mut self, cx: &mut Context<'_>, request: &Served<'_>, path: &Path, datagram: &[u8]) {
        if !self.is_fulfilled(request, path, datagram) {
            return self.answer_bare(cx, request, Code::PRECONDITION_FAILED);
        }
        let removed = self.store.remove(path);
        self.answer_bare(cx, request, Code::DELETED);
        // Observers are told that there is nothing any more (RFC 7641 §4.2).
        for mut observer in removed.into_iter().flat_map(|resource| resource.observers) {
            let kind = observer.kind_of_next(cx.now, self.config.kind);
            let gone = Answer::bare(Code::NOT_FOUND, ANSWER);
            // Nobody waits for it: what is lost here is lost as on the way.
            let _ = self.endpoint.notify(cx, observer.key(), kind, &gone);
        }
    }

    /// Gives a resource out, and takes or ends an observation of it.
    fn serve_state(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        path: &Path,
        datagram: &[u8],
    ) {
        let (connection, token) = (request.connection, request.message.content.token);
        if !self.is_fulfilled(request, path, datagram) {
            return self.answer_bare(cx, request, Code::PRECONDITION_FAILED);
        }
        let Some(resource) = self.store.get_mut(path) else {
            return self.answer_bare(cx, request, Code::NOT_FOUND);
        };
        let facts = &request.message.content.facts;
        if !resource.representation.is_acceptable(facts.accept) {
            return self.answer_bare(cx, request, Code::NOT_ACCEPTABLE);
        }
        let representation = &resource.representation;
        if facts.observe.is_none()
            && has_already(&request.message.content, datagram, representation.etag())
        {
            let answer = representation.still_valid(self.config.parameters.max_age);
            return self.answer(cx, request, &answer);
        }
        let mut observes = false;
        match facts.observe {
            Some(0) => observes = resource.observe(Observer::new(cx.now, connection, token)),
            Some(1) => resource.end_observation((connection, token)),
            _ => {}
        }
        let delivery = Delivery {
            is_tagged: true,
            ..self.delivery(request, observes, Purpose::Content)
        };
        let resource = self.store.get(path);
        let answer = resource.and_then(|resource| resource.representation.answer(delivery));
        request.give(cx, self.endpoint, self.proofs.as_deref_mut(), answer);
    }

    /// Sets a resource by PUT, makes it or adds to it by POST, and tells its observers.
    fn change(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        path: &Path,
        datagram: &Payload,
    ) {
        let &Served {
            connection,
            message,
            ..
        } = request;
        let body = match message.content.facts.block1 {
            None => datagram[message.content.payload()].to_vec(),
            Some(block) => {
                let endpoint = &mut *self.endpoint;
                match endpoint.collect(cx, connection, message, datagram, block) {
                    Some(body) => body,
                    None => return,
                }
            }
        };
        let mut answer = Answer::bare(self.carry_out(request, path, body, datagram), ANSWER);
        if let Some(block) = message.content.facts.block1 {
            self.endpoint.add_block1(&mut answer, block);
        }
        self.answer(cx, request, &answer);
        if answer.code.is_success() {
            self.tell_observers(cx, path);
        }
    }

    fn carry_out(
        &mut self,
        request: &Served<'_>,
        path: &Path,
        body: Vec<u8>,
        datagram: &[u8],
    ) -> Code {
        let content = &request.message.content;
        if !self.is_fulfilled(request, path, datagram) {
            return Code::PRECONDITION_FAILED;
        }
        let Some((resource, is_new)) = self.store.get_or_make(path) else {
            return Code::SERVICE_UNAVAILABLE;
        };
        let representation = &mut resource.representation;
        if content.code == Code::PUT || is_new {
            representation.set(body, content.facts.content_format);
        } else if representation.body.len() + body.len() > self.config.parameters.max_body_size {
            return Code::REQUEST_ENTITY_TOO_LARGE;
        } else {
            representation.append(&body);
        }
        if is_new { Code::CREATED } else { Code::CHANGED }
    }

    fn tell_observers(&mut self, cx: &mut Context<'_>, path: &Path) {
        let Some(resource) = self.store.get_mut(path) else {
            return;
        };
        for observer in &mut resource.observers {
            let kind = observer.kind_of_next(cx.now, self.config.kind);
            let answer = resource.representation.answer(Delivery {
                block: None,
                is_observed: true,
                is_tagged: true,
                largest_block: self.config.parameters.block_size,
                whole_limit: self.endpoint.whole_limit(observer.connection),
                max_age: self.config.parameters.max_age,
                purpose: Purpose::Content,
            });
            if let Some(answer) = &answer {
                // A notification that finds no room is one that is lost; the next one brings the newer state.
                let _ = self.endpoint.notify(cx, observer.key(), kind, answer);
            }
        }
    }

    /// Whether the conditions of a request for a resource hold.
    fn is_fulfilled(&self, request: &Served<'_>, path: &Path, datagram: &[u8]) -> bool {
        let known = self.store.get(path).map(|r| r.representation.etag());
        is_fulfilled(&request.message.content, datagram, known)
    }
}
