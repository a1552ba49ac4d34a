use std::collections::BTreeSet;
use std::sync::Arc;

use lasthop_broker::{
    Admission, Credentials, Identity, KeeperOutput, Message, NotKept, Origin, Publication, Qos,
    Refusal, Ticket,
};
use lasthop_contract::ShortQueue;
use lasthop_units::{Duration, Instant};

use crate::attachments::Attachments;
use crate::calendar::{ClockWatch, SteadyCalendar};
use crate::registry::Registry;
use crate::{
    Calendar, Change, Claims, DevicePath, DeviceTopic, Fingerprint, GatewayConfig, GatewayEvent,
    Journal, Kind, Protocol, Record, Refused, SKEW, Store, StoreError, UnixTime,
};

/// The tickets of a store come before.
const OWN_TICKETS: u64 = 1 << 63;

/// The device gateway: authentication, permissions, and storage before acknowledgement.
#[derive(Debug)]
pub struct Gateway {
    pub(crate) config: GatewayConfig,
    store: Box<dyn Store>,
    pub(crate) registry: Registry,
    pub(crate) attachments: Attachments,
    counters: GatewayCounters,
    pub(crate) outputs: ShortQueue<KeeperOutput>,
    /// How many tickets are none of the store's.
    own_tickets: u64,
    /// What came by the bridge and is not kept yet.
    of_bridge: BTreeSet<Ticket>,
    settled_of_bridge: ShortQueue<(Ticket, Result<(), NotKept>)>,
    journal: Option<Box<dyn Journal>>,
    calendar: Box<dyn Calendar>,
    clock: ClockWatch,
    /// Why the last message was not kept, where it was not.
    store_fails: Option<StoreError>,
}

/// The counters of a gateway.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatewayCounters {
    /// The number of valid tokens.
    pub admitted: u64,
    /// The number of tokens that were already known.
    pub known_tokens: u64,
    /// The number of refused clients for each reason, in the order of [`Refused::ALL`].
    pub refused: [u64; Refused::ALL.len()],
    /// The number of stored messages.
    pub kept: u64,
    /// The number of messages that were not authorised.
    pub not_allowed: u64,
    /// The number of messages above a size or rate limit.
    pub limited: u64,
    /// The number of messages that the store rejected.
    pub failed: u64,
}

impl GatewayCounters {
    /// Returns the number of refused clients.
    #[must_use]
    pub fn refusals(&self) -> u64 {
        self.refused.iter().sum()
    }

    /// Returns the number of messages that were not authorised or above a limit.
    #[must_use]
    pub const fn denied(&self) -> u64 {
        self.not_allowed + self.limited
    }
}

impl Gateway {
    /// Creates a gateway for the devices of a store.
    #[must_use]
    pub fn new(config: GatewayConfig, store: Box<dyn Store>) -> Self {
        Self {
            config,
            store,
            registry: Registry::default(),
            attachments: Attachments::default(),
            counters: GatewayCounters::default(),
            outputs: ShortQueue::new(),
            own_tickets: 0,
            of_bridge: BTreeSet::new(),
            settled_of_bridge: ShortQueue::new(),
            journal: None,
            calendar: Box::new(SteadyCalendar {
                starts: config.starts,
            }),
            clock: ClockWatch::default(),
            store_fails: None,
        }
    }

    /// Sets the calendar of a clock that can be set.
    #[must_use]
    pub fn by_calendar(mut self, calendar: Box<dyn Calendar>) -> Self {
        self.calendar = calendar;
        self
    }

    /// Sets the journal of events.
    #[must_use]
    pub fn written_down_by(mut self, journal: Box<dyn Journal>) -> Self {
        self.journal = Some(journal);
        self
    }

    /// Returns the counters.
    #[must_use]
    pub const fn counters(&self) -> GatewayCounters {
        self.counters
    }

    /// Returns the number of registered devices.
    #[must_use]
    pub fn device_count(&self) -> usize {
        self.registry.len()
    }

