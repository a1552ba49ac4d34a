use lasthop_broker::{Qos, is_topic_name};

use super::property::{Property, id, read_properties};
use super::reader::Reader;
use super::writer::{Bytes, PropertyWriter, packet, put_binary, put_u16};
use super::{ReasonCode, Version};

/// CONNECT (MQTT 5 §3.1, MQTT 3.1.1 §3.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connect<'a> {
    /// The MQTT version.
    pub version: Version,
    /// Whether the client requests a new session; `CleanSession` in 3.1.1.
    pub clean_start: bool,
    /// The keep-alive in seconds; 0 for none.
    pub keep_alive: u16,
    /// The client ID; empty to get one from the server.
    pub client_id: &'a str,
    /// The will message.
    pub will: Option<Will<'a>>,
    /// The session expiry in seconds; `u32::MAX` for never.
    pub session_expiry: u32,
    /// The receive maximum of the client.
    pub receive_maximum: u16,
    /// The largest packet that the client accepts, in bytes.
    pub maximum_packet_size: Option<u32>,
    /// The number of topic aliases that the client accepts.
    pub topic_alias_maximum: u16,
    /// Whether the client requests extended authentication.
    pub has_authentication_method: bool,
    /// The user name.
    pub user_name: Option<&'a str>,
    /// The password, or a token in its place.
    pub password: Option<&'a [u8]>,
}

/// A will (MQTT 5 §3.1.2.5, §3.1.3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Will<'a> {
    /// The topic.
    pub topic: &'a str,
    /// The payload.
    pub payload: &'a [u8],
    /// The QoS.
    pub qos: Qos,
    /// Whether the will is to be retained.
    pub retain: bool,
    /// The delay in seconds between the end of the connection and the publication.
    pub delay: u32,
    /// The message expiry interval in seconds.
    pub message_expiry: Option<u32>,
    /// The properties that are forwarded with the will, in wire format.
    pub properties: Vec<u8>,
}

/// Why a CONNECT is refused, and the version of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectError {
    /// The version of the answer; `None` for no answer.
    pub version: Option<Version>,
    /// The reason.
    pub reason: ReasonCode,
}

mod flag {
    pub(super) const RESERVED: u8 = 1;
    pub(super) const CLEAN_START: u8 = 1 << 1;
    pub(super) const WILL: u8 = 1 << 2;
    pub(super) const WILL_RETAIN: u8 = 1 << 5;
    pub(super) const PASSWORD: u8 = 1 << 6;
    pub(super) const USER_NAME: u8 = 1 << 7;
    /// The Will QoS and Will Retain flags, which are 0 without a will.
    pub(super) const OF_WILL: u8 = 0b11 << 3 | WILL_RETAIN;
}

const MALFORMED: ReasonCode = ReasonCode::MALFORMED_PACKET;

impl<'a> Connect<'a> {
    /// Creates a CONNECT with default options.
    #[must_use]
    pub const fn new(version: Version, client_id: &'a str) -> Self {
        Self {
            version,
            clean_start: true,
            keep_alive: 0,
            client_id,
            will: None,
            session_expiry: 0,
            receive_maximum: u16::MAX,
            maximum_packet_size: None,
            topic_alias_maximum: 0,
            has_authentication_method: false,
            user_name: None,
            password: None,
        }
    }

    /// Reads the packet after its fixed header.
    ///
    /// # Errors
    /// For another protocol or version, and for all that is malformed.
    pub fn read(body: &'a [u8]) -> Result<Self, ConnectError> {
        let mut reader = Reader::new(body);
        let version = read_version(&mut reader)?;
        Self::read_as(version, reader).map_err(|reason| ConnectError {
            version: Some(version),
            reason,
        })
    }

    fn read_as(version: Version, mut reader: Reader<'a>) -> Result<Self, ReasonCode> {
        let flags = reader.u8()?;
        check_flags(version, flags)?;
        let mut connect = Self::new(version, "");
        connect.clean_start = flags & flag::CLEAN_START != 0;
        connect.keep_alive = reader.u16()?;
        match version {
            Version::V3_1_1 if !connect.clean_start => connect.session_expiry = u32::MAX,
            Version::V3_1_1 => {}
            Version::V5 => connect.read_properties(&mut reader)?,
        }
        // MQTT-3.1.3-5: any text; MQTT-3.1.3-9: one that is refused has a reason code of its own.
        connect.client_id = reader.string()?;
        if flags & flag::WILL != 0 {
            connect.will = Some(Will::read(version, flags, &mut reader)?);
        }
        if flags & flag::USER_NAME != 0 {
            connect.user_name = Some(reader.string()?);
        }
        if flags & flag::PASSWORD != 0 {
            connect.password = Some(reader.binary()?);
        }
        reader.finish()?;
        Ok(connect)
    }

    fn read_properties(&mut self, reader: &mut Reader<'a>) -> Result<(), ReasonCode> {
        let (mut has_method, mut has_data) = (false, false);
        read_properties(reader, |property, _| {
            match property {
                Property::SessionExpiryInterval(seconds) => self.session_expiry = seconds,
                Property::ReceiveMaximum(maximum) => self.receive_maximum = maximum,
                Property::MaximumPacketSize(size) => self.maximum_packet_size = Some(size),
                Property::TopicAliasMaximum(maximum) => self.topic_alias_maximum = maximum,
                Property::AuthenticationMethod => has_method = true,
                Property::AuthenticationData => has_data = true,
                Property::RequestProblemInformation
                | Property::RequestResponseInformation
                | Property::UserProperty => {}
                _ => return Err(MALFORMED),
            }
            Ok(())
        })?;
        self.has_authentication_method = has_method;
        // §3.1.2.11.10: data without a method is a protocol error.
        if has_data && !has_method {
            return Err(ReasonCode::PROTOCOL_ERROR);
        }
        Ok(())
    }

