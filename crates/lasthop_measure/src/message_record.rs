use lasthop_contract::{Direction, DiscardReason, DropReason, FailureReason};
use lasthop_units::{DataSize, Duration, Instant};

use crate::message_spill::Stored;

/// The record of a message.
#[derive(Clone, Debug)]
pub struct MessageRecord {
    /// When the message was due.
    pub intended: Instant,
    /// The time at which its first copy left the sender.
    pub sent: Option<Instant>,
    /// The time of the first delivery.
    pub delivered: Option<Instant>,
    /// The time at which the sender first knew of the delivery.
    pub acknowledged: Option<Instant>,
    /// The number of transmissions by the sender.
    pub attempts: u16,
    /// The number of deliveries.
    pub deliveries: u16,
    /// The number in the flow, from 1.
    ///
    /// A message for several devices has one record for each, with consecutive numbers.
    pub number: u32,
    payload: u32,
    /// Bytes of its payload that have entered the path as a first copy, up and down.
    first_copies: [u32; 2],
    /// Packets with bytes of it on their way.
    copies_on_their_way: u32,
    /// Whether an application may send it again, at the device and at the server.
    retrying: [bool; 2],
    given_up: Option<FailureReason>,
    last_loss: Option<Loss>,
    /// When a copy of it was last lost, or it was given up.
    last_setback: Instant,
}

/// The final status of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageStatus {
    /// The message was delivered.
    Delivered,
    /// The message will never arrive: no sender retransmits it and no copy is in flight.
    Failed(&'static str),
    /// The message could still have arrived if the run had continued.
    Unfinished,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loss {
    Dropped(DropReason),
    Discarded(DiscardReason),
}

/// Payload bytes that may enter the path for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FirstCopy {
    pub(crate) direction: Direction,
    pub(crate) length: u32,
    /// The number of times that the payload crosses the path.
    pub(crate) times: u32,
}

/// Why a message may not have arrived. Many messages share the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    given_up: Option<FailureReason>,
    last_loss: Option<Loss>,
    retrying: [bool; 2],
}

/// The size of a stored record in bytes, without flow and number.
pub(crate) const STORED_BYTES: usize = 5 * 8 + 2 * 2 + 5 * 4;

/// A message that has not ended by an arrival is waited for no longer when nothing was heard of it for so long.
const LONGEST_SILENCE: Duration = Duration::from_secs(24 * 3600);

impl MessageRecord {
    /// Creates the record of a message that is due.
    pub(crate) fn new(now: Instant, number: u32, payload: DataSize) -> Self {
        Self {
            intended: now,
            sent: None,
            delivered: None,
            acknowledged: None,
            attempts: 0,
            deliveries: 0,
            number,
            payload: payload.as_bytes() as u32,
            first_copies: [0; 2],
            copies_on_their_way: 0,
            retrying: [false; 2],
            given_up: None,
            last_loss: None,
            last_setback: now,
        }
    }

    /// Returns the part of a record that many messages share.
    pub(crate) fn ending(&self) -> Ending {
        Ending {
            given_up: self.given_up,
            last_loss: self.last_loss,
            retrying: self.retrying,
        }
    }

    /// Returns a record in stored form, without its number and with the index of its ending.
    pub(crate) fn stored(&self, ending: u32) -> [u8; STORED_BYTES] {
        let never = Instant::FAR_FUTURE;
        let times = [
            self.intended,
            self.sent.unwrap_or(never),
            self.delivered.unwrap_or(never),
            self.acknowledged.unwrap_or(never),
            self.last_setback,
        ];
        let times = times.iter().flat_map(|at| at.as_nanos().to_le_bytes());
        let counts = [self.attempts, self.deliveries];
        let counts = counts.iter().flat_map(|count| count.to_le_bytes());
        let [up, down] = self.first_copies;
        let numbers = [self.payload, self.copies_on_their_way, up, down, ending];
        let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
        let mut bytes = times.chain(counts).chain(numbers);
        core::array::from_fn(|_| bytes.next().unwrap_or_default())
    }

