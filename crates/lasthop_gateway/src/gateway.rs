use std::collections::BTreeSet;
use std::sync::Arc;

use lasthop_broker::{
    Admission, Credentials, Identity, KeeperOutput, Message, NotKept, Origin, Publication, Qos,
    Refusal, Ticket,
};
use lasthop_contract::ShortQueue;
use lasthop_units::{Duration, Instant};
use ring::digest::{SHA256, digest};

use crate::registry::Registry;
use crate::{
    Change, DevicePath, DeviceTopic, GatewayConfig, Kind, MAX_TOKEN_SIZE, Record, SKEW, Store,
    UnixTime, check,
};

/// The gateway: who devices are, what they may say, and that it is kept before they are told so.
#[derive(Debug)]
pub struct Gateway {
    config: GatewayConfig,
    store: Box<dyn Store>,
    registry: Registry,
    counters: GatewayCounters,
    outputs: ShortQueue<KeeperOutput>,
    /// What came by the bridge and is not kept yet.
    of_bridge: BTreeSet<Ticket>,
    settled_of_bridge: ShortQueue<(Ticket, Result<(), NotKept>)>,
}

/// What a gateway counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GatewayCounters {
    /// Tokens that were believed.
    pub admitted: u64,
    /// Of these, those that were known from before.
    pub known_tokens: u64,
    /// Clients that were not.
    pub refused: u64,
    /// Messages that are kept.
    pub kept: u64,
    /// Messages that were not allowed, or too large or too many.
    pub denied: u64,
    /// Messages that the store did not take.
    pub failed: u64,
}

impl Gateway {
    /// A gateway for the devices of a store.
    #[must_use]
    pub fn new(config: GatewayConfig, store: Box<dyn Store>) -> Self {
        Self {
            config,
            store,
            registry: Registry::default(),
            counters: GatewayCounters::default(),
            outputs: ShortQueue::new(),
            of_bridge: BTreeSet::new(),
            settled_of_bridge: ShortQueue::new(),
        }
    }

    /// What it counted so far.
    #[must_use]
    pub const fn counters(&self) -> GatewayCounters {
        self.counters
    }

    /// How many devices are registered.
    #[must_use]
    pub fn device_count(&self) -> usize {
        self.registry.len()
    }

    /// Who a client is, by its name and the token that it shows. All bad tokens, and all unknown devices, are refused alike.
    ///
    /// # Errors
    /// When it is no device of the registry, or the token is not to be believed.
    pub fn admit(
        &mut self,
        now: Instant,
        credentials: &Credentials<'_>,
    ) -> Result<Admission, Refusal> {
        self.learn();
        let admitted = self.identify(now, credentials);
        match admitted {
            Some(_) => self.counters.admitted += 1,
            None => self.counters.refused += 1,
        }
        admitted.ok_or(Refusal::BadCredentials)
    }

    fn identify(&mut self, now: Instant, credentials: &Credentials<'_>) -> Option<Admission> {
        let token = credentials.password?;
        if token.len() > MAX_TOKEN_SIZE {
            return None;
        }
        let time = self.time_at(now);
        let path = core::str::from_utf8(credentials.client_id).ok()?;
        let (identity, device) = self.registry.find(path)?;
        let mut sum = [0; 32];
        sum.copy_from_slice(digest(&SHA256, token).as_ref());
        let claims = if let Some(claims) = device.believed(&sum, time) {
            self.counters.known_tokens += 1;
            claims
        } else {
            let record = &device.record;
            let checked = check(token, &record.keys, record.path.project(), time);
            let claims = checked.ok()?;
            device.believe(sum, claims);
            claims
        };
        let left = claims.expires_at.0.saturating_sub(self.config.starts.0);
        Some(Admission {
            identity,
            ends_at: Some(Instant::ZERO + Duration::from_secs(left) + SKEW),
        })
    }

    /// Whether a device may publish to a topic: to its events, and how it is.
    #[must_use]
    pub fn may_publish(&self, identity: Identity, topic: &str) -> bool {
        let own = self.own_topic(identity, topic);
        own.is_some_and(|own| own.rest == "state" || own.event_folder().is_some())
    }

