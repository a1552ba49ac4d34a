use std::sync::Arc;

use lasthop_contract::Transport;
use lasthop_units::Duration;
use lasthop_websocket::{WebSocket, WebSocketConfig};

use super::{Carriage, LayerBuilder, LayerEntry, LayerKind};
use crate::spec::StackSpec;
use crate::stack::builder::Role;
use crate::stack::{Below, HostEnd, OptionEntry, OptionKind, Options, SocketServer};

/// WebSocket (RFC 6455).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "ws",
    summary: "binary messages over a connection that began as one of HTTP",
    carries: &[Carriage::Messages],
    over: &[Carriage::Stream],
    options: &[OptionEntry::new(
        "patience",
        OptionKind::Time,
        "how long a handshake may take, at the beginning and at the end",
    )
    .default("1min")],
    kind: LayerKind::Transport(|stack, options| Box::new(WebSockets::new(stack, options))),
};

struct WebSockets {
    config: Arc<WebSocketConfig>,
    /// The server is none of the run.
    is_outside: bool,
}

impl WebSockets {
    /// The subprotocol has the name of the application: `mqtt` is registered with IANA.
    fn new(stack: &StackSpec, options: Options<'_>) -> Self {
        let patience: Duration = options.time("patience");
        Self {
            config: Arc::new(WebSocketConfig {
                patience,
                ..WebSocketConfig::new(&stack.application.name)
            }),
            is_outside: false,
        }
    }
}

impl LayerBuilder for WebSockets {
    fn meet(&mut self, server: &SocketServer<'_>) -> Result<(), String> {
        self.is_outside = true;
        self.config = Arc::new(WebSocketConfig {
            host: Some(server.authority.to_owned()),
            ..(*self.config).clone()
        });
        Ok(())
    }

    fn build(&self, host: &HostEnd<'_>, _role: Role, below: Below) -> Box<dyn Transport> {
        let config = Arc::clone(&self.config);
        let random = (!self.is_outside).then(|| host.stream("ws"));
        Box::new(WebSocket::new(below.into_transport(), config, random))
    }
}
