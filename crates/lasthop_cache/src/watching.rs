use std::rc::Rc;

use lasthop_units::Instant;

use crate::store::Key;
use crate::{Cache, Seen, UpstreamReport};

/// The observation interface of a proxy's service, by resource name.
#[derive(Clone, Debug)]
pub struct Watching {
    cache: Cache,
    /// Its number among those that do so.
    service: usize,
}

/// A fresh cache entry of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// The representation.
    pub seen: Seen,
    /// Whether the upstream server sends notifications for the resource.
    pub is_observed: bool,
}

impl Watching {
    pub(crate) const fn new(cache: Cache, service: usize) -> Self {
        Self { cache, service }
    }

    /// Whether the upstream client can request resources by name.
    #[must_use]
    pub fn is_able(&self) -> bool {
        self.cache.look(|state| state.observations.is_able)
    }

    /// Returns the cache entry of a resource if it is fresh.
    #[must_use]
    pub fn current(&self, now: Instant, name: &Rc<str>) -> Option<Current> {
        self.cache.look(|state| {
            let is_observed = state.observations.is_observed(name);
            let entry = state.store.get(&Key::Name(Rc::clone(name)))?;
            let is_fresh = entry.is_fresh(now);
            is_fresh.then(|| Current {
                seen: Seen::of(entry, now),
                is_observed,
            })
        })
    }

    /// Requests a resource for a waiting client. [`Self::next_report`] returns the outcome.
    pub fn ask(&self, name: &Rc<str>, observes: bool) {
        let service = self.service;
        self.cache
            .with(|state| state.observations.ask(service, name, observes));
    }

    /// Records that no client of this service observes or waits for a resource any more.
    pub fn release(&self, name: &Rc<str>) {
        let service = self.service;
        self.cache
            .with(|state| state.observations.release(service, name));
    }

    /// Returns the next upstream report for a resource that a client observes or waits for.
    #[must_use]
    pub fn next_report(&self) -> Option<(Rc<str>, UpstreamReport)> {
        let service = self.service;
        self.cache
            .look(|state| state.observations.next_report(service))
    }
}
