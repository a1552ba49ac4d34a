use std::rc::Rc;

use lasthop_units::Instant;

use crate::store::Key;
use crate::{Cache, Seen, UpstreamReport};

/// What a service of a proxy gives out of the server behind by names, to who asks and to who observes.
#[derive(Clone, Debug)]
pub struct Watching {
    cache: Cache,
    /// Its number among those that do so.
    service: usize,
}

/// What there is of a resource, and is fresh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// It.
    pub seen: Seen,
    /// Whether the server behind tells of its changes.
    pub is_observed: bool,
}

impl Watching {
    pub(crate) const fn new(cache: Cache, service: usize) -> Self {
        Self { cache, service }
    }

    /// Whether the client of the server behind can ask by names at all.
    #[must_use]
    pub fn is_able(&self) -> bool {
        self.cache.look(|state| state.observations.is_able)
    }

    /// What there is of a resource, where that is fresh.
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

    /// Somebody asks for a resource and waits; what comes is [told](Self::next_told).
    pub fn ask(&self, name: &Rc<str>, observes: bool) {
        let service = self.service;
        self.cache
            .with(|state| state.observations.ask(service, name, observes));
    }

    /// Nobody here observes a resource any more, or waits to.
    pub fn release(&self, name: &Rc<str>) {
        let service = self.service;
        self.cache
            .with(|state| state.observations.release(service, name));
    }

    /// What the server behind has said of a resource that somebody here observes or waits for.
    #[must_use]
    pub fn next_report(&self) -> Option<(Rc<str>, UpstreamReport)> {
        let service = self.service;
        self.cache
            .look(|state| state.observations.next_report(service))
    }
}
