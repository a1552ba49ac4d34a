use lasthop_broker::{FilterError, Qos, RetainHandling, SubscriptionOptions, TopicFilter};
use smallvec::SmallVec;

use super::property::{Property, id, read_properties, read_reason_properties};
use super::reader::Reader;
use super::writer::{Bytes, PropertyWriter, packet, put_binary, put_u16};
use super::{ReasonCode, Version};

/// SUBSCRIBE (MQTT 5 §3.8, MQTT 3.1.1 §3.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscribe<'a> {
    /// The packet identifier.
    pub packet_id: u16,
    /// The filters, each with its subscription options.
    pub filters: SmallVec<[(TopicFilter<'a>, SubscriptionOptions); 1]>,
}

/// UNSUBSCRIBE (MQTT 5 §3.10, MQTT 3.1.1 §3.10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsubscribe<'a> {
    /// The packet identifier.
    pub packet_id: u16,
    /// The filters.
    pub filters: SmallVec<[TopicFilter<'a>; 1]>,
}

/// SUBACK and UNSUBACK (MQTT 5 §3.9 and §3.11). UNSUBACK has no reasons in 3.1.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suback {
    /// The packet identifier.
    pub packet_id: u16,
    /// One reason for each filter.
    pub reasons: SmallVec<[ReasonCode; 4]>,
}

const MALFORMED: ReasonCode = ReasonCode::MALFORMED_PACKET;

impl<'a> Subscribe<'a> {
    /// Reads the packet after its fixed header.
    ///
    /// # Errors
    /// When it is malformed, or names no filter (MQTT-3.8.3-2).
    pub fn read(version: Version, body: &'a [u8]) -> Result<Self, ReasonCode> {
        let mut reader = Reader::new(body);
        let packet_id = reader.packet_id()?;
        let mut subscription_id = 0;
        if version == Version::V5 {
            read_properties(&mut reader, |property, _| match property {
                Property::SubscriptionIdentifier(_) if subscription_id != 0 => {
                    Err(ReasonCode::PROTOCOL_ERROR)
                }
                Property::SubscriptionIdentifier(id) => {
                    subscription_id = id;
                    Ok(())
                }
                Property::UserProperty => Ok(()),
                _ => Err(MALFORMED),
            })?;
        }
        let mut filters = SmallVec::new();
        while !reader.is_empty() {
            let filter = read_filter(&mut reader)?;
            let mut options = read_options(version, reader.u8()?)?;
            options.id = subscription_id;
            // MQTT-3.8.3-4.
            if options.no_local && filter.group().is_some() {
                return Err(ReasonCode::PROTOCOL_ERROR);
            }
            filters.push((filter, options));
        }
        if filters.is_empty() {
            return Err(ReasonCode::PROTOCOL_ERROR);
        }
        Ok(Self { packet_id, filters })
    }

    /// Returns the packet.
    #[must_use]
    pub fn write(&self, version: Version) -> SmallVec<[u8; 128]> {
        let mut body = Bytes::new();
        put_u16(&mut body, self.packet_id);
        let mut properties = PropertyWriter::default();
        match self.filters.first() {
            Some((_, options)) if options.id != 0 => {
                properties.variable(id::SUBSCRIPTION_IDENTIFIER, options.id);
            }
            _ => {}
        }
        properties.put(version, &mut body);
        for (filter, options) in &self.filters {
            put_binary(&mut body, filter.text().as_bytes());
            body.push(option_byte(version, *options));
        }
        packet(0x82, &body)
    }
}

impl<'a> Unsubscribe<'a> {
    /// Reads the packet after its fixed header.
    ///
    /// # Errors
    /// When it is malformed, or names no filter (MQTT-3.10.3-2).
    pub fn read(version: Version, body: &'a [u8]) -> Result<Self, ReasonCode> {
        let mut reader = Reader::new(body);
        let packet_id = reader.packet_id()?;
        if version == Version::V5 {
            read_properties(&mut reader, |property, _| match property {
                Property::UserProperty => Ok(()),
                _ => Err(MALFORMED),
            })?;
        }
        let mut filters = SmallVec::new();
        while !reader.is_empty() {
            filters.push(read_filter(&mut reader)?);
        }
        if filters.is_empty() {
            return Err(ReasonCode::PROTOCOL_ERROR);
        }
        Ok(Self { packet_id, filters })
    }
}

