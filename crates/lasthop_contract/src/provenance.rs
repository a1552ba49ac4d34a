use crate::MessageId;

/// Where a byte comes from: who put it on the wire, why, and for which message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Provenance {
    /// The layer that made the byte.
    pub layer: Layer,
    /// What the byte is there for.
    pub cause: Cause,
    /// The application message that it serves, where there is one.
    pub message: Option<MessageId>,
}

impl Provenance {
    /// Bytes of a layer that serve no single message.
    #[must_use]
    pub const fn new(layer: Layer, cause: Cause) -> Self {
        Self {
            layer,
            cause,
            message: None,
        }
    }

    /// Bytes of the application layer for a message.
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
    /// What a byte is there for.
    Cause {
        /// The first copy of what the user wanted to send.
        Payload = "payload",
        /// The framing that carries it.
        Header = "header",
        /// Saying that something arrived.
        Acknowledgement = "acknowledgement",
        /// A further copy of bytes sent before.
        Retransmission = "retransmission",
        /// Making a connection or session: handshakes, subscriptions.
        SessionSetUp = "session_set_up",
        /// Making a secured session again from an earlier one.
        SessionResumption = "session_resumption",
        /// The same where data goes with the first flight.
        SessionResumptionEarly = "session_resumption_early",
        /// Showing who an end is, by certificates.
        Certificates = "certificates",
        /// Showing who an end is: a token in each request of HTTP, a password or token in the CONNECT of MQTT.
        Authorisation = "authorisation",
        /// What a key exchange has against quantum computers.
        PostQuantumShare = "post_quantum_share",
        /// Showing that an end hears at its address, before a server holds anything for it: cookies, Retry, tokens.
        AddressValidation = "address_validation",
        /// Ending a connection or session.
        SessionTearDown = "session_tear_down",
        /// Keeping a connection or an address mapping alive.
        KeepAlive = "keep_alive",
        /// Bytes that mean nothing.
        Padding = "padding",
        /// Finding out about a path: whether it leads to the peer, and how large a packet may be.
        PathProbe = "path_probe",
        /// Bytes whose cause a third-party machine hides.
        Opaque = "opaque",
    }
}
