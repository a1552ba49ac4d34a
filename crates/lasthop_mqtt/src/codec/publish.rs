use lasthop_broker::{Qos, is_topic_name};
use smallvec::SmallVec;

use super::property::{Property, id, read_properties};
use super::reader::Reader;
use super::writer::{Bytes, PropertyWriter, put_binary, put_u16, put_variable, variable_length};
use super::{Frame, ReasonCode, Version};

/// PUBLISH (MQTT 5 §3.3, MQTT 3.1.1 §3.3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publish<'a> {
    /// Whether the packet may be a retransmission.
    pub dup: bool,
    /// The QoS.
    pub qos: Qos,
    /// Whether the message is to be retained, or was retained.
    pub retain: bool,
    /// The topic; empty if an alias replaces it.
    pub topic: &'a str,
    /// The packet identifier; 0 for QoS 0.
    pub packet_id: u16,
    /// The topic alias; 0 for none.
    pub topic_alias: u16,
    /// The message expiry interval in seconds.
    pub message_expiry: Option<u32>,
    /// The identifiers of the matching subscriptions.
    pub subscription_ids: SmallVec<[u32; 2]>,
    /// The properties that a server forwards unchanged, in wire format.
    pub properties: Vec<u8>,
    /// The payload.
    pub payload: &'a [u8],
}

const MALFORMED: ReasonCode = ReasonCode::MALFORMED_PACKET;

impl<'a> Publish<'a> {
    /// Reads a packet of this type.
    ///
    /// # Errors
    /// When it is malformed.
    #[inline]
    pub fn read(version: Version, frame: &Frame<'a>) -> Result<Self, ReasonCode> {
        let qos = Qos::from_number(frame.flags >> 1 & 0b11).ok_or(MALFORMED)?;
        let dup = frame.flags & 0b1000 != 0;
        // MQTT-3.3.1-2: what is sent once is never a repetition.
        if dup && qos == Qos::AtMostOnce {
            return Err(MALFORMED);
        }
        let mut reader = Reader::new(frame.body);
        let topic = reader.topic()?;
        let packet_id = match qos {
            Qos::AtMostOnce => 0,
            _ => reader.packet_id()?,
        };
        let mut publish = Self {
            dup,
            qos,
            retain: frame.flags & 1 != 0,
            topic,
            packet_id,
            topic_alias: 0,
            message_expiry: None,
            subscription_ids: SmallVec::new(),
            properties: Vec::new(),
            payload: &[],
        };
        if version == Version::V5 {
            publish.read_properties(&mut reader)?;
        }
        publish.payload = reader.rest();
        publish.check_topic()?;
        Ok(publish)
    }

    fn read_properties(&mut self, reader: &mut Reader<'a>) -> Result<(), ReasonCode> {
        read_properties(reader, |property, bytes| {
            match property {
                Property::TopicAlias(alias) => self.topic_alias = alias,
                Property::MessageExpiryInterval(seconds) => self.message_expiry = Some(seconds),
                Property::SubscriptionIdentifier(id) => self.subscription_ids.push(id),
                // MQTT-3.3.2-14: nobody can answer to a filter.
                Property::ResponseTopic(topic) if !is_topic_name(topic) => {
                    return Err(ReasonCode::PROTOCOL_ERROR);
                }
                Property::PayloadFormatIndicator
                | Property::ContentType
                | Property::ResponseTopic(_)
                | Property::CorrelationData
                | Property::UserProperty => self.properties.extend_from_slice(bytes),
                _ => return Err(MALFORMED),
            }
            Ok(())
        })
    }

    /// MQTT-3.3.2-2: no wildcards. An empty name needs an alias (§3.3.2.1).
    fn check_topic(&self) -> Result<(), ReasonCode> {
        if self.topic.is_empty() {
            return if self.topic_alias == 0 {
                Err(ReasonCode::PROTOCOL_ERROR)
            } else {
                Ok(())
            };
        }
        if is_topic_name(self.topic) {
            Ok(())
        } else {
            Err(MALFORMED)
        }
    }
}

