use smallvec::SmallVec;

/// The kinds of messages that begin in a packet, in order.
pub type MessageKinds = SmallVec<[MessageKind; 2]>;

macro_rules! message_kinds {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),+ $(,)?) => {
        /// A kind of message, named as in its protocol's standard.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum MessageKind { $($(#[$doc])* $variant),+ }

        impl MessageKind {
            /// Every kind, by protocol.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name of the protocol, a dot and the name of the kind, such as `mqtt.PUBREC`.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

message_kinds! {
    /// CONNECT (MQTT 5 §3.1).
    MqttConnect = "mqtt.CONNECT",
    /// CONNACK (MQTT 5 §3.2).
    MqttConnack = "mqtt.CONNACK",
    /// PUBLISH (MQTT 5 §3.3).
    MqttPublish = "mqtt.PUBLISH",
    /// PUBACK (MQTT 5 §3.4).
    MqttPuback = "mqtt.PUBACK",
    /// PUBREC (MQTT 5 §3.5).
    MqttPubrec = "mqtt.PUBREC",
    /// PUBREL (MQTT 5 §3.6).
    MqttPubrel = "mqtt.PUBREL",
    /// PUBCOMP (MQTT 5 §3.7).
    MqttPubcomp = "mqtt.PUBCOMP",
    /// SUBSCRIBE (MQTT 5 §3.8).
    MqttSubscribe = "mqtt.SUBSCRIBE",
    /// SUBACK (MQTT 5 §3.9).
    MqttSuback = "mqtt.SUBACK",
    /// UNSUBSCRIBE (MQTT 5 §3.10).
    MqttUnsubscribe = "mqtt.UNSUBSCRIBE",
    /// UNSUBACK (MQTT 5 §3.11).
    MqttUnsuback = "mqtt.UNSUBACK",
    /// PINGREQ (MQTT 5 §3.12).
    MqttPingreq = "mqtt.PINGREQ",
    /// PINGRESP (MQTT 5 §3.13).
    MqttPingresp = "mqtt.PINGRESP",
    /// DISCONNECT (MQTT 5 §3.14).
    MqttDisconnect = "mqtt.DISCONNECT",
    /// AUTH (MQTT 5 §3.15).
    MqttAuth = "mqtt.AUTH",
    /// A confirmable message over UDP (RFC 7252 section 4.2).
    CoapCon = "coap.CON",
    /// A non-confirmable message over UDP (RFC 7252 section 4.3).
    CoapNon = "coap.NON",
    /// An acknowledgement over UDP, piggybacked or empty (RFC 7252 section 5.2.1).
    CoapAck = "coap.ACK",
    /// A reset over UDP (RFC 7252 section 4.2).
    CoapRst = "coap.RST",
    /// A request of any method, over UDP or TCP.
    CoapRequest = "coap.request",
    /// A response of any code, over UDP or TCP.
    CoapResponse = "coap.response",
    /// A signalling message over TCP (RFC 8323 section 5).
    CoapSignal = "coap.signal",
}

impl MessageKind {
    /// Returns the kind of an MQTT packet by its first byte, or `None` for a reserved type.
    pub(crate) fn of_mqtt(first: u8) -> Option<Self> {
        let kind = usize::from(first >> 4).checked_sub(1)?;
        Self::ALL.get(kind).copied()
    }

    /// Returns the kind of a CoAP datagram by the two bits of its type.
    pub(crate) fn of_coap_type(kind: u8) -> Self {
        match kind {
            0 => Self::CoapCon,
            1 => Self::CoapNon,
            2 => Self::CoapAck,
            _ => Self::CoapRst,
        }
    }

    /// Returns the kind of a CoAP message by its code, or `None` for an empty message.
    pub(crate) fn of_coap_code(code: u8) -> Option<Self> {
        match (code >> 5, code & 31) {
            (0, 0) => None,
            (0, _) => Some(Self::CoapRequest),
            (7, _) => Some(Self::CoapSignal),
            _ => Some(Self::CoapResponse),
        }
    }
}
