use http::{Request, Response};
use lasthop_contract::{Provenance, StreamId, TransportEvent};
use lasthop_units::Instant;

use crate::h1::Http1Server;
use crate::http2::{Http2Server, PREFACE};
use crate::http3::Http3Server;
use crate::limits::ServerLimits;
use crate::wire::Wire;

/// A server connection, in its client's version of HTTP.
#[derive(Debug)]
pub(super) enum Connection {
    /// The version is unknown until more bytes arrive.
    Unknown(StreamId, Vec<u8>, Instant),
    /// HTTP/1.1, one exchange at a time.
    One(Http1Server),
    /// HTTP/2, recognised by the client's preface, whether it was negotiated by TLS or by prior knowledge (RFC 9113
    /// section 3.3).
    Two(Box<Http2Server>),
    /// HTTP/3, used on a transport with streams.
    Three(Box<Http3Server>),
}

impl Connection {
    pub(super) fn new(now: Instant, stream: StreamId, limits: &ServerLimits) -> Self {
        Self::Unknown(stream, Vec::new(), now + limits.head)
    }

    /// Creates an HTTP/3 connection.
    pub(super) fn of_many_streams(wire: &mut Wire<'_>, limits: &ServerLimits) -> Self {
        Self::Three(Box::new(Http3Server::new(wire, limits)))
    }

    /// Processes an event of one of the connection's streams.
    pub(super) fn take(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
        event: TransportEvent,
    ) {
        if let Self::Three(three) = self {
            three.take(wire, limits, event);
        }
    }

    /// Returns a request whose response is no longer wanted although the connection is open.
    pub(super) fn gone(&mut self) -> Option<u64> {
        match self {
            Self::Three(three) => three.gone(),
            Self::Two(two) => two.gone(),
            Self::Unknown(..) | Self::One(_) => None,
        }
    }

    /// Returns the deadline for [`Connection::timeout`].
    pub(super) fn deadline(&self) -> Instant {
        match self {
            Self::Unknown(_, _, deadline) => *deadline,
            Self::One(one) => one.deadline(),
            Self::Two(two) => two.deadline(),
            Self::Three(three) => three.deadline(),
        }
    }

    /// Returns the bytes of incomplete requests and unread responses.
    pub(super) fn pending(&self) -> usize {
        match self {
            Self::Unknown(_, input, _) => input.len(),
            Self::One(one) => one.pending(),
            Self::Two(two) => two.pending(),
            Self::Three(three) => three.pending(),
        }
    }

    /// Returns the numbers of the requests that wait for responses.
    pub(super) fn open_exchanges(&self) -> Vec<u64> {
        match self {
            Self::Unknown(..) => Vec::new(),
            Self::One(one) => one.open_exchange().into_iter().collect(),
            Self::Two(two) => two.open_exchanges(),
            Self::Three(three) => three.open_exchanges(),
        }
    }

    /// Reads received bytes. Returns a request that is complete.
    pub(super) fn receive(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
    ) -> Option<(u64, Request<Vec<u8>>)> {
        self.recognise(wire, limits);
        match self {
            Self::Unknown(..) => None,
            Self::One(one) => {
                let request = one.receive(wire, limits)?;
                Some((one.open_exchange()?, request))
            }
            Self::Two(two) => two.receive(wire, limits),
            Self::Three(three) => three.receive(),
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
            Self::Two(two) => two.respond(wire, limits, number, response, head, parts),
            Self::Three(three) => three.respond(wire, limits, number, response, head, parts),
            Self::One(_) | Self::Unknown(..) => {}
        }
    }

    /// Writes queued bytes. Returns whether requests are read again, after reading had stopped because of too many
    /// queued bytes.
    pub(super) fn flush(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> bool {
        match self {
            // It writes when it is told that a stream takes more.
            Self::Unknown(..) | Self::Three(_) => false,
            Self::One(one) => one.flush(wire, limits),
            Self::Two(two) => two.flush(wire),
        }
    }

    /// Handles the deadline. Returns whether the connection must be reset.
    pub(super) fn timeout(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> bool {
        self.settle(wire, limits);
        match self {
            Self::Unknown(..) => true,
            Self::Two(two) => two.timeout(wire, limits),
            Self::Three(three) => three.timeout(wire, limits),
            Self::One(one) => one.timeout(wire, limits),
        }
    }

    pub(super) fn stop(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        self.settle(wire, limits);
        match self {
            Self::Unknown(..) => {}
            Self::Two(two) => two.stop(wire, limits),
            Self::Three(three) => three.stop(wire, limits),
            Self::One(one) => one.stop(wire, limits),
        }
    }

    /// Decides which version is spoken, by the first bytes.
    fn recognise(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        let Self::Unknown(stream, input, _) = self else {
            return;
        };
        let missing = PREFACE.len();
        let has_ended = wire.read(*stream, input, missing);
        let is_preface = PREFACE.starts_with(input);
        if is_preface && input.len() == missing {
            let two = Http2Server::new(wire.now, *stream, limits, input);
            *self = Self::Two(Box::new(two));
        } else if !is_preface || has_ended {
            self.settle(wire, limits);
        }
    }

    /// What is no preface, or will never be one, is of HTTP/1.1.
    fn settle(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        if let Self::Unknown(stream, input, _) = self {
            let input = core::mem::take(input);
            *self = Self::One(Http1Server::new(wire.now, *stream, limits, input));
        }
    }
}
