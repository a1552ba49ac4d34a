use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use lasthop_units::Instant;

use crate::Freshness;
use crate::state::State;
use crate::store::{Entry, Key};

/// What a proxy asks the server behind for by its name, and for which of its services: it observes once for all who observe
/// (RFC 7641 §5).
#[derive(Debug, Default)]
pub(crate) struct Observations {
    by_name: BTreeMap<Rc<str>, Asked>,
    wishes: VecDeque<Wish>,
    /// For each service.
    told: Vec<VecDeque<(Rc<str>, Told)>>,
    /// Whether the client of the server behind can observe.
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
    /// Nothing.
    #[default]
    Idle,
    /// What there is now; no answer has come.
    Asking,
    /// To be told of changes; no answer has come.
    Registering,
    /// To be told of changes, and it does.
    Observing,
}

/// What the server behind is to be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// A resource by its name.
    Ask {
        /// The path, and the arguments behind `?`.
        name: Rc<str>,
        /// Whether it is to tell of changes as well. If it does so already it is asked once more, by the same observation.
        observes: bool,
    },
    /// No more of the changes of a resource.
    End(Rc<str>),
}

/// What the server behind has said of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// What.
    pub word: Word,
    /// Whether it was asked to tell of changes.
    pub was_to_observe: bool,
    /// Whether more will follow.
    pub is_observed: bool,
}

/// What can be said of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// What it is now.
    State(Seen),
    /// The server does not give it; why, in a code of its protocol.
    Refused(u8),
    /// It gave no answer; with what there is, where that may be given although it is not fresh.
    Nothing(Option<Seen>),
}

/// A state of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its bytes.
    pub payload: Rc<[u8]>,
    /// The format of those, where that was said.
    pub format: Option<u16>,
    /// For how long it is fresh.
    pub freshness: Freshness,
}

impl Observations {
    pub(crate) fn add_service(&mut self) -> usize {
        self.told.push(VecDeque::new());
        self.told.len() - 1
    }

    pub(crate) fn next_wish(&mut self) -> Option<Wish> {
        self.wishes.pop_front()
    }

    pub(crate) fn next_told(&mut self, service: usize) -> Option<(Rc<str>, Told)> {
        self.told.get_mut(service)?.pop_front()
    }

    pub(crate) fn has_news(&self) -> bool {
        !self.wishes.is_empty() || self.told.iter().any(|told| !told.is_empty())
    }

    /// Whether the server behind tells of the changes of a resource.
    pub(crate) fn is_observed(&self, name: &str) -> bool {
        let asked = self.by_name.get(name);
        asked.is_some_and(|asked| asked.phase == Phase::Observing)
    }

    /// Somebody at a service asks for a resource that is to be asked for at the server behind.
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

    /// A service has nobody any more who observes a resource, or waits to.
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
            self.wishes.push_back(Wish::End(Rc::clone(name)));
        }
        self.go_on(name);
    }

    /// All is lost.
    pub(crate) fn forget(&mut self) {
        self.by_name.clear();
        self.wishes.clear();
        self.told.iter_mut().for_each(VecDeque::clear);
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
        self.wishes.push_back(Wish::Ask { name, observes });
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
    fn tell(&mut self, name: &Rc<str>, told: &Told) {
        let Some(asked) = self.by_name.get_mut(name) else {
            return;
        };
        if told.was_to_observe != matches!(asked.phase, Phase::Registering | Phase::Observing) {
            // It was ended meanwhile.
            return;
        }
        for service in asked.observing.union(&asked.waiting) {
            if let Some(queue) = self.told.get_mut(*service) {
                queue.push_back((Rc::clone(name), told.clone()));
            }
        }
        asked.waiting.clear();
        let is_lost = matches!(told.word, Word::Nothing(_)) && told.was_to_observe;
        asked.phase = match told {
            Told {
                is_observed: true, ..
            } => Phase::Observing,
            // It is asked for again until nobody wants it.
            _ if is_lost => Phase::Registering,
            _ => Phase::Idle,
        };
        if told.was_to_observe && asked.phase == Phase::Idle {
            // It will not tell of changes: services let their observers go.
            asked.observing.clear();
        }
        self.go_on(name);
    }
}

impl State {
    /// The server behind has said something of a resource, or nothing in time.
    pub(crate) fn told(&mut self, now: Instant, name: &Rc<str>, mut told: Told) {
        let key = Key::Name(Rc::clone(name));
        match &mut told.word {
            Word::State(seen) => {
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
            Word::Refused(_) => self.store.remove(&key),
            Word::Nothing(kept) => {
                let stale = self.config().stale_if_error;
                let entry = self.store.get(&key);
                let entry = entry.filter(|entry| entry.may_be_stale(now, stale));
                *kept = entry.map(|entry| Seen::of(entry, now));
            }
        }
        self.observations.tell(name, &told);
    }
}

impl Seen {
    /// What there is of a resource.
    pub(crate) fn of(entry: &Entry, now: Instant) -> Self {
        Self {
            payload: Rc::clone(&entry.payload),
            format: entry.format,
            freshness: entry.freshness(now),
        }
    }
}