    /// Restores a record from its stored form.
    pub(crate) fn from_stored(number: u32, endings: &[Ending], stored: &mut Stored<'_>) -> Self {
        let mut time = || Instant::from_nanos(u64::from_le_bytes(stored.take()));
        let intended = time();
        let mut known = || Some(time()).filter(|at| *at != Instant::FAR_FUTURE);
        let (sent, delivered, acknowledged) = (known(), known(), known());
        let last_setback = time();
        let attempts = u16::from_le_bytes(stored.take());
        let deliveries = u16::from_le_bytes(stored.take());
        let payload = u32::from_le_bytes(stored.take());
        let copies_on_their_way = u32::from_le_bytes(stored.take());
        let first_copies = [(); 2].map(|()| u32::from_le_bytes(stored.take()));
        let ending = endings[u32::from_le_bytes(stored.take()) as usize];
        Self {
            intended,
            sent,
            delivered,
            acknowledged,
            attempts,
            deliveries,
            number,
            payload,
            first_copies,
            copies_on_their_way,
            retrying: ending.retrying,
            given_up: ending.given_up,
            last_loss: ending.last_loss,
            last_setback,
        }
    }

    /// Returns the time from due to delivered, or `None` if it was not delivered.
    #[must_use]
    pub fn latency(&self) -> Option<Duration> {
        self.delivered.map(|at| at - self.intended)
    }

    /// Returns the time from due to acknowledged, or `None` if it was not acknowledged.
    #[must_use]
    pub fn response(&self) -> Option<Duration> {
        self.acknowledged.map(|at| at - self.intended)
    }

    /// Whether the message was delivered within 20 s; a device that waits longer is not served (Larmo et al. 2019,
    /// 3.2).
    #[must_use]
    pub fn is_served(&self) -> bool {
        const LONGEST_WAIT: Duration = Duration::from_secs(20);
        self.latency()
            .is_some_and(|latency| latency <= LONGEST_WAIT)
    }

    /// Returns the payload size.
    #[must_use]
    pub fn payload(&self) -> DataSize {
        DataSize::from_bytes(self.payload.into())
    }

    /// Returns the final status.
    #[must_use]
    pub fn status(&self) -> MessageStatus {
        if self.delivered.is_some() {
            return MessageStatus::Delivered;
        }
        let waits = self.sent.is_none() && self.given_up.is_none();
        if waits || self.copies_on_their_way > 0 || self.retrying.contains(&true) {
            return MessageStatus::Unfinished;
        }
        let reason = match (self.given_up, self.last_loss) {
            (Some(reason), _) => reason.name(),
            (None, Some(Loss::Dropped(reason))) => reason.name(),
            (None, Some(Loss::Discarded(reason))) => reason.name(),
            (None, None) => "not_understood",
        };
        MessageStatus::Failed(reason)
    }

    /// Records a transmission on a side. `last` tells that this side will not transmit it again.
    pub(crate) fn transmit(&mut self, side: Direction, last: bool) {
        self.retrying[side as usize] = !last;
        // It was kept after all.
        self.given_up.take_if(|why| *why == FailureReason::HostDown);
    }

    /// Records a transmission by the original sender.
    pub(crate) fn leave(&mut self, now: Instant, attempt: u16) {
        self.sent = self.sent.or(Some(now));
        self.attempts = self.attempts.max(attempt);
    }

    /// Records an arrival at the destination.
    pub(crate) fn arrive(&mut self, now: Instant) {
        self.delivered = self.delivered.or(Some(now));
        self.deliveries = self.deliveries.saturating_add(1);
    }

    /// Records that a side knows of its peer's reception. The message was sent at `origin`.
    pub(crate) fn acknowledge(&mut self, now: Instant, side: Direction, origin: Direction) {
        self.retrying[side as usize] = false;
        if side == origin {
            self.acknowledged = self.acknowledged.or(Some(now));
        }
    }

    /// Records that a side gave the message up.
    pub(crate) fn fail(&mut self, now: Instant, side: Direction, reason: FailureReason) {
        self.retrying[side as usize] = false;
        self.given_up = Some(reason);
        self.last_setback = now;
    }

    /// Records that the host at a side is off and has lost the message, unless it sends it later.
    pub(crate) fn forget(&mut self, now: Instant, side: Direction, origin: Direction) {
        let never_left = self.sent.is_none() && self.given_up.is_none();
        let was_held = self.retrying[side as usize]
            || side == origin && (never_left || self.is_in_no_packet());
        if self.delivered.is_none() && was_held {
            self.retrying[side as usize] = false;
            self.given_up.get_or_insert(FailureReason::HostDown);
            self.last_setback = now;
        }
    }