    /// Whether a device may subscribe: to its configuration, its commands and its errors, and nothing wider.
    #[must_use]
    pub fn may_subscribe(&self, identity: Identity, filter: &str) -> bool {
        let own = self.own_topic(identity, filter);
        own.is_some_and(|own| own.is_for_the_device())
    }

    fn own_topic<'a>(&self, identity: Identity, topic: &'a str) -> Option<DeviceTopic<'a>> {
        let device = self.registry.get(identity)?;
        DeviceTopic::parse(topic).filter(|own| own.device == device.record.path.device())
    }

    /// Begins to keep what a device says.
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
        match taken {
            Ok(_) => {}
            Err(NotKept::Failed) => self.counters.failed += 1,
            Err(NotKept::Denied | NotKept::Limit) => self.counters.denied += 1,
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
        let own = self.own_topic(identity, topic).ok_or(NotKept::Denied)?;
        let limits = self.config.limits;
        let at = self.time_at(now);
        let (kind, folder, largest) = match own.event_folder() {
            Some(folder) => (Kind::Event, folder, limits.event_size),
            None if own.rest == "state" => (Kind::State, "", limits.state_size),
            None => return Err(NotKept::Denied),
        };
        let device = self.registry.get_mut(identity).ok_or(NotKept::Denied)?;
        let may = payload.len() <= largest
            && device.may_send(now, payload.len(), &limits)
            && (kind == Kind::Event || device.may_tell_state(now, &limits));
        if !may {
            return Err(NotKept::Limit);
        }
        let record = Record {
            device: &device.record.path,
            at,
            kind,
            folder,
            payload,
        };
        self.store.keep(record).map_err(|_| NotKept::Failed)
    }

    /// The next thing that the clients of a broker are to be told.
    pub fn poll(&mut self) -> Option<KeeperOutput> {
        self.learn();
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
            let outcome = outcome.map_err(|_| NotKept::Failed);
            if self.of_bridge.remove(&ticket) {
                self.settled_of_bridge.push((ticket, outcome));
            } else {
                self.outputs.push(KeeperOutput::Settled(ticket, outcome));
            }
        }
    }

    /// Begins to keep what came by the bridge.
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

    /// The next of these that has been kept, or never will be.
    pub(crate) fn next_settled_of_bridge(&mut self) -> Option<(Ticket, Result<(), NotKept>)> {
        self.settle();
        self.settled_of_bridge.pop()
    }

    /// What a device is to be like, with the version of that.
    pub(crate) fn config_of(&self, identity: Identity) -> Option<(u64, &[u8])> {
        let (version, payload) = &self.registry.get(identity)?.config;
        (*version > 0).then_some((*version, payload))
    }

    /// Takes in what others have changed.
    fn learn(&mut self) {
        while let Some(change) = self.store.next_change() {
            match change {
                Change::Device(record) => self.registry.put(record),
                Change::Removed(path) => {
                    if self.registry.remove(path.text()) {
                        // What was retained for it goes with it.
                        self.tell(&path, "config", &[], true);
                        let disconnect = KeeperOutput::Disconnect(path.text().into());
                        self.outputs.push(disconnect);
                    }
                }
                Change::Configured(path, version, config) => {
                    self.tell(&path, "config", &config, true);
                    if let Some((_, device)) = self.registry.find(path.text()) {
                        device.config = (version, config.into());
                    }
                }
                Change::Commanded(path, folder, command) => {
                    let rest = match &*folder {
                        "" => "commands".into(),
                        folder => format!("commands/{folder}"),
                    };
                    self.tell(&path, &rest, &command, false);
                }
            }
        }
    }

    fn tell(&mut self, path: &DevicePath, rest: &str, payload: &[u8], retain: bool) {
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

    fn time_at(&self, now: Instant) -> UnixTime {
        UnixTime(self.config.starts.0 + now.as_nanos() / 1_000_000_000)
    }
}
