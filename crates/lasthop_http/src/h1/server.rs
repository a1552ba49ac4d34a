use std::fmt::Write;

use http::header::{CONTENT_LENGTH, DATE};
use http::{Method, Request, Response, StatusCode};
use lasthop_contract::{Cause, Layer, Outbox, Provenance, StreamId};
use lasthop_units::Instant;

use super::body::{BodyError, BodyReader};
use super::fields::LONGEST_HEAD;
use super::request_head::request_head;
use crate::limits::{MOST_UNSENT, PROGRESS, ServerLimits};
use crate::wire::Wire;

/// The server end of an HTTP/1.1 connection, with one request at a time.
#[derive(Debug)]
pub(crate) struct Http1Server {
    outbox: Outbox,
    /// What has come and was not read as a message.
    input: Vec<u8>,
    stage: Stage,
    has_peer_finished: bool,
    /// How many requests were given so far.
    asked: u64,
    /// When it is given up, unless something happens before.
    deadline: Instant,
}

/// Where an exchange has come to.
#[derive(Debug)]
enum Stage {
    /// No byte of the next request has arrived.
    Idle,
    /// A part of a request head has arrived.
    Head,
    /// The head is complete and the body is read.
    Body(Box<Reading>),
    /// The request waits for its response.
    Asked {
        /// Whether the connection goes on behind the answer.
        keeps: bool,
        /// Whether the answer says only what it would be.
        is_head: bool,
    },
    /// No further request is read.
    Over,
}

/// A request whose body comes.
#[derive(Debug)]
struct Reading {
    request: Request<()>,
    reader: BodyReader,
    body: Vec<u8>,
    keeps: bool,
    /// How large the body was when more time was given.
    counted: usize,
}

/// The most that is read ahead of the request that is answered.
const AHEAD: usize = LONGEST_HEAD;

const REFUSAL: Provenance = Provenance::new(Layer::Application, Cause::SessionTearDown);

impl Http1Server {
    /// Creates the server end of a stream. These bytes have already been received.
    pub(crate) fn new(
        now: Instant,
        stream: StreamId,
        limits: &ServerLimits,
        come: Vec<u8>,
    ) -> Self {
        Self {
            outbox: Outbox::new(stream),
            input: come,
            stage: Stage::Idle,
            has_peer_finished: false,
            asked: 0,
            deadline: now + limits.head,
        }
    }

    /// Returns the deadline for [`timeout`](Self::timeout).
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Returns the bytes of incomplete requests and unread responses.
    pub(crate) fn pending(&self) -> usize {
        let body = match &self.stage {
            Stage::Body(reading) => reading.body.len(),
            _ => 0,
        };
        self.input.len() + body + self.outbox.size()
    }

    /// Returns the number of the request that waits for its response.
    pub(crate) fn open_exchange(&self) -> Option<u64> {
        matches!(self.stage, Stage::Asked { .. }).then_some(self.asked)
    }

    /// Reads received bytes. Returns a request that is complete.
    pub(crate) fn receive(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
    ) -> Option<Request<Vec<u8>>> {
        loop {
            if self.is_held() {
                return None;
            }
            let before = self.input.len();
            if !self.has_peer_finished {
                let room = AHEAD.max(before + 1);
                self.has_peer_finished = wire.read(self.outbox.stream(), &mut self.input, room);
            }
            let has_more = self.input.len() > before;
            match self.read_on(wire, limits) {
                Ok(None) if has_more && !matches!(self.stage, Stage::Asked { .. }) => {}
                Ok(asked) => {
                    if asked.is_none() && self.has_peer_finished {
                        self.end_behind_peer(wire, limits);
                    }
                    return asked;
                }
                Err(status) => {
                    self.refuse(wire, limits, status);
                    return None;
                }
            }
        }
    }

    /// Reads the next request as far as it is there.
    fn read_on(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
    ) -> Result<Option<Request<Vec<u8>>>, StatusCode> {
        match &mut self.stage {
            Stage::Idle | Stage::Head => self.read_head(wire, limits)?,
            Stage::Body(_) => {}
            Stage::Asked { .. } => return Ok(None),
            Stage::Over => {
                self.input.clear();
                return Ok(None);
            }
        }
        let Stage::Body(reading) = &mut self.stage else {
            return Ok(None);
        };
        let read = reading
            .reader
            .take(&self.input, &mut reading.body, limits.largest_body);
        let taken = read.map_err(BodyError::status)?;
        self.input.drain(..taken);
        if reading.body.len() >= reading.counted + PROGRESS {
            reading.counted = reading.body.len();
            self.deadline = wire.now + limits.body;
        }
        if !reading.reader.is_done() {
            return Ok(None);
        }
        let (request, keeps) = (core::mem::take(&mut reading.request), reading.keeps);
        let body = core::mem::take(&mut reading.body);
        self.stage = Stage::Asked {
            keeps,
            is_head: request.method() == Method::HEAD,
        };
        self.deadline = Instant::FAR_FUTURE;
        self.asked += 1;
        Ok(Some(request.map(|()| body)))
    }

