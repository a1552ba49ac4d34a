use lasthop_units::Instant;

use super::flight::Portion;
use super::{AmTransmitter, RlcFailure};
use crate::layer2::am_pdu::AmPdu;
use crate::layer2::rlc_config::RlcConfig;
use crate::layer2::status_report::StatusReport;

/// The outcome of a PDU, as [`StatusReports::Free`](crate::layer2::StatusReports::Free) reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The PDU was received.
    Arrived,
    /// HARQ gave the PDU up.
    Lost,
}

/// What has arrived and what goes again (TS 36.322 section 5.2.1, 5.2.2).
impl<T> AmTransmitter<T> {
    /// Returns when [`AmTransmitter::handle_timeout`] is due.
    #[must_use]
    pub const fn deadline(&self) -> Option<Instant> {
        self.poll_deadline
    }

    /// Polls again if the answer to a poll is overdue (TS 36.322 section 5.2.2.3).
    pub fn handle_timeout(&mut self, now: Instant, config: &RlcConfig) {
        if self.poll_deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        self.poll_deadline = None;
        if self.flight.is_empty() {
            return;
        }
        self.poll_due = true;
        if self.retransmissions.is_empty() && self.new_bytes() == 0 {
            let newest = self.flight.newest_unacknowledged();
            self.send_again(newest, config);
        }
    }

    /// Handles a received STATUS PDU (TS 36.322 sections 5.2.1 and 5.2.2.2).
    pub fn handle_status(&mut self, report: &StatusReport, config: &RlcConfig) {
        let ack_sn = report.ack_sn.min(self.flight.next_sn());
        if self.poll_sn < ack_sn || report.nacks.iter().any(|nack| nack.sn == self.poll_sn) {
            self.poll_deadline = None;
            self.held = false;
        }
        let mut nacks = report.nacks.iter().peekable();
        for sn in self.flight.first_sn()..ack_sn {
            while nacks.peek().is_some_and(|nack| nack.sn < sn) {
                nacks.next();
            }
            if nacks.peek().is_none_or(|nack| nack.sn != sn) {
                self.acknowledge(sn);
            }
        }
        for nack in &report.nacks {
            if let Some(portion) = self.flight.portion(nack) {
                self.send_again(portion, config);
            }
        }
        self.drop_acknowledged();
    }

    /// Reports the outcome of a PDU at no cost, if [`StatusReports::Free`](crate::layer2::StatusReports::Free) is set.
    pub fn settle(&mut self, pdu: &AmPdu, fate: Fate, config: &RlcConfig) {
        match fate {
            Fate::Lost => {
                let portion = Portion::of(pdu);
                if self.flight.is_waiting(portion.sn) {
                    self.send_again(portion, config);
                }
            }
            Fate::Arrived => {
                if self.flight.note_arrival(pdu) {
                    self.acknowledge(pdu.sn);
                    self.drop_acknowledged();
                }
            }
        }
    }

    fn acknowledge(&mut self, sn: u32) {
        self.flight.acknowledge(sn);
        self.retransmissions.forget(sn);
    }

    fn drop_acknowledged(&mut self) {
        self.flight.drop_acknowledged();
        self.sdus.forget_before(self.flight.start());
    }

    /// Queues a portion for another transmission, once, and counts it (TS 36.322 section 5.2.1).
    fn send_again(&mut self, portion: Portion, config: &RlcConfig) {
        if self.retransmissions.has_some_of(&portion) {
            return;
        }
        if !self
            .flight
            .count_retransmission(portion.sn, config.max_retx_threshold)
        {
            self.failure = Some(RlcFailure::MaxRetransmissions);
            self.poll_deadline = None;
            return;
        }
        self.retransmissions.add(portion);
    }
}
