use std::collections::{BTreeMap, VecDeque};

use http::{Request, Response, StatusCode};
use lasthop_contract::{Cause, Layer, Outbox, Provenance, StreamId, StreamKind, TransportEvent};
use lasthop_units::Instant;

use super::channels::{Channels, MOST_BLOCKED};
use super::codes::{Code, EXCESSIVE_LOAD, MESSAGE_ERROR, NO_ERROR, REQUEST_REJECTED};
use super::exchange::{Fault, Incoming};
use super::message::{has_length, request_of};
use super::qpack::QpackError;
use super::served::{Exchange, Part, drain};
use crate::limits::{PROGRESS, ServerLimits};
use crate::wire::Wire;

/// The server end of an HTTP/3 connection, with concurrent requests.
#[derive(Debug)]
pub(crate) struct Http3Server {
    channels: Channels,
    exchanges: BTreeMap<StreamId, Exchange>,
    ready: VecDeque<(u64, Request<Vec<u8>>)>,
    /// Requests whose answers nobody awaits any more.
    gone: Vec<u64>,
    /// The stream behind the last one that was opened.
    next: u64,
    /// How many requests were given up by who made them, against those that were answered.
    given_up: u32,
    is_over: bool,
    deadline: Instant,
}

/// So many more requests may be given up than are answered (RFC 9114 section 10.5).
const MOST_GIVEN_UP: u32 = 100;

const REFUSAL: Provenance = Provenance::new(Layer::Application, Cause::SessionTearDown);

impl Http3Server {
    /// Creates a server for an established connection.
    pub(crate) fn new(wire: &mut Wire<'_>, limits: &ServerLimits) -> Self {
        wire.transport.outlast_streams(wire.connection);
        let mut server = Self {
            channels: Channels::new(limits.qpack_table, false),
            exchanges: BTreeMap::new(),
            ready: VecDeque::new(),
            gone: Vec::new(),
            next: 0,
            given_up: 0,
            is_over: false,
            deadline: wire.now + limits.head,
        };
        server.channels.open(wire);
        server
    }

    /// Returns the deadline for [`timeout`](Self::timeout).
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns the numbers of the requests that wait for responses.
    pub(crate) fn open_exchanges(&self) -> Vec<u64> {
        let open = self.exchanges.iter();
        let open = open.filter(|(_, it)| matches!(it.part, Part::Asked));
        open.map(|(stream, _)| stream.0).collect()
    }

    /// Processes an event of the connection.
    pub(crate) fn take(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
        event: TransportEvent,
    ) {
        if let Err(code) = self.react(wire, limits, event) {
            self.is_over = true;
            wire.transport.close(wire.now, wire.connection, code);
        }
    }

    fn react(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
        event: TransportEvent,
    ) -> Result<(), Code> {
        match event {
            TransportEvent::StreamOpened(stream, StreamKind::Unidirectional) => {
                self.channels.opened(stream);
            }
            TransportEvent::StreamOpened(stream, StreamKind::Bidirectional) => {
                self.begin(wire, limits, stream);
            }
            TransportEvent::Readable(stream) if self.channels.has(stream) => {
                self.channels.read(wire, stream)?;
                let blocked = self.exchanges.iter();
                let blocked = blocked.filter(|(_, it)| it.is_blocked());
                let blocked: Vec<StreamId> = blocked.map(|(stream, _)| *stream).collect();
                for stream in blocked {
                    self.read(wire, limits, stream)?;
                }
            }
            TransportEvent::Readable(stream) => self.read(wire, limits, stream)?,
            TransportEvent::StreamReset(stream, _) => {
                self.channels.ended(stream)?;
                self.lose(stream)?;
                self.wait_on(wire.now, limits);
            }
            TransportEvent::StreamsAllowed => self.channels.open(wire),
            TransportEvent::Writable(_) => self.flush(wire),
            TransportEvent::Established(_)
            | TransportEvent::DatagramReadable
            | TransportEvent::Rebound
            | TransportEvent::Moved
            | TransportEvent::Closed(_) => {}
        }
        Ok(())
    }