    /// Authenticates a client by name and token.
    ///
    /// Bad tokens and unknown devices get the same refusal.
    ///
    /// # Errors
    /// When it is no device of the registry, or the token is not to be believed.
    pub fn admit(
        &mut self,
        now: Instant,
        by: Protocol,
        credentials: &Credentials<'_>,
    ) -> Result<Admission, Refusal> {
        self.learn(now);
        let admitted = self.identify(now, by, credentials);
        match admitted {
            Ok(_) => self.counters.admitted += 1,
            Err(why) => {
                self.counters.refused[why.place()] += 1;
                // A name that nobody has may be anything, a token even.
                let claimed = core::str::from_utf8(credentials.client_id).ok();
                let known = claimed.filter(|path| self.registry.find(path).is_some());
                self.write_down(&GatewayEvent::Refused(by, known, why));
            }
        }
        admitted.map_err(|_| Refusal::BadCredentials)
    }

    pub(crate) fn write_down(&mut self, event: &GatewayEvent<'_>) {
        if let Some(journal) = &mut self.journal {
            journal.tell(event);
        }
    }

    fn identify(
        &mut self,
        now: Instant,
        by: Protocol,
        credentials: &Credentials<'_>,
    ) -> Result<Admission, Refused> {
        let token = credentials.password.ok_or(Refused::NoToken)?;
        let time = self.time_at(now);
        let path = core::str::from_utf8(credentials.client_id).map_err(|_| Refused::NoDevice)?;
        let found = self.registry.find(path);
        let (identity, device) = found.ok_or(Refused::NoDevice)?;
        let believed = device.believed(token, time);
        let (believed, is_known) = believed.map_err(Refused::Token)?;
        if device.record.is_blocked {
            return Err(Refused::Blocked);
        }
        if by == Protocol::Mqtt {
            device.admitted_by = Some(believed.signer);
        }
        self.counters.known_tokens += u64::from(is_known);
        Ok(Admission {
            identity,
            ends_at: Some(self.end_of(now, believed.claims)),
        })
    }

    /// Returns the instant at which a token expires, by its current remaining lifetime. Later changes of the calendar
    /// have no effect.
    pub(crate) fn end_of(&self, now: Instant, claims: Claims) -> Instant {
        let expires_at = Duration::from_secs(claims.expires_at.0);
        now + (expires_at + SKEW - self.calendar.at(now))
    }

    /// Whether a device may publish to a topic: its own events and state, and those of attached devices.
    #[must_use]
    pub fn may_publish(&self, identity: Identity, topic: &str) -> bool {
        let known = DeviceTopic::parse(topic);
        let known = known.filter(|topic| topic.rest == "state" || topic.event_folder().is_some());
        known.is_some_and(|topic| self.of_whom(identity, &topic).is_some())
    }

    /// Whether a device may subscribe to a filter: its configuration, commands and errors, without wider wildcards. For
    /// attached devices, only configuration and commands are allowed.
    #[must_use]
    pub fn may_subscribe(&self, identity: Identity, filter: &str) -> bool {
        let known = DeviceTopic::parse(filter).filter(DeviceTopic::is_for_the_device);
        known.is_some_and(|topic| {
            let whose = self.of_whom(identity, &topic);
            whose.is_some_and(|whose| whose == identity || topic.rest != "errors")
        })
    }

    /// Whose topic it is: that of a device itself, or of one that it speaks for.
    fn of_whom(&self, identity: Identity, topic: &DeviceTopic<'_>) -> Option<Identity> {
        // Who was removed or blocked has no topics.
        let sender = self.registry.get(identity)?;
        let sender = Some(sender).filter(|it| !it.record.is_blocked)?;
        if sender.record.path.device() == topic.device {
            return Some(identity);
        }
        let device = self.registry.named(topic.device)?;
        let may = self.attachments.are_attached(identity, device);
        may.then_some(device)
    }