    /// Whether its transport has it and nothing has become of it: it waits for room.
    fn is_in_no_packet(&self) -> bool {
        self.copies_on_their_way == 0 && self.given_up.is_none() && self.last_loss.is_none()
    }

    /// Records that no host is left that could retransmit the message.
    pub(crate) fn give_up(&mut self, now: Instant) {
        self.retrying = [false; 2];
        self.given_up = Some(FailureReason::GaveUp);
        self.last_setback = now;
    }

    /// Records that a packet with bytes of the message is in flight.
    pub(crate) fn add_copy(&mut self) {
        self.copies_on_their_way += 1;
    }

    /// Records that a packet with bytes of the message is no longer in flight.
    pub(crate) fn remove_copy(&mut self) {
        self.copies_on_their_way = self.copies_on_their_way.saturating_sub(1);
    }

    /// Records that a packet with bytes of the message was dropped.
    pub(crate) fn drop_copy(&mut self, now: Instant, reason: DropReason) {
        self.last_loss = Some(Loss::Dropped(reason));
        self.last_setback = now;
    }

    /// Records that a packet with bytes of the message was discarded.
    pub(crate) fn discard_copy(&mut self, now: Instant, reason: DiscardReason) {
        self.last_loss = Some(Loss::Discarded(reason));
        self.last_setback = now;
    }

    /// Records payload bytes that enter the path. Returns how many enter it for the first time.
    pub(crate) fn add_first_copy(&mut self, copy: FirstCopy) -> u32 {
        let seen = &mut self.first_copies[copy.direction as usize];
        let new = copy.length.min(self.payload * copy.times - *seen);
        *seen += new;
        new
    }

    /// Returns the payload bytes that have entered the path, each once for each direction.
    pub(crate) fn first_sent(&self) -> u64 {
        self.first_copies.iter().copied().map(u64::from).sum()
    }

    /// Whether the message was delivered, is not retransmitted and has no copy in flight. Only repeated arrivals can
    /// follow.
    pub(crate) fn is_done(&self) -> bool {
        self.delivered.is_some() && self.copies_on_their_way == 0 && !self.retrying.contains(&true)
    }

    /// Whether the message has finished and had no event for a day.
    pub(crate) fn is_forlorn(&self, now: Instant) -> bool {
        let heard = Some(self.last_setback).max(self.sent).max(self.delivered);
        heard.is_some_and(|heard| heard + LONGEST_SILENCE <= now)
            && self.status() != MessageStatus::Unfinished
    }

    /// Returns when the message was delivered, or when it was lost for good. Returns `None` for an unfinished message.
    pub(crate) fn ended(&self) -> Option<Instant> {
        match self.status() {
            MessageStatus::Delivered => self.delivered,
            MessageStatus::Failed(_) => Some(self.last_setback),
            MessageStatus::Unfinished => None,
        }
    }

    /// Whether the message failed because of missing room or connection, and not because of a loss. The last
    /// transmission decides.
    pub(crate) fn was_turned_away(&self) -> bool {
        use FailureReason::{
            ConnectionLost, GaveUp, HostDown, Incomplete, NoAcknowledgement, NotConnected,
            QueueFull, Rejected, TooLarge,
        };

        let met_full_queue = matches!(
            self.last_loss,
            Some(Loss::Dropped(DropReason::QueueFull) | Loss::Discarded(DiscardReason::QueueFull))
        );
        self.delivered.is_none()
            && match self.given_up {
                Some(ConnectionLost | NotConnected | QueueFull) => true,
                Some(NoAcknowledgement) | None => met_full_queue,
                Some(TooLarge | Rejected | Incomplete | GaveUp | HostDown) => false,
            }
    }
}

impl MessageStatus {
    /// The name in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed(_) => "failed",
            Self::Unfinished => "unfinished",
        }
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Creates the record of a message of this size that was sent at once.
    pub(crate) fn record(
        bytes: u32,
        intended: Instant,
        delivered: Option<Instant>,
    ) -> MessageRecord {
        MessageRecord {
            intended,
            sent: Some(intended),
            delivered,
            acknowledged: None,
            attempts: 1,
            deliveries: u16::from(delivered.is_some()),
            number: 1,
            payload: bytes,
            first_copies: [bytes, 0],
            copies_on_their_way: 0,
            retrying: [false; 2],
            given_up: None,
            last_loss: None,
            last_setback: intended,
        }
    }
}
