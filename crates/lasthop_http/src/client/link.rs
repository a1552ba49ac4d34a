use http::{HeaderValue, Response};
use lasthop_contract::{ConnectionId, StreamError, TransportEvent};
use lasthop_units::Instant;

use super::config::{ConnectionPolicy, HttpClientConfig, HttpVersion};
use super::pending::{Pending, Sender};
use crate::client_protocol::{Answer, ExchangeNumber};
use crate::h1::Http1Client;
use crate::http2::Http2Client;
use crate::http3::Http3Client;
use crate::wire::Wire;

/// A client connection with its requests in progress.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) id: ConnectionId,
    /// Whether the connection is for the inbox.
    pub(super) is_of_inbox: bool,
    speaks: Speaks,
    under_way: Vec<(ExchangeNumber, Pending)>,
    /// How many more messages it carries, where that is limited.
    left: Option<u32>,
    /// When it was established.
    established: Option<Instant>,
    /// Whether it has been answered by, or was idle before a request.
    has_been_good: bool,
}

/// What is spoken on a link.
#[derive(Debug)]
enum Speaks {
    /// The connection is not established.
    Nothing,
    One(Box<Http1Client>),
    Two(Box<Http2Client>),
    Three(Box<Http3Client>),
}

/// The result of reading from a connection.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Requests with a response.
    pub(super) answered: Vec<(Pending, Response<Vec<u8>>)>,
    /// Requests that failed, and whether they can be retried.
    pub(super) lost: Vec<(Pending, bool)>,
    /// Whether no further response can arrive.
    pub(super) has_ended: bool,
}

impl Link {
    /// Creates the state of a connection that is being opened.
    pub(super) fn opening(id: ConnectionId, is_of_inbox: bool, policy: ConnectionPolicy) -> Self {
        Self {
            id,
            is_of_inbox,
            speaks: Speaks::Nothing,
            under_way: Vec::new(),
            left: policy.most_messages().filter(|_| !is_of_inbox),
            established: None,
            has_been_good: false,
        }
    }

    /// Handles the established connection.
    ///
    /// # Errors
    /// When it has no stream to speak on.
    pub(super) fn begin(
        &mut self,
        wire: &mut Wire<'_>,
        config: &HttpClientConfig,
    ) -> Result<(), StreamError> {
        self.established = Some(wire.now);
        let initial = wire.transport.initial_stream(self.id);
        if config.version == HttpVersion::Three && initial.is_none() {
            let (table, tokens) = (config.qpack_table, config.remembers_tokens);
            self.speaks = Speaks::Three(Box::new(Http3Client::new(wire, table, tokens)));
            return Ok(());
        }
        let stream = wire.transport.own_stream(wire.now, self.id)?;
        self.speaks = match config.version {
            // Where QUIC leads nowhere, HTTP/3 falls back to HTTP/2.
            HttpVersion::Two | HttpVersion::Three => {
                Speaks::Two(Box::new(Http2Client::new(wire, stream, config.window)))
            }
            HttpVersion::One => Speaks::One(Box::new(Http1Client::new(stream))),
        };
        Ok(())
    }

    /// Processes an event of one of the connection's streams.
    pub(super) fn take(&mut self, wire: &mut Wire<'_>, event: TransportEvent) {
        if let Speaks::Three(three) = &mut self.speaks {
            three.take(wire, event);
        }
    }

    pub(super) fn is_opening(&self) -> bool {
        matches!(self.speaks, Speaks::Nothing)
    }

    /// Whether another request can be sent.
    pub(super) fn has_room(&mut self) -> bool {
        match &mut self.speaks {
            _ if self.left == Some(0) => false,
            Speaks::Nothing => false,
            Speaks::One(one) => one.has_room(),
            Speaks::Two(two) => two.has_room(),
            Speaks::Three(three) => three.has_room(),
        }
    }

