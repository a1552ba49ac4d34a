use lasthop_units::Duration;

/// The settings of both ends of a WebSocket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSocketConfig {
    /// The resource that a client requests; a server accepts any.
    pub resource: String,
    /// The `Host` header of a client; `None` for the server's address.
    pub host: Option<String>,
    /// The subprotocol that a client offers and a server requires (RFC 6455 section 1.9); `None` for none.
    pub subprotocol: Option<String>,
    /// Whether text messages are accepted. Otherwise they end the connection, as in MQTT (MQTT 5 §6.0).
    pub takes_text: bool,
    /// The timeout of the opening and closing handshakes.
    pub patience: Duration,
}

impl WebSocketConfig {
    /// Creates the settings of a subprotocol, with a resource of the same name: `mqtt` at `/mqtt`.
    #[must_use]
    pub fn new(subprotocol: &str) -> Self {
        Self {
            resource: format!("/{subprotocol}"),
            host: None,
            subprotocol: Some(subprotocol.to_owned()),
            takes_text: false,
            patience: Duration::from_secs(60),
        }
    }
}