    fn read_head(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> Result<(), StatusCode> {
        // Empty lines before a request mean nothing (RFC 9112 section 2.2).
        while self.input.starts_with(b"\r\n") {
            self.input.drain(..2);
        }
        if self.input.is_empty() {
            return Ok(());
        }
        if matches!(self.stage, Stage::Idle) {
            self.stage = Stage::Head;
            self.deadline = wire.now + limits.head;
        }
        let Some(head) = request_head(&self.input)? else {
            return Ok(());
        };
        self.input.drain(..head.length);
        let reader = head.body.unwrap_or(BodyReader::Length(0));
        if head.expects && !reader.is_done() {
            let provenance = Provenance::new(Layer::Application, Cause::Acknowledgement);
            wire.write(
                &mut self.outbox,
                &[(b"HTTP/1.1 100 Continue\r\n\r\n", provenance)],
            );
        }
        self.deadline = wire.now + limits.body;
        self.stage = Stage::Body(Box::new(Reading {
            request: head.request,
            reader,
            body: Vec::new(),
            keeps: head.keeps,
            counted: 0,
        }));
        Ok(())
    }

    /// Sends the response to the last request, if that still waits.
    pub(crate) fn respond(
        &mut self,
        wire: &mut Wire<'_>,
        limits: &ServerLimits,
        response: &Response<Vec<u8>>,
        head: Provenance,
        parts: &[(usize, Provenance)],
    ) {
        let Stage::Asked { keeps, is_head } = self.stage else {
            return;
        };
        let text = response_text(wire.now, limits, response, keeps);
        let mut pieces = vec![(&text[..], head)];
        let mut rest: &[u8] = if is_head { &[] } else { response.body() };
        for (length, provenance) in parts {
            let (part, behind) = rest.split_at((*length).min(rest.len()));
            pieces.push((part, *provenance));
            rest = behind;
        }
        wire.write(&mut self.outbox, &pieces);
        if keeps && !(self.has_peer_finished && self.input.is_empty()) {
            self.stage = Stage::Idle;
            self.deadline = wire.now + limits.idle;
        } else {
            self.end(wire, limits);
        }
    }

    /// Writes queued bytes. Returns whether requests are read again.
    pub(crate) fn flush(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> bool {
        let was_held = self.is_held();
        self.outbox.flush(wire.now, wire.transport, wire.connection);
        let resumes = was_held && !self.is_held();
        if resumes && matches!(self.stage, Stage::Idle) {
            self.deadline = wire.now + limits.idle;
        }
        resumes
    }

    /// Whether so much waits for the client that nothing more is read from it.
    fn is_held(&self) -> bool {
        self.outbox.size() > MOST_UNSENT
    }

    /// Handles the deadline. Returns whether the connection must be reset.
    pub(crate) fn timeout(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) -> bool {
        match self.stage {
            Stage::Idle => self.end(wire, limits),
            Stage::Head | Stage::Body(_) => {
                self.refuse(wire, limits, StatusCode::REQUEST_TIMEOUT);
            }
            Stage::Asked { .. } => {}
            Stage::Over => return true,
        }
        false
    }

    /// Stops reading requests, because the service ends.
    pub(crate) fn stop(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        match &mut self.stage {
            Stage::Asked { keeps, .. } => {
                *keeps = false;
                let answer = plain(StatusCode::SERVICE_UNAVAILABLE);
                self.respond(wire, limits, &answer, REFUSAL, &[]);
            }
            _ => self.end(wire, limits),
        }
    }

    /// Answers what is no request, or one that is not served, and reads no further.
    fn refuse(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits, status: StatusCode) {
        let head = response_text(wire.now, limits, &plain(status), false);
        wire.write(&mut self.outbox, &[(&head, REFUSAL)]);
        self.end(wire, limits);
    }

    /// The peer writes no more: what it has begun is no request any more.
    fn end_behind_peer(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        if !matches!(self.stage, Stage::Asked { .. }) {
            self.end(wire, limits);
        }
    }

    fn end(&mut self, wire: &mut Wire<'_>, limits: &ServerLimits) {
        self.stage = Stage::Over;
        self.deadline = wire.now + limits.linger;
        self.input.clear();
        wire.finish(&mut self.outbox);
    }
}

/// Returns a response without a body.
pub(crate) fn plain(status: StatusCode) -> Response<Vec<u8>> {
    let mut response = Response::new(Vec::new());
    *response.status_mut() = status;
    response
}

/// The head of an answer: its line, `Date`, its fields, and what says how its body comes.
fn response_text(
    now: Instant,
    limits: &ServerLimits,
    response: &Response<Vec<u8>>,
    keeps: bool,
) -> Vec<u8> {
    let status = response.status();
    let mut text = String::with_capacity(160);
    let reason = status.canonical_reason().unwrap_or_default();
    // Writing to a string cannot fail.
    let _ = write!(text, "HTTP/1.1 {} {reason}\r\n", status.as_u16());
    if let Some(date) = limits.date(now) {
        let _ = write!(text, "{DATE}: {date}\r\n");
    }
    let mut text = text.into_bytes();
    for (name, value) in response.headers() {
        text.extend_from_slice(name.as_str().as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value.as_bytes());
        text.extend_from_slice(b"\r\n");
    }
    // RFC 9110 section 8.6: not where there is no content by definition.
    if !matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED) {
        let length = response.body().len();
        text.extend_from_slice(format!("{CONTENT_LENGTH}: {length}\r\n").as_bytes());
    }
    if !keeps {
        text.extend_from_slice(b"connection: close\r\n");
    }
    text.extend_from_slice(b"\r\n");
    text
}
