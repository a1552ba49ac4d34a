/// A reason code of MQTT 5 §2.4. Codes from 128 on are errors.
///
/// MQTT 3.1.1 has return codes in CONNACK only; there, each of these has a nearest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReasonCode(pub u8);

#[expect(missing_docs, reason = "the standard's own names")]
impl ReasonCode {
    pub const SUCCESS: Self = Self(0x00);
    pub const DISCONNECT_WITH_WILL: Self = Self(0x04);
    pub const NO_MATCHING_SUBSCRIBERS: Self = Self(0x10);
    pub const NO_SUBSCRIPTION_EXISTED: Self = Self(0x11);
    pub const UNSPECIFIED: Self = Self(0x80);
    pub const MALFORMED_PACKET: Self = Self(0x81);
    pub const PROTOCOL_ERROR: Self = Self(0x82);
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(0x84);
    pub const CLIENT_IDENTIFIER_NOT_VALID: Self = Self(0x85);
    pub const BAD_USER_NAME_OR_PASSWORD: Self = Self(0x86);
    pub const NOT_AUTHORIZED: Self = Self(0x87);
    pub const SERVER_UNAVAILABLE: Self = Self(0x88);
    pub const SERVER_SHUTTING_DOWN: Self = Self(0x8B);
    pub const BAD_AUTHENTICATION_METHOD: Self = Self(0x8C);
    pub const KEEP_ALIVE_TIMEOUT: Self = Self(0x8D);
    pub const SESSION_TAKEN_OVER: Self = Self(0x8E);
    pub const PACKET_IDENTIFIER_NOT_FOUND: Self = Self(0x92);
    pub const RECEIVE_MAXIMUM_EXCEEDED: Self = Self(0x93);
    pub const TOPIC_ALIAS_INVALID: Self = Self(0x94);
    pub const PACKET_TOO_LARGE: Self = Self(0x95);
    pub const QUOTA_EXCEEDED: Self = Self(0x97);
    pub const QOS_NOT_SUPPORTED: Self = Self(0x9B);
}

impl ReasonCode {
    /// Whether the code is an error.
    #[must_use]
    pub const fn is_error(self) -> bool {
        self.0 >= 0x80
    }

    /// Returns the equivalent return code of CONNACK in MQTT 3.1.1 (§3.2.2.3).
    ///
    /// It is `None` if the connection must be closed without one.
    #[must_use]
    pub const fn connack_return_code(self) -> Option<u8> {
        match self {
            Self::SUCCESS => Some(0),
            Self::UNSUPPORTED_PROTOCOL_VERSION => Some(1),
            Self::CLIENT_IDENTIFIER_NOT_VALID => Some(2),
            Self::SERVER_UNAVAILABLE | Self::QUOTA_EXCEEDED => Some(3),
            Self::BAD_USER_NAME_OR_PASSWORD => Some(4),
            Self::NOT_AUTHORIZED => Some(5),
            _ => None,
        }
    }
}
