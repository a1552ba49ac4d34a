use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::task::Poll;

use ::h2::server::{Builder, Connection, Handshake, SendResponse};
use ::h2::{Reason, RecvStream};
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, DATE};
use http::{HeaderValue, Request, Response, StatusCode, Version};
use lasthop_contract::{Cause, Layer, Outbox, Provenance, StreamId};
use lasthop_units::Instant;

use super::client::{FOR_EVER, context};
use super::frames::Frames;
use super::pipe::Pipe;
use super::resets::Resets;
use crate::h1::LONGEST_HEAD;
use crate::limits::{MOST_UNSENT, PROGRESS, ServerLimits};
use crate::wire::Wire;

/// The server end of an HTTP/2 connection, with concurrent requests.
pub(crate) struct Http2Server {
    outbox: Outbox,
    pipe: Pipe,
    frames: Frames,
    state: State,
    /// Requests whose bodies come.
    reading: Vec<Reading>,
    /// Who awaits an answer.
    asked: BTreeMap<u64, SendResponse<Bytes>>,
    ready: Vec<(u64, Request<Vec<u8>>)>,
    resets: Resets,
    /// Requests whose answers nobody awaits any more.
    gone: Vec<u64>,
    deadline: Instant,
}

enum State {
    Handshake(Pin<Box<Handshake<Pipe, Bytes>>>),
    Open(Box<Connection<Pipe, Bytes>>),
    Over,
}

struct Reading {
    request: Request<()>,
    stream: RecvStream,
    body: Vec<u8>,
    /// How much of it had come when its time began anew, and when that is over.
    counted: usize,
    until: Instant,
    answer: SendResponse<Bytes>,
}

/// The connection preface of a client (RFC 9113 section 3.4).
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// How many requests of a client are under way at most, as nginx has it.
const MOST_UNDER_WAY: u32 = 128;

/// How many acknowledgements of PING and SETTINGS may wait for a client that does not read them.
const MOST_UNREAD_ACKNOWLEDGEMENTS: u32 = 1000;

const REFUSAL: Provenance = Provenance::new(Layer::Application, Cause::SessionTearDown);

impl Http2Server {
    /// Creates a server for a stream. These bytes have already been received.
    pub(crate) fn new(now: Instant, stream: StreamId, limits: &ServerLimits, come: &[u8]) -> Self {
        let pipe = Pipe::default();
        pipe.push(come);
        let handshake = Builder::new()
            .max_concurrent_streams(MOST_UNDER_WAY)
            .max_header_list_size(LONGEST_HEAD as u32)
            .reset_stream_duration(FOR_EVER)
            .handshake(pipe.clone());
        Self {
            outbox: Outbox::new(stream),
            pipe,
            frames: Frames::behind(0),
            state: State::Handshake(Box::pin(handshake)),
            reading: Vec::new(),
            asked: BTreeMap::new(),
            ready: Vec::new(),
            resets: Resets::behind(PREFACE.len() - come.len()),
            gone: Vec::new(),
            deadline: now + limits.head,
        }
    }

    /// Returns the deadline for [`timeout`](Self::timeout).
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns the bytes of incomplete bodies and unread responses.
    pub(crate) fn pending(&self) -> usize {
        let bodies: usize = self.reading.iter().map(|it| it.body.len()).sum();
        bodies + self.outbox.size()
    }

    /// Returns the numbers of the requests that wait for responses.
    pub(crate) fn open_exchanges(&self) -> Vec<u64> {
        self.asked.keys().copied().collect()
    }

    /// Reads received bytes. Returns a request that is complete.
    pub(crate) fn receive(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
    ) -> Option<(u64, Request<Vec<u8>>)> {
        loop {
            let is_held = self.is_held();
            let Self {
                pipe,
                outbox,
                resets,
                ..
            } = self;
            let has_more = !is_held && pipe.fill_heard(wire, outbox, |bytes| resets.hear(bytes));
            self.drive(wire, limits);
            self.forget_resets();
            if !has_more {
                break;
            }
        }
        let first = (!self.ready.is_empty()).then(|| self.ready.remove(0))?;
        Some(first)
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
        let Some(mut answer) = self.asked.remove(&number) else {
            return;
        };
        let stream = number as u32;
        self.frames.note(stream, head, parts);
        let body = Bytes::copy_from_slice(response.body());
        let fields = head_of(wire.now, limits, response);
        match answer.send_response(fields, body.is_empty()) {
            // It waits in there for its window; a client that has gone away wants none.
            Ok(mut data) if !body.is_empty() => drop(data.send_data(body, true)),
            Ok(_) => {}
            Err(_) => self.frames.forget(stream),
        }
        self.wait_on(wire, limits);
        self.drive(wire, limits);
    }

