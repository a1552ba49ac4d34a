use lasthop_units::Instant;

use super::connection::{Connection, Outputs, Phase, Timer};

impl Connection {
    /// Sends again what is lost, while the congestion window has room (`tcp_xmit_retransmit_queue`).
    pub(crate) fn resend_lost(&mut self, now: Instant, out: &mut Outputs<'_>) {
        let mut place = 0;
        let mut restarts = false;
        while place < self.board.outstanding() as usize {
            let has_room = self.in_flight() < self.congestion.segments;
            if !has_room || self.board.retransmitted >= self.board.lost {
                break;
            }
            let Some(tags) = self.board.get(place).map(|sent| sent.tags) else {
                break;
            };
            if tags.lost && !tags.sacked && !tags.retransmitted {
                if !self.resend_at(now, place, false, out) {
                    break;
                }
                if matches!(self.phase, Phase::Reduced | Phase::Recovery) {
                    self.congestion.note_sent_in_reduction(1);
                }
                restarts |= place == 0 && self.timer != Timer::Reordering;
            }
            place += 1;
        }
        if restarts {
            self.set_timer(Timer::Retransmission, now, self.rtt.timeout());
        }
    }

    /// Sends one segment again; says whether the window lets it through (`tcp_retransmit_skb`).
    pub(crate) fn resend_at(
        &mut self,
        now: Instant,
        place: usize,
        is_probe: bool,
        out: &mut Outputs<'_>,
    ) -> bool {
        let Some(sent) = self.board.get(place).copied() else {
            return false;
        };
        if sent.is_syn {
            let stamp = self.stamp(now);
            self.board.note_sent_again(place, stamp, is_probe);
            self.note_resent(now, is_probe);
            self.send_syn(now, out);
            return true;
        }
        let window_end = self.window_end();
        if !sent.start.is_before(window_end) && sent.start != self.una {
            return false;
        }
        let limit = self.payload_limit();
        let room = match window_end - sent.start {
            room if sent.start.is_before(window_end) => room.min(limit),
            _ => limit,
        };
        let length = (sent.end - sent.start) - u32::from(sent.is_fin);
        if length > room {
            self.board.split(place, room);
        } else if self.profile.collapse && !is_probe && length < room {
            while self.board.join_next(place, room, window_end) {}
        }
        let Some(sent) = self.board.get(place).copied() else {
            return false;
        };
        let stamp = self.stamp(now);
        self.board.note_sent_again(place, stamp, is_probe);
        self.note_resent(now, is_probe);
        let push = place + 1 == self.board.outstanding() as usize;
        self.transmit_data(now, sent.start, sent.end, sent.is_fin, push, true, out);
        true
    }

    /// Updates the undo and give-up state after a retransmission. Tail loss probes do not count.
    fn note_resent(&mut self, now: Instant, is_probe: bool) {
        self.resent += 1;
        if is_probe {
            return;
        }
        if self.first_resent.is_none() {
            self.first_resent = Some(now);
        }
        self.undo_count = self.undo_count.max(0) + 1;
    }
}
