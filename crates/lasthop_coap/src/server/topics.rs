use core::net::IpAddr;
use std::collections::VecDeque;
use std::sync::Arc;

use lasthop_broker::{
    BrokerService, Client, Credentials, Holder, Identity, Matches, Message, Publication, Qos,
    Readiness, Refusal, SharedPublication, Slots, Subscriber, SubscriptionMatch,
    SubscriptionOptions, TopicFilter, is_topic_name,
};
use lasthop_contract::{ConnectionId, LookupMap, Payload, Survives};
use lasthop_units::Instant;

use super::observer::Observer;
use super::path::Path;
use super::store::{MAX_OBSERVERS, MAX_RESOURCES};
use super::unchecked::Unchecked;
use crate::codec::{Content, Message as CoapMessage, Token, option_number};
use crate::representation::Representation;
use crate::topic_observations::TOPICS;

/// The topics of the core that the services of a host share, as resources: `ps/a/b` is the topic `a/b`.
#[derive(Debug)]
pub(super) struct Topics {
    service: BrokerService,
    observed: Slots<ObservedTopic>,
    by_name: LookupMap<Box<str>, u32>,
    /// Those that the publication at hand is for.
    matches: Matches<Subscriber>,
    /// What was given out last, the newest first.
    recent: VecDeque<(Arc<Message>, Arc<Representation>)>,
    /// Raised by each publication: the sequence number of notifications (RFC 7641 section 4.4).
    changes: u32,
    unchecked: Unchecked,
}

/// How many representations of topics are kept.
const RECENT: usize = 8;

/// A topic that clients observe.
#[derive(Debug)]
struct ObservedTopic {
    name: Box<str>,
    /// What was published last since somebody observes it.
    last: Option<Arc<Message>>,
    observers: Vec<Observer>,
}

impl Topics {
    pub(super) fn new(service: BrokerService) -> Self {
        Self {
            service,
            observed: Slots::new(),
            by_name: LookupMap::new(),
            matches: Matches::new(),
            recent: VecDeque::new(),
            changes: 0,
            unchecked: Unchecked::default(),
        }
    }

    /// The topic that a path stands for, if it is one of these; `Err` where it names none.
    pub(super) fn name_of(path: &Path) -> Option<Result<String, ()>> {
        let mut segments = path.segments();
        if segments.next() != Some(TOPICS) {
            return None;
        }
        let levels: Vec<&str> = segments.collect();
        let name = levels.join("/");
        let is_name = is_topic_name(&name)
            && !levels.iter().any(|level| level.contains('/'))
            && TopicFilter::parse(&name).is_ok_and(|filter| filter.group().is_none());
        Some(is_name.then_some(name).ok_or(()))
    }

    /// Whether it is known at once who asks.
    pub(super) fn readiness(
        &self,
        now: Instant,
        content: &Content,
        datagram: &[u8],
        address: Option<IpAddr>,
    ) -> Readiness {
        let credentials = Credentials {
            address,
            ..credentials(content, datagram)
        };
        self.service.readiness(now, &credentials)
    }

    /// How many checks of who asks are over.
    pub(super) fn checks_done(&self) -> u64 {
        self.service.checks_done()
    }

    /// Lets a request wait until it is known who asks, if there is room; so many checks were over before.
    pub(super) fn wait_for_check(
        &mut self,
        checks_done: u64,
        connection: ConnectionId,
        message: &CoapMessage,
        datagram: Payload,
    ) -> bool {
        self.unchecked
            .add(checks_done, connection, message, datagram)
    }

    /// The requests of which it may be known by now who asks.
    pub(super) fn take_checked(&mut self) -> VecDeque<(ConnectionId, CoapMessage, Payload)> {
        if self.unchecked.is_empty() {
            return VecDeque::new();
        }
        self.unchecked.take(self.service.checks_done())
    }

    /// Who asks: the arguments `username` and `password` are what it shows.
    pub(super) fn identify(
        &self,
        now: Instant,
        content: &Content,
        datagram: &[u8],
        address: Option<IpAddr>,
    ) -> Result<Identity, Refusal> {
        let credentials = Credentials {
            address,
            ..credentials(content, datagram)
        };
        let admission = self.service.identify(now, &credentials)?;
        Ok(admission.identity)
    }

    pub(super) fn may_publish(&self, identity: Identity, topic: &str) -> bool {
        self.service.may_publish(client(identity), topic)
    }

    pub(super) fn may_read(&self, identity: Identity, topic: &str) -> bool {
        let filter = TopicFilter::parse(topic);
        filter.is_ok_and(|filter| self.service.may_subscribe(client(identity), &filter))
    }

    /// What was published last, as far as it is known.
    pub(super) fn state(&self, now: Instant, topic: &str) -> Option<Arc<Message>> {
        let observed = self.by_name.get(topic);
        let observed = observed.and_then(|number| self.observed.get(*number));
        let last = observed.and_then(|observed| observed.last.as_ref());
        let last = last.filter(|last| !last.is_expired(now)).cloned();
        last.or_else(|| self.service.retained_of(now, topic))
    }

    /// The sequence number of a notification that is sent now.
    pub(super) const fn sequence(&self) -> u32 {
        self.changes
    }

    /// Adds an observer of a topic; whether there was room.
    pub(super) fn observe(&mut self, topic: &str, observer: Observer) -> bool {
        let number = match self.by_name.get(topic) {
            Some(number) => *number,
            None if self.observed.len() >= MAX_RESOURCES => return false,
            None => self.begin(topic),
        };
        let observed = self.observed.get_mut(number);
        observed.is_some_and(|observed| {
            observed
                .observers
                .retain(|known| known.key() != observer.key());
            let has_room = observed.observers.len() < MAX_OBSERVERS;
            if has_room {
                observed.observers.push(observer);
            }
            has_room
        })
    }

