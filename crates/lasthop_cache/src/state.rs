#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use lasthop_contract::{CacheOutcome, MessageId};
use lasthop_units::{Duration, Instant};

use crate::observations::Observations;
use crate::store::{Entry, Key, Store};
use crate::{CacheConfig, Freshness, Reply, ResponseState};

/// The state of a proxy: cached representations and waiting requests.
#[derive(Debug)]
pub(crate) struct State {
    config: CacheConfig,
    pub(crate) store: Store,
    pub(crate) observations: Observations,
    /// Requests that were not answered.
    asked: BTreeMap<MessageId, Asked>,
    /// Those of them for which the server behind is asked.
    fetches: BTreeMap<MessageId, Fetch>,
    /// For which of those others wait that ask for the same resource.
    leading: BTreeMap<u32, MessageId>,
    /// Resources whose last representation was not to be kept: nobody waits for another's request.
    unshared: BTreeSet<u32>,
    requests: VecDeque<Request>,
    /// For each service.
    answers: Vec<VecDeque<Answer>>,
    /// The metadata of the response that is being sent.
    pub(crate) response_state: ResponseState,
}

/// A request of a reader.
#[derive(Debug)]
struct Asked {
    resource: u32,
    is_write: bool,
    /// By which service it came; `None` until it was handed up.
    front: Option<usize>,
}

/// A request to the server behind.
#[derive(Debug)]
struct Fetch {
    resource: u32,
    since: Instant,
    others: Vec<MessageId>,
    reply: Reply,
    /// The resource was written meanwhile: what comes is not kept.
    is_outdated: bool,
}

/// A request to the upstream server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) message: MessageId,
    /// The content of a write; `None` for a read.
    pub(crate) payload: Option<Vec<u8>>,
}

/// A response to a downstream client.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) message: MessageId,
    pub(crate) payload: Rc<[u8]>,
    pub(crate) response_state: ResponseState,
    /// The cache outcome; `None` if another response follows.
    pub(crate) by: Option<CacheOutcome>,
}

impl State {
    pub(crate) fn new(config: CacheConfig) -> Self {
        Self {
            config,
            store: Store::new(config.room),
            observations: Observations::default(),
            asked: BTreeMap::new(),
            fetches: BTreeMap::new(),
            leading: BTreeMap::new(),
            unshared: BTreeSet::new(),
            requests: VecDeque::new(),
            answers: Vec::new(),
            response_state: ResponseState::Nothing,
        }
    }

    pub(crate) const fn config(&self) -> CacheConfig {
        self.config
    }

    /// Records the resource of a request. A request that already exists continues.
    pub(crate) fn asked(&mut self, message: MessageId, resource: u32, is_write: bool) {
        self.asked.entry(message).or_insert(Asked {
            resource,
            is_write,
            front: None,
        });
    }

    /// Returns the resource of an unanswered request.
    pub(crate) fn resource_of(&self, message: MessageId) -> Option<u32> {
        self.asked.get(&message).map(|asked| asked.resource)
    }

    /// Returns the entity tag of the cached representation, for a request that fetches the resource.
    pub(crate) fn tag_for(&mut self, message: MessageId) -> Option<u32> {
        let resource = self.fetches.get(&message)?.resource;
        self.store.get(&Key::Number(resource))?.tag
    }

    /// Processes a request that a service passes up.
    pub(crate) fn take(&mut self, now: Instant, front: usize, message: MessageId, payload: &[u8]) {
        let Some(asked) = self.asked.get_mut(&message) else {
            return;
        };
        if asked.front.replace(front).is_some() {
            return;
        }
        let (resource, is_write) = (asked.resource, asked.is_write);
        if is_write {
            let payload = Some(payload.to_vec());
            self.requests.push_back(Request { message, payload });
            return self.ack_and_defer(message);
        }
        let kept = self
            .store
            .get(&Key::Number(resource))
            .filter(|entry| entry.is_fresh(now));
        if let Some(entry) = kept.cloned() {
            return self.give(now, message, &entry, CacheOutcome::Hit);
        }
        let leader = self.leading.get(&resource);
        if let Some(fetch) = leader.and_then(|leader| self.fetches.get_mut(leader)) {
            fetch.others.push(message);
        } else {
            self.fetch(now, message, resource);
        }
        self.ack_and_defer(message);
    }

    /// Records the metadata of a response. A response without changes has no body to follow.
    pub(crate) fn said(&mut self, now: Instant, message: MessageId, reply: Reply) {
        if let Some(fetch) = self.fetches.get_mut(&message) {
            fetch.reply = reply;
            if reply.is_unchanged {
                self.validated(now, message);
            }
        }
    }

    /// Stores a fetched representation.
    pub(crate) fn fetched(&mut self, now: Instant, message: MessageId, payload: &[u8]) {
        let Some(fetch) = self.end_fetch(message) else {
            return;
        };
        let entry = Entry::of(now, payload.into(), fetch.said(now));
        let is_kept = !fetch.is_outdated && (entry.is_fresh(now) || entry.tag.is_some());
        if is_kept {
            self.store.put(Key::Number(fetch.resource), entry.clone());
        } else {
            self.store.remove(&Key::Number(fetch.resource));
        }
        self.give(now, message, &entry, CacheOutcome::Miss);
        self.share(now, fetch, &entry);
    }

    fn validated(&mut self, now: Instant, message: MessageId) {
        let Some(fetch) = self.end_fetch(message) else {
            return;
        };
        let said = fetch.said(now);
        let Some(entry) = self.store.get(&Key::Number(fetch.resource)) else {
            // It had to go meanwhile.
            self.fetch(now, message, fetch.resource);
            for other in fetch.others {
                self.fetch(now, other, fetch.resource);
            }
            return;
        };
        *entry = Entry::of(now, Rc::clone(&entry.payload), said);
        let entry = entry.clone();
        self.give(now, message, &entry, CacheOutcome::Validated);
        self.share(now, fetch, &entry);
    }

