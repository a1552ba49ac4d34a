use lasthop_contract::{ConnectionId, LookupMap, MessageId, RandomStream, TimerQueue, Trigger};
use lasthop_units::{Duration, Instant};

use super::frame::FrameId;

/// The retransmission policy of `raw_udp`, the same as for confirmable CoAP messages (RFC 7252 sections 4.2, 4.8).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetransmissionPolicy {
    /// The minimum of the first acknowledgement timeout (`ACK_TIMEOUT`).
    pub timeout: Duration,
    /// The ratio of the maximum to the minimum of the first timeout (`ACK_RANDOM_FACTOR`), at least 1.
    pub random_factor: f64,
    /// The maximum number of retransmissions of a message (`MAX_RETRANSMIT`).
    pub max_retransmit: u16,
}

/// Messages that wait for their acknowledgement, and those that arrived already.
#[derive(Debug)]
pub(super) struct Reliability {
    policy: RetransmissionPolicy,
    stream: RandomStream,
    pending: LookupMap<Key, Pending>,
    timers: TimerQueue<Key>,
    seen: LookupMap<(ConnectionId, u8), SeenNumbers>,
}

pub(super) type Key = (ConnectionId, FrameId);

#[derive(Debug)]
pub(super) struct Pending {
    pub(super) id: MessageId,
    pub(super) payload: Box<[u8]>,
    pub(super) attempt: u16,
    timeout: Duration,
    deadline: Instant,
}

/// What becomes of a message whose wait is over.
pub(super) enum Due {
    SendAgain,
    /// The last copy has waited so long.
    GiveUp(MessageId, Duration),
}

/// The numbers that arrived on a channel of a connection. Numbers are dense from 1, so a bit each is enough.
#[derive(Debug, Default)]
struct SeenNumbers {
    bits: Vec<u64>,
}

impl Reliability {
    pub(super) fn new(policy: RetransmissionPolicy, stream: RandomStream) -> Self {
        Self {
            policy,
            stream,
            pending: LookupMap::new(),
            timers: TimerQueue::new(),
            seen: LookupMap::new(),
        }
    }

    /// Forgets all connections, and what waits.
    pub(super) fn forget(&mut self) {
        self.pending = LookupMap::new();
        self.timers = TimerQueue::new();
        self.seen = LookupMap::new();
    }

    /// Whether a message that leaves for the `attempt`-th time leaves for the last time.
    pub(super) fn is_last(&self, attempt: u16) -> bool {
        attempt > self.policy.max_retransmit
    }

    /// Waits for the acknowledgement of a message that leaves now.
    pub(super) fn expect(&mut self, now: Instant, key: Key, id: MessageId, payload: &[u8]) {
        let longest = self.policy.timeout.scaled(self.policy.random_factor);
        let timeout = self.stream.uniform(self.policy.timeout, longest);
        let deadline = now + timeout;
        let pending = Pending {
            id,
            payload: payload.into(),
            attempt: 1,
            timeout,
            deadline,
        };
        if let Some(before) = self.pending.insert(key, pending) {
            self.timers.disarm(before.deadline, key);
        }
        self.timers.arm(deadline, key);
    }

    /// Takes an acknowledgement; gives the message where it was waited for.
    pub(super) fn acknowledge(&mut self, key: Key) -> Option<MessageId> {
        let pending = self.pending.remove(&key)?;
        self.timers.disarm(pending.deadline, key);
        Some(pending.id)
    }

    /// The next message whose wait is over. Its wait is doubled, or it is given up.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<(Key, Due)> {
        let key = self.timers.pop_due(now)?;
        let pending = self
            .pending
            .get_mut(&key)
            .expect("a timer is armed only while its message waits");
        if pending.attempt > self.policy.max_retransmit {
            let (id, waited) = (pending.id, pending.timeout);
            self.pending.remove(&key);
            return Some((key, Due::GiveUp(id, waited)));
        }
        pending.attempt += 1;
        pending.timeout = pending.timeout * 2;
        pending.deadline = now + pending.timeout;
        self.timers.arm(pending.deadline, key);
        Some((key, Due::SendAgain))
    }

    /// How many messages are not acknowledged.
    pub(super) fn unacknowledged(&self) -> usize {
        self.pending.len()
    }

    pub(super) fn pending(&self, key: Key) -> Option<&Pending> {
        self.pending.get(&key)
    }

    /// Whether no other message waits for its acknowledgement.
    pub(super) fn is_alone(&self, key: Key) -> bool {
        self.pending.len() == usize::from(self.pending.contains(&key))
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.timers.next_deadline()
    }

    /// Notes that a number arrived; whether for the first time.
    pub(super) fn is_new(&mut self, (connection, id): Key) -> bool {
        self.seen
            .get_or_insert_with((connection, id.channel), SeenNumbers::default)
            .insert(id.number)
    }
}

impl Pending {
    /// What makes it leave again: the timeout that was doubled when it ran out.
    pub(super) fn trigger(&self) -> Option<Trigger> {
        let others = self.attempt.checked_sub(2)?;
        Some(Trigger::AcknowledgementTimeout {
            timeout: self.timeout.scaled(0.5).into(),
            backed_off: u8::try_from(others).unwrap_or(u8::MAX),
        })
    }
}

impl SeenNumbers {
    fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, number % 64);
        if self.bits.len() <= word {
            self.bits.resize(word + 1, 0);
        }
        let new = self.bits[word] & (1 << bit) == 0;
        self.bits[word] |= 1 << bit;
        new
    }
}