impl Suback {
    /// Reads a SUBACK after its fixed header.
    ///
    /// # Errors
    /// When it is malformed.
    pub fn read(version: Version, body: &[u8]) -> Result<Self, ReasonCode> {
        let mut reader = Reader::new(body);
        let packet_id = reader.packet_id()?;
        if version == Version::V5 {
            read_reason_properties(&mut reader)?;
        }
        let reasons: SmallVec<[ReasonCode; 4]> =
            reader.rest().iter().map(|code| ReasonCode(*code)).collect();
        // MQTT 3.1.1, MQTT-3.9.3-2; MQTT 5 §3.9.3.
        let is_reason = |reason: &ReasonCode| match version {
            Version::V3_1_1 => matches!(reason.0, 0..=2 | 0x80),
            Version::V5 => matches!(
                reason.0,
                0..=2 | 0x80 | 0x83 | 0x87 | 0x8f | 0x91 | 0x97 | 0x9e | 0xa1 | 0xa2
            ),
        };
        if reasons.is_empty() || !reasons.iter().all(is_reason) {
            return Err(MALFORMED);
        }
        Ok(Self { packet_id, reasons })
    }

    /// Returns a SUBACK.
    #[must_use]
    pub fn write(&self, version: Version) -> SmallVec<[u8; 128]> {
        let mut body = self.head(version);
        body.extend(self.reasons.iter().map(|reason| match version {
            // MQTT 3.1.1 §3.9.3 knows one failure.
            Version::V3_1_1 if reason.is_error() => ReasonCode::UNSPECIFIED.0,
            _ => reason.0,
        }));
        packet(0x90, &body)
    }

    /// Returns an UNSUBACK.
    #[must_use]
    pub fn write_unsuback(&self, version: Version) -> SmallVec<[u8; 128]> {
        let mut body = self.head(version);
        if version == Version::V5 {
            body.extend(self.reasons.iter().map(|reason| reason.0));
        }
        packet(0xb0, &body)
    }

    fn head(&self, version: Version) -> Bytes {
        let mut body = Bytes::new();
        put_u16(&mut body, self.packet_id);
        PropertyWriter::default().put(version, &mut body);
        body
    }
}

/// MQTT-4.7.1-1 and -2, MQTT-4.7.3-1, MQTT-4.8.2-1 and -2.
fn read_filter<'a>(reader: &mut Reader<'a>) -> Result<TopicFilter<'a>, ReasonCode> {
    TopicFilter::parse(reader.string()?).map_err(|FilterError| MALFORMED)
}

/// §3.8.3.1; in 3.1.1 all but the quality is reserved (MQTT-3-8.3-4).
fn read_options(version: Version, byte: u8) -> Result<SubscriptionOptions, ReasonCode> {
    let reserved = match version {
        Version::V3_1_1 => 0b1111_1100,
        Version::V5 => 0b1100_0000,
    };
    if byte & reserved != 0 {
        return Err(MALFORMED);
    }
    Ok(SubscriptionOptions {
        maximum_qos: Qos::from_number(byte & 0b11).ok_or(ReasonCode::PROTOCOL_ERROR)?,
        no_local: byte & 0b100 != 0,
        retain_as_published: byte & 0b1000 != 0,
        retain_handling: match byte >> 4 {
            0 => RetainHandling::Send,
            1 => RetainHandling::SendIfNew,
            2 => RetainHandling::DoNotSend,
            _ => return Err(ReasonCode::PROTOCOL_ERROR),
        },
        id: 0,
    })
}

const fn option_byte(version: Version, options: SubscriptionOptions) -> u8 {
    let qos = options.maximum_qos as u8;
    match version {
        Version::V3_1_1 => qos,
        Version::V5 => {
            let handling = match options.retain_handling {
                RetainHandling::Send => 0,
                RetainHandling::SendIfNew => 1,
                RetainHandling::DoNotSend => 2,
            };
            qos | (options.no_local as u8) << 2
                | (options.retain_as_published as u8) << 3
                | handling << 4
        }
    }
}