    /// Returns the packet.
    #[must_use]
    pub fn write(&self) -> smallvec::SmallVec<[u8; 128]> {
        let mut body = Bytes::new();
        put_binary(&mut body, b"MQTT");
        body.push(self.version.level());
        body.push(self.flags());
        put_u16(&mut body, self.keep_alive);
        let mut properties = PropertyWriter::default();
        if self.session_expiry != 0 {
            properties.four(id::SESSION_EXPIRY_INTERVAL, self.session_expiry);
        }
        if self.receive_maximum != u16::MAX {
            properties.two(id::RECEIVE_MAXIMUM, self.receive_maximum);
        }
        if let Some(size) = self.maximum_packet_size {
            properties.four(id::MAXIMUM_PACKET_SIZE, size);
        }
        if self.topic_alias_maximum != 0 {
            properties.two(id::TOPIC_ALIAS_MAXIMUM, self.topic_alias_maximum);
        }
        properties.put(self.version, &mut body);
        put_binary(&mut body, self.client_id.as_bytes());
        if let Some(will) = &self.will {
            will.put(self.version, &mut body);
        }
        if let Some(user_name) = self.user_name {
            put_binary(&mut body, user_name.as_bytes());
        }
        if let Some(password) = self.password {
            put_binary(&mut body, password);
        }
        packet(0x10, &body)
    }

    fn flags(&self) -> u8 {
        let mut flags = if self.clean_start {
            flag::CLEAN_START
        } else {
            0
        };
        if let Some(will) = &self.will {
            flags |= flag::WILL | (will.qos as u8) << 3;
            flags |= if will.retain { flag::WILL_RETAIN } else { 0 };
        }
        if self.user_name.is_some() {
            flags |= flag::USER_NAME;
        }
        if self.password.is_some() {
            flags |= flag::PASSWORD;
        }
        flags
    }
}

impl<'a> Will<'a> {
    fn read(version: Version, flags: u8, reader: &mut Reader<'a>) -> Result<Self, ReasonCode> {
        let mut will = Self {
            topic: "",
            payload: &[],
            qos: Qos::from_number(flags >> 3 & 0b11).ok_or(MALFORMED)?,
            retain: flags & flag::WILL_RETAIN != 0,
            delay: 0,
            message_expiry: None,
            properties: Vec::new(),
        };
        if version == Version::V5 {
            read_properties(reader, |property, bytes| {
                match property {
                    Property::WillDelayInterval(seconds) => will.delay = seconds,
                    Property::MessageExpiryInterval(seconds) => {
                        will.message_expiry = Some(seconds);
                    }
                    Property::PayloadFormatIndicator
                    | Property::ContentType
                    | Property::ResponseTopic(_)
                    | Property::CorrelationData
                    | Property::UserProperty => will.properties.extend_from_slice(bytes),
                    _ => return Err(MALFORMED),
                }
                Ok(())
            })?;
        }
        will.topic = reader.string()?;
        will.payload = reader.binary()?;
        if is_topic_name(will.topic) {
            Ok(will)
        } else {
            Err(MALFORMED)
        }
    }

    fn put(&self, version: Version, body: &mut Bytes) {
        let mut properties = PropertyWriter::default();
        if self.delay != 0 {
            properties.four(id::WILL_DELAY_INTERVAL, self.delay);
        }
        if let Some(seconds) = self.message_expiry {
            properties.four(id::MESSAGE_EXPIRY_INTERVAL, seconds);
        }
        properties.raw(&self.properties);
        properties.put(version, body);
        put_binary(body, self.topic.as_bytes());
        put_binary(body, self.payload);
    }
}

/// The protocol's name and level (MQTT-3.1.2-1 and -2): without the name there is no answer.
fn read_version(reader: &mut Reader<'_>) -> Result<Version, ConnectError> {
    let without_answer = |reason| ConnectError {
        version: None,
        reason,
    };
    if reader.binary().map_err(without_answer)? != b"MQTT" {
        return Err(without_answer(ReasonCode::UNSUPPORTED_PROTOCOL_VERSION));
    }
    let unsupported = |version| ConnectError {
        version: Some(version),
        reason: ReasonCode::UNSUPPORTED_PROTOCOL_VERSION,
    };
    match reader.u8().map_err(without_answer)? {
        4 => Ok(Version::V3_1_1),
        5 => Ok(Version::V5),
        0..4 => Err(unsupported(Version::V3_1_1)),
        6.. => Err(unsupported(Version::V5)),
    }
}

fn check_flags(version: Version, flags: u8) -> Result<(), ReasonCode> {
    // MQTT-3.1.2-3, -11, -13.
    let is_reserved = flags & flag::RESERVED != 0;
    let has_will_flags_alone = flags & flag::WILL == 0 && flags & flag::OF_WILL != 0;
    // MQTT 3.1.1: MQTT-3.1.2-22; a password may stand alone in 5.
    let has_password_alone =
        version == Version::V3_1_1 && flags & (flag::PASSWORD | flag::USER_NAME) == flag::PASSWORD;
    if is_reserved || has_will_flags_alone || has_password_alone {
        return Err(MALFORMED);
    }
    Ok(())
}
