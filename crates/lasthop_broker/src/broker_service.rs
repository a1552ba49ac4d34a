use core::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::Survives;
use lasthop_units::Instant;

use crate::broker_core::SharedCore;
use crate::{
    Admission, Authority, Client, Credentials, Delivery, Holder, Identity, Matches, Message,
    Published, Readiness, Refusal, RetainedMessages, RetainedPart, RetainedSearch,
    SharedPublication, SubscriptionOptions, TopicFilter,
};

/// The interface of one service (a protocol with its listeners) to the core of its host.
///
/// It publishes what its clients publish and sends the message to those of its own who want it; what other services
/// published comes by [`next_delivery`](Self::next_delivery) whenever it is polled. How a message looks is its own business.
#[derive(Debug)]
pub struct BrokerService {
    access: Access,
}

#[derive(Debug)]
enum Access {
    /// It has a core for itself, and everybody may do everything: nothing need be asked of others.
    Alone(SharedCore),
    /// One of several, or one with an authority.
    Joined(Rc<RefCell<SharedCore>>, ServiceId),
}

/// The index of a service of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceId(pub u8);

/// A subscriber, by a number that its service assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Subscriber {
    /// The service.
    pub service: ServiceId,
    /// The number.
    pub number: u64,
}

impl BrokerService {
    pub(crate) const fn of(core: Rc<RefCell<SharedCore>>, id: ServiceId) -> Self {
        let access = Access::Joined(core, id);
        Self { access }
    }

    pub(crate) const fn alone(core: SharedCore) -> Self {
        let access = Access::Alone(core);
        Self { access }
    }

    const fn id(&self) -> ServiceId {
        match &self.access {
            Access::Alone(_) => ServiceId(0),
            Access::Joined(_, id) => *id,
        }
    }

    #[inline]
    fn with<T>(&mut self, work: impl FnOnce(&mut SharedCore) -> T) -> T {
        match &mut self.access {
            Access::Alone(core) => work(core),
            Access::Joined(core, _) => work(&mut core.borrow_mut()),
        }
    }

    /// What the authority says, where somebody has to be asked.
    fn asked<T>(&self, ask: impl FnOnce(&dyn Authority) -> T) -> Option<T> {
        match &self.access {
            Access::Alone(_) => None,
            Access::Joined(core, _) => {
                let core = core.borrow();
                core.known_rest().map(|rest| ask(&*rest.authority))
            }
        }
    }

    /// Whether there are no permissions and no other service, so that nothing must be checked.
    #[inline]
    #[must_use]
    pub const fn is_alone(&self) -> bool {
        matches!(self.access, Access::Alone(_))
    }

    /// Whether a publication can reach no subscriber, for example because all are for the server itself.
    #[inline]
    #[must_use]
    pub fn has_nobody(&self) -> bool {
        match &self.access {
            Access::Alone(core) => core.has_nobody(),
            Access::Joined(..) => false,
        }
    }

    /// A client of this service as a subscriber.
    #[inline]
    #[must_use]
    pub const fn subscriber(&self, number: u64) -> Subscriber {
        Subscriber {
            service: self.id(),
            number,
        }
    }

    /// Authenticates a client.
    ///
    /// # Errors
    /// When they are not believed, or somebody without any is not served.
    pub fn identify(
        &self,
        now: Instant,
        credentials: &Credentials<'_>,
    ) -> Result<Admission, Refusal> {
        let asked = self.asked(|authority| authority.identify(now, credentials));
        asked.unwrap_or(Ok(Identity::ANONYMOUS.into()))
    }

    /// Whether a client can be authenticated at once; where not, the check has begun.
    #[must_use]
    pub fn readiness(&self, now: Instant, credentials: &Credentials<'_>) -> Readiness {
        let asked = self.asked(|authority| authority.readiness(now, credentials));
        asked.unwrap_or(Readiness::Ready)
    }

    /// How many checks of credentials that took longer are over.
    #[must_use]
    pub fn checks_done(&self) -> u64 {
        self.asked(|authority| authority.checks_done()).unwrap_or(0)
    }

    /// Whether a client may publish to a topic.
    #[must_use]
    pub fn may_publish(&self, client: Client<'_>, topic: &str) -> bool {
        let asked = self.asked(|authority| authority.may_publish(client, topic));
        asked.unwrap_or(true)
    }

    /// Whether a client may have all that a filter matches.
    #[must_use]
    pub fn may_subscribe(&self, client: Client<'_>, filter: &TopicFilter<'_>) -> bool {
        let asked = self.asked(|authority| authority.may_subscribe(client, filter));
        asked.unwrap_or(true)
    }

