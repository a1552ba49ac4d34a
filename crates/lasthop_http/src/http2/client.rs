use core::time::Duration;
use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use ::h2::client::{Builder, Connection, ResponseFuture, SendRequest};
use ::h2::{Reason, RecvStream};
use bytes::Bytes;
use http::header::{CONNECTION, HOST};
use http::{Request, Response, Uri, Version};
use lasthop_contract::{Outbox, StreamId};

use super::frames::Frames;
use super::pipe::Pipe;
use super::server::PREFACE;
use crate::client_protocol::{Answer, ExchangeNumber};
use crate::purpose::Purpose;
use crate::wire::Wire;

/// The client end of an HTTP/2 connection, with concurrent requests.
pub(crate) struct Http2Client {
    outbox: Outbox,
    pipe: Pipe,
    frames: Frames,
    /// By which requests are made; gone when no further one is.
    requests: Option<SendRequest<Bytes>>,
    /// Gone when it is over.
    connection: Option<Connection<Pipe, Bytes>>,
    under_way: Vec<Exchange>,
    answers: VecDeque<Answer>,
    /// Whether anything has come since the last request.
    is_heard: bool,
}

/// An answer on its way.
struct Exchange {
    number: ExchangeNumber,
    head: Option<ResponseFuture>,
    begun: Option<(Response<()>, RecvStream, Vec<u8>)>,
}

/// As many as servers allow as a rule.
const MOST_UNDER_WAY: usize = 100;

/// How long reset streams are remembered: in practice until the limit of their number.
pub(super) const FOR_EVER: Duration = Duration::from_secs(1 << 32);

impl Http2Client {
    /// Creates a client. `window` is the flow control window of each response, and of the connection.
    pub(crate) fn new(wire: &mut Wire<'_>, stream: StreamId, window: u32) -> Self {
        let pipe = Pipe::default();
        let mut builder = Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(window)
            .initial_connection_window_size(window)
            .reset_stream_duration(FOR_EVER);
        let mut handshake = Box::pin(builder.handshake::<_, Bytes>(pipe.clone()));
        // Writing to memory never waits.
        let made = handshake.as_mut().poll(&mut context());
        let (requests, connection) = match made {
            Poll::Ready(Ok((requests, connection))) => (Some(requests), Some(connection)),
            _ => (None, None),
        };
        let mut client = Self {
            outbox: Outbox::new(stream),
            pipe,
            frames: Frames::behind(PREFACE.len()),
            requests,
            connection,
            under_way: Vec::new(),
            answers: VecDeque::new(),
            is_heard: false,
        };
        client.drive(wire);
        client
    }

    /// Whether a request can be sent.
    pub(crate) fn has_room(&mut self) -> bool {
        let requests = self.requests.as_mut();
        self.under_way.len() < MOST_UNDER_WAY
            && self.connection.is_some()
            && requests
                .is_some_and(|it| matches!(it.poll_ready(&mut context()), Poll::Ready(Ok(()))))
    }

    /// Whether no further request can be sent and none is in progress.
    pub(crate) fn is_done(&self) -> bool {
        self.requests.is_none() && self.under_way.is_empty() && self.answers.is_empty()
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
        let is_last = request.headers().get(CONNECTION).is_some();
        let body = Bytes::copy_from_slice(request.body());
        let requests = self.requests.as_mut()?;
        let sent = requests.send_request(head_of(request, scheme)?, body.is_empty());
        let (head, mut stream) = sent.ok()?;
        let number = head.stream_id().as_u32();
        self.frames
            .note(number, purpose.head, &[(body.len(), purpose.body)]);
        if !body.is_empty() {
            // It waits in there for its window.
            stream.send_data(body, true).ok()?;
        }
        let number = ExchangeNumber::from(number);
        self.under_way.push(Exchange {
            number,
            head: Some(head),
            begun: None,
        });
        self.is_heard = false;
        if is_last {
            self.requests = None;
        }
        self.drive(wire);
        Some(number)
    }

    /// Reads received bytes.
    pub(crate) fn receive(&mut self, wire: &mut Wire<'_>) -> Answer {
        while self.pipe.fill(wire, &self.outbox) {
            self.is_heard = true;
            self.drive(wire);
        }
        match self.answers.pop_front() {
            Some(answer) => answer,
            None if self.connection.is_none() || self.pipe.is_over() => Answer::Ended,
            None => Answer::None,
        }
    }

