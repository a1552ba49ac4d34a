use lasthop_units::Instant;

use super::AmTransmitter;
use crate::config::Polls;
use crate::layer2::am_pdu::{AM_HEADER_BYTES, AM_SEGMENT_HEADER_BYTES, AmPdu};
use crate::layer2::rlc_config::{RlcConfig, StatusReports};

/// What goes into a PDU, and whether it polls (TS 36.322 section 5.1.3.1.1, 5.2.1, 5.2.2.1).
impl<T> AmTransmitter<T> {
    /// Builds a PDU of at most `size_bytes` for sending at `now`.
    ///
    /// Returns `None` if nothing is queued or the size holds no data byte.
    pub fn build(&mut self, size_bytes: u16, now: Instant, config: &RlcConfig) -> Option<AmPdu> {
        if self.failure.is_some() {
            return None;
        }
        let mut pdu = if self.retransmissions.is_empty() {
            self.build_new(size_bytes)?
        } else {
            self.build_again(size_bytes)?
        };
        if let StatusReports::Transmitted { .. } = config.status_reports {
            let nothing_more = self.retransmissions.is_empty() && self.new_bytes() == 0;
            let each = config.polls == Polls::Each;
            if self.poll_due || nothing_more || each {
                pdu.poll = true;
                self.poll_due = false;
                self.poll_sn = self.flight.next_sn() - 1;
                self.poll_deadline = Some(now + config.t_poll_retransmit);
                self.held = each;
            }
        }
        Some(pdu)
    }

    fn build_new(&mut self, size_bytes: u16) -> Option<AmPdu> {
        let start = self.flight.end();
        let limit = self.new_bytes();
        if limit == 0 {
            return None;
        }
        let (data_bytes, header_bytes) =
            self.sdus.fit(start, limit, size_bytes, AM_HEADER_BYTES)?;
        let sn = self.flight.send(data_bytes);
        let (pdcp_bytes, packet_bytes) = self.sdus.shares(start, self.flight.end());
        Some(AmPdu {
            sn,
            from: 0,
            data_bytes,
            last: true,
            header_bytes,
            pdcp_bytes,
            packet_bytes,
            poll: false,
            retransmission: false,
        })
    }

    fn build_again(&mut self, size_bytes: u16) -> Option<AmPdu> {
        let portion = self.retransmissions.first()?;
        let (pdu_start, length) = self.flight.range(portion.sn);
        let start = pdu_start + u32::from(portion.from);
        let limit = portion.bytes();
        let whole = portion.from == 0 && portion.to == length;
        let fits_whole = |(data_bytes, _): &(u16, u16)| u32::from(*data_bytes) == limit;
        let (data_bytes, header_bytes) = whole
            .then(|| self.sdus.fit(start, limit, size_bytes, AM_HEADER_BYTES))
            .flatten()
            .filter(fits_whole)
            .or_else(|| {
                self.sdus
                    .fit(start, limit, size_bytes, AM_SEGMENT_HEADER_BYTES)
            })?;
        let (pdcp_bytes, packet_bytes) = self.sdus.shares(start, start + u32::from(data_bytes));
        let to = portion.from + data_bytes;
        self.retransmissions.sent_to(to);
        Some(AmPdu {
            sn: portion.sn,
            from: portion.from,
            data_bytes,
            last: to == length,
            header_bytes,
            pdcp_bytes,
            packet_bytes,
            poll: false,
            retransmission: true,
        })
    }
}
