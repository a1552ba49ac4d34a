use lasthop_contract::{CloseReason, ResetReason, TransportEvent};
use lasthop_units::Instant;

use super::connection::{Connection, Outputs, State};
use super::endpoint::Tcp;
use super::output::Push;

impl Connection {
    /// Says that nothing more will be written (RFC 9293 section 3.10.4).
    pub(crate) fn finish(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if self.fin_queued {
            return;
        }
        self.fin_queued = true;
        self.finish_if_asked(now, out);
        self.send_pending(now, Push::AtOnce, out);
        self.set_idle_timer(now);
    }

    /// Enters the state that a queued end leads to, once the handshake is over.
    pub(crate) fn finish_if_asked(&mut self, _now: Instant, _out: &mut Outputs<'_>) {
        if !self.fin_queued {
            return;
        }
        match self.state {
            State::Established => self.state = State::FinWait1,
            State::CloseWait => self.state = State::LastAck,
            _ => {}
        }
    }

    /// Ends at once, and tells the peer (RFC 9293 section 3.10.5).
    pub(crate) fn reset(&mut self, now: Instant, reason: ResetReason, out: &mut Outputs<'_>) {
        if !matches!(self.state, State::SynSent | State::TimeWait | State::Closed) {
            self.send_reset(now, out);
        }
        self.end(CloseReason::Reset(reason), out);
    }

    /// Nobody will read what came: the peer is told (RFC 2525 section 2.17, `tcp_close`).
    pub(crate) fn reset_if_unread(&mut self, now: Instant, out: &mut Outputs<'_>) {
        if !self.unread.is_empty() {
            self.reset(now, ResetReason::NotNeeded, out);
        }
    }

    /// Both ends are done.
    pub(crate) fn finish_both(&mut self, state: State, out: &mut Outputs<'_>) {
        self.state = state;
        self.stop_timers();
        self.announce_if_done(out);
    }

    /// Tells the application that both ends are done, once it has read everything.
    pub(crate) fn announce_if_done(&mut self, out: &mut Outputs<'_>) {
        let is_done = matches!(self.state, State::TimeWait | State::Closed);
        if is_done && self.unread.is_empty() {
            self.announce_closed(self.ended.unwrap_or(CloseReason::Finished), out);
        }
    }

    /// Tells the application that it can write again, when a third of the buffer is free (`sk_stream_is_writeable`).
    pub(crate) fn announce_room(&mut self, out: &mut Outputs<'_>) {
        let limit = self.profile.send_buffer;
        let free = limit.saturating_sub(self.buffer.len());
        let may_write = self.is_synchronised() && !self.fin_queued;
        if self.wants_room && free >= limit / 3 && may_write {
            self.wants_room = false;
            out.event(TransportEvent::Writable(Tcp::STREAM));
        }
    }
}
