use super::property::{Property, id, read_properties};
use super::reader::Reader;
use super::writer::{Bytes, PropertyWriter, packet};
use super::{ReasonCode, Version};

/// CONNACK (MQTT 5 §3.2, MQTT 3.1.1 §3.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connack<'a> {
    /// Whether the server had the session.
    pub session_present: bool,
    /// The reason code; in 3.1.1 the return code.
    pub reason: ReasonCode,
    /// The session expiry in seconds, if it differs from the request.
    pub session_expiry: Option<u32>,
    /// The receive maximum of the server.
    pub receive_maximum: u16,
    /// The highest QoS that the server accepts.
    pub maximum_qos: u8,
    /// The largest packet that the server accepts, in bytes.
    pub maximum_packet_size: Option<u32>,
    /// The client ID, if the server assigned one.
    pub assigned_client_id: Option<&'a str>,
    /// The number of topic aliases that the server accepts.
    pub topic_alias_maximum: u16,
    /// The server's keep-alive in seconds, which replaces the client's.
    pub server_keep_alive: Option<u16>,
}

const MALFORMED: ReasonCode = ReasonCode::MALFORMED_PACKET;

impl<'a> Connack<'a> {
    /// Creates a CONNACK without properties.
    #[must_use]
    pub const fn new(session_present: bool, reason: ReasonCode) -> Self {
        Self {
            session_present,
            reason,
            session_expiry: None,
            receive_maximum: u16::MAX,
            maximum_qos: 2,
            maximum_packet_size: None,
            assigned_client_id: None,
            topic_alias_maximum: 0,
            server_keep_alive: None,
        }
    }

    /// Reads the packet after its fixed header.
    ///
    /// # Errors
    /// When it is malformed.
    pub fn read(version: Version, body: &'a [u8]) -> Result<Self, ReasonCode> {
        let mut reader = Reader::new(body);
        let flags = reader.u8()?;
        let reason = ReasonCode(reader.u8()?);
        // MQTT-3.2.2-1, and -6: what is refused has no session.
        let has_session_of_none = flags == 1 && reason != ReasonCode::SUCCESS;
        if flags > 1 || has_session_of_none || !is_reason(version, reason) {
            return Err(MALFORMED);
        }
        let mut connack = Self::new(flags == 1, reason);
        if version == Version::V5 {
            connack.read_properties(&mut reader)?;
        }
        reader.finish()?;
        Ok(connack)
    }

    fn read_properties(&mut self, reader: &mut Reader<'a>) -> Result<(), ReasonCode> {
        read_properties(reader, |property, _| {
            match property {
                Property::SessionExpiryInterval(seconds) => self.session_expiry = Some(seconds),
                Property::ReceiveMaximum(maximum) => self.receive_maximum = maximum,
                Property::MaximumQos(maximum) => self.maximum_qos = maximum,
                Property::MaximumPacketSize(size) => self.maximum_packet_size = Some(size),
                Property::AssignedClientIdentifier(client) => {
                    self.assigned_client_id = Some(client);
                }
                Property::TopicAliasMaximum(maximum) => self.topic_alias_maximum = maximum,
                Property::ServerKeepAlive(seconds) => self.server_keep_alive = Some(seconds),
                Property::RetainAvailable(_)
                | Property::ReasonString
                | Property::UserProperty
                | Property::WildcardSubscriptionAvailable
                | Property::SubscriptionIdentifierAvailable
                | Property::SharedSubscriptionAvailable
                | Property::ResponseInformation
                | Property::ServerReference
                | Property::AuthenticationMethod
                | Property::AuthenticationData => {}
                _ => return Err(MALFORMED),
            }
            Ok(())
        })
    }

    /// Returns the packet.
    #[must_use]
    pub fn write(&self, version: Version) -> smallvec::SmallVec<[u8; 128]> {
        let code = match version {
            Version::V3_1_1 => self.reason.connack_return_code().unwrap_or(5),
            Version::V5 => self.reason.0,
        };
        let mut body = Bytes::from_slice(&[u8::from(self.session_present), code]);
        let mut properties = PropertyWriter::default();
        if let Some(seconds) = self.session_expiry {
            properties.four(id::SESSION_EXPIRY_INTERVAL, seconds);
        }
        if self.receive_maximum != u16::MAX {
            properties.two(id::RECEIVE_MAXIMUM, self.receive_maximum);
        }
        if self.maximum_qos < 2 {
            properties.one(id::MAXIMUM_QOS, self.maximum_qos);
        }
        if let Some(size) = self.maximum_packet_size {
            properties.four(id::MAXIMUM_PACKET_SIZE, size);
        }
        if let Some(client) = self.assigned_client_id {
            properties.text(id::ASSIGNED_CLIENT_IDENTIFIER, client);
        }
        if self.topic_alias_maximum != 0 {
            properties.two(id::TOPIC_ALIAS_MAXIMUM, self.topic_alias_maximum);
        }
        if let Some(seconds) = self.server_keep_alive {
            properties.two(id::SERVER_KEEP_ALIVE, seconds);
        }
        properties.put(version, &mut body);
        packet(0x20, &body)
    }
}

/// MQTT 5 §3.2.2.2; MQTT 3.1.1 §3.2.2.3.
const fn is_reason(version: Version, reason: ReasonCode) -> bool {
    match version {
        Version::V3_1_1 => reason.0 <= 5,
        Version::V5 => matches!(
            reason.0,
            0x00 | 0x80..=0x8a | 0x8c | 0x90 | 0x95 | 0x97 | 0x99..=0x9d | 0x9f
        ),
    }
}
