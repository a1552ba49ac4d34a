use lasthop_contract::MessageId;
use lasthop_units::Instant;

use crate::Subscriber;

/// The delivery guarantee of a message (MQTT 5 §4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Qos {
    /// Sent once and never again.
    #[default]
    AtMostOnce = 0,
    /// Retransmitted until acknowledged.
    AtLeastOnce = 1,
    /// Delivered in two steps, so that no copy arrives twice.
    ExactlyOnce = 2,
}

impl Qos {
    /// Returns the QoS with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            0 => Some(Self::AtMostOnce),
            1 => Some(Self::AtLeastOnce),
            2 => Some(Self::ExactlyOnce),
            _ => None,
        }
    }
}

/// A publication that borrows the received bytes.
#[derive(Clone, Copy, Debug)]
pub struct Publication<'a> {
    /// The topic name.
    pub topic: &'a str,
    /// The payload.
    pub payload: &'a [u8],
    /// Properties that the protocol forwards, opaque to the core.
    pub properties: &'a [u8],
    /// The QoS.
    pub qos: Qos,
    /// Whether the message is to be retained, or was retained.
    pub retain: bool,
    /// The instant at which the message expires.
    pub expires_at: Option<Instant>,
    /// The message's ID in its flow, if known.
    pub id: Option<MessageId>,
    /// The publisher.
    pub origin: Origin,
}

/// The publisher of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The broker's own application.
    Broker,
    /// A client that can also have subscriptions.
    Client(Subscriber),
    /// A client without subscriptions, or one that may have disconnected since.
    Gone,
}

/// A kept publication: retained, queued or in flight. Subscribers share it.
#[derive(Clone, Debug)]
pub struct Message {
    topic: Box<str>,
    /// The properties, then the payload.
    bytes: Box<[u8]>,
    payload_start: u32,
    qos: Qos,
    retain: bool,
    is_own: bool,
    expires_at: Option<Instant>,
    id: Option<MessageId>,
}

impl Message {
    /// Returns the topic name.
    #[must_use]
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Returns the QoS.
    #[must_use]
    pub const fn qos(&self) -> Qos {
        self.qos
    }

    /// Returns the message's ID in its flow, if known.
    #[must_use]
    pub const fn id(&self) -> Option<MessageId> {
        self.id
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.topic.len() + self.bytes.len()
    }

    /// Whether the message has expired.
    #[must_use]
    pub fn is_expired(&self, now: Instant) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// Returns the message as a publication.
    #[must_use]
    pub fn publication(&self) -> Publication<'_> {
        let (properties, payload) = self.bytes.split_at(self.payload_start as usize);
        Publication {
            topic: &self.topic,
            payload,
            properties,
            qos: self.qos,
            retain: self.retain,
            expires_at: self.expires_at,
            id: self.id,
            origin: if self.is_own {
                Origin::Broker
            } else {
                Origin::Gone
            },
        }
    }
}

impl From<&Publication<'_>> for Message {
    fn from(publication: &Publication<'_>) -> Self {
        Self {
            topic: publication.topic.into(),
            bytes: [publication.properties, publication.payload]
                .concat()
                .into(),
            payload_start: publication.properties.len() as u32,
            qos: publication.qos,
            retain: publication.retain,
            is_own: publication.origin == Origin::Broker,
            expires_at: publication.expires_at,
            id: publication.id,
        }
    }
}