/// A PUBLISH without its payload, for sending.
#[derive(Clone, Copy, Debug)]
pub struct PublishHead<'a> {
    /// Whether the packet may be a retransmission.
    pub dup: bool,
    /// The QoS.
    pub qos: Qos,
    /// Whether the message is to be retained, or was retained.
    pub retain: bool,
    /// The topic; empty if an alias replaces it.
    pub topic: &'a str,
    /// The packet identifier; not written for QoS 0.
    pub packet_id: u16,
    /// The topic alias; 0 for none.
    pub topic_alias: u16,
    /// The message expiry interval in seconds.
    pub message_expiry: Option<u32>,
    /// The identifiers of the matching subscriptions.
    pub subscription_ids: &'a [u32],
    /// Further properties, in wire format.
    pub properties: &'a [u8],
    /// The length of the payload that follows.
    pub payload_length: usize,
}

impl<'a> PublishHead<'a> {
    /// Creates the head of a message without properties.
    #[must_use]
    pub const fn new(topic: &'a str, qos: Qos, packet_id: u16, payload_length: usize) -> Self {
        Self {
            dup: false,
            qos,
            retain: false,
            topic,
            packet_id,
            topic_alias: 0,
            message_expiry: None,
            subscription_ids: &[],
            properties: &[],
            payload_length,
        }
    }

    /// Returns the bytes in front of the payload.
    #[must_use]
    #[inline]
    pub fn write(&self, version: Version) -> SmallVec<[u8; 128]> {
        let properties = self.property_list(version);
        let packet_id_length = if self.qos == Qos::AtMostOnce { 0 } else { 2 };
        let remaining = 2
            + self.topic.len()
            + packet_id_length
            + properties.as_ref().map_or(0, |list| list.length(version))
            + usize::from(properties.is_none() && version == Version::V5)
            + self.payload_length;
        let mut bytes = self.start(remaining as u32);
        if self.qos != Qos::AtMostOnce {
            put_u16(&mut bytes, self.packet_id);
        }
        match properties {
            Some(list) => list.put(version, &mut bytes),
            None if version == Version::V5 => bytes.push(0),
            None => {}
        }
        bytes
    }

    /// The fixed header and the topic; in one piece when it is short.
    #[inline]
    fn start(&self, remaining: u32) -> Bytes {
        let flags = u8::from(self.dup) << 3 | (self.qos as u8) << 1 | u8::from(self.retain);
        let topic = self.topic.as_bytes();
        let width = variable_length(remaining);
        let end = 3 + width + topic.len();
        let mut short = [0; 128];
        let Some(place) = short.get_mut(3 + width..end) else {
            let mut bytes = Bytes::new();
            bytes.push(0x30 | flags);
            put_variable(&mut bytes, remaining);
            put_binary(&mut bytes, topic);
            return bytes;
        };
        place.copy_from_slice(topic);
        short[0] = 0x30 | flags;
        for (place, byte) in short[1..=width].iter_mut().enumerate() {
            let has_more = if place + 1 < width { 0x80 } else { 0 };
            *byte = (remaining >> (7 * place)) as u8 & 0x7f | has_more;
        }
        short[1 + width..3 + width].copy_from_slice(&(topic.len() as u16).to_be_bytes());
        Bytes::from_buf_and_len(short, end)
    }

    /// `None` when there are no properties, as almost always.
    fn property_list(&self, version: Version) -> Option<PropertyWriter> {
        let is_empty = self.topic_alias == 0
            && self.message_expiry.is_none()
            && self.subscription_ids.is_empty()
            && self.properties.is_empty();
        if is_empty || version == Version::V3_1_1 {
            return None;
        }
        let mut list = PropertyWriter::default();
        if self.topic_alias != 0 {
            list.two(id::TOPIC_ALIAS, self.topic_alias);
        }
        if let Some(seconds) = self.message_expiry {
            list.four(id::MESSAGE_EXPIRY_INTERVAL, seconds);
        }
        for subscription in self.subscription_ids {
            list.variable(id::SUBSCRIPTION_IDENTIFIER, *subscription);
        }
        list.raw(self.properties);
        Some(list)
    }
}
