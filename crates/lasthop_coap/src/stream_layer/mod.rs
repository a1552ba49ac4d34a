//! CoAP over byte streams: framing, settings and signals (RFC 8323). The stream replaces the message layer of
//! datagrams.

mod ending;
mod frame;
mod held;
mod signal;
mod stream;

use std::sync::Arc;

use lasthop_contract::{
    ConnectionId, FailureReason, LookupMap, Payload, RandomStream, ReadOutcome, ShortQueue,
    StreamId, TimerQueue,
};

use crate::CoapParameters;
use crate::codec::{Code, Message, Token};
use crate::context::{Context, Purpose};
use crate::counters::Tally;
use crate::message_layer::{Arrival, Draft, Gone, Owner, Settled};
use frame::{Frame, Parsed, write_frame_head};
use held::Notification;
use signal::Settings;
use stream::{State, Stream};

/// The stream connections of one endpoint.
#[derive(Debug)]
pub(crate) struct StreamLayer {
    parameters: Arc<CoapParameters>,
    stream: RandomStream,
    streams: LookupMap<ConnectionId, Box<Stream>>,
    gone: ShortQueue<Box<Gone>>,
    opened: ShortQueue<ConnectionId>,
    /// Connections whose peers are waited for.
    timers: TimerQueue<ConnectionId>,
}

/// What stands before a payload takes no more than this, whatever the path.
const ROOM_FOR_HEAD: usize = 128;

/// How many bytes may wait for room in the transport before no further request is taken.
const MAX_WAITING: usize = 1 << 24;

impl StreamLayer {
    pub(crate) fn new(parameters: Arc<CoapParameters>, stream: RandomStream) -> Self {
        Self {
            parameters,
            stream,
            streams: LookupMap::new(),
            gone: ShortQueue::new(),
            opened: ShortQueue::new(),
            timers: TimerQueue::new(),
        }
    }

    pub(crate) const fn random(&mut self) -> &mut RandomStream {
        &mut self.stream
    }

    /// Handles a new connection and sends this end's settings first (RFC 8323 section 5.3).
    pub(crate) fn begin(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        stream: StreamId,
    ) {
        let options = Settings::own_options(&self.parameters);
        let stream = self
            .streams
            .get_or_insert_with(connection, || Box::new(Stream::new(stream)));
        let head = write_frame_head(Code::CSM, Token::EMPTY, options.as_bytes(), 0);
        stream.write(cx, connection, &head, &[], Purpose::SessionSetUp);
        self.wait(cx.now, connection, self.parameters.connect_timeout);
    }

    /// Whether a peer has sent its settings.
    pub(crate) const fn has_opened(&self) -> bool {
        !self.opened.is_empty()
    }

    /// The next connection whose peer has sent its settings.
    pub(crate) fn next_opened(&mut self) -> Option<ConnectionId> {
        self.opened.pop()
    }

    /// Returns the largest body that fits a single message.
    pub(crate) fn whole_limit(&self, connection: ConnectionId) -> usize {
        self.streams.get(&connection).map_or(0, |stream| {
            stream.peer.max_message_size.saturating_sub(ROOM_FOR_HEAD)
        })
    }

