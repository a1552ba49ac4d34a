use std::sync::Arc;

use lasthop_broker::{
    BrokerLimits, BrokerService, Matches, Message, Origin, Publication, Published, Qos,
    SharedPublication, SubscriptionOptions, TopicFilter,
};
use lasthop_units::{DataSize, Instant};

pub(crate) const LIMITS: BrokerLimits = BrokerLimits {
    sessions: 3,
    subscriptions_per_session: 2,
    subscriptions_size: DataSize::from_bytes(1000),
    retained_messages: 2,
    retained_size: DataSize::from_bytes(100),
    queued_messages: 4,
    queued_size: DataSize::from_bytes(100),
    kept_size: None,
    kept_size_of_one: None,
    pending_size: None,
};

pub(crate) fn at(seconds: u64) -> Instant {
    Instant::from_nanos(seconds * 1_000_000_000)
}

pub(crate) fn filter(text: &str) -> TopicFilter<'_> {
    TopicFilter::parse(text).unwrap()
}

/// A publication of nobody's that is to be retained.
pub(crate) fn retained<'a>(topic: &'a str, payload: &'a [u8]) -> Publication<'a> {
    Publication {
        retain: true,
        ..publication(topic, payload)
    }
}

pub(crate) fn publication<'a>(topic: &'a str, payload: &'a [u8]) -> Publication<'a> {
    Publication {
        topic,
        payload,
        properties: &[1, 1],
        qos: Qos::AtLeastOnce,
        retain: false,
        expires_at: None,
        id: None,
        origin: Origin::Gone,
    }
}

pub(crate) fn message(publication: &Publication<'_>) -> Arc<Message> {
    Arc::new(Message::from(publication))
}

pub(crate) fn subscribe(service: &mut BrokerService, number: u64, text: &str) -> bool {
    service.subscribe(number, &filter(text), SubscriptionOptions::default())
}

/// Publishes; who of the service's own want it, and what became of it.
pub(crate) fn publish(
    service: &mut BrokerService,
    publication: &Publication<'_>,
) -> (Vec<u64>, Published) {
    let mut own = Matches::new();
    let published = service.publish(&mut SharedPublication::new(publication), &mut own);
    let numbers = own.iter().map(|found| found.subscriber.number);
    (numbers.collect(), published)
}

/// What other services have for one: topic, and numbers of its clients.
pub(crate) fn deliveries(service: &mut BrokerService) -> Vec<(String, Vec<u64>)> {
    let deliveries = core::iter::from_fn(|| service.next_delivery());
    let told = deliveries.map(|delivery| {
        let numbers = delivery.matches.iter().map(|it| it.subscriber.number);
        (delivery.message.topic().to_owned(), numbers.collect())
    });
    told.collect()
}
