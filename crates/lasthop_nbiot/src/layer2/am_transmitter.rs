mod flight;
mod retransmissions;
mod sdu_queue;

use lasthop_units::Instant;

use self::flight::{Flight, Portion};
use self::retransmissions::Retransmissions;
use self::sdu_queue::SduQueue;
use super::am_pdu::{AM_HEADER_BYTES, AM_SEGMENT_HEADER_BYTES, AM_WINDOW, AmPdu};
use super::pdcp::SduSize;
use super::rlc_config::{RlcConfig, StatusReports};
use super::status_report::StatusReport;

/// The transmitting side of an RLC AM entity (TS 36.322 5.1.3.1, 5.2.1 and 5.2.2), for SDUs of any kind `T`.
///
/// It polls with the last PDU that it has to send, when the window is full, and when the answer to a poll has not come.
/// Retransmissions go before new data, and are cut to what is granted.
#[derive(Clone, Debug)]
pub struct AmTransmitter<T> {
    sdus: SduQueue<T>,
    /// What has been sent and not been acknowledged, from VT(A) to VT(S).
    flight: Flight,
    retransmissions: Retransmissions,
    /// When t-PollRetransmit ends.
    poll_deadline: Option<Instant>,
    /// POLL_SN: the highest sequence number sent when the last poll was.
    poll_sn: u32,
    /// The next PDU is to poll.
    poll_due: bool,
    failure: Option<RlcFailure>,
}

/// Why an entity gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RlcFailure {
    /// A PDU was to be sent again more often than maxRetxThreshold allows: the radio link has failed
    /// (TS 36.331 5.3.11.3).
    MaxRetransmissions,
}

/// What became of a PDU, where [`StatusReports::Free`] tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It has arrived.
    Arrived,
    /// HARQ gave it up.
    Lost,
}

impl<T> AmTransmitter<T> {
    /// An entity that has nothing to send.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sdus: SduQueue::new(),
            flight: Flight::new(),
            retransmissions: Retransmissions::new(),
            poll_deadline: None,
            poll_sn: 0,
            poll_due: false,
            failure: None,
        }
    }

    /// Queues an SDU behind the others.
    pub fn offer(&mut self, content: T, size: SduSize) {
        self.sdus.push(content, size);
    }

    /// The next SDU that ends within the first `in_order_bytes` of the stream, as
    /// [`AmReceiver::receive`](super::AmReceiver::receive) gives them: it has been delivered.
    pub fn take_delivered(&mut self, in_order_bytes: u32) -> Option<T> {
        let content = self.sdus.take_until(in_order_bytes);
        self.sdus.forget_before(self.flight.start());
        content
    }

    /// All SDUs that have not been delivered, oldest first; the entity is empty then, as after a re-establishment.
    pub fn take_all(&mut self) -> impl Iterator<Item = T> + use<T> {
        core::mem::take(self).sdus.into_contents()
    }

    /// Bytes of SDUs that wait for their first transmission or for another one.
    #[must_use]
    pub fn waiting_bytes(&self) -> u32 {
        self.retransmissions.bytes() + self.sdus.end() - self.flight.end()
    }

    /// What waits and may be sent, with the headers of RLC: the PDUs that it takes in a large grant, and their bytes
    /// together. A PDU that is sent again is counted as a segment.
    #[must_use]
    pub fn wanted(&self) -> (u16, u32) {
        let with_header = |start: u32, bytes: u32, fixed: u16| {
            bytes + u32::from(fixed) + self.sdus.length_indicator_bytes(start, start + bytes)
        };
        let again = |portion: &Portion| {
            let start = self.flight.range(portion.sn).0 + u32::from(portion.from);
            with_header(start, portion.bytes(), AM_SEGMENT_HEADER_BYTES)
        };
        let mut pdus = self.retransmissions.iter().len() as u16;
        let mut bytes = self.retransmissions.iter().map(again).sum();
        let new_bytes = self.new_bytes();
        if new_bytes > 0 {
            bytes += with_header(self.flight.end(), new_bytes, AM_HEADER_BYTES);
            pdus += 1;
        }
        (pdus, bytes)
    }

    /// Whether something waits that may be sent now.
    #[must_use]
    pub fn has_data(&self) -> bool {
        self.failure.is_none() && (!self.retransmissions.is_empty() || self.new_bytes() > 0)
    }

    /// The length of the SDU that new data begin with, where the next PDU begins with the first byte of one.
    #[must_use]
    pub fn next_starts_sdu_of(&self) -> Option<u32> {
        if !self.retransmissions.is_empty() {
            return None;
        }
        self.sdus.length_of_sdu_at(self.flight.end())
    }

    /// Whether every SDU has been acknowledged.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.flight.start() == self.sdus.end()
    }

    /// Why the entity gave up, if it did; it sends nothing more then.
    #[must_use]
    pub const fn failure(&self) -> Option<RlcFailure> {
        self.failure
    }

    /// A PDU of at most `size_bytes` that is sent at `now`; `None` where nothing waits or the size holds no data byte.
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
            if self.poll_due || nothing_more {
                pdu.poll = true;
                self.poll_due = false;
                self.poll_sn = self.flight.next_sn() - 1;
                self.poll_deadline = Some(now + config.t_poll_retransmit);
            }
        }
        Some(pdu)
    }

    /// When [`AmTransmitter::handle_timeout`] is due.
    #[must_use]
    pub const fn deadline(&self) -> Option<Instant> {
        self.poll_deadline
    }

    /// Polls again where the answer to a poll is overdue (TS 36.322 5.2.2.3).
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

    /// Takes a STATUS PDU (TS 36.322 5.2.1 and 5.2.2.2).
    pub fn handle_status(&mut self, report: &StatusReport, config: &RlcConfig) {
        let ack_sn = report.ack_sn.min(self.flight.next_sn());
        if self.poll_sn < ack_sn || report.nacks.iter().any(|nack| nack.sn == self.poll_sn) {
            self.poll_deadline = None;
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

    /// Learns for nothing what became of a PDU, where [`StatusReports::Free`] is chosen.
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

    /// Queues a portion for another transmission, once, and counts it (TS 36.322 5.2.1).
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

    /// Bytes that may be sent for the first time: none while the window is full.
    fn new_bytes(&self) -> u32 {
        if self.flight.next_sn() - self.flight.first_sn() >= AM_WINDOW {
            return 0;
        }
        self.sdus.end() - self.flight.end()
    }
}

impl<T> Default for AmTransmitter<T> {
    fn default() -> Self {
        Self::new()
    }
}

const _: () = assert!(
    size_of::<AmTransmitter<u64>>() <= 136,
    "an idle entity takes little room"
);
