use lasthop_units::Duration;

/// What both ends of a WebSocket are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSocketConfig {
    /// What a client asks for; a server takes any.
    pub resource: String,
    /// Which host a client says that it wants; the server's address where it is `None`.
    pub host: Option<String>,
    /// The subprotocol that a client offers and a server insists on (RFC 6455 section 1.9); nothing is said of one without it.
    pub subprotocol: Option<String>,
    /// Whether messages of text are read; else they end the connection, as MQTT has it (MQTT 5 §6.0).
    pub takes_text: bool,
    /// How long a handshake may take, at the beginning and at the end.
    pub patience: Duration,
}

impl WebSocketConfig {
    /// That of a subprotocol, with a resource of the same name: `mqtt` at `/mqtt`.
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
