//! What a service of a caching proxy knows of the resources of the server behind, and of those who observe them.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use lasthop_cache::{Seen, Watching};
use lasthop_contract::ConnectionId;
use lasthop_contract::message_text::message_id;
use lasthop_units::Duration;

use super::observer::Observer;
use super::store::{MAX_OBSERVERS, MAX_RESOURCES};
use crate::codec::{Message, Token};
use crate::context::Purpose;
use crate::endpoint::{Answer, Endpoint};
use crate::representation::{Delivery, Representation};

/// What a service of a proxy gives out of the server behind.
#[derive(Debug)]
pub(super) struct UpstreamCache {
    pub(super) watching: Watching,
    pub(super) by_name: BTreeMap<Rc<str>, Resource>,
    /// What was given out last, the newest first: a large one is asked for block by block.
    recent: VecDeque<(Rc<str>, Rc<Given>)>,
    /// Raised by each state: the sequence number of notifications, its own (RFC 7641 section 5).
    pub(super) changes: u32,
}

/// A resource that clients observe, or wait for.
#[derive(Debug, Default)]
pub(super) struct Resource {
    pub(super) observers: Vec<Observer>,
    pub(super) waiting: Vec<Waiting>,
}

/// A request that waits for the server behind; its sender was told that this takes its time.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) connection: ConnectionId,
    pub(super) request: Message,
    pub(super) observes: bool,
}

/// A state, as it is given out.
#[derive(Debug)]
pub(super) struct Given {
    pub(super) representation: Representation,
    /// Whether the server behind has told its entity tag.
    pub(super) is_tagged: bool,
    /// For how much longer it is fresh.
    pub(super) max_age: Duration,
}

/// How many states are kept for who asks block by block.
const RECENT: usize = 8;

impl UpstreamCache {
    pub(super) const fn new(watching: Watching) -> Self {
        Self {
            watching,
            by_name: BTreeMap::new(),
            recent: VecDeque::new(),
            changes: 0,
        }
    }

    /// Whether resources are to be had from the server behind by their names.
    pub(super) fn is_able(&self) -> bool {
        self.watching.is_able()
    }

    /// The host goes off. Sequence numbers go on: clients remember them.
    pub(super) fn crash(&mut self) {
        self.by_name.clear();
        self.recent.clear();
    }

    /// Ends an observation, whichever resource it is of.
    pub(super) fn end_observation(&mut self, key: (ConnectionId, Token)) {
        self.drop_clients(|its| its == key);
    }

    /// Forgets a client that is gone.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.drop_clients(|(its, _)| its == connection);
        for resource in self.by_name.values_mut() {
            resource.waiting.retain(|it| it.connection != connection);
        }
    }

    fn drop_clients(&mut self, is_gone: impl Fn((ConnectionId, Token)) -> bool) {
        let mut left = Vec::new();
        for (name, resource) in &mut self.by_name {
            let before = (resource.observers.len(), resource.waiting.len());
            resource.observers.retain(|it| !is_gone(it.key()));
            resource
                .waiting
                .retain(|it| !it.observes || !is_gone(it.key()));
            if before != (resource.observers.len(), resource.waiting.len()) {
                left.push(Rc::clone(name));
            }
        }
        for name in left {
            self.tidy(&name);
        }
    }

    /// Lets an observation go that nobody wants any more.
    pub(super) fn tidy(&mut self, name: &Rc<str>) {
        let Some(resource) = self.by_name.get(name) else {
            return;
        };
        if resource.observers.is_empty() && !resource.waiting.iter().any(|it| it.observes) {
            self.watching.release(name);
            if resource.waiting.is_empty() {
                self.by_name.remove(name);
            }
        }
    }

    /// How many other resources a client observes, or waits to.
    pub(super) fn others_observed_by(&self, key: (ConnectionId, Token)) -> usize {
        let keys = self.by_name.values().flat_map(|resource| {
            let waiting = resource.waiting.iter().filter(|it| it.observes);
            let observers = resource.observers.iter().map(Observer::key);
            observers.chain(waiting.map(Waiting::key))
        });
        keys.filter(|its| its.0 == key.0 && *its != key).count()
    }

    /// Whether there is room for one more who observes a resource, or waits for it.
    pub(super) fn has_room(&self, name: &str) -> bool {
        match self.by_name.get(name) {
            Some(resource) => resource.observers.len() + resource.waiting.len() < MAX_OBSERVERS,
            None => self.by_name.len() < MAX_RESOURCES,
        }
    }

    pub(super) fn observe(&mut self, name: &Rc<str>, observer: Observer) {
        let resource = self.by_name.entry(Rc::clone(name)).or_default();
        resource.observers.retain(|it| it.key() != observer.key());
        resource.observers.push(observer);
    }

    pub(super) fn wait(&mut self, name: &Rc<str>, waiting: Waiting) {
        let observes = waiting.observes;
        let resource = self.by_name.entry(Rc::clone(name)).or_default();
        // Who asks again by the same token has given the other request up.
        resource.waiting.retain(|it| it.key() != waiting.key());
        resource.waiting.push(waiting);
        self.watching.ask(name, observes);
    }

    /// Keeps what is given out for who asks for a further block of it.
    pub(super) fn keep(&mut self, name: &Rc<str>, given: &Rc<Given>) {
        self.recent.retain(|(its, _)| its != name);
        self.recent.truncate(RECENT - 1);
        self.recent.push_front((Rc::clone(name), Rc::clone(given)));
    }

    pub(super) fn kept(&self, name: &str) -> Option<Rc<Given>> {
        let mut recent = self.recent.iter();
        let kept = recent.find(|(its, _)| **its == *name);
        kept.map(|(_, given)| Rc::clone(given))
    }
}

impl Waiting {
    pub(super) const fn key(&self) -> (ConnectionId, Token) {
        (self.connection, self.request.content.token)
    }
}

impl Given {
    pub(super) fn of(seen: &Seen, usual: Duration) -> Self {
        let Seen {
            payload,
            format,
            freshness,
        } = seen;
        let mut representation = match freshness.tag {
            Some(tag) => {
                let mut tagged = Representation::after(tag.wrapping_sub(1));
                tagged.set(payload.to_vec(), *format);
                tagged
            }
            None => Representation::of_bytes(payload),
        };
        representation.content_format = *format;
        let left = freshness.seconds_left();
        Self {
            representation,
            is_tagged: freshness.tag.is_some(),
            max_age: left.map_or(usual, |seconds| Duration::from_secs(seconds.into())),
        }
    }

    /// The whole, or the block that is wanted.
    pub(super) fn answer(
        &self,
        endpoint: &Endpoint,
        connection: ConnectionId,
        request: Option<&Message>,
        observed_as: Option<u32>,
        purpose: Purpose,
    ) -> Option<Answer<'_>> {
        let delivery = Delivery {
            block: request.and_then(|request| request.content.facts.block2),
            is_observed: observed_as.is_some(),
            is_tagged: self.is_tagged,
            largest_block: endpoint.largest_block(connection),
            whole_limit: endpoint.whole_limit(connection),
            max_age: self.max_age,
            block1: None,
            purpose,
        };
        self.representation
            .answer_as(delivery, observed_as.unwrap_or_default())
    }

    /// Of a notification: it brings one of the user's messages, where its bytes say so.
    pub(super) fn purpose(&self) -> Purpose {
        message_id(&self.representation.body).map_or(Purpose::Content, Purpose::Message)
    }
}