    /// Begins to store a message of a device.
    ///
    /// # Errors
    /// When it may not say it, not so much or not so often, or the store is too busy.
    pub fn take(
        &mut self,
        now: Instant,
        identity: Identity,
        topic: &str,
        payload: &[u8],
    ) -> Result<Ticket, NotKept> {
        let taken = self.keep(now, identity, topic, payload);
        if let Err(why) = taken {
            match why {
                NotKept::Failed => self.counters.failed += 1,
                NotKept::Denied => self.counters.not_allowed += 1,
                NotKept::Limit => self.counters.limited += 1,
            }
            // The store is to blame then, and was.
            let known = self
                .registry
                .get(identity)
                .filter(|_| why != NotKept::Failed);
            if let (Some(journal), Some(device)) = (&mut self.journal, known) {
                journal.tell(&GatewayEvent::NotTaken(device.record.path.text(), why));
            }
        }
        taken
    }

    fn keep(
        &mut self,
        now: Instant,
        identity: Identity,
        topic: &str,
        payload: &[u8],
    ) -> Result<Ticket, NotKept> {
        let topic = DeviceTopic::parse(topic).ok_or(NotKept::Denied)?;
        if let Some(taken) = self.take_of_gateway(now, identity, &topic, payload) {
            return taken;
        }
        let whose = self.of_whom(identity, &topic).ok_or(NotKept::Denied)?;
        let limits = self.config.limits;
        let at = self.time_at(now);
        let (kind, folder, largest) = match topic.event_folder() {
            Some(folder) => (Kind::Event, folder, limits.event_size),
            None if topic.rest == "state" => (Kind::State, "", limits.state_size),
            None => return Err(NotKept::Denied),
        };
        // Who sends pays for what is sent, whoever it is of.
        let sender = self.registry.get_mut(identity).ok_or(NotKept::Denied)?;
        if payload.len() > largest || !sender.may_send(now, payload.len(), &limits) {
            return Err(NotKept::Limit);
        }
        let device = self.registry.get_mut(whose).ok_or(NotKept::Denied)?;
        if kind == Kind::State && !device.may_tell_state(now, &limits) {
            return Err(NotKept::Limit);
        }
        let record = Record {
            device: &device.record.path,
            at,
            kind,
            folder,
            payload,
        };
        let kept = self.store.keep(record);
        kept.map_err(|why| {
            self.note_store(Err(why));
            NotKept::Failed
        })
    }

    /// Writes down that messages are not kept from now on, or are again. A store that fails is busy soon, which is nothing new.
    fn note_store(&mut self, outcome: Result<(), StoreError>) {
        let before = self.store_fails;
        let event = match outcome {
            Ok(()) => before.map(|_| GatewayEvent::StoreIsBack),
            Err(StoreError::Busy) if before.is_some() => return,
            Err(why) => (before != Some(why)).then_some(GatewayEvent::StoreFails(why)),
        };
        self.store_fails = outcome.err();
        if let Some(event) = event {
            self.write_down(&event);
        }
    }

    /// Returns a ticket that is settled without the store, after all earlier outputs.
    pub(crate) fn settle_at_once(&mut self, outcome: Result<(), NotKept>) -> Ticket {
        self.own_tickets += 1;
        let ticket = Ticket(OWN_TICKETS + self.own_tickets);
        self.outputs.push(KeeperOutput::Settled(ticket, outcome));
        ticket
    }

    /// Returns the next output for a broker's clients.
    pub fn poll(&mut self, now: Instant) -> Option<KeeperOutput> {
        self.learn(now);
        self.settle();
        self.outputs.pop()
    }

    /// Sorts what is settled by who awaits it.
    fn settle(&mut self) {
        while let Some((ticket, outcome)) = self.store.next_settled() {
            match outcome {
                Ok(()) => self.counters.kept += 1,
                Err(_) => self.counters.failed += 1,
            }
            self.note_store(outcome);
            let outcome = outcome.map_err(|_| NotKept::Failed);
            if self.of_bridge.remove(&ticket) {
                self.settled_of_bridge.push((ticket, outcome));
            } else {
                self.outputs.push(KeeperOutput::Settled(ticket, outcome));
            }
        }
    }

    /// Begins to store a message of the HTTP bridge.
    pub(crate) fn take_for_bridge(
        &mut self,
        now: Instant,
        identity: Identity,
        topic: &str,
        payload: &[u8],
    ) -> Result<Ticket, NotKept> {
        let ticket = self.take(now, identity, topic, payload)?;
        self.of_bridge.insert(ticket);
        Ok(ticket)
    }