    /// Writes queued bytes. Returns whether requests are read again.
    pub(crate) fn flush(&mut self, wire: &mut Wire<'_>) -> bool {
        let was_held = self.is_held();
        self.outbox.flush(wire.now, wire.transport, wire.connection);
        was_held && !self.is_held()
    }

    /// Returns a request whose response is no longer wanted.
    pub(crate) fn gone(&mut self) -> Option<u64> {
        self.gone.pop()
    }

    /// Whether so much waits for the client that nothing more is read from it.
    fn is_held(&self) -> bool {
        self.outbox.size() > MOST_UNSENT
    }

    /// Forgets the streams that the client has reset.
    fn forget_resets(&mut self) {
        for stream in self.resets.take() {
            self.frames.forget(stream);
            let number = u64::from(stream);
            let is_told = !self.ready.iter().any(|(ready, _)| *ready == number);
            self.ready.retain(|(ready, _)| *ready != number);
            if self.asked.remove(&number).is_some() && is_told {
                self.gone.push(number);
            }
        }
    }

    /// Handles the deadline. Returns whether the connection must be reset.
    pub(crate) fn timeout(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> bool {
        if matches!(self.state, State::Over) {
            return true;
        }
        self.stop(wire, limits);
        false
    }

    /// Stops reading requests: sends GOAWAY and ends the stream.
    pub(crate) fn stop(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        for (_, mut answer) in core::mem::take(&mut self.asked) {
            answer.send_reset(Reason::REFUSED_STREAM);
        }
        self.reading.clear();
        if let State::Open(connection) = &mut self.state {
            connection.abrupt_shutdown(Reason::NO_ERROR);
            self.drive(wire, limits);
        }
        self.end(wire, limits);
    }

    fn end(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        self.state = State::Over;
        self.reading.clear();
        self.deadline = wire.now + limits.linger;
        wire.finish(&mut self.outbox);
    }

    /// Says anew until when the client must say something.
    fn wait_on(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        let of_bodies = self.reading.iter().map(|reading| reading.until).min();
        self.deadline = of_bodies.unwrap_or(if self.asked.is_empty() {
            wire.now + limits.idle
        } else {
            Instant::FAR_FUTURE
        });
    }

    /// Does what can be done now.
    fn drive(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        loop {
            let mut moves = self.accept(wire, limits);
            moves |= self.read_on(wire, limits);
            let Self {
                pipe,
                outbox,
                frames,
                ..
            } = self;
            moves |= pipe.drain(wire, outbox, frames);
            let unread = frames.acknowledgements(outbox.is_empty());
            if unread > MOST_UNREAD_ACKNOWLEDGEMENTS {
                return self.break_off(wire, limits);
            }
            if !moves || self.is_held() {
                return;
            }
        }
    }

    /// The client asks for more acknowledgements than it reads.
    fn break_off(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        let State::Open(connection) = &mut self.state else {
            return;
        };
        connection.abrupt_shutdown(Reason::ENHANCE_YOUR_CALM);
        let _ = connection.poll_closed(&mut context());
        self.send_rest_and_end(wire, limits);
    }

    /// What the library has said before still leaves.
    fn send_rest_and_end(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        let Self {
            pipe,
            outbox,
            frames,
            ..
        } = self;
        pipe.drain(wire, outbox, frames);
        self.end(wire, limits);
    }

    /// Takes the heads of requests; whether anything moved.
    fn accept(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> bool {
        let accepted = match &mut self.state {
            State::Over => return false,
            State::Open(_) if self.outbox.size() > MOST_UNSENT => return false,
            State::Handshake(handshake) => match handshake.as_mut().poll(&mut context()) {
                Poll::Pending => return false,
                Poll::Ready(Ok(connection)) => {
                    self.state = State::Open(Box::new(connection));
                    return true;
                }
                Poll::Ready(Err(_)) => None,
            },
            State::Open(connection) => match connection.poll_accept(&mut context()) {
                Poll::Pending => return false,
                Poll::Ready(accepted) => accepted.and_then(Result::ok),
            },
        };
        let Some((request, answer)) = accepted else {
            self.send_rest_and_end(wire, limits);
            return false;
        };
        let (mut parts, stream) = request.into_parts();
        parts.version = Version::HTTP_2;
        self.reading.push(Reading {
            request: Request::from_parts(parts, ()),
            stream,
            body: Vec::new(),
            counted: 0,
            until: wire.now + limits.body,
            answer,
        });
        self.wait_on(wire, limits);
        true
    }

    /// Takes what has come of bodies; whether anything moved.
    fn read_on(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> bool {
        let mut moves = false;
        let mut place = 0;
        while place < self.reading.len() {
            let all: usize = self.reading.iter().map(|it| it.body.len()).sum();
            let reading = &mut self.reading[place];
            let before = reading.body.len();
            let room = limits.room_for_bodies().saturating_sub(all - before);
            let end = reading.read(wire.now, limits, room);
            moves |= end.is_some() || reading.body.len() > before;
            let Some(end) = end else {
                place += 1;
                continue;
            };
            let Reading {
                request,
                body,
                mut answer,
                ..
            } = self.reading.remove(place);
            let number = u64::from(answer.stream_id().as_u32());
            match end {
                End::Whole => {
                    self.asked.insert(number, answer);
                    self.ready.push((number, request.map(|()| body)));
                }
                End::Refused(status) => {
                    self.frames.note(number as u32, REFUSAL, &[]);
                    let mut response = Response::new(());
                    *response.status_mut() = status;
                    let _ = answer.send_response(response, true);
                }
                End::GivenUp => {}
            }
        }
        if moves {
            self.wait_on(wire, limits);
        }
        moves
    }
}

/// How the body of a request ends.
enum End {
    Whole,
    Refused(StatusCode),
    GivenUp,
}

impl Reading {
    /// Takes what has come of it, where the bodies of others leave so much room.
    fn read(&mut self, now: Instant, limits: &ServerLimits, room: usize) -> Option<End> {
        loop {
            match self.stream.poll_data(&mut context()) {
                Poll::Pending => return None,
                Poll::Ready(None) => return Some(End::Whole),
                Poll::Ready(Some(Err(_))) => return Some(End::GivenUp),
                Poll::Ready(Some(Ok(data))) => {
                    let length = self.body.len() + data.len();
                    if length > limits.largest_body {
                        return Some(End::Refused(StatusCode::PAYLOAD_TOO_LARGE));
                    }
                    if length > room {
                        return Some(End::Refused(StatusCode::SERVICE_UNAVAILABLE));
                    }
                    self.body.extend_from_slice(&data);
                    if self.body.len() >= self.counted + PROGRESS {
                        self.counted = self.body.len();
                        self.until = now + limits.body;
                    }
                    let _ = self.stream.flow_control().release_capacity(data.len());
                }
            }
        }
    }
}

/// Returns the head of a response: its fields, `Date`, and the length of its body.
pub(crate) fn head_of(
    now: Instant,
    limits: &ServerLimits,
    response: &Response<Vec<u8>>,
) -> Response<()> {
    let mut head = Response::new(());
    *head.status_mut() = response.status();
    let fields = head.headers_mut();
    *fields = response.headers().clone();
    if let Some(Ok(date)) = limits.date(now).map(|date| HeaderValue::from_str(&date)) {
        fields.insert(DATE, date);
    }
    if response.status() != StatusCode::NO_CONTENT {
        fields.insert(CONTENT_LENGTH, response.body().len().into());
    }
    head
}

impl fmt::Debug for Http2Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reading, asked) = (self.reading.len(), self.asked.len());
        write!(f, "Http2Server({reading} come, {asked} wait)")
    }
}
