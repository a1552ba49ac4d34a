use core::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{LookupMap, LookupSet, WakeFlag};
use lasthop_units::DataSize;
use thiserror::Error;

use crate::inbox::Inbox;
use crate::subscribers::Single;
use crate::{
    Authority, BrokerService, Everybody, Holder, Matches, Message, Origin, Publication,
    RetainedLimits, RetainedMessages, ServiceId, SharedPublication, Subscriber,
    SubscriptionOptions, SubscriptionTree, TopicFilter,
};

/// The state that the services of a host share: subscriptions, retained messages and permissions.
///
/// A publication on one service reaches the subscribers of all.
#[derive(Clone, Debug)]
pub struct BrokerCore {
    shared: Rc<RefCell<SharedCore>>,
}

/// The limits of a broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokerLimits {
    /// The number of sessions, connected and parked.
    pub sessions: usize,
    /// The number of filters of one session.
    pub subscriptions_per_session: usize,
    /// The bytes of the filters of all sessions. Each filter counts [`FILTER_COST`](crate::FILTER_COST) bytes more.
    pub subscriptions_size: DataSize,
    /// The number of topics with a retained message.
    pub retained_messages: usize,
    /// The bytes of all retained messages and their topic names.
    pub retained_size: DataSize,
    /// The number of queued messages of one session, without those in flight (mosquitto: `max_queued_messages`).
    pub queued_messages: usize,
    /// The queued bytes of one session (mosquitto: `max_queued_bytes`).
    pub queued_size: DataSize,
    /// Bytes of kept messages over all sessions: queued, in flight, unreleased QoS 2, and wills.
    ///
    /// A message for several sessions counts once. `None` for no limit.
    pub kept_size: Option<DataSize>,
    /// Bytes of kept messages over the sessions of one [`Holder`].
    pub kept_size_of_one: Option<DataSize>,
    /// Bytes of incomplete packets and unread answers over all connections. `None` for no limit.
    pub pending_size: Option<DataSize>,
}

impl Default for BrokerLimits {
    /// mosquitto 2.0 queues 1,000 messages a session; it bounds nothing else.
    fn default() -> Self {
        Self {
            sessions: 1_000_000,
            subscriptions_per_session: 1000,
            subscriptions_size: DataSize::from_bytes(1 << 30),
            retained_messages: 100_000,
            retained_size: DataSize::from_bytes(1 << 30),
            queued_messages: 1000,
            queued_size: DataSize::from_bytes(64 << 20),
            kept_size: None,
            kept_size_of_one: None,
            pending_size: None,
        }
    }
}

/// A limit of the broker is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a limit of the broker is reached")]
pub struct Full;

/// The outcome of a publication.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// Whether the message has at least one recipient.
    pub has_recipient: bool,
    /// The number of drops because of full limits: retained messages, or the queue of a service.
    pub dropped: u64,
}

/// The storage behind the handles of all services. It stays small while one service has only a few subscribers.
#[derive(Debug, Default)]
pub(crate) struct SharedCore {
    /// Who wants one topic, by its name. Most subscriptions are such.
    by_topic: LookupMap<Box<str>, Single<Subscriber>>,
    rest: Option<Box<Rest>>,
}

/// The parts of a core that only some cores need.
#[derive(Debug)]
pub(crate) struct Rest {
    /// Subscriptions with wildcards, and those of groups.
    tree: SubscriptionTree<Subscriber>,
    pub(crate) retained: RetainedMessages,
    pub(crate) authority: Box<dyn Authority>,
    /// Members of shared groups that are disconnected.
    pub(crate) absent: LookupSet<Subscriber>,
    pub(crate) inboxes: Vec<Inbox>,
    max_retained: RetainedLimits,
    wake: WakeFlag,
}

impl BrokerCore {
    /// Creates a core without services. A service raises the host's flag when it has a message for another service.
    #[must_use]
    pub fn new(limits: BrokerLimits, authority: Box<dyn Authority>, wake: WakeFlag) -> Self {
        let rest = Rest::new(limits, authority, wake);
        Self {
            shared: Rc::new(RefCell::new(SharedCore::with(rest))),
        }
    }

    /// Creates the core of a single service that authorises everything, and returns that service.
    #[must_use]
    pub fn of_one_service(limits: BrokerLimits) -> BrokerService {
        let rest = Rest::new(limits, Box::new(Everybody), WakeFlag::new());
        BrokerService::alone(SharedCore::with(rest))
    }

    /// Creates the handle of another service.
    ///
    /// # Panics
    /// When there are 256 services.
    #[must_use]
    pub fn service(&self) -> BrokerService {
        let mut shared = self.shared.borrow_mut();
        let inboxes = &mut shared.rest().inboxes;
        let number = u8::try_from(inboxes.len()).expect("a host has few services");
        inboxes.push(Inbox::default());
        BrokerService::of(Rc::clone(&self.shared), ServiceId(number))
    }
}

impl Rest {
    fn new(limits: BrokerLimits, authority: Box<dyn Authority>, wake: WakeFlag) -> Self {
        Self {
            tree: SubscriptionTree::new(),
            retained: RetainedMessages::default(),
            authority,
            absent: LookupSet::new(),
            inboxes: Vec::new(),
            max_retained: RetainedLimits {
                messages: limits.retained_messages,
                size: limits.retained_size,
            },
            wake,
        }
    }

