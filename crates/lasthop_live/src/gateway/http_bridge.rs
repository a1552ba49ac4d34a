use http::{Request, Response};
use lasthop_broker::Ticket;
use lasthop_gateway::{Asked, GatewayPort};
use lasthop_http::ServerLimits;
use lasthop_units::Instant;

use super::answering::{Answering, Answers};

/// The gateway's HTTP bridge. It answers a request with a message once the message is stored.
pub(crate) type HttpBridge = Answering<Bridge>;

/// Answers the requests of devices to a gateway.
#[derive(Debug)]
pub(crate) struct Bridge {
    gateway: GatewayPort,
}

/// An event of 256 KiB in base64, and what is around it.
const LARGEST_BODY: usize = 360 << 10;

impl HttpBridge {
    pub(crate) fn of(gateway: GatewayPort, limits: ServerLimits) -> Self {
        let limits = ServerLimits {
            largest_body: LARGEST_BODY,
            ..limits
        };
        Self::new(Bridge { gateway }, limits)
    }
}

impl Answers for Bridge {
    fn ask(&mut self, now: Instant, request: &Request<Vec<u8>>) -> Asked {
        self.gateway.ask(now, request)
    }

    fn next_answer(&mut self) -> Option<(Ticket, Response<Vec<u8>>)> {
        self.gateway.next_answer()
    }
}
