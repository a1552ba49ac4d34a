//! Requests for resources of the server behind, where the host is a caching proxy: they are given out by their names, and
//! observed there once for all who observe them here (RFC 7252 section 5.7, RFC 7641 section 5).

use std::rc::Rc;

use lasthop_cache::{UpstreamReport, UpstreamState};
use lasthop_contract::ConnectionId;

use super::condition::has_already;
use super::observer::Observer;
use super::path::Path;
use super::serving::{ANSWER, Served, Server};
use super::upstream_cache::{Given, Waiting};
use crate::codec::{Code, Content, MessageType, Token, option_number};
use crate::context::{Context, Purpose};
use crate::endpoint::Answer;

impl Server<'_> {
    /// Serves a request for a resource of the server behind.
    pub(super) fn serve_upstream(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        path: &Path,
        datagram: &[u8],
    ) {
        let content = &request.message.content;
        if content.code != Code::GET {
            return self.answer_bare(cx, request, Code::METHOD_NOT_ALLOWED);
        }
        let Some(name) = name_of(path, content, datagram) else {
            return self.answer_bare(cx, request, Code::BAD_REQUEST);
        };
        let name: Rc<str> = name.into();
        let Some(upstream) = self.upstream.as_deref_mut() else {
            return;
        };
        let facts = &content.facts;
        let key = (request.connection, content.token);
        if facts.observe == Some(1) {
            upstream.end_observation(key);
        }
        let is_further = facts.block2.is_some_and(|block| block.number > 0);
        if let Some(given) = upstream.kept(&name).filter(|_| is_further) {
            return self.give(cx, request, &given, None);
        }
        let most = self.config.parameters.max_observations;
        let has_room = upstream.has_room(&name);
        let observes =
            facts.observe == Some(0) && has_room && upstream.others_observed_by(key) < most;
        let usual = self.config.parameters.max_age;
        let current = upstream.watching.current(cx.now, &name);
        if let Some(current) = current.filter(|current| current.is_observed || !observes) {
            let given = Rc::new(Given::of(&current.seen, usual));
            upstream.keep(&name, &given);
            if observes {
                upstream.observe(&name, Observer::new(cx.now, key.0, key.1));
                self.reachable.insert(key.0, ());
            }
            let sequence = observes.then_some(upstream.changes);
            let etag = given.representation.etag();
            if facts.observe.is_none() && given.is_tagged && has_already(content, datagram, etag) {
                let answer = given.representation.still_valid(given.max_age);
                return self.answer(cx, request, &answer);
            }
            return self.give(cx, request, &given, sequence);
        }
        if !has_room {
            return self.answer_bare(cx, request, Code::SERVICE_UNAVAILABLE);
        }
        if request.is_stranger() {
            // How large the answer will be is not known.
            return self.challenge(cx, request);
        }
        let waiting = Waiting {
            connection: request.connection,
            request: request.message.clone(),
            observes,
        };
        upstream.wait(&name, waiting);
        self.endpoint
            .ack_and_defer(cx, request.connection, request.message);
    }

    fn give(
        &mut self,
        cx: &mut Context<'_>,
        request: &Served<'_>,
        given: &Given,
        observed_as: Option<u32>,
    ) {
        let facts = &request.message.content.facts;
        if !given.representation.is_acceptable(facts.accept) {
            return self.answer_bare(cx, request, Code::NOT_ACCEPTABLE);
        }
        let (connection, message) = (request.connection, Some(request.message));
        let purpose = Purpose::Content;
        let answer = given.answer(self.endpoint, connection, message, observed_as, purpose);
        request.give(cx, self.endpoint, self.proofs.as_deref_mut(), answer);
    }

    /// Passes on what the server behind has said.
    pub(super) fn forward_upstream_reports(&mut self, cx: &mut Context<'_>) {
        while let Some(upstream) = self.upstream.as_deref_mut()
            && let Some((name, told)) = upstream.watching.next_report()
        {
            self.pass_on(cx, &name, &told);
        }
    }

    fn pass_on(&mut self, cx: &mut Context<'_>, name: &Rc<str>, told: &UpstreamReport) {
        let usual = self.config.parameters.max_age;
        let Some(upstream) = self.upstream.as_deref_mut() else {
            return;
        };
        let given = match &told.state {
            UpstreamState::State(seen) | UpstreamState::Nothing(Some(seen)) => {
                Some(Rc::new(Given::of(seen, usual)))
            }
            UpstreamState::Refused(_) | UpstreamState::Nothing(None) => None,
        };
        if let Some(given) = &given {
            upstream.keep(name, given);
            upstream.changes = upstream.changes.wrapping_add(1);
        }
        let sequence = told.is_observed.then_some(upstream.changes);
        let Some(resource) = upstream.by_name.get_mut(name) else {
            return;
        };
        // Who waits to observe waits for the answer to that.
        let is_for = |it: &mut Waiting| told.was_to_observe || !it.observes;
        let answered: Vec<Waiting> = resource.waiting.extract_if(.., is_for).collect();
        let is_over = told.was_to_observe && !told.is_observed;
        let is_silent = matches!(told.state, UpstreamState::Nothing(_));
        let is_answered = |it: &Observer| answered.iter().any(|waiting| waiting.key() == it.key());
        let told_now = |it: &Observer| told.was_to_observe && !is_silent && !is_answered(it);
        let told_now: Vec<Observer> = resource
            .observers
            .iter()
            .copied()
            .filter(told_now)
            .collect();
        if is_over && !is_silent {
            resource.observers.clear();
        }
        for waiting in answered.iter().filter(|it| it.observes && told.is_observed) {
            upstream.observe(
                name,
                Observer::new(cx.now, waiting.key().0, waiting.key().1),
            );
            self.reachable.insert(waiting.connection, ());
        }
        upstream.tidy(name);
        for waiting in &answered {
            let sequence = sequence.filter(|_| waiting.observes);
            self.answer_waiting(cx, waiting, (given.as_deref(), &told.state), sequence);
        }
        for observer in told_now {
            let answer = match &given {
                Some(given) => {
                    let purpose = given.purpose();
                    given.answer(self.endpoint, observer.connection, None, sequence, purpose)
                }
                None => Some(Answer::bare(code_of(&told.state), ANSWER)),
            };
            if let Some(answer) = answer {
                let kind = self.kind_of_next(cx, name, observer.key());
                // It takes the place of an older one that waits; one that finds no room is lost.
                let _ = self.endpoint.notify(cx, observer.key(), kind, &answer);
            }
        }
    }

    /// How a notification goes to an observer.
    fn kind_of_next(
        &mut self,
        cx: &Context<'_>,
        name: &str,
        key: (ConnectionId, Token),
    ) -> MessageType {
        let usual = self.config.kind;
        let upstream = self.upstream.as_deref_mut();
        let resource = upstream.and_then(|upstream| upstream.by_name.get_mut(name));
        let mut observers = resource.into_iter().flat_map(|it| &mut it.observers);
        let observer = observers.find(|it| it.key() == key);
        observer.map_or(usual, |observer| observer.kind_of_next(cx.now, usual))
    }

    /// Answers who has waited.
    fn answer_waiting(
        &mut self,
        cx: &mut Context<'_>,
        waiting: &Waiting,
        (given, word): (Option<&Given>, &UpstreamState),
        observed_as: Option<u32>,
    ) {
        let (connection, request) = (waiting.connection, &waiting.request);
        let accept = request.content.facts.accept;
        let given = given.map(|given| {
            let is_acceptable = given.representation.is_acceptable(accept);
            is_acceptable.then_some(given).ok_or(Code::NOT_ACCEPTABLE)
        });
        let answer = match given {
            Some(Ok(given)) => {
                let purpose = Purpose::Content;
                let answer = given.answer(
                    self.endpoint,
                    connection,
                    Some(request),
                    observed_as,
                    purpose,
                );
                answer.unwrap_or(Answer::bare(Code::BAD_REQUEST, ANSWER))
            }
            Some(Err(code)) => Answer::bare(code, ANSWER),
            None => Answer::bare(code_of(word), ANSWER),
        };
        if observed_as.is_some() {
            // Who rejects it, or does not acknowledge it, observes no more.
            let _ = self
                .endpoint
                .notify(cx, waiting.key(), request.kind, &answer);
        } else {
            self.endpoint
                .respond_later(cx, connection, request, &answer);
        }
    }
}

/// By which name a resource is asked for; `None` where it cannot be written as one.
fn name_of(path: &Path, content: &Content, datagram: &[u8]) -> Option<String> {
    let segments: Vec<&str> = path.segments().collect();
    let is_plain = |it: &&str| !it.is_empty() && !it.contains(['/', '?']);
    if segments.is_empty() || !segments.iter().all(is_plain) {
        return None;
    }
    let mut name = segments.join("/");
    let options = content.options(datagram);
    let arguments = options.filter(|(number, _)| *number == option_number::URI_QUERY);
    for (place, (_, argument)) in arguments.enumerate() {
        let argument = str::from_utf8(argument).ok()?;
        if argument.is_empty() || argument.contains('&') {
            return None;
        }
        name.push(if place == 0 { '?' } else { '&' });
        name.push_str(argument);
    }
    Some(name)
}

/// What is said where nothing is given.
const fn code_of(word: &UpstreamState) -> Code {
    match word {
        UpstreamState::Refused(code) => Code(*code),
        UpstreamState::State(_) | UpstreamState::Nothing(_) => Code::GATEWAY_TIMEOUT,
    }
}
