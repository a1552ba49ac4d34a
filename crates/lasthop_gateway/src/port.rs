use std::cell::RefCell;
use std::rc::Rc;

use http::{Request, Response};
use lasthop_broker::{
    Admission, Authority, Client, Credentials, Keeper, KeeperOutput, NotKept, Parting, Publication,
    Refusal, Ticket, TopicFilter,
};
use lasthop_units::Instant;

use crate::{Asked, Gateway, GatewayCounters, GatewayEvent, Protocol};

/// A handle to a gateway, shared by its copies.
///
/// A broker core asks it for permissions, and the broker stores publications through it.
#[derive(Clone, Debug)]
pub struct GatewayPort {
    gateway: Rc<RefCell<Gateway>>,
}

impl GatewayPort {
    /// Creates the first handle of a gateway.
    #[must_use]
    pub fn new(gateway: Gateway) -> Self {
        Self {
            gateway: Rc::new(RefCell::new(gateway)),
        }
    }

    /// Processes an HTTP request ([`Gateway::ask`]).
    pub fn ask(&self, now: Instant, request: &Request<Vec<u8>>) -> Asked {
        self.gateway.borrow_mut().ask(now, request)
    }

    /// Returns the next delayed response ([`Gateway::next_answer`]).
    #[must_use]
    pub fn next_answer(&self) -> Option<(Ticket, Response<Vec<u8>>)> {
        self.gateway.borrow_mut().next_answer()
    }

    /// Returns the number of registered devices.
    #[must_use]
    pub fn device_count(&self) -> usize {
        self.gateway.borrow().device_count()
    }

    /// Returns the counters of the gateway.
    #[must_use]
    pub fn counters(&self) -> GatewayCounters {
        self.gateway.borrow().counters()
    }
}

impl Authority for GatewayPort {
    fn identify(&self, now: Instant, credentials: &Credentials<'_>) -> Result<Admission, Refusal> {
        let mut gateway = self.gateway.borrow_mut();
        let admission = gateway.admit(now, Protocol::Mqtt, credentials)?;
        gateway.begin_anew(admission.identity);
        Ok(admission)
    }

    fn may_publish(&self, client: Client<'_>, topic: &str) -> bool {
        self.gateway.borrow().may_publish(client.identity, topic)
    }

    fn may_subscribe(&self, client: Client<'_>, filter: &TopicFilter<'_>) -> bool {
        // A group would take a device's messages away from it.
        let gateway = self.gateway.borrow();
        filter.group().is_none() && gateway.may_subscribe(client.identity, filter.filter())
    }
}

impl Keeper for GatewayPort {
    fn take(
        &mut self,
        now: Instant,
        client: Client<'_>,
        publication: &Publication<'_>,
    ) -> Result<Ticket, NotKept> {
        let Publication { topic, payload, .. } = *publication;
        let mut gateway = self.gateway.borrow_mut();
        gateway.take(now, client.identity, topic, payload)
    }

    fn poll(&mut self, now: Instant) -> Option<KeeperOutput> {
        self.gateway.borrow_mut().poll(now)
    }

    fn came(&mut self, client: Client<'_>) {
        let mut gateway = self.gateway.borrow_mut();
        gateway.came(client.identity);
        gateway.write_down(&GatewayEvent::Connected(client.client_id));
    }

    fn parted(&mut self, client: Client<'_>, why: Parting) {
        let event = GatewayEvent::Disconnected(client.client_id, why);
        self.gateway.borrow_mut().write_down(&event);
    }
}
