use crate::MessageId;

/// The origin of a byte: the sending layer, the cause, and the message that the byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Provenance {
    /// The layer that produced the byte.
    pub layer: Layer,
    /// The purpose of the byte.
    pub cause: Cause,
    /// The application message that the byte serves, if any.
    pub message: Option<MessageId>,
}

impl Provenance {
    /// Creates the provenance of bytes that belong to no single message.
    #[must_use]
    pub const fn new(layer: Layer, cause: Cause) -> Self {
        Self {
            layer,
            cause,
            message: None,
        }
    }

    /// Creates the provenance of bytes of the application layer for a message.
    #[must_use]
    pub const fn of_message(cause: Cause, message: MessageId) -> Self {
        Self {
            layer: Layer::Application,
            cause,
            message: Some(message),
        }
    }
}

macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant),+ }

        impl $name {
            /// Every value, in order.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The name in result tables.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    };
}
pub(crate) use named_enum;

named_enum! {
    /// The protocol layer that a byte belongs to, from the bottom up.
    Layer {
        /// IPv4 or IPv6.
        Ip = "ip",
        /// UDP (RFC 768).
        Udp = "udp",
        /// TCP (RFC 9293).
        Tcp = "tcp",
        /// TLS records and handshakes.
        Tls = "tls",
        /// DTLS records and handshakes.
        Dtls = "dtls",
        /// QUIC.
        Quic = "quic",
        /// WebSocket framing.
        WebSocket = "websocket",
        /// The application protocol.
        Application = "application",
    }
}

named_enum! {
    /// The purpose of a byte.
    Cause {
        /// The first copy of user data.
        Payload = "payload",
        /// The framing of user data.
        Header = "header",
        /// An acknowledgement of received data.
        Acknowledgement = "acknowledgement",
        /// A further copy of bytes sent before.
        Retransmission = "retransmission",
        /// Set-up of a connection or session: handshakes, subscriptions.
        SessionSetUp = "session_set_up",
        /// Resumption of an earlier secure session.
        SessionResumption = "session_resumption",
        /// Session resumption with data in the first flight (early data).
        SessionResumptionEarly = "session_resumption_early",
        /// Authentication by certificates.
        Certificates = "certificates",
        /// Authentication by a token in each HTTP request, or a password or token in the CONNECT of MQTT.
        Authorisation = "authorisation",
        /// The post-quantum share of a key exchange.
        PostQuantumShare = "post_quantum_share",
        /// Address validation before a server keeps state: cookies, Retry, tokens.
        AddressValidation = "address_validation",
        /// The end of a connection or session.
        SessionTearDown = "session_tear_down",
        /// Keep-alive of a connection or of an address mapping.
        KeepAlive = "keep_alive",
        /// Bytes without meaning that fill up a packet or record.
        Padding = "padding",
        /// Path probes: reachability of the peer, and the maximum packet size.
        PathProbe = "path_probe",
        /// Bytes whose purpose is hidden inside a third-party component.
        Opaque = "opaque",
    }
}