    fn begin(&mut self, topic: &str) -> u32 {
        let number = self.observed.add(ObservedTopic {
            name: topic.into(),
            last: None,
            observers: Vec::new(),
        });
        self.by_name.insert(topic.into(), number);
        let options = SubscriptionOptions {
            maximum_qos: Qos::ExactlyOnce,
            ..SubscriptionOptions::default()
        };
        if let Ok(filter) = TopicFilter::parse(topic) {
            self.service.subscribe(number.into(), &filter, options);
        }
        number
    }

    /// How many other topics a client observes.
    pub(super) fn others_observed_by(&self, key: (ConnectionId, Token)) -> usize {
        let topics = (0..self.observed.places()).filter_map(|number| self.observed.get(number));
        let observers = topics.flat_map(|observed| &observed.observers);
        observers
            .filter(|observer| observer.is_another_of(key))
            .count()
    }

    /// What a message is as the state of a resource. Those that were asked for last are kept: a large one is given out
    /// block by block.
    pub(super) fn representation(&mut self, message: Arc<Message>) -> Arc<Representation> {
        let is_it = |(known, _): &(Arc<Message>, _)| Arc::ptr_eq(known, &message);
        let place = self.recent.iter().position(is_it);
        let kept = place.and_then(|place| self.recent.remove(place));
        let kept = kept.unwrap_or_else(|| {
            let made = Representation::of_bytes(message.publication().payload);
            (message, Arc::new(made))
        });
        let representation = Arc::clone(&kept.1);
        self.recent.truncate(RECENT - 1);
        self.recent.push_front(kept);
        representation
    }

    /// Ends an observation, whichever topic it is of.
    pub(super) fn end_observation(&mut self, key: (ConnectionId, Token)) {
        self.drop_observers(|observer| observer.key() == key);
    }

    /// Ends the observations of a client that is gone.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.drop_observers(|observer| observer.connection == connection);
        self.unchecked.forget(connection);
    }

    fn drop_observers(&mut self, is_gone: impl Fn(&Observer) -> bool) {
        for number in 0..self.observed.places() {
            let Some(observed) = self.observed.get_mut(number) else {
                continue;
            };
            observed.observers.retain(|observer| !is_gone(observer));
            if observed.observers.is_empty() {
                self.end(number);
            }
        }
    }

    /// Removes a subscriber and its observations.
    fn end(&mut self, number: u32) {
        if let Some(observed) = self.observed.remove(number) {
            self.by_name.remove(&observed.name);
            self.service.forget(number.into(), [&*observed.name]);
        }
    }

    /// Publishes; gives the message where observers here are to be told of it, and whether there was room for it.
    pub(super) fn publish(
        &mut self,
        holder: Holder,
        publication: &Publication<'_>,
    ) -> (Option<Arc<Message>>, bool) {
        let mut shared = SharedPublication::new(publication);
        let mut matches = core::mem::take(&mut self.matches);
        let published = self.service.publish_for(holder, &mut shared, &mut matches);
        let message = (!matches.is_empty()).then(|| shared.message());
        if let Some(message) = &message {
            self.note(message, &matches);
        }
        matches.clear();
        self.matches = matches;
        (message, published.dropped == 0)
    }

    /// What another service of the host has published for observers here.
    pub(super) fn next_delivery(&mut self) -> Option<Arc<Message>> {
        let delivery = self.service.next_delivery()?;
        self.note(&delivery.message, &delivery.matches);
        Some(delivery.message)
    }

    fn note(&mut self, message: &Arc<Message>, matches: &[SubscriptionMatch<Subscriber>]) {
        self.changes = self.changes.wrapping_add(1);
        let publication = message.publication();
        // An empty message that is to be retained clears the topic (MQTT-3.3.1-6).
        let is_state = !publication.retain || !publication.payload.is_empty();
        for found in matches {
            let observed = self.observed.get_mut(found.subscriber.number as u32);
            if let Some(observed) = observed {
                observed.last = is_state.then(|| Arc::clone(message));
            }
        }
    }

    /// Those who observe a topic.
    pub(super) fn observers(&mut self, topic: &str) -> &mut [Observer] {
        let number = self.by_name.get(topic).copied();
        let observed = number.and_then(|number| self.observed.get_mut(number));
        observed.map_or(&mut [], |observed| &mut observed.observers)
    }

    /// The host goes off.
    pub(super) fn crash(&mut self, survives: Survives) {
        self.service.leave();
        self.service.crash(survives);
        self.observed = Slots::new();
        self.by_name = LookupMap::new();
        self.recent.clear();
        self.unchecked = Unchecked::default();
    }
}

/// What a request shows of its sender.
fn credentials<'a>(content: &'a Content, datagram: &'a [u8]) -> Credentials<'a> {
    let argument = |name: &'static [u8]| {
        let options = content.options(datagram);
        let mut arguments = options.filter(|(number, _)| *number == option_number::URI_QUERY);
        arguments.find_map(|(_, value)| value.strip_prefix(name))
    };
    Credentials {
        user_name: argument(b"username="),
        password: argument(b"password="),
        ..Credentials::default()
    }
}

/// Whether a request shows anything of its sender.
pub(super) fn shows_credentials(content: &Content, datagram: &[u8]) -> bool {
    credentials(content, datagram).user_name.is_some()
}

const fn client(identity: Identity) -> Client<'static> {
    Client {
        identity,
        client_id: "",
    }
}