    pub(crate) fn send(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        draft: &Draft<'_>,
        owner: Owner,
    ) -> Result<(), FailureReason> {
        let stream = self
            .streams
            .get_mut(&connection)
            .filter(|stream| matches!(stream.state, State::AwaitingSettings | State::Open))
            .ok_or(FailureReason::NotConnected)?;
        if stream.waiting() >= MAX_WAITING {
            return Err(FailureReason::QueueFull);
        }
        let head = write_frame_head(draft.code, draft.token, draft.options, draft.payload.len());
        let size = head.len() + draft.payload.len();
        let is_block = matches!(draft.purpose, Purpose::Block(_));
        if size > stream.peer.max_message_size || is_block && !stream.peer.block_wise {
            return Err(FailureReason::TooLarge);
        }
        let max_waiting = self.parameters.max_waiting;
        let is_full = stream.waiting_messages() >= max_waiting;
        match owner {
            Owner::Notification(token) if is_full || stream.held.has(token) => {
                if stream.held.count() >= max_waiting && !stream.held.has(token) {
                    return Err(FailureReason::QueueFull);
                }
                let replaced = stream.held.hold(Notification {
                    token,
                    head: head.to_vec(),
                    payload: draft.payload.to_vec(),
                    purpose: draft.purpose,
                });
                if let Some(id) = replaced.and_then(Purpose::carried) {
                    cx.fail(id, FailureReason::QueueFull);
                }
                return Ok(());
            }
            _ if is_full => return Err(FailureReason::QueueFull),
            _ => {}
        }
        if let Owner::Request(token) = owner {
            stream.requests.push((token, draft.purpose));
        }
        stream.write(cx, connection, &head, draft.payload, draft.purpose);
        Ok(())
    }

    pub(crate) fn respond(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        draft: &Draft<'_>,
        tally: &mut Tally,
    ) {
        // A connection that is about to end is still answered on.
        if let Some(stream) = self.streams.get_mut(&connection)
            && stream.state != State::Ended
        {
            stream.held.drop_of(draft.token);
            let head =
                write_frame_head(draft.code, draft.token, draft.options, draft.payload.len());
            let is_too_large = head.len() + draft.payload.len() > stream.peer.max_message_size;
            let reads_enough = if is_too_large {
                // RFC 8323 section 5.3.1: it goes in blocks or not at all.
                tally.count().too_large += 1;
                let head = write_frame_head(Code::INTERNAL_SERVER_ERROR, draft.token, &[], 0);
                stream.write_answer(cx, connection, &head, &[], draft.purpose)
            } else {
                stream.write_answer(cx, connection, &head, draft.payload, draft.purpose)
            };
            if !reads_enough {
                self.abort(cx, connection, None, tally);
            }
        }
    }

    /// Ends the wait for a response.
    pub(crate) fn settle_request(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        token: Token,
    ) -> Option<Settled> {
        let stream = self.streams.get_mut(&connection)?;
        let purpose = stream.take_request(token)?;
        if stream.state == State::Releasing && stream.requests.is_empty() {
            self.end(cx, connection);
        }
        let owner = Owner::Request(token);
        Some(Settled { owner, purpose })
    }

    /// Returns the next message of a connection for the layers above.
    pub(crate) fn next_arrival(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        tally: &mut Tally,
    ) -> Option<(Arrival, Payload)> {
        let bound = self.parameters.max_body_size;
        loop {
            let stream = self.streams.get_mut(&connection)?;
            match Frame::parse(stream.unread()) {
                Ok(Parsed::Frame(frame)) if frame.size() > bound => {
                    tally.count().too_large += 1;
                    self.abort(cx, connection, None, tally);
                }
                Ok(Parsed::Frame(frame)) if frame.size() <= stream.unread().len() => {
                    let bytes = Payload::copied_from(&stream.unread()[..frame.size()]);
                    stream.consume(frame.size());
                    let Ok(message) = frame.message(&bytes) else {
                        tally.count().malformed += 1;
                        self.abort(cx, connection, None, tally);
                        continue;
                    };
                    let arrival = self.take(cx, connection, message, &bytes, tally);
                    self.message_is_whole(connection);
                    if let Some(arrival) = arrival {
                        return Some((arrival, bytes));
                    }
                }
                Ok(_) => match stream.read(cx, connection) {
                    ReadOutcome::Read(_) => {}
                    ReadOutcome::Blocked => {
                        self.await_rest(cx.now, connection);
                        return None;
                    }
                    ReadOutcome::Finished => {
                        if stream.state != State::Ended {
                            self.end(cx, connection);
                        }
                        return None;
                    }
                },
                Err(_) => {
                    tally.count().malformed += 1;
                    self.abort(cx, connection, None, tally);
                }
            }
        }
    }