    fn begin(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits, stream: StreamId) {
        if self.is_over {
            let code = REQUEST_REJECTED;
            let _ = wire
                .transport
                .reset_stream(wire.now, wire.connection, stream, code);
            return;
        }
        self.next = self.next.max(stream.0 + 4);
        let until = wire.now + limits.head;
        let exchange = Exchange {
            outbox: Outbox::new(stream),
            part: Part::Reading(Incoming::new(false), 0, until),
        };
        self.exchanges.insert(stream, exchange);
        self.wait_on(wire.now, limits);
    }

    /// Returns the bytes of incomplete bodies and unread responses.
    pub(crate) fn pending(&self) -> usize {
        let exchanges = self.exchanges.values();
        exchanges.map(|it| it.body_size() + it.outbox.size()).sum()
    }

    /// Reads what has come of a request.
    fn read(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
        stream: StreamId,
    ) -> Result<(), Code> {
        let others = self.exchanges.iter().filter(|(other, _)| **other != stream);
        let others: usize = others.map(|(_, it)| it.body_size()).sum();
        let Some(exchange) = self.exchanges.get_mut(&stream) else {
            return Ok(());
        };
        let (request, counted, until) = match &mut exchange.part {
            Part::Reading(request, counted, until) => (request, counted, until),
            Part::Refused(_) => {
                if drain(wire, stream) {
                    exchange.part = Part::Answered;
                    self.settle(wire, limits, stream);
                }
                return Ok(());
            }
            Part::Asked | Part::Answered => return Ok(()),
        };
        let had_head = request.fields.is_some();
        let read = request.read(wire, stream, &mut self.channels, limits.largest_body);
        let has_head = !had_head && request.fields.is_some();
        if has_head || request.body.len() >= *counted + PROGRESS {
            *counted = request.body.len();
            *until = wire.now + limits.body;
        }
        let has_room = request.body.len() + others <= limits.room_for_bodies();
        match read {
            Ok(false) if !has_room => {
                self.refuse(wire, limits, stream, StatusCode::SERVICE_UNAVAILABLE);
                return Ok(());
            }
            Ok(true) => {}
            Ok(false) => {
                let blocked = self.exchanges.values().filter(|it| it.is_blocked());
                if blocked.count() > MOST_BLOCKED {
                    return Err(QpackError::Decompression as Code);
                }
                self.wait_on(wire.now, limits);
                return Ok(());
            }
            Err(Fault::Connection(code)) => return Err(code),
            Err(Fault::Stream(code)) => return self.refuse_stream(wire, limits, stream, code),
            Err(Fault::LargeHead) => {
                let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
                self.refuse(wire, limits, stream, status);
                return Ok(());
            }
            Err(Fault::LargeBody) => {
                self.refuse(wire, limits, stream, StatusCode::PAYLOAD_TOO_LARGE);
                return Ok(());
            }
        }
        let fields = request.fields.take().unwrap_or_default();
        let body = core::mem::take(&mut request.body);
        let request = request_of(fields)
            .and_then(|it| has_length(it.headers(), body.len()).map(|()| it.map(|()| body)));
        let Ok(request) = request else {
            return self.refuse_stream(wire, limits, stream, MESSAGE_ERROR);
        };
        exchange.part = Part::Asked;
        self.ready.push_back((stream.0, request));
        self.wait_on(wire.now, limits);
        Ok(())
    }

    /// A request that is none: its stream ends.
    fn refuse_stream(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
        stream: StreamId,
        code: Code,
    ) -> Result<(), Code> {
        let _ = wire
            .transport
            .reset_stream(wire.now, wire.connection, stream, code);
        self.lose(stream)?;
        self.wait_on(wire.now, limits);
        Ok(())
    }

    /// Answers a request of which more comes than is taken.
    fn refuse(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
        stream: StreamId,
        status: StatusCode,
    ) {
        let mut response = Response::new(Vec::new());
        *response.status_mut() = status;
        if let Some(exchange) = self.exchanges.get_mut(&stream) {
            exchange.write(wire, &mut self.channels, limits, &response, REFUSAL, &[]);
            exchange.part = Part::Refused(wire.now + limits.body);
        }
        self.wait_on(wire.now, limits);
    }

