use lasthop_contract::Application;
use lasthop_traffic::json_udp::{JsonUdpBroker, JsonUdpClient, JsonUdpClientConfig, PORT};
use lasthop_units::Duration;

use super::{ApplicationBuilder, ApplicationEntry};
use crate::stack::shared::Shared;
use crate::stack::{Above, Carriage, ClientEnd, OptionEntry, OptionKind, ServerEnd};

/// JSON publish and subscribe over datagrams.
pub(super) const ENTRY: ApplicationEntry = ApplicationEntry {
    name: "json_udp",
    summary: "JSON publish/subscribe with a broker, one datagram a message",
    over: &[Carriage::Datagrams],
    port: PORT,
    port_over: &[],
    has_topics: true,
    options: &[OptionEntry::new(
        "subscribe_timeout",
        OptionKind::Time,
        "a subscription is sent again after this time without an answer",
    )
    .default("1s")],
    build: Some(|_, options| {
        Box::new(JsonUdp {
            subscribe_timeout: options.time("subscribe_timeout"),
            clients: Shared::default(),
        })
    }),
};

struct JsonUdp {
    subscribe_timeout: Duration,
    clients: Shared<JsonUdpClientConfig>,
}

impl ApplicationBuilder for JsonUdp {
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        let config = JsonUdpClientConfig {
            broker: end.server,
            subscribes: end.received(),
            hears: end.hears.into(),
            asks: end.asks(),
            subscribe_timeout: self.subscribe_timeout,
        };
        above.over(JsonUdpClient::new(self.clients.of(config), end.main_flow()))
    }

    fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        let broker = JsonUdpBroker::new(end.is_destination);
        above.over(match end.core {
            Some(core) => broker.at(core.service()),
            None => broker,
        })
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn forwards(&self) -> bool {
        true
    }
}
