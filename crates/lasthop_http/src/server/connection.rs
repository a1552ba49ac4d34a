use http::{Request, Response};
use lasthop_contract::{Provenance, StreamId};
use lasthop_units::Instant;

use crate::h1::Http1Server;
use crate::limits::ServerLimits;
use crate::wire::Wire;

/// One connection of a server, in the version of HTTP that its client speaks.
#[derive(Debug)]
pub(super) enum Connection {
    /// HTTP/1.1, one exchange at a time.
    One(Http1Server),
}

impl Connection {
    pub(super) fn new(now: Instant, stream: StreamId, limits: &ServerLimits) -> Self {
        Self::One(Http1Server::new(now, stream, limits))
    }

    /// When it wants [`Connection::timeout`].
    pub(super) fn deadline(&self) -> Instant {
        match self {
            Self::One(one) => one.deadline(),
        }
    }

    /// The requests that wait for their answers, by their numbers.
    pub(super) fn open_exchanges(&self) -> Vec<u64> {
        match self {
            Self::One(one) => one.open_exchange().into_iter().collect(),
        }
    }

    /// Reads what has come; gives a request that is whole with it.
    pub(super) fn receive(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
    ) -> Option<(u64, Request<Vec<u8>>)> {
        match self {
            Self::One(one) => {
                let request = one.receive(wire, limits)?;
                Some((one.open_exchange()?, request))
            }
        }
    }

    pub(super) fn respond(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
        number: u64,
        response: &Response<Vec<u8>>,
        head: Provenance,
        parts: &[(usize, Provenance)],
    ) {
        match self {
            Self::One(one) if one.open_exchange() == Some(number) => {
                one.respond(wire, limits, response, head, parts);
            }
            Self::One(_) => {}
        }
    }

    pub(super) fn flush(&mut self, wire: &mut Wire<'_>) {
        match self {
            Self::One(one) => one.flush(wire),
        }
    }

    /// Its deadline has come; whether it is to be reset.
    pub(super) fn timeout(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> bool {
        match self {
            Self::One(one) => one.timeout(wire, limits),
        }
    }

    pub(super) fn stop(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        match self {
            Self::One(one) => one.stop(wire, limits),
        }
    }
}
