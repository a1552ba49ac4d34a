use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use lasthop_units::Instant;

use crate::Freshness;
use crate::state::State;
use crate::store::{Entry, Key};

/// The upstream observations of a proxy, by resource name and by interested services. The proxy observes a resource
/// once for all its clients (RFC 7641 section 5).
#[derive(Debug, Default)]
pub(crate) struct Observations {
    by_name: BTreeMap<Rc<str>, Asked>,
    upstream_requests: VecDeque<UpstreamRequest>,
    /// For each service.
    report: Vec<VecDeque<(Rc<str>, UpstreamReport)>>,
    /// Whether the upstream client can observe.
    pub(crate) is_able: bool,
}

/// A resource that somebody observes, or waits for.
#[derive(Debug, Default)]
struct Asked {
    /// Services that have observers of it, or who wait to be some.
    observing: BTreeSet<usize>,
    /// Services where somebody waits for one answer.
    waiting: BTreeSet<usize>,
    phase: Phase,
}

/// What the server behind has been asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    /// No request.
    #[default]
    Idle,
    /// A request without observation is unanswered.
    Asking,
    /// A registration of an observation is unanswered.
    Registering,
    /// The observation is registered.
    Observing,
}

/// A request to the upstream server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpstreamRequest {
    /// Request a resource by its name.
    Ask {
        /// The path, and the arguments behind `?`.
        name: Rc<str>,
        /// Whether it is to tell of changes as well. If it does so already it is asked once more, by the same observation.
        observes: bool,
    },
    /// Cancel the observation of a resource.
    End(Rc<str>),
}

/// A report of the upstream server on a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpstreamReport {
    /// The state.
    pub state: UpstreamState,
    /// Whether the request was an observation.
    pub was_to_observe: bool,
    /// Whether further reports will follow.
    pub is_observed: bool,
}

/// The state of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UpstreamState {
    /// The current representation.
    State(Seen),
    /// The upstream server refused, with a code of its protocol.
    Refused(u8),
    /// The upstream server did not answer. The stale cache entry is included if it may be served.
    Nothing(Option<Seen>),
}

/// A representation of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The bytes.
    pub payload: Rc<[u8]>,
    /// The content format, if it is known.
    pub format: Option<u16>,
    /// The freshness.
    pub freshness: Freshness,
}

impl Observations {
    pub(crate) fn add_service(&mut self) -> usize {
        self.report.push(VecDeque::new());
        self.report.len() - 1
    }

    pub(crate) fn next_upstream_request(&mut self) -> Option<UpstreamRequest> {
        self.upstream_requests.pop_front()
    }

    pub(crate) fn next_report(&mut self, service: usize) -> Option<(Rc<str>, UpstreamReport)> {
        self.report.get_mut(service)?.pop_front()
    }

    pub(crate) fn has_news(&self) -> bool {
        !self.upstream_requests.is_empty() || self.report.iter().any(|report| !report.is_empty())
    }

    /// Whether the upstream server sends notifications for a resource.
    pub(crate) fn is_observed(&self, name: &str) -> bool {
        let asked = self.by_name.get(name);
        asked.is_some_and(|asked| asked.phase == Phase::Observing)
    }

    /// Requests a resource from the upstream server on behalf of a service.
    pub(crate) fn ask(&mut self, service: usize, name: &Rc<str>, observes: bool) {
        let asked = self.by_name.entry(Rc::clone(name)).or_default();
        asked.waiting.insert(service);
        if observes {
            asked.observing.insert(service);
        }
        match asked.phase {
            // Who wants to observe is asked for when that answer is there.
            Phase::Asking | Phase::Registering => {}
            Phase::Idle | Phase::Observing => self.wish(name),
        }
    }

