//! Requests for resources that anybody may set, read, observe and remove (RFC 7252 section 5.8).

use lasthop_contract::{ConnectionId, Payload};

use super::condition::{has_already, is_fulfilled};
use super::example::{Post, TEXT};
use super::observer::Observer;
use super::path::Path;
use super::serving::{ANSWER, Served, Server};
use super::store::Resource;
use crate::codec::{Code, Content, Token, option_number};
use crate::context::{Context, Purpose};
use crate::endpoint::Answer;
use crate::representation::{Delivery, Representation};

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
        let observers = self.store.remove(path);
        self.answer_bare(cx, request, Code::DELETED);
        self.dismiss(cx, observers, Code::NOT_FOUND);
    }

    /// Tells former observers by an error that their observation has ended (RFC 7641 section 4.2).
    fn dismiss(&mut self, cx: &mut Context<'_>, observers: Vec<Observer>, code: Code) {
        for mut observer in observers {
            let kind = observer.kind_of_next(cx.now, self.config.kind);
            // Nobody waits for it: what is lost here is lost as on the way.
            let _ = self
                .endpoint
                .notify(cx, observer.key(), kind, &Answer::bare(code, ANSWER));
        }
    }

    /// Whether a client may observe one more resource or topic.
    pub(super) fn may_observe(&self, key: (ConnectionId, Token)) -> bool {
        let most = self.config.parameters.max_observations;
        if most == usize::MAX {
            return true;
        }
        let topics = self.topics.as_deref();
        let topics = topics.map_or(0, |topics| topics.others_observed_by(key));
        topics + self.store.others_observed_by(key) < most
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
        let delivery = self.delivery(request, false, Purpose::Content);
        let wants_more = request.message.content.facts.observe == Some(0);
        if wants_more {
            self.restore_format(path);
        }
        let has_room = wants_more && self.may_observe((connection, token));
        let Some(resource) = self.store.get_mut(path) else {
            return self.answer_bare(cx, request, Code::NOT_FOUND);
        };
        let content = &request.message.content;
        let facts = &content.facts;
        if let Some(other) = other_form(resource, content, datagram) {
            let answer = other.answer(delivery);
            return request.give(cx, self.endpoint, self.proofs.as_deref_mut(), answer);
        }
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
            Some(0) => {
                observes = has_room && resource.observe(Observer::new(cx.now, connection, token));
                self.reachable.insert(connection, ());
                self.store.await_change(cx.now, path);
            }
            Some(1) => resource.end_observation((connection, token)),
            _ => {}
        }
        let delivery = Delivery {
            is_tagged: true,
            is_observed: observes,
            ..delivery
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
        let message = request.message;
        let post = self.store.behaviour(path).map(|behaviour| behaviour.post);
        let post = post.filter(|_| message.content.code == Code::POST);
        let wants_more = message.content.facts.block2.is_some_and(|b| b.number > 0);
        if post == Some(Post::AnswerLarge) && wants_more {
            return self.answer_large(cx, request, path);
        }
        let Some(body) = self.body(cx, request, datagram) else {
            return;
        };
        if post == Some(Post::AnswerLarge) {
            return self.answer_large(cx, request, path);
        }
        let mut answer = match post {
            Some(Post::Create) => {
                let child = self.store.free_child(path);
                self.create(request, child, body)
            }
            Some(Post::CreateAt(place)) => self.create(request, Some(Path::named(place)), body),
            Some(Post::TellLocationQuery) => {
                let mut answer = Answer::bare(Code::CREATED, ANSWER);
                for argument in ["first=1", "second=2"] {
                    let option = option_number::LOCATION_QUERY;
                    answer.options.add(option, argument.as_bytes());
                }
                answer
            }
            Some(Post::Change) => {
                self.change_body(path);
                Answer::bare(Code::CHANGED, ANSWER)
            }
            _ => Answer::bare(self.carry_out(request, path, body, datagram), ANSWER),
        };
        if let Some(block) = message.content.facts.block1 {
            self.endpoint.add_block1(&mut answer, block);
        }
        self.answer(cx, request, &answer);
        if answer.code.is_success() {
            match post {
                Some(Post::CreateAt(place)) => self.tell_observers(cx, &Path::named(place)),
                _ => self.tell_observers(cx, path),
            }
        }
    }

    /// Answers a POST with the resource itself, block by block.
    fn answer_large(&mut self, cx: &mut Context<'_>, request: &Served<'_>, path: &Path) {
        let taken = request.message.content.facts.block1;
        let delivery = Delivery {
            block1: taken.map(|block| self.endpoint.echo_of(block, Code::CHANGED)),
            ..self.delivery(request, false, Purpose::Content)
        };
        let resource = self.store.get(path);
        let answer = resource.and_then(|resource| resource.representation.answer(delivery));
        let answer = answer.map(|answer| Answer {
            code: Code::CHANGED,
            ..answer
        });
        request.give(cx, self.endpoint, self.proofs.as_deref_mut(), answer);
    }

    /// Makes a resource at a path, if there is one, and tells where.
    fn create(
        &mut self,
        request: &Served<'_>,
        path: Option<Path>,
        body: Vec<u8>,
    ) -> Answer<'static> {
        let made = path.and_then(|child| {
            let (resource, _) = self.store.get_or_make(&child)?;
            let format = request.message.content.facts.content_format;
            resource.representation.set(body, format);
            Some(child)
        });
        let Some(child) = made else {
            return Answer::bare(Code::SERVICE_UNAVAILABLE, ANSWER);
        };
        let mut answer = Answer::bare(Code::CREATED, ANSWER);
        for segment in child.segments() {
            let option = option_number::LOCATION_PATH;
            answer.options.add(option, segment.as_bytes());
        }
        answer
    }

    /// The time of a resource has come to change.
    pub(super) fn change_by_itself(&mut self, cx: &mut Context<'_>, path: &Path) {
        self.change_body(path);
        self.tell_observers(cx, path);
    }

    /// What changes by itself does so in its own format: whoever observes it from now on starts with that.
    fn restore_format(&mut self, path: &Path) {
        let is_foreign = |resource: &Resource| {
            let behaviour = resource.behaviour.filter(|it| it.change.is_some());
            behaviour.is_some_and(|it| resource.representation.content_format != Some(it.format))
        };
        if self.store.get(path).is_some_and(is_foreign) {
            self.change_body(path);
        }
    }

    fn change_body(&mut self, path: &Path) {
        if let Some(resource) = self.store.get_mut(path)
            && let Some(behaviour) = resource.behaviour
        {
            let changes = resource.representation.version();
            let body = behaviour.body_after(changes);
            resource.representation.set(body, Some(behaviour.format));
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
        // Notifications have the format of the first response (RFC 7641 section 4.2).
        let observers = resource.take_observers_of_other_format();
        if !observers.is_empty() {
            return self.dismiss(cx, observers, Code::NOT_ACCEPTABLE);
        }
        let change = resource.behaviour.and_then(|behaviour| behaviour.change);
        let usual = change.map_or(self.config.kind, |change| change.kind);
        for observer in &mut resource.observers {
            let kind = observer.kind_of_next(cx.now, usual);
            let answer = resource.representation.answer(Delivery {
                block: None,
                is_observed: true,
                is_tagged: true,
                largest_block: self.endpoint.largest_block(observer.connection),
                whole_limit: self.endpoint.whole_limit(observer.connection),
                max_age: self.config.parameters.max_age,
                block1: None,
                purpose: Purpose::Content,
            });
            if let Some(answer) = &answer {
                // It takes the place of an older one that waits; one that finds no room is lost.
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

/// What a resource is for this request, where that is not what it was set to: in another format, or made of its arguments.
fn other_form(resource: &Resource, content: &Content, datagram: &[u8]) -> Option<Representation> {
    let behaviour = resource.behaviour?;
    if behaviour.echoes_query {
        let arguments = content.options(datagram);
        let arguments = arguments.filter(|(number, _)| *number == option_number::URI_QUERY);
        let lines = arguments.map(|(_, argument)| [argument, b"\n"].concat());
        return Some(Representation::of(lines.flatten().collect(), TEXT));
    }
    let mut formats = behaviour.other_formats.iter();
    let (format, body) = formats.find(|(format, _)| content.facts.accept == Some(*format))?;
    Some(Representation::of(body.to_vec(), *format))
}