    /// Gives what has come to those who waited for it, if it may be given to them: else each asks for itself.
    fn share(&mut self, now: Instant, fetch: Fetch, entry: &Entry) {
        let is_shared = entry.is_fresh(now);
        if is_shared {
            self.unshared.remove(&fetch.resource);
        } else if !fetch.is_outdated {
            self.unshared.insert(fetch.resource);
        }
        for other in fetch.others {
            if is_shared {
                self.give(now, other, entry, CacheOutcome::Collapsed);
            } else {
                self.fetch(now, other, fetch.resource);
            }
        }
    }

    /// Records that the upstream server did not answer.
    pub(crate) fn failed(&mut self, now: Instant, message: MessageId) {
        let Some(fetch) = self.end_fetch(message) else {
            return self.say(message, ResponseState::Nothing, CacheOutcome::Failed);
        };
        let stale = self.config.stale_if_error;
        let kept = self.store.get(&Key::Number(fetch.resource)).cloned();
        let kept = kept.filter(|entry| entry.may_be_stale(now, stale));
        for waiting in core::iter::once(message).chain(fetch.others) {
            match &kept {
                Some(entry) => self.give(now, waiting, entry, CacheOutcome::Stale),
                None => self.say(waiting, ResponseState::Nothing, CacheOutcome::Failed),
            }
        }
    }

    /// Records that the upstream server carried out a write. The cached representation is invalidated (RFC 9111 section
    /// 4.4).
    pub(crate) fn written(&mut self, message: MessageId) {
        let asked = self.asked.get(&message).filter(|asked| asked.is_write);
        let Some(resource) = asked.map(|asked| asked.resource) else {
            return;
        };
        self.store.remove(&Key::Number(resource));
        for fetch in self.fetches.values_mut() {
            fetch.is_outdated |= fetch.resource == resource;
        }
        // Who asks from now on does not wait for what was asked before.
        self.leading.remove(&resource);
        self.say(message, ResponseState::Done, CacheOutcome::Written);
    }

    pub(crate) fn next_request(&mut self) -> Option<Request> {
        self.requests.pop_front()
    }

    /// Returns the next response of a service.
    pub(crate) fn next_answer(&mut self, front: usize) -> Option<Answer> {
        let answer = self.answers.get_mut(front)?.pop_front()?;
        self.response_state = answer.response_state;
        Some(answer)
    }

    /// Whether any application has work to do.
    pub(crate) fn has_news(&self) -> bool {
        !self.requests.is_empty()
            || self.answers.iter().any(|answers| !answers.is_empty())
            || self.observations.has_news()
    }

    /// Drops all state, which is in memory only.
    pub(crate) fn forget(&mut self) {
        self.store.clear();
        self.observations.forget();
        self.asked.clear();
        self.fetches.clear();
        self.leading.clear();
        self.unshared.clear();
        self.requests.clear();
        self.answers.clear();
    }

    fn fetch(&mut self, now: Instant, message: MessageId, resource: u32) {
        let fetch = Fetch {
            resource,
            since: now,
            others: Vec::new(),
            reply: Reply::default(),
            is_outdated: false,
        };
        self.fetches.insert(message, fetch);
        if self.store.keeps() && !self.unshared.contains(&resource) {
            self.leading.entry(resource).or_insert(message);
        }
        let payload = None;
        self.requests.push_back(Request { message, payload });
    }

    fn end_fetch(&mut self, message: MessageId) -> Option<Fetch> {
        let fetch = self.fetches.remove(&message)?;
        if self.leading.get(&fetch.resource) == Some(&message) {
            self.leading.remove(&fetch.resource);
        }
        Some(fetch)
    }

    fn give(&mut self, now: Instant, message: MessageId, entry: &Entry, by: CacheOutcome) {
        let payload = Rc::clone(&entry.payload);
        let response_state = ResponseState::Here(entry.freshness(now));
        self.answer(message, payload, response_state, Some(by));
    }

    fn say(&mut self, message: MessageId, response_state: ResponseState, by: CacheOutcome) {
        self.answer(message, Rc::new([]), response_state, Some(by));
    }

    fn ack_and_defer(&mut self, message: MessageId) {
        self.answer(message, Rc::new([]), ResponseState::Later, None);
    }

    fn answer(
        &mut self,
        message: MessageId,
        payload: Rc<[u8]>,
        response_state: ResponseState,
        by: Option<CacheOutcome>,
    ) {
        let front = self.asked.get(&message).and_then(|asked| asked.front);
        if by.is_some() {
            self.asked.remove(&message);
        }
        let Some(front) = front else { return };
        if self.answers.len() <= front {
            self.answers.resize_with(front + 1, VecDeque::new);
        }
        self.answers[front].push_back(Answer {
            message,
            payload,
            response_state,
            by,
        });
    }
}

impl Fetch {
    /// What was said, with the time that it took where that counts.
    fn said(&self, now: Instant) -> Freshness {
        let mut said = self.reply.freshness;
        if self.reply.counts_delay {
            said.age += now - self.since;
        }
        said
    }
}

impl Answer {
    /// Returns the age of the response in whole milliseconds.
    pub(crate) fn age_ms(&self) -> u32 {
        match self.response_state {
            ResponseState::Here(Freshness { age, .. }) => millis(age),
            _ => 0,
        }
    }
}

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_nanos() / 1_000_000).unwrap_or(u32::MAX)
}
