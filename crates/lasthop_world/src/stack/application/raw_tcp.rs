use lasthop_contract::Application;
use lasthop_traffic::raw_tcp::{PORT, RawTcpClient, RawTcpServer};

use super::{ApplicationBuilder, ApplicationEntry};
use crate::stack::{Above, Carriage, ClientEnd, ServerEnd};

/// Payloads with their length on one TCP connection.
pub(super) const ENTRY: ApplicationEntry = ApplicationEntry {
    name: "raw_tcp",
    summary: "messages with their length on one TCP connection",
    over: &[Carriage::Stream],
    port: PORT,
    port_over: &[],
    has_topics: false,
    options: &[],
    build: Some(|_, _| Box::new(RawTcp)),
};

struct RawTcp;

impl ApplicationBuilder for RawTcp {
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        let client = RawTcpClient::new(end.server, end.device, end.is_commanded());
        above.over(client)
    }

    fn server(&self, _end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        above.over(RawTcpServer::new())
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn forwards(&self) -> bool {
        false
    }
}