    /// Writes queued bytes.
    pub(crate) fn flush(&mut self, wire: &mut Wire<'_>) {
        self.outbox.flush(wire.now, wire.transport, wire.connection);
    }

    /// Stops sending requests: sends GOAWAY and ends the stream.
    pub(crate) fn finish(&mut self, wire: &mut Wire<'_>) {
        self.requests = None;
        self.drive(wire);
        wire.finish(&mut self.outbox);
    }

    /// Does what can be done now.
    fn drive(&mut self, wire: &mut Wire<'_>) {
        loop {
            let mut moves = false;
            if let Some(connection) = &mut self.connection
                && Pin::new(connection).poll(&mut context()).is_ready()
            {
                self.connection = None;
                moves = true;
            }
            // What the connection has read is there now.
            moves |= self.advance();
            let Self {
                pipe,
                outbox,
                frames,
                ..
            } = self;
            moves |= pipe.drain(wire, outbox, frames);
            if !moves {
                return;
            }
        }
    }

    /// Goes on with each answer as far as it has come; whether any moved.
    fn advance(&mut self) -> bool {
        let mut moves = false;
        let mut place = 0;
        while place < self.under_way.len() {
            let exchange = &mut self.under_way[place];
            let number = exchange.number;
            let (moved, answer) = exchange.advance();
            moves |= moved;
            let Some(answer) = answer else {
                place += 1;
                continue;
            };
            self.under_way.remove(place);
            self.frames.forget(number as u32);
            self.answers.push_back(answer);
        }
        moves
    }
}

impl Exchange {
    /// Whether something moved, and what has come of it.
    fn advance(&mut self) -> (bool, Option<Answer>) {
        let mut moves = false;
        if let Some(head) = &mut self.head {
            match Pin::new(head).poll(&mut context()) {
                Poll::Pending => return (false, None),
                Poll::Ready(Err(error)) => return (true, Some(self.lost(&error))),
                Poll::Ready(Ok(response)) => {
                    let (parts, stream) = response.into_parts();
                    self.head = None;
                    self.begun = Some((Response::from_parts(parts, ()), stream, Vec::new()));
                    moves = true;
                }
            }
        }
        let Some((_, stream, body)) = &mut self.begun else {
            return (moves, None);
        };
        loop {
            match stream.poll_data(&mut context()) {
                Poll::Pending => return (moves, None),
                Poll::Ready(Some(Ok(data))) => {
                    body.extend_from_slice(&data);
                    let _ = stream.flow_control().release_capacity(data.len());
                    moves = true;
                }
                Poll::Ready(Some(Err(error))) => return (true, Some(self.lost(&error))),
                Poll::Ready(None) => break,
            }
        }
        let whole = self
            .begun
            .take()
            .map(|(response, _, body)| Answer::Whole(self.number, response.map(|()| body)));
        (true, whole)
    }

    /// A request that the server refused unread may be made again (RFC 9113 section 8.7).
    fn lost(&self, error: &::h2::Error) -> Answer {
        Answer::Lost(self.number, error.reason() == Some(Reason::REFUSED_STREAM))
    }
}

/// Returns the head of a request for HTTP/2 and HTTP/3, with the host in its URI (RFC 9113 section 8.3.1, RFC 9114
/// section 4.3.1).
pub(crate) fn head_of(request: &Request<&[u8]>, scheme: &str) -> Option<Request<()>> {
    let host = request.headers().get(HOST)?.to_str().ok()?;
    let target = request.uri().path_and_query()?.as_str();
    let uri = Uri::builder().scheme(scheme).authority(host);
    let mut head = Request::new(());
    *head.method_mut() = request.method().clone();
    *head.uri_mut() = uri.path_and_query(target).build().ok()?;
    *head.version_mut() = Version::HTTP_2;
    let fields = head.headers_mut();
    *fields = request.headers().clone();
    fields.remove(HOST);
    fields.remove(CONNECTION);
    Some(head)
}

/// Returns a context whose waker does nothing, because callers poll all futures on each input.
pub(super) fn context() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

impl fmt::Debug for Http2Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let under_way = self.under_way.len();
        write!(f, "Http2Client({under_way} under way)")
    }
}