    /// Retains a message for its topic; one without payload clears the topic (MQTT-3.3.1-6). Whether there was room.
    fn retain(&mut self, message: &Arc<Message>, holder: Holder) -> bool {
        if message.publication().payload.is_empty() {
            self.retained.forget(message.topic());
            return true;
        }
        self.retained
            .keep(Arc::clone(message), holder, self.max_retained)
    }
}

impl SharedCore {
    fn with(rest: Rest) -> Self {
        Self {
            rest: Some(Box::new(rest)),
            ..Self::default()
        }
    }

    /// Returns the optional parts of the core, and creates them if missing.
    pub(crate) fn rest(&mut self) -> &mut Rest {
        self.rest.get_or_insert_with(|| {
            let limits = BrokerLimits::default();
            Box::new(Rest::new(limits, Box::new(Everybody), WakeFlag::new()))
        })
    }

    /// Returns the optional parts of the core, if they exist.
    pub(crate) fn known_rest(&self) -> Option<&Rest> {
        self.rest.as_deref()
    }

    #[inline]
    pub(crate) fn has_nobody(&self) -> bool {
        let rest = self.rest.as_ref();
        self.by_topic.is_empty() && rest.is_none_or(|rest| rest.tree.is_empty())
    }

    /// Adds a subscription or changes its options. Returns whether it is new.
    pub(crate) fn subscribe(
        &mut self,
        subscriber: Subscriber,
        filter: &TopicFilter<'_>,
        options: SubscriptionOptions,
    ) -> bool {
        if !filter.is_one_topic() {
            return self.rest().tree.subscribe(filter, subscriber, options);
        }
        let name = filter.filter().into();
        let single = self.by_topic.get_or_insert_with(name, || Single::Nobody);
        single.add(subscriber, options)
    }

    /// Removes a subscription. Returns whether it existed.
    pub(crate) fn unsubscribe(&mut self, subscriber: Subscriber, filter: &TopicFilter<'_>) -> bool {
        if !filter.is_one_topic() {
            let rest = self.rest.as_mut();
            return rest.is_some_and(|rest| rest.tree.unsubscribe(filter, subscriber));
        }
        let Some(single) = self.by_topic.get_mut(filter.filter()) else {
            return false;
        };
        let was_there = single.remove(subscriber);
        if single.is_empty() {
            self.by_topic.remove(filter.filter());
        }
        was_there
    }

    /// Removes all subscribers except those for which `is_kept` is true.
    pub(crate) fn retain_subscribers(&mut self, is_kept: impl Fn(Subscriber) -> bool) {
        self.by_topic.retain(|single| {
            single.retain(&is_kept);
            !single.is_empty()
        });
        if let Some(rest) = &mut self.rest {
            rest.tree.retain(is_kept);
        }
    }

    /// Adds the subscriptions that a publication matches, those of one subscriber side by side.
    fn recipients(&mut self, publication: &Publication<'_>, into: &mut Matches<Subscriber>) {
        if let Some(single) = self.by_topic.get(publication.topic) {
            single.collect(into);
        }
        if let Some(Rest { tree, absent, .. }) = self.rest.as_deref_mut() {
            let is_there = |subscriber| !absent.contains(&subscriber);
            tree.collect(publication.topic, is_there, into);
        }
        if into.len() > 1 {
            into.sort_by_key(|found| found.subscriber);
        }
        // MQTT-3.8.3-3.
        into.retain(|found| {
            !found.options.no_local || publication.origin != Origin::Client(found.subscriber)
        });
    }

    /// Delivers a publication to all matching subscribers. `own` receives the subscriptions of the publishing service;
    /// the other services find the message in their inboxes.
    pub(crate) fn publish(
        &mut self,
        from: ServiceId,
        holder: Holder,
        shared: &mut SharedPublication<'_>,
        own: &mut Matches<Subscriber>,
    ) -> Published {
        let publication = shared.publication();
        let mut published = Published::default();
        if publication.retain && !self.rest().retain(&shared.message(), holder) {
            published.dropped += 1;
        }
        self.recipients(publication, own);
        published.has_recipient = !own.is_empty();
        if let Some(rest) = self.rest.as_deref_mut()
            && rest.inboxes.len() > 1
        {
            published.dropped += rest.hand_over(from, shared, own);
        }
        published
    }
}

impl Rest {
    /// Moves the subscriptions of other services to their inboxes; how many inboxes were full.
    fn hand_over(
        &mut self,
        from: ServiceId,
        shared: &mut SharedPublication<'_>,
        own: &mut Matches<Subscriber>,
    ) -> u64 {
        let mut crossing = None;
        let mut dropped = 0;
        for of_one in own.chunk_by(|one, next| one.subscriber.service == next.subscriber.service) {
            let service = of_one[0].subscriber.service;
            if service == from {
                continue;
            }
            let message = crossing.get_or_insert_with(|| match shared.publication().origin {
                // What becomes of it there is no news of this service's.
                Origin::Broker => Arc::new(Message::from(&Publication {
                    origin: Origin::Gone,
                    ..*shared.publication()
                })),
                _ => shared.message(),
            });
            let inbox = &mut self.inboxes[usize::from(service.0)];
            if inbox.put(message, of_one) {
                self.wake.raise();
            } else {
                dropped += 1;
            }
        }
        own.retain(|found| found.subscriber.service == from);
        dropped
    }
}
