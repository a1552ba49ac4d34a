use lasthop_contract::MessageId;
use lasthop_units::Instant;

use crate::Subscriber;

/// The delivery guarantee of a message (MQTT 5 §4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Qos {
    /// Sent once, never again.
    #[default]
    AtMostOnce = 0,
    /// Repeated until acknowledged.
    AtLeastOnce = 1,
    /// Handed over in two steps.
    ExactlyOnce = 2,
}

impl Qos {
    /// The quality of this number.
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
    /// The name of its topic.
    pub topic: &'a str,
    /// The payload.
    pub payload: &'a [u8],
    /// Properties that the protocol forwards, opaque to the core.
    pub properties: &'a [u8],
    /// The QoS.
    pub qos: Qos,
    /// Whether it is to be retained, or was.
    pub retain: bool,
    /// The expiry.
    pub expires_at: Option<Instant>,
    /// The ID in its flow, if known.
    pub id: Option<MessageId>,
    /// The publisher.
    pub origin: Origin,
}

/// The publisher of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The broker's own application.
    Broker,
    /// A client that may subscribe as well.
    Client(Subscriber),
    /// A client that is none of the subscribers, or may have gone since.
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
    /// The name of its topic.
    #[must_use]
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Returns the QoS.
    #[must_use]
    pub const fn qos(&self) -> Qos {
        self.qos
    }

    /// Returns the ID in its flow, if known.
    #[must_use]
    pub const fn id(&self) -> Option<MessageId> {
        self.id
    }

    /// Returns its size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.topic.len() + self.bytes.len()
    }

    /// Whether it has expired.
    #[must_use]
    pub fn is_expired(&self, now: Instant) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// Returns it as a publication.
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