    /// Returns the next message of the HTTP bridge that was stored or could not be stored.
    pub(crate) fn next_settled_of_bridge(&mut self) -> Option<(Ticket, Result<(), NotKept>)> {
        self.settle();
        self.settled_of_bridge.pop()
    }

    /// Returns the version and content of a device's configuration.
    pub(crate) fn config_of(&self, identity: Identity) -> Option<(u64, &[u8])> {
        let (version, payload) = &self.registry.get(identity)?.config;
        (*version > 0).then_some((*version, payload))
    }

    /// Takes in what others have changed.
    fn learn(&mut self, now: Instant) {
        let journal = self.journal.as_deref_mut();
        self.clock.look(now, &*self.calendar, journal);
        while let Some(change) = self.store.next_change() {
            match change {
                Change::Device(record) => {
                    let path = record.path.clone();
                    let (may_attach, is_blocked) = (record.attaches.is_some(), record.is_blocked);
                    self.registry.put(record);
                    if let Some((identity, _)) = self.registry.find(path.text()) {
                        let is_changed =
                            (!may_attach || is_blocked) && self.attachments.detach_all(identity);
                        if is_blocked {
                            self.detach(identity);
                            self.outputs.push(KeeperOutput::End(path.text().into()));
                        } else if is_changed {
                            self.reconsider(identity);
                        }
                    }
                }
                Change::Revoked(path, keys) => self.revoke(&path, &keys),
                Change::Removed(path) => {
                    self.attachments.forget(&path);
                    if let Some(identity) = self.registry.remove(path.text()) {
                        self.detach(identity);
                        self.attachments.detach_all(identity);
                        // What was retained for it goes with it.
                        self.tell(&path, "config", &[], true);
                        let disconnect = KeeperOutput::Disconnect(path.text().into());
                        self.outputs.push(disconnect);
                    }
                }
                Change::Bound(gateway, device) => self.bind(gateway, device, true),
                Change::Unbound(gateway, device) => self.bind(gateway, device, false),
                Change::Configured(path, version, config) => {
                    self.end_attachment_of(now, &path);
                    self.tell(&path, "config", &config, true);
                    if let Some((_, device)) = self.registry.find(path.text()) {
                        device.config = (version, config.into());
                    }
                }
                Change::Commanded(path, folder, command) => {
                    self.end_attachment_of(now, &path);
                    let rest = match &*folder {
                        "" => "commands".into(),
                        folder => format!("commands/{folder}"),
                    };
                    self.tell(&path, &rest, &command, false);
                }
            }
        }
    }

    /// What a device has by these keys ends: its connection, and that another one speaks for it.
    fn revoke(&mut self, path: &DevicePath, keys: &[Fingerprint]) {
        let Some((identity, device)) = self.registry.find(path.text()) else {
            return;
        };
        let by = device.connected_by;
        if self.attachments.is_by(identity, keys) {
            self.detach(identity);
        }
        if by.is_some_and(|by| keys.contains(&by)) {
            self.outputs.push(KeeperOutput::End(path.text().into()));
        }
    }

    /// Records that a device has connected with the key of its last valid token.
    pub(crate) fn came(&mut self, identity: Identity) {
        if let Some(device) = self.registry.get_mut(identity) {
            device.connected_by = device.admitted_by;
        }
    }

    pub(crate) fn tell(&mut self, path: &DevicePath, rest: &str, payload: &[u8], retain: bool) {
        let publication = Publication {
            topic: &format!("/devices/{}/{rest}", path.device()),
            payload,
            properties: &[],
            qos: Qos::AtLeastOnce,
            retain,
            expires_at: None,
            id: None,
            origin: Origin::Gone,
        };
        let message = Arc::new(Message::from(&publication));
        self.outputs.push(KeeperOutput::Publish(message));
    }

    pub(crate) fn time_at(&self, now: Instant) -> UnixTime {
        UnixTime(self.calendar.at(now).as_nanos() / 1_000_000_000)
    }
}
