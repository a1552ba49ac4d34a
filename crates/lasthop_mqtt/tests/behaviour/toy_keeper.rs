//! Somebody who keeps what clients publish, and says when, by hand.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use lasthop_broker::{
    Admission, Authority, BrokerCore, Client, Credentials, Everybody, Identity, Keeper,
    KeeperOutput, NotKept, Publication, Refusal, Ticket, TopicFilter,
};
use lasthop_contract::{RandomStream, WakeFlag};
use lasthop_mqtt::{BrokerLimits, MqttBroker, MqttBrokerConfig, Qos};
use lasthop_units::{Duration, Instant};

use super::hand::Hand;

/// Keeps what it is told to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Toy {
    pub(crate) inner: Rc<RefCell<Inner>>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) taken: Vec<String>,
    pub(crate) refuses: Option<NotKept>,
    outputs: VecDeque<KeeperOutput>,
    pub(crate) forbidden: Option<String>,
    /// Who everybody is.
    pub(crate) identity: u32,
}

impl Default for Inner {
    fn default() -> Self {
        Self {
            taken: Vec::new(),
            refuses: None,
            outputs: VecDeque::new(),
            forbidden: None,
            identity: 1,
        }
    }
}

impl Keeper for Toy {
    fn take(
        &mut self,
        _now: Instant,
        client: Client<'_>,
        publication: &Publication<'_>,
    ) -> Result<Ticket, NotKept> {
        let mut inner = self.inner.borrow_mut();
        if let Some(why) = inner.refuses {
            return Err(why);
        }
        let text = format!("{} {}", client.client_id, publication.topic);
        inner.taken.push(text);
        Ok(Ticket(inner.taken.len() as u64))
    }

    fn poll(&mut self, _now: Instant) -> Option<KeeperOutput> {
        self.inner.borrow_mut().outputs.pop_front()
    }
}

impl Toy {
    pub(crate) fn say(&self, hand: &mut Hand, output: KeeperOutput) {
        self.inner.borrow_mut().outputs.push_back(output);
        hand.broker.drain(hand.now);
    }

    pub(crate) fn settle(&self, hand: &mut Hand, ticket: u64, outcome: Result<(), NotKept>) {
        self.say(hand, KeeperOutput::Settled(Ticket(ticket), outcome));
    }
}

/// Everybody may do everything for ten seconds, except hear what the toy forbids.
#[derive(Debug)]
struct TenSeconds(Toy);

impl Authority for TenSeconds {
    fn identify(&self, now: Instant, _: &Credentials<'_>) -> Result<Admission, Refusal> {
        Ok(Admission {
            identity: Identity(self.0.inner.borrow().identity),
            ends_at: Some(now + Duration::from_secs(10)),
        })
    }

    fn may_publish(&self, client: Client<'_>, topic: &str) -> bool {
        Everybody.may_publish(client, topic)
    }

    fn may_subscribe(&self, client: Client<'_>, filter: &TopicFilter<'_>) -> bool {
        let inner = self.0.inner.borrow();
        inner.forbidden != Some(filter.text().into()) && Everybody.may_subscribe(client, filter)
    }
}

/// A broker with a keeper.
pub(crate) fn broker() -> (Toy, Hand) {
    let toy = Toy::default();
    let limits = BrokerLimits::default();
    let core = BrokerCore::new(limits, Box::new(TenSeconds(toy.clone())), WakeFlag::new());
    let config = MqttBrokerConfig {
        maximum_qos: Qos::AtLeastOnce,
        ..MqttBrokerConfig::default()
    };
    let random = RandomStream::named(1, "broker");
    let broker = MqttBroker::at(core.service(), config, random).kept_by(Box::new(toy.clone()));
    (toy, Hand::of(broker))
}
