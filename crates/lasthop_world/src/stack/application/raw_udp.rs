use lasthop_contract::Application;
use lasthop_traffic::raw_udp::{PORT, RawUdpClient, RawUdpServer, RetransmissionPolicy};

use super::{ACK_RANDOM_FACTOR, ApplicationBuilder, ApplicationEntry, MAX_RETRANSMIT, ack_timeout};
use crate::stack::{Above, Carriage, ClientEnd, OptionEntry, OptionKind, Options, ServerEnd};

/// Payloads straight in datagrams.
pub(super) const ENTRY: ApplicationEntry = ApplicationEntry {
    name: "raw_udp",
    summary: "one datagram a message, acknowledged or not",
    over: &[Carriage::Datagrams],
    port: PORT,
    port_over: &[],
    has_topics: false,
    options: &[
        OptionEntry::new(
            "ack",
            OptionKind::Switch,
            "acknowledge messages and send them again",
        )
        .default("off"),
        ack_timeout("first wait for an acknowledgement").needs("ack", &["on"]),
        ACK_RANDOM_FACTOR.needs("ack", &["on"]),
        MAX_RETRANSMIT.needs("ack", &["on"]),
    ],
    build: Some(|_, options| Box::new(RawUdp::new(options))),
};

const PURPOSE: &str = "raw_udp/ack_timeout";

struct RawUdp {
    policy: Option<RetransmissionPolicy>,
}

impl RawUdp {
    fn new(options: Options<'_>) -> Self {
        let policy = options.switch("ack").then(|| RetransmissionPolicy {
            timeout: options.time("ack_timeout"),
            random_factor: options.number("ack_random_factor"),
            max_retransmit: options.small("max_retransmit"),
        });
        Self { policy }
    }
}

impl ApplicationBuilder for RawUdp {
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        let greets = end.is_commanded();
        let stream = end.host.stream(PURPOSE);
        let client = RawUdpClient::new(end.server, end.device, self.policy, greets, stream);
        above.over(if end.received().is_empty() {
            client.reporting_only()
        } else {
            client
        })
    }

    fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        above.over(RawUdpServer::new(self.policy, end.host.stream(PURPOSE)))
    }

    fn acknowledges(&self) -> bool {
        self.policy.is_some()
    }

    fn forwards(&self) -> bool {
        false
    }
}
