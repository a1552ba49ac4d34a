use core::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::{MessageId, WakeFlag};
use lasthop_units::{DataSize, Duration, Instant};

use crate::state::{Answer, Request, State};
use crate::{Reply, ResponseState, UpstreamReport, UpstreamRequest, Watching};

/// The cache of a proxy, shared by its services, its client and their protocols.
#[derive(Clone, Debug)]
pub struct Cache {
    state: Rc<RefCell<State>>,
    wake: WakeFlag,
}

/// The configuration of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheConfig {
    /// The capacity in bytes of representations.
    pub room: DataSize,
    /// How long a stale representation is served if the upstream server does not answer (`stale-if-error`, RFC 5861
    /// section 4).
    pub stale_if_error: Duration,
}

impl Cache {
    /// Creates an empty cache with the wake flag of its host.
    #[must_use]
    pub fn new(config: CacheConfig, wake: WakeFlag) -> Self {
        Self {
            state: Rc::new(RefCell::new(State::new(config))),
            wake,
        }
    }

    /// Records that a service received a request or a write for a resource. The message itself is passed up afterwards.
    pub(crate) fn asked(&self, message: MessageId, resource: u32, is_write: bool) {
        self.state.borrow_mut().asked(message, resource, is_write);
    }

    /// Returns the metadata of the response that is being sent.
    pub(crate) fn response_state(&self) -> ResponseState {
        self.state.borrow().response_state
    }

    pub(crate) fn resource_of(&self, message: MessageId) -> Option<u32> {
        self.state.borrow().resource_of(message)
    }

    pub(crate) fn tag_for(&self, message: MessageId) -> Option<u32> {
        self.state.borrow_mut().tag_for(message)
    }

    pub(crate) fn said(&self, now: Instant, message: MessageId, reply: Reply) {
        self.with(|state| state.said(now, message, reply));
    }

    pub(crate) fn take(&self, now: Instant, front: usize, message: MessageId, payload: &[u8]) {
        self.with(|state| state.take(now, front, message, payload));
    }

    pub(crate) fn fetched(&self, now: Instant, message: MessageId, payload: &[u8]) {
        self.with(|state| state.fetched(now, message, payload));
    }

    pub(crate) fn failed(&self, now: Instant, message: MessageId) {
        self.with(|state| state.failed(now, message));
    }

    pub(crate) fn written(&self, message: MessageId) {
        self.with(|state| state.written(message));
    }

    pub(crate) fn next_request(&self) -> Option<Request> {
        self.state.borrow_mut().next_request()
    }

    pub(crate) fn next_answer(&self, front: usize) -> Option<Answer> {
        self.state.borrow_mut().next_answer(front)
    }

    pub(crate) fn forget(&self) {
        self.state.borrow_mut().forget();
    }

    /// Returns the observation interface for a service.
    #[must_use]
    pub fn watching(&self) -> Watching {
        let service = self.state.borrow_mut().observations.add_service();
        Watching::new(self.clone(), service)
    }

    /// Declares that the upstream client can observe and accepts upstream requests.
    pub fn can_observe(&self) {
        self.state.borrow_mut().observations.is_able = true;
    }

    /// Returns the next upstream request by name, or the cancellation of one.
    #[must_use]
    pub fn next_upstream_request(&self) -> Option<UpstreamRequest> {
        self.state.borrow_mut().observations.next_upstream_request()
    }

    /// Reports a response or notification of the upstream server for a name, or a timeout.
    pub fn report(&self, now: Instant, name: &Rc<str>, report: UpstreamReport) {
        self.with(|state| state.report(now, name, report));
    }

    /// Changes the state, and wakes the host's applications if there is work for them.
    pub(crate) fn with(&self, then: impl FnOnce(&mut State)) {
        let mut state = self.state.borrow_mut();
        then(&mut state);
        if state.has_news() {
            self.wake.raise();
        }
    }

    /// Reads the state without waking any application.
    pub(crate) fn look<T>(&self, then: impl FnOnce(&mut State) -> T) -> T {
        then(&mut self.state.borrow_mut())
    }
}
