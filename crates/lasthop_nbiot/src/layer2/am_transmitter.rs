mod acknowledgement;
mod assembly;
mod flight;
mod retransmissions;
mod sdu_queue;

use lasthop_units::Instant;

pub use self::acknowledgement::Fate;
use self::flight::{Flight, Portion};
use self::retransmissions::Retransmissions;
use self::sdu_queue::SduQueue;
use super::am_pdu::{AM_HEADER_BYTES, AM_SEGMENT_HEADER_BYTES, AM_WINDOW};
use super::pdcp::SduSize;

/// The transmitting side of an RLC AM entity (TS 36.322 section 5.1.3.1, 5.2.1 and 5.2.2), for SDUs of any kind `T`.
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
    /// No new PDU goes before the answer to the poll, where every PDU polls.
    held: bool,
    failure: Option<RlcFailure>,
}

/// The reason why an RLC AM entity failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RlcFailure {
    /// A PDU needed more retransmissions than maxRetxThreshold allows: the radio link has failed (TS 36.331 section
    /// 5.3.11.3).
    MaxRetransmissions,
}

impl<T> AmTransmitter<T> {
    /// Creates an entity with an empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self {
            sdus: SduQueue::new(),
            flight: Flight::new(),
            retransmissions: Retransmissions::new(),
            poll_deadline: None,
            poll_sn: 0,
            poll_due: false,
            held: false,
            failure: None,
        }
    }

    /// Appends an SDU to the queue.
    pub fn offer(&mut self, content: T, size: SduSize) {
        self.sdus.push(content, size);
    }

    /// Returns the next SDU that is delivered: it ends within the first `in_order_bytes` of the stream, which
    /// [`AmReceiver::receive`](super::AmReceiver::receive) returns.
    pub fn take_delivered(&mut self, in_order_bytes: u32) -> Option<T> {
        let content = self.sdus.take_until(in_order_bytes);
        self.sdus.forget_before(self.flight.start());
        content
    }

    /// Removes and returns all undelivered SDUs, oldest first. A re-establishment uses it.
    pub fn take_all(&mut self) -> impl Iterator<Item = T> + use<T> {
        core::mem::take(self).sdus.into_contents()
    }

    /// Returns the number of SDU bytes that wait for transmission or retransmission.
    #[must_use]
    pub fn waiting_bytes(&self) -> u32 {
        self.retransmissions.bytes() + self.sdus.end() - self.flight.end()
    }

    /// Returns the number of PDUs that a large grant would carry, and their bytes with RLC headers. A retransmitted PDU
    /// counts as a segment.
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

    /// Whether data waits that can be sent now.
    #[must_use]
    pub fn has_data(&self) -> bool {
        self.failure.is_none() && (!self.retransmissions.is_empty() || self.new_bytes() > 0)
    }

    /// Returns the length of the SDU that the next PDU begins with, if that PDU begins with the first byte of an SDU.
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

    /// Returns why the entity has failed. A failed entity sends nothing more.
    #[must_use]
    pub const fn failure(&self) -> Option<RlcFailure> {
        self.failure
    }

    /// Bytes that may be sent for the first time: none while the window is full, or while a poll of each PDU is not
    /// answered.
    fn new_bytes(&self) -> u32 {
        if self.held || self.flight.next_sn() - self.flight.first_sn() >= AM_WINDOW {
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