    /// Who made a request gives it up, or it is none. Who does so all the time is not served any more.
    fn lose(&mut self, stream: StreamId) -> Result<(), Code> {
        let Some(exchange) = self.exchanges.remove(&stream) else {
            return Ok(());
        };
        match &exchange.part {
            Part::Asked => {
                let is_told = !self.ready.iter().any(|(number, _)| *number == stream.0);
                self.ready.retain(|(number, _)| *number != stream.0);
                self.gone.extend(is_told.then_some(stream.0));
            }
            Part::Reading(request, ..) if request.is_blocked() => {
                self.channels.decoder().cancel(stream.0);
            }
            Part::Reading(..) | Part::Refused(_) | Part::Answered => {}
        }
        self.given_up += 1;
        match self.given_up > MOST_GIVEN_UP {
            true => Err(EXCESSIVE_LOAD),
            false => Ok(()),
        }
    }

    /// Returns a request that is complete.
    pub(crate) fn receive(&mut self) -> Option<(u64, Request<Vec<u8>>)> {
        self.ready.pop_front()
    }

    /// Returns a request whose response is no longer wanted.
    pub(crate) fn gone(&mut self) -> Option<u64> {
        self.gone.pop()
    }

    /// Sends the response to a request.
    pub(crate) fn respond(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
        number: u64,
        response: &Response<Vec<u8>>,
        head: Provenance,
        parts: &[(usize, Provenance)],
    ) {
        let stream = StreamId(number);
        let exchange = self.exchanges.get_mut(&stream);
        let Some(exchange) = exchange.filter(|it| matches!(it.part, Part::Asked)) else {
            return;
        };
        exchange.part = Part::Answered;
        exchange.write(wire, &mut self.channels, limits, response, head, parts);
        self.given_up = self.given_up.saturating_sub(1);
        self.settle(wire, limits, stream);
    }

    /// Forgets an exchange of which nothing waits.
    fn settle(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits, stream: StreamId) {
        let exchange = self.exchanges.get(&stream);
        if exchange.is_some_and(Exchange::is_done) {
            self.exchanges.remove(&stream);
        }
        self.wait_on(wire.now, limits);
    }

    /// Writes what waits.
    fn flush(&mut self, wire: &mut Wire<'_>) {
        self.channels.flush(wire);
        for exchange in self.exchanges.values_mut() {
            let outbox = &mut exchange.outbox;
            outbox.flush(wire.now, wire.transport, wire.connection);
        }
        self.exchanges.retain(|_, it| !it.is_done());
    }

    /// Handles the deadline. Returns whether the connection must be reset.
    pub(crate) fn timeout(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> bool {
        if self.is_over {
            wire.transport.close(wire.now, wire.connection, NO_ERROR);
            return true;
        }
        self.stop(wire, limits);
        false
    }

    /// Stops reading requests: sends GOAWAY, and gives the client time to close.
    pub(crate) fn stop(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        for (stream, exchange) in core::mem::take(&mut self.exchanges) {
            if !matches!(exchange.part, Part::Answered) {
                let code = REQUEST_REJECTED;
                let _ = wire
                    .transport
                    .reset_stream(wire.now, wire.connection, stream, code);
            }
        }
        self.ready.clear();
        self.channels.go_away(wire, self.next);
        self.is_over = true;
        self.deadline = wire.now + limits.linger;
    }

    /// Says anew until when the client must say something.
    fn wait_on(&mut self, now: Instant, limits: &ServerLimits) {
        if self.is_over {
            return;
        }
        let of_requests = self.exchanges.values().filter_map(|it| match it.part {
            Part::Reading(_, _, until) | Part::Refused(until) => Some(until),
            Part::Asked | Part::Answered => None,
        });
        let is_asked = self
            .exchanges
            .values()
            .any(|it| matches!(it.part, Part::Asked));
        self.deadline = of_requests.min().unwrap_or(match is_asked {
            true => Instant::FAR_FUTURE,
            false => now + limits.idle,
        });
    }
}