    /// Records that no client of a service observes or waits for a resource any more.
    pub(crate) fn release(&mut self, service: usize, name: &Rc<str>) {
        let Some(asked) = self.by_name.get_mut(name) else {
            return;
        };
        asked.observing.remove(&service);
        if !asked.observing.is_empty() {
            return;
        }
        if matches!(asked.phase, Phase::Registering | Phase::Observing) {
            asked.phase = Phase::Idle;
            self.upstream_requests
                .push_back(UpstreamRequest::End(Rc::clone(name)));
        }
        self.go_on(name);
    }

    /// Drops all state.
    pub(crate) fn forget(&mut self) {
        self.by_name.clear();
        self.upstream_requests.clear();
        self.report.iter_mut().for_each(VecDeque::clear);
    }

    /// Asks the server behind for a resource as it is wanted.
    fn wish(&mut self, name: &Rc<str>) {
        let Some(asked) = self.by_name.get_mut(name) else {
            return;
        };
        let observes = !asked.observing.is_empty();
        asked.phase = if observes {
            Phase::Registering
        } else {
            Phase::Asking
        };
        let name = Rc::clone(name);
        self.upstream_requests
            .push_back(UpstreamRequest::Ask { name, observes });
    }

    /// Asks for what is wanted and is not being asked for, and drops what nobody wants.
    fn go_on(&mut self, name: &Rc<str>) {
        let Some(asked) = self.by_name.get(name) else {
            return;
        };
        if asked.phase != Phase::Idle {
            return;
        }
        if asked.observing.is_empty() && asked.waiting.is_empty() {
            self.by_name.remove(name);
        } else {
            self.wish(name);
        }
    }

    /// Tells the services that want to know. Those who wait to observe go on waiting for what they asked for.
    fn tell(&mut self, name: &Rc<str>, report: &UpstreamReport) {
        let Some(asked) = self.by_name.get_mut(name) else {
            return;
        };
        if report.was_to_observe != matches!(asked.phase, Phase::Registering | Phase::Observing) {
            // It was ended meanwhile.
            return;
        }
        for service in asked.observing.union(&asked.waiting) {
            if let Some(queue) = self.report.get_mut(*service) {
                queue.push_back((Rc::clone(name), report.clone()));
            }
        }
        asked.waiting.clear();
        let is_lost = matches!(report.state, UpstreamState::Nothing(_)) && report.was_to_observe;
        asked.phase = match report {
            UpstreamReport {
                is_observed: true, ..
            } => Phase::Observing,
            // It is asked for again until nobody wants it.
            _ if is_lost => Phase::Registering,
            _ => Phase::Idle,
        };
        if report.was_to_observe && asked.phase == Phase::Idle {
            // It will not tell of changes: services let their observers go.
            asked.observing.clear();
        }
        self.go_on(name);
    }
}

impl State {
    /// Processes a report of the upstream server on a resource.
    pub(crate) fn report(&mut self, now: Instant, name: &Rc<str>, mut report: UpstreamReport) {
        let key = Key::Name(Rc::clone(name));
        match &mut report.state {
            UpstreamState::State(seen) => {
                let entry = Entry {
                    format: seen.format,
                    ..Entry::of(now, Rc::clone(&seen.payload), seen.freshness)
                };
                if entry.is_fresh(now) {
                    self.store.put(key, entry);
                } else {
                    self.store.remove(&key);
                }
            }
            UpstreamState::Refused(_) => self.store.remove(&key),
            UpstreamState::Nothing(kept) => {
                let stale = self.config().stale_if_error;
                let entry = self.store.get(&key);
                let entry = entry.filter(|entry| entry.may_be_stale(now, stale));
                *kept = entry.map(|entry| Seen::of(entry, now));
            }
        }
        self.observations.tell(name, &report);
    }
}

impl Seen {
    /// Returns the state of a cache entry.
    pub(crate) fn of(entry: &Entry, now: Instant) -> Self {
        Self {
            payload: Rc::clone(&entry.payload),
            format: entry.format,
            freshness: entry.freshness(now),
        }
    }
}
