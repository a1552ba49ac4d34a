use std::collections::{BTreeMap, VecDeque};

use http::header::CONNECTION;
use http::{Request, Response};
use lasthop_contract::{Outbox, StreamId, StreamKind, TransportEvent};

use super::channels::Channels;
use super::codes::{
    Code, GENERAL_PROTOCOL_ERROR, MESSAGE_ERROR, NO_ERROR, REQUEST_REJECTED, STREAM_CREATION_ERROR,
};
use super::exchange::{Fault, Incoming};
use super::frames::{DATA, frame_head};
use super::message::{has_length, lines_of_request, response_of};
use crate::client_protocol::{Answer, ExchangeNumber};
use crate::http2::request_head;
use crate::purpose::Purpose;
use crate::wire::Wire;

/// The client end of an HTTP/3 connection, with concurrent requests.
#[derive(Debug)]
pub(crate) struct Http3Client {
    channels: Channels,
    remembers_tokens: bool,
    /// The stream of the next request, as soon as the server allows one.
    next: Option<StreamId>,
    under_way: BTreeMap<StreamId, Exchange>,
    answers: VecDeque<Answer>,
    /// No further request goes.
    is_last: bool,
    is_over: bool,
    is_heard: bool,
}

/// A request, and its answer on its way.
#[derive(Debug)]
struct Exchange {
    outbox: Outbox,
    answer: Incoming,
}

impl Http3Client {
    /// Creates a client with QPACK tables of this size, which hold tokens or not.
    pub(crate) fn new(wire: &mut Wire<'_>, table: usize, remembers_tokens: bool) -> Self {
        wire.transport.outlast_streams(wire.connection);
        let mut client = Self {
            channels: Channels::new(table, true),
            remembers_tokens,
            next: None,
            under_way: BTreeMap::new(),
            answers: VecDeque::new(),
            is_last: false,
            is_over: false,
            is_heard: false,
        };
        client.open(wire);
        client
    }

    fn open(&mut self, wire: &mut Wire<'_>) {
        self.channels.open(wire);
        if self.next.is_none() {
            let kind = StreamKind::Bidirectional;
            let opened = wire.transport.open_stream(wire.now, wire.connection, kind);
            self.next = opened.ok();
        }
    }

    /// Whether a request can be sent.
    pub(crate) fn has_room(&self) -> bool {
        let is_closing = self.is_last || self.is_over || self.channels.goaway().is_some();
        self.next.is_some() && !is_closing
    }

    /// Whether no further request can be sent and none is in progress.
    pub(crate) fn is_done(&self) -> bool {
        let is_last = self.is_last || self.channels.goaway().is_some();
        is_last && self.under_way.is_empty() && self.answers.is_empty()
    }

    /// Whether bytes have arrived since the last request.
    pub(crate) fn is_heard(&self) -> bool {
        self.is_heard
    }

    /// Sends a request. Returns its number on the connection.
    pub(crate) fn request(
        &mut self,
        wire: &mut Wire<'_>,
        request: &Request<&[u8]>,
        scheme: &str,
        purpose: Purpose,
    ) -> Option<ExchangeNumber> {
        self.is_last |= request.headers().get(CONNECTION).is_some();
        let head = request_head(request, scheme)?;
        let stream = self.next.take()?;
        let mut outbox = Outbox::new(stream);
        let lines = lines_of_request(&head, purpose, self.remembers_tokens);
        self.channels
            .write_head(wire, &mut outbox, purpose.head, &lines);
        let body = *request.body();
        if !body.is_empty() {
            let frame = frame_head(DATA, body.len());
            wire.write(
                &mut outbox,
                &[(&frame, purpose.framing()), (body, purpose.body)],
            );
        }
        wire.finish(&mut outbox);
        let answer = Incoming::new(true);
        self.under_way.insert(stream, Exchange { outbox, answer });
        self.is_heard = false;
        self.open(wire);
        Some(stream.0)
    }

    /// Processes an event of the connection.
    pub(crate) fn take(&mut self, wire: &mut Wire<'_>, event: TransportEvent) {
        if self.is_over {
            return;
        }
        if let Err(code) = self.react(wire, event) {
            self.is_over = true;
            wire.transport.close(wire.now, wire.connection, code);
        }
    }