    /// Adds a subscription or changes its options; returns whether it is new.
    pub fn subscribe(
        &mut self,
        number: u64,
        filter: &TopicFilter<'_>,
        options: SubscriptionOptions,
    ) -> bool {
        let subscriber = self.subscriber(number);
        self.with(|core| core.subscribe(subscriber, filter, options))
    }

    /// Removes a subscription; returns whether it existed.
    pub fn unsubscribe(&mut self, number: u64, filter: &TopicFilter<'_>) -> bool {
        let subscriber = self.subscriber(number);
        self.with(|core| core.unsubscribe(subscriber, filter))
    }

    /// Removes a subscriber with these filters.
    pub fn forget<'a>(&mut self, number: u64, filters: impl IntoIterator<Item = &'a str>) {
        self.set_absent(number, false);
        for text in filters {
            if let Ok(filter) = TopicFilter::parse(text) {
                self.unsubscribe(number, &filter);
            }
        }
    }

    /// Notes that the messages of its groups are for others while a subscriber is away.
    pub fn set_absent(&mut self, number: u64, is_absent: bool) {
        let subscriber = self.subscriber(number);
        self.with(|core| match is_absent {
            true => drop(core.rest().absent.insert(subscriber)),
            false if core.known_rest().is_some() => drop(core.rest().absent.remove(&subscriber)),
            false => {}
        });
    }

    /// Retains a publication if requested, and passes it to the other services.
    ///
    /// `own` gets the matching subscriptions of this service, grouped by subscriber.
    #[inline]
    pub fn publish(
        &mut self,
        shared: &mut SharedPublication<'_>,
        own: &mut Matches<Subscriber>,
    ) -> Published {
        self.publish_for(Holder::Host, shared, own)
    }

    /// Publishes for a holder, to whom a retained message counts.
    #[inline]
    pub fn publish_for(
        &mut self,
        holder: Holder,
        shared: &mut SharedPublication<'_>,
        own: &mut Matches<Subscriber>,
    ) -> Published {
        let id = self.id();
        self.with(|core| core.publish(id, holder, shared, own))
    }

    /// Returns the next publication of another service for clients of this one.
    #[inline]
    #[must_use]
    pub fn next_delivery(&mut self) -> Option<Delivery> {
        match &self.access {
            Access::Alone(_) => None,
            Access::Joined(core, id) => core.borrow_mut().rest().inboxes[usize::from(id.0)].take(),
        }
    }

    /// The retained messages of the topics that match, in the order of the topics.
    #[must_use]
    pub fn retained(&mut self, now: Instant, filter: &TopicFilter<'_>) -> Vec<Arc<Message>> {
        self.with(|core| match core.known_rest() {
            Some(_) => core.rest().retained.matching(now, filter),
            None => Vec::new(),
        })
    }

    /// Continues a search for retained messages, within limits on topics and messages.
    #[must_use]
    pub fn search_retained(
        &mut self,
        now: Instant,
        search: &mut RetainedSearch,
        most_topics: usize,
        most_messages: usize,
    ) -> RetainedPart {
        self.with(|core| match core.known_rest() {
            Some(_) => {
                let retained = &mut core.rest().retained;
                retained.search(now, search, most_topics, most_messages)
            }
            None => {
                search.end();
                RetainedPart::default()
            }
        })
    }

    /// The retained message of a topic.
    #[must_use]
    pub fn retained_of(&self, now: Instant, topic: &str) -> Option<Arc<Message>> {
        let of = |core: &SharedCore| core.known_rest()?.retained.of(now, topic);
        match &self.access {
            Access::Alone(core) => of(core),
            Access::Joined(core, _) => of(&core.borrow()),
        }
    }

    /// Removes all clients of this service and their subscriptions.
    pub fn leave(&mut self) {
        let id = self.id();
        self.with(|core| {
            core.retain_subscribers(|subscriber| subscriber.service != id);
            if core.known_rest().is_some()
                && let Some(inbox) = core.rest().inboxes.get_mut(usize::from(id.0))
            {
                inbox.clear();
            }
        });
    }

    /// Handles a power failure: retained messages are lost unless sessions survive.
    pub fn crash(&mut self, survives: Survives) {
        self.with(|core| {
            if core.known_rest().is_some() && !survives.sessions.is_durable() {
                core.rest().retained = RetainedMessages::default();
            }
        });
    }
}

impl Default for BrokerService {
    /// Of a core of its own, with the usual limits.
    fn default() -> Self {
        Self::alone(SharedCore::default())
    }
}
