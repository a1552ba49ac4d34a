use std::collections::VecDeque;

use lasthop_contract::{ConnectionId, Outbox, ReadOutcome, StreamId};
use lasthop_units::Instant;

use super::held::HeldNotifications;
use super::signal::Settings;
use crate::codec::Token;
use crate::context::{Context, Purpose};

/// The state of a stream connection. An idle connection holds no buffers.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) state: State,
    pub(super) peer: Settings,
    inbound: Vec<u8>,
    /// How much of it has been used.
    used: usize,
    /// What the transport has no room for yet.
    outbox: Outbox,
    /// How many bytes of answers were written since nothing waited.
    waiting_answers: usize,
    /// How much waits of each message that waits.
    waiting_lengths: VecDeque<usize>,
    /// Whether the transport has the beginning of the first of them.
    is_cut: bool,
    /// The queued notifications.
    pub(super) held: HeldNotifications,
    /// The deadline for the peer.
    pub(super) deadline: Option<Instant>,
    /// Requests that wait for a response.
    pub(super) requests: Vec<(Token, Purpose)>,
}

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Waiting for the peer's settings.
    AwaitingSettings,
    /// Open in both directions.
    Open,
    /// No further request is sent. The connection ends with the last response.
    Releasing,
    /// Ended. Received bytes are ignored.
    Ended,
}

const READ_LENGTH: usize = 4096;

/// In bytes. A peer that asks and does not read loses its connection then.
const MAX_WAITING_ANSWERS: usize = 1 << 20;

impl Stream {
    pub(super) fn new(stream: StreamId) -> Self {
        Self {
            state: State::AwaitingSettings,
            peer: Settings::BASE,
            inbound: Vec::new(),
            used: 0,
            outbox: Outbox::new(stream),
            waiting_answers: 0,
            waiting_lengths: VecDeque::new(),
            is_cut: false,
            held: HeldNotifications::default(),
            deadline: None,
            requests: Vec::new(),
        }
    }

    /// Writes a message to the transport. Bytes that it does not accept are queued.
    pub(super) fn write(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        head: &[u8],
        payload: &[u8],
        purpose: Purpose,
    ) {
        let chunks = purpose.chunks(head, payload);
        let before = self.outbox.size();
        self.outbox.write(cx.now, cx.transport, connection, &chunks);
        let more = self.outbox.size() - before;
        if more > 0 {
            self.is_cut |= before == 0 && more < head.len() + payload.len();
            self.waiting_lengths.push_back(more);
        }
        // The transport repeats what it has; so this is not the last try.
        if let Some(event) = purpose.transmitted(1, false, None) {
            cx.announce(event);
        }
    }

    /// Writes a response to the transport. Returns whether the peer reads fast enough for another response to be
    /// queued.
    pub(super) fn write_answer(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        head: &[u8],
        payload: &[u8],
        purpose: Purpose,
    ) -> bool {
        // One that is large is no sign of it.
        let is_held_enough = self.waiting_answers > MAX_WAITING_ANSWERS;
        self.write(cx, connection, head, payload, purpose);
        self.waiting_answers = if self.outbox.is_empty() {
            0
        } else {
            self.waiting_answers + head.len() + payload.len()
        };
        !is_held_enough || self.waiting_answers == 0
    }

    /// Writes queued bytes.
    pub(super) fn flush(&mut self, cx: &mut Context<'_>, connection: ConnectionId) {
        let before = self.outbox.size();
        if self.outbox.flush(cx.now, cx.transport, connection) {
            self.waiting_answers = 0;
            self.waiting_lengths = VecDeque::new();
            self.is_cut = false;
        }
        let mut gone = before - self.outbox.size();
        while let Some(first) = self.waiting_lengths.front_mut() {
            if *first > gone {
                *first -= gone;
                self.is_cut |= gone > 0;
                break;
            }
            gone -= *first;
            self.waiting_lengths.pop_front();
            self.is_cut = false;
        }
    }

    /// Returns the number of queued bytes.
    pub(super) fn waiting(&self) -> usize {
        self.outbox.size()
    }

    /// Returns the number of queued messages.
    pub(super) fn waiting_messages(&self) -> usize {
        self.waiting_lengths.len()
    }

    /// Returns the received bytes that were not processed.
    pub(super) fn unread(&self) -> &[u8] {
        &self.inbound[self.used..]
    }

    /// Removes processed bytes.
    pub(super) fn consume(&mut self, length: usize) {
        self.used += length;
        if self.used == self.inbound.len() {
            self.inbound = Vec::new();
            self.used = 0;
        }
    }

    /// Reads more bytes from the stream.
    pub(super) fn read(&mut self, cx: &mut Context<'_>, connection: ConnectionId) -> ReadOutcome {
        let mut buffer = [0; READ_LENGTH];
        let read = cx
            .transport
            .read(cx.now, connection, self.outbox.stream(), &mut buffer);
        // A stream that is not there any more has ended.
        let outcome = read.unwrap_or(ReadOutcome::Finished);
        if let ReadOutcome::Read(length) = outcome
            && self.state != State::Ended
        {
            self.inbound.drain(..self.used);
            self.used = 0;
            self.inbound.extend_from_slice(&buffer[..length]);
        }
        outcome
    }

    /// Closes this end of the stream after the queued bytes. Bytes received afterwards are ignored.
    pub(super) fn end(&mut self, cx: &mut Context<'_>, connection: ConnectionId) {
        self.state = State::Ended;
        self.inbound = Vec::new();
        self.used = 0;
        self.outbox.finish(cx.now, cx.transport, connection);
    }

    /// Drops queued messages, except the rest of one that was partly sent. Without that rest the peer would misread
    /// what follows.
    pub(super) fn drop_waiting(&mut self) {
        self.held = HeldNotifications::default();
        self.waiting_answers = 0;
        self.waiting_lengths.truncate(usize::from(self.is_cut));
        let kept = self.waiting_lengths.front().copied().unwrap_or_default();
        self.outbox.truncate(kept);
    }

    pub(super) fn take_request(&mut self, token: Token) -> Option<Purpose> {
        let place = self
            .requests
            .iter()
            .position(|(known, _)| *known == token)?;
        let (_, purpose) = self.requests.swap_remove(place);
        if self.requests.is_empty() {
            self.requests = Vec::new();
        }
        Some(purpose)
    }
}
