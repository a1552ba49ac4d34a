use std::collections::VecDeque;

use lasthop_contract::{FailureReason, MessageEvent, MessageId};
use lasthop_units::{Duration, Instant};

use crate::config::{DdsConfig, Durability, Reliability};
use crate::provenance::Carried;
use crate::submessage::SampleName;
use crate::wire::Destination;

/// The messages that a writer holds, by sample number.
pub(crate) struct History {
    is_reliable: bool,
    keeps_for_late: bool,
    depth: usize,
    nack_suppression: Duration,
    /// The shortest time from when a sample left to when a reader spoke of it.
    round_trip: Option<Duration>,
    /// How many samples were written.
    written: i64,
    /// Up to which of them it is known whether they have left.
    looked_at: i64,
    held: VecDeque<Held>,
}

struct Held {
    number: i64,
    id: MessageId,
    length: usize,
    /// To each who reads it, in the order in which it first left.
    left: Vec<Left>,
    is_acknowledged: bool,
}

/// What has left to a reader.
struct Left {
    to: Destination,
    /// How often.
    attempts: u16,
    /// The highest fragment that has left in this attempt.
    fragment: u32,
    /// When that was.
    at: Instant,
    /// When each fragment left last, where that is asked for.
    last: Vec<Option<Instant>>,
}

impl Left {
    fn note(&mut self, now: Instant, fragment: u32) {
        let place = fragment.saturating_sub(1) as usize;
        if self.last.len() <= place {
            self.last.resize(place + 1, None);
        }
        self.last[place] = Some(now);
    }
}

impl History {
    pub(crate) fn new(config: &DdsConfig) -> Self {
        Self {
            is_reliable: config.reliability == Reliability::Reliable,
            keeps_for_late: config.durability == Durability::TransientLocal,
            depth: config.depth() as usize,
            nack_suppression: config.nack_suppression,
            round_trip: None,
            written: 0,
            looked_at: 0,
            held: VecDeque::new(),
        }
    }

    /// Whether no message was ever written.
    pub(crate) const fn is_new(&self) -> bool {
        self.written == 0
    }

    /// Records a written message as the next sample. Returns the event of a message that was evicted for it.
    pub(crate) fn add(&mut self, id: MessageId, length: usize) -> Option<MessageEvent> {
        self.written += 1;
        self.held.push_back(Held {
            number: self.written,
            id,
            length,
            left: Vec::new(),
            is_acknowledged: false,
        });
        if self.held.len() <= self.depth {
            return None;
        }
        let replaced = self.held.pop_front()?;
        let reason = match replaced.left.len() {
            0 if self.keeps_for_late || replaced.number > self.looked_at => {
                FailureReason::NotConnected
            }
            1.. if self.is_reliable && !replaced.is_acknowledged => {
                FailureReason::NoAcknowledgement
            }
            _ => return None,
        };
        let id = replaced.id;
        Some(MessageEvent::Failed { id, reason })
    }

    /// Whether a sample or fragment was sent to a reader so recently that a request for it is ignored. A request within
    /// one round trip cannot know whether the last transmission arrives.
    pub(crate) fn is_suppressed(
        &mut self,
        now: Instant,
        name: SampleName,
        to: Destination,
    ) -> bool {
        let round_trip = self.round_trip.filter(|_| name.is_part);
        let suppression = self
            .nack_suppression
            .max(round_trip.unwrap_or(Duration::ZERO));
        let left = self.held(name.number).map_or(&[][..], |held| &held.left);
        let left = left.iter().find(|left| left.to == to);
        let place = name.fragment.saturating_sub(1) as usize;
        let last = left.and_then(|left| *left.last.get(place)?);
        last.is_some_and(|last| now - last < suppression)
    }

    /// Records the transmission of a sample or fragment. Returns an event for the first datagram of an attempt.
    pub(crate) fn leaves(
        &mut self,
        now: Instant,
        name: SampleName,
        to: Destination,
    ) -> Option<(Carried, Option<MessageEvent>)> {
        let is_reliable = self.is_reliable;
        let is_timed = name.is_part || self.nack_suppression > Duration::ZERO;
        let held = self.held(name.number)?;
        let known = held.left.iter().position(|left| left.to == to);
        let place = known.unwrap_or_else(|| {
            held.left.push(Left {
                to,
                attempts: 0,
                fragment: 0,
                at: now,
                last: Vec::new(),
            });
            held.left.len() - 1
        });
        let left = &mut held.left[place];
        let begins = name.fragment <= left.fragment || left.attempts == 0;
        (left.fragment, left.at) = (name.fragment, now);
        if is_timed {
            left.note(now, name.fragment);
        }
        left.attempts = left.attempts.saturating_add(u16::from(begins));
        let carried = Carried {
            id: held.id,
            length: held.length,
            is_again: left.attempts > 1,
        };
        let event = begins.then_some(MessageEvent::Transmitted {
            id: held.id,
            attempt: left.attempts,
            last: !is_reliable,
            trigger: None,
        });
        Some((carried, event))
    }

    /// Returns events for messages written since the last call that had no reader.
    pub(crate) fn unheard(&mut self) -> impl Iterator<Item = MessageEvent> + '_ {
        let looked_at = core::mem::replace(&mut self.looked_at, self.written);
        let keeps_for_late = self.keeps_for_late;
        let new = self.held.iter();
        let new = new.skip_while(move |held| held.number <= looked_at);
        let unheard = new.filter(move |held| held.left.is_empty() && !keeps_for_late);
        unheard.map(|held| MessageEvent::Failed {
            id: held.id,
            reason: FailureReason::NotConnected,
        })
    }

    /// Records that a reader has acknowledged all samples below this number.
    pub(crate) fn acknowledge_below(
        &mut self,
        number: i64,
    ) -> impl Iterator<Item = MessageEvent> + '_ {
        let all = self.held.iter_mut();
        let new = all.filter(move |held| {
            held.number < number && !held.left.is_empty() && !held.is_acknowledged
        });
        new.map(|held| {
            held.is_acknowledged = true;
            MessageEvent::Acknowledged { id: held.id }
        })
    }

    /// Estimates the round-trip time when a reader knows of a sample. Retransmitted samples are not used, because it is
    /// ambiguous which copy arrived.
    pub(crate) fn hear_of(&mut self, now: Instant, number: i64) {
        let left = self.held(number).map_or(&[][..], |held| &held.left);
        if let [
            Left {
                attempts: 1, at, ..
            },
        ] = *left
        {
            let since = now - at;
            let least = self.round_trip.map_or(since, |least| least.min(since));
            self.round_trip = Some(least);
        }
    }

    fn held(&mut self, number: i64) -> Option<&mut Held> {
        let first = self.held.front()?.number;
        let place = usize::try_from(number.checked_sub(first)?).ok()?;
        self.held.get_mut(place)
    }
}
