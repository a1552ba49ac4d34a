use lasthop_contract::{ConnectionId, ResetReason};
use lasthop_units::{Duration, Instant};

use super::StreamLayer;
use super::frame::write_frame_head;
use super::signal::BAD_CSM_OPTION;
use super::stream::State;
use crate::codec::{Code, OptionWriter, Token};
use crate::context::{Context, Purpose};
use crate::counters::Tally;

/// How connections end, and for how long their peers are waited for.
impl StreamLayer {
    /// Aborts a connection because of a peer's error (RFC 8323 section 5.6).
    pub(super) fn abort(
        &mut self,
        cx: &mut Context<'_>,
        connection: ConnectionId,
        bad_option: Option<u16>,
        tally: &mut Tally,
    ) {
        let Some(stream) = self.streams.get_mut(&connection) else {
            return;
        };
        tally.count().aborted += 1;
        let mut options = OptionWriter::new();
        if let Some(option) = bad_option {
            options.add_number(BAD_CSM_OPTION, option.into());
        }
        let head = write_frame_head(Code::ABORT, Token::EMPTY, options.as_bytes(), 0);
        stream.drop_waiting();
        stream.write(cx, connection, &head, &[], Purpose::SessionTearDown);
        self.end(cx, connection);
    }

    /// Closes this end of a connection. If the peer does not close in time, the connection is reset.
    pub(super) fn end(&mut self, cx: &mut Context<'_>, connection: ConnectionId) {
        if let Some(stream) = self.streams.get_mut(&connection) {
            stream.end(cx, connection);
            self.wait(cx.now, connection, self.parameters.connect_timeout);
        }
    }

    /// Handles the timeout of a peer. A connection that was already closed at this end is reset.
    pub(crate) fn timeout(&mut self, cx: &mut Context<'_>, tally: &mut Tally) {
        while let Some(connection) = self.timers.pop_due(cx.now) {
            let Some(stream) = self.streams.get_mut(&connection) else {
                continue;
            };
            stream.deadline = None;
            if stream.state == State::Ended {
                cx.transport
                    .reset(cx.now, connection, ResetReason::PeerError);
            } else {
                self.abort(cx, connection, None, tally);
            }
        }
    }

    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.timers.next_deadline()
    }

    /// Sets the timeout of the peer.
    pub(super) fn wait(&mut self, now: Instant, connection: ConnectionId, span: Option<Duration>) {
        self.stop_waiting(connection);
        if let (Some(span), Some(stream)) = (span, self.streams.get_mut(&connection)) {
            stream.deadline = Some(now + span);
            self.timers.arm(now + span, connection);
        }
    }

    pub(super) fn stop_waiting(&mut self, connection: ConnectionId) {
        let stream = self.streams.get_mut(&connection);
        if let Some(deadline) = stream.and_then(|stream| stream.deadline.take()) {
            self.timers.disarm(deadline, connection);
        }
    }

    /// Starts the timeout for the rest of an incomplete message, if there is one.
    pub(super) fn await_rest(&mut self, now: Instant, connection: ConnectionId) {
        let stream = self.streams.get(&connection);
        let begins =
            stream.is_some_and(|stream| !stream.unread().is_empty() && stream.deadline.is_none());
        if begins {
            self.wait(now, connection, self.parameters.message_timeout);
        }
    }

    /// Ends the timeout of a message that is complete.
    pub(super) fn message_is_whole(&mut self, connection: ConnectionId) {
        let stream = self.streams.get(&connection);
        if stream.is_some_and(|stream| matches!(stream.state, State::Open | State::Releasing)) {
            self.stop_waiting(connection);
        }
    }
}