    /// Writes queued bytes.
    pub(crate) fn writable(&mut self, cx: &mut Context<'_>, connection: ConnectionId) {
        let Some(stream) = self.streams.get_mut(&connection) else {
            return;
        };
        stream.flush(cx, connection);
        while stream.state == State::Open
            && stream.waiting_messages() < self.parameters.max_waiting
            && let Some(held) = stream.held.take()
        {
            let Notification { head, payload, .. } = held;
            stream.write(cx, connection, &head, &payload, held.purpose);
        }
    }

    /// Sends a Release and closes this end of the connection (RFC 8323 section 5.5).
    pub(crate) fn release(&mut self, cx: &mut Context<'_>, connection: ConnectionId) {
        if let Some(stream) = self.streams.get_mut(&connection)
            && stream.state != State::Ended
        {
            let head = write_frame_head(Code::RELEASE, Token::EMPTY, &[], 0);
            stream.write(cx, connection, &head, &[], Purpose::SessionTearDown);
            self.end(cx, connection);
        }
    }

    /// Whether a request has failed.
    #[inline]
    pub(crate) const fn has_gone(&self) -> bool {
        !self.gone.is_empty()
    }

    /// Returns the next request that failed because its connection closed.
    pub(crate) fn next_gone(&mut self) -> Option<Gone> {
        self.gone.pop().map(|gone| *gone)
    }

    pub(crate) fn is_idle(&self, connection: ConnectionId) -> bool {
        self.streams
            .get(&connection)
            .is_none_or(|stream| stream.requests.is_empty() && stream.waiting() == 0)
    }

    /// Whether settings were exchanged and all requests are answered.
    pub(crate) fn is_answered(&self, connection: ConnectionId) -> bool {
        let stream = self.streams.get(&connection);
        self.is_idle(connection) && stream.is_some_and(|stream| stream.state == State::Open)
    }

    /// Removes a closed connection. Its requests fail.
    pub(crate) fn forget_peer(&mut self, connection: ConnectionId) {
        self.stop_waiting(connection);
        let Some(stream) = self.streams.remove(&connection) else {
            return;
        };
        for (token, purpose) in stream.requests {
            let owner = Owner::Request(token);
            self.gone.push(Box::new(Gone {
                connection,
                settled: Settled { owner, purpose },
                reason: FailureReason::ConnectionLost,
            }));
        }
    }

    /// Takes a message: a signal is dealt with here.
    fn take(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        message: Message,
        bytes: &[u8],
        tally: &mut Tally,
    ) -> Option<Arrival> {
        let stream = self.streams.get_mut(&connection)?;
        let code = message.content.code;
        match stream.state {
            State::Ended => return None,
            State::AwaitingSettings if code == Code::CSM => {}
            State::AwaitingSettings => {
                // The first message is a CSM (RFC 8323 section 5.3).
                tally.count().unexpected += 1;
                self.abort(cx, connection, None, tally);
                return None;
            }
            State::Open | State::Releasing => {}
        }
        match code {
            Code::EMPTY => {}
            _ if code.is_request() => return Some(Arrival::Request(message)),
            _ if code.is_response() => return Some(Arrival::Response(message)),
            Code::CSM => match stream.peer.update(&message.content, bytes) {
                Err(option) => self.abort(cx, connection, Some(option), tally),
                Ok(()) if stream.state == State::AwaitingSettings => {
                    stream.state = State::Open;
                    self.opened.push(connection);
                }
                Ok(()) => {}
            },
            Code::PING => {
                let head = write_frame_head(Code::PONG, message.content.token, &[], 0);
                if !stream.write_answer(cx, connection, &head, &[], Purpose::KeepAlive) {
                    self.abort(cx, connection, None, tally);
                }
            }
            Code::PONG => {}
            Code::RELEASE if stream.requests.is_empty() => self.end(cx, connection),
            Code::RELEASE => stream.state = State::Releasing,
            Code::ABORT => self.end(cx, connection),
            _ => {
                tally.count().unexpected += 1;
                self.abort(cx, connection, None, tally);
            }
        }
        None
    }
}