    fn react(&mut self, wire: &mut Wire<'_>, event: TransportEvent) -> Result<(), Code> {
        match event {
            TransportEvent::StreamOpened(_, StreamKind::Bidirectional) => {
                return Err(STREAM_CREATION_ERROR);
            }
            TransportEvent::StreamOpened(stream, StreamKind::Unidirectional) => {
                self.channels.opened(stream);
            }
            TransportEvent::Readable(stream) if self.channels.has(stream) => {
                self.is_heard = true;
                self.channels.read(wire, stream)?;
                self.heed_goaway();
                let blocked = self.under_way.iter();
                let blocked = blocked.filter(|(_, it)| it.answer.is_blocked());
                let blocked: Vec<StreamId> = blocked.map(|(stream, _)| *stream).collect();
                blocked.into_iter().try_for_each(|it| self.read(wire, it))?;
            }
            TransportEvent::Readable(stream) => {
                self.is_heard = true;
                self.read(wire, stream)?;
            }
            TransportEvent::StreamReset(stream, code) => {
                self.channels.ended(stream)?;
                self.lose(stream, code == REQUEST_REJECTED);
            }
            TransportEvent::StreamsAllowed => self.open(wire),
            TransportEvent::Established(_)
            | TransportEvent::Writable(_)
            | TransportEvent::DatagramReadable
            | TransportEvent::Rebound
            | TransportEvent::Moved
            | TransportEvent::Closed(_) => {}
        }
        Ok(())
    }

    fn read(&mut self, wire: &mut Wire<'_>, stream: StreamId) -> Result<(), Code> {
        let Some(exchange) = self.under_way.get_mut(&stream) else {
            return Ok(());
        };
        let answer = &mut exchange.answer;
        let is_whole = match answer.read(wire, stream, &mut self.channels, usize::MAX) {
            Ok(is_whole) => is_whole,
            Err(Fault::Connection(code)) => return Err(code),
            Err(Fault::Stream(code)) => return self.give_up(wire, stream, code),
            Err(Fault::LargeHead | Fault::LargeBody) => {
                return self.give_up(wire, stream, GENERAL_PROTOCOL_ERROR);
            }
        };
        if !is_whole {
            return Ok(());
        }
        let fields = answer.fields.take().unwrap_or_default();
        let body = core::mem::take(&mut answer.body);
        match response_of(fields).and_then(|it| has_length(it.headers(), body.len()).map(|()| it)) {
            Err(_) => self.give_up(wire, stream, MESSAGE_ERROR),
            Ok(head) => {
                self.under_way.remove(&stream);
                let response: Response<Vec<u8>> = head.map(|()| body);
                self.answers.push_back(Answer::Whole(stream.0, response));
                Ok(())
            }
        }
    }

    /// An answer is none.
    fn give_up(&mut self, wire: &mut Wire<'_>, stream: StreamId, code: Code) -> Result<(), Code> {
        let _ = wire
            .transport
            .reset_stream(wire.now, wire.connection, stream, code);
        self.lose(stream, false);
        Ok(())
    }

    /// Requests that the server does not serve any more were not served (RFC 9114 section 5.2).
    fn heed_goaway(&mut self) {
        let Some(from) = self.channels.goaway() else {
            return;
        };
        let unserved = self.under_way.range(StreamId(from)..);
        let unserved: Vec<StreamId> = unserved.map(|(stream, _)| *stream).collect();
        for stream in unserved {
            self.lose(stream, true);
        }
    }

    fn lose(&mut self, stream: StreamId, was_not_served: bool) {
        if let Some(exchange) = self.under_way.remove(&stream) {
            if exchange.answer.is_blocked() {
                self.channels.decoder().cancel(stream.0);
            }
            self.answers
                .push_back(Answer::Lost(stream.0, was_not_served));
        }
    }

    /// Returns the next result.
    pub(crate) fn receive(&mut self) -> Answer {
        match self.answers.pop_front() {
            Some(answer) => answer,
            None if self.is_over => Answer::Ended,
            None => Answer::None,
        }
    }

    /// Writes queued bytes.
    pub(crate) fn flush(&mut self, wire: &mut Wire<'_>) {
        self.channels.flush(wire);
        for exchange in self.under_way.values_mut() {
            let outbox = &mut exchange.outbox;
            outbox.flush(wire.now, wire.transport, wire.connection);
        }
    }

    /// Closes the connection at once, because no further request is sent.
    pub(crate) fn finish(&mut self, wire: &mut Wire<'_>) {
        if !core::mem::replace(&mut self.is_over, true) {
            wire.transport.close(wire.now, wire.connection, NO_ERROR);
        }
    }
}