    /// Whether an unanswered request was probably not processed. This is so if the connection was idle before the
    /// request and nothing was received since, so that the request met an idle timeout (RFC 9112 section 9.3.1).
    pub(super) fn is_stale(&self) -> bool {
        self.has_been_good
            && match &self.speaks {
                Speaks::Nothing => false,
                Speaks::One(one) => !one.is_heard(),
                Speaks::Two(two) => !two.is_heard(),
                Speaks::Three(three) => !three.is_heard(),
            }
    }

    /// Sends a request. There must be room for it.
    pub(super) fn send(
        &mut self,
        wire: &mut Wire<'_>,
        mut pending: Pending,
        config: &HttpClientConfig,
        sender: Sender<'_>,
        bearer: Option<HeaderValue>,
    ) {
        pending.attempts += 1;
        let was_idle = self.established.is_some_and(|then| wire.now > then);
        self.has_been_good |= was_idle && self.under_way.is_empty();
        self.left = self.left.map(|left| left.saturating_sub(1));
        let (request, purpose) = pending.request(config, sender, bearer);
        let scheme = if config.is_secured { "https" } else { "http" };
        let number = match &mut self.speaks {
            Speaks::Nothing => None,
            Speaks::One(one) => Some(one.request(wire, &request, purpose, config.is_chunked)),
            Speaks::Two(two) => two.request(wire, &request, scheme, purpose),
            Speaks::Three(three) => three.request(wire, &request, scheme, purpose),
        };
        // One that could not go ends with the connection.
        self.under_way
            .push((number.unwrap_or(ExchangeNumber::MAX), pending));
    }

    /// Reads received bytes.
    pub(super) fn receive(&mut self, wire: &mut Wire<'_>) -> Read {
        let mut read = Read::default();
        while !read.has_ended {
            let (answer, is_done) = match &mut self.speaks {
                Speaks::Nothing => return read,
                Speaks::One(one) => (one.receive(wire), one.is_done()),
                Speaks::Two(two) => (two.receive(wire), two.is_done()),
                Speaks::Three(three) => (three.receive(), three.is_done()),
            };
            match answer {
                Answer::None => {
                    // A server that is to close says so when nothing is under way, too.
                    read.has_ended = is_done;
                    return read;
                }
                Answer::Whole(number, response) => {
                    self.has_been_good = true;
                    let pending = self.taken(number);
                    read.answered.extend(pending.map(|it| (it, response)));
                }
                Answer::Lost(number, again) => {
                    let pending = self.taken(number);
                    read.lost.extend(pending.map(|it| (it, again)));
                }
                Answer::Ended => read.has_ended = true,
            }
            read.has_ended |= is_done || (self.left == Some(0) && self.under_way.is_empty());
        }
        read
    }

    pub(super) fn flush(&mut self, wire: &mut Wire<'_>) {
        match &mut self.speaks {
            Speaks::Nothing => {}
            Speaks::One(one) => one.flush(wire),
            Speaks::Two(two) => two.flush(wire),
            Speaks::Three(three) => three.flush(wire),
        }
    }

    /// Stops sending requests on the connection.
    pub(super) fn finish(&mut self, wire: &mut Wire<'_>) {
        match &mut self.speaks {
            Speaks::Nothing => {}
            Speaks::One(one) => one.finish(wire),
            Speaks::Two(two) => two.finish(wire),
            Speaks::Three(three) => three.finish(wire),
        }
    }

    /// Iterates over the requests in progress.
    pub(super) fn under_way(&self) -> impl Iterator<Item = &Pending> {
        self.under_way.iter().map(|(_, pending)| pending)
    }

    /// Removes and returns the requests in progress.
    pub(super) fn take_under_way(&mut self) -> impl Iterator<Item = Pending> + use<> {
        let under_way = core::mem::take(&mut self.under_way);
        under_way.into_iter().map(|(_, pending)| pending)
    }

    fn taken(&mut self, number: ExchangeNumber) -> Option<Pending> {
        let place = self.under_way.iter().position(|(it, _)| *it == number)?;
        Some(self.under_way.remove(place).1)
    }
}
