//! A field gateway: messages received on one side of a host are forwarded on the other side, one by one or in bundles.
//!
//! An [`Inlet`] stands on each protocol that devices speak with it, an [`Outlet`] on the client of its server. Between them
//! is a [`Gateway`], which both share.

mod bundle;
mod inlet;
mod outlet;

pub use inlet::Inlet;
pub use outlet::Outlet;

use core::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use lasthop_contract::{MessageId, WakeFlag};
use lasthop_units::{Duration, Instant};

/// The queue of messages that a gateway has to forward. Clones share the queue.
#[derive(Clone, Debug)]
pub struct Gateway {
    held: Rc<RefCell<Held>>,
    wake: WakeFlag,
}

/// How a gateway forwards messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassingOn {
    /// The number of messages in one upstream message.
    pub batch: u32,
    /// The maximum time that the first message of a batch waits for the others.
    pub wait: Duration,
    /// The maximum number of queued messages, including those that the upstream client is still sending.
    pub room: u32,
}

#[derive(Debug)]
struct Held {
    passing_on: PassingOn,
    /// In the order in which they came, with the moment.
    waiting: VecDeque<(Instant, Message)>,
    /// Bytes of them.
    bytes: usize,
    /// How many messages the client has.
    handed_over: u32,
}

/// A message with its payload.
#[derive(Debug)]
struct Message {
    id: MessageId,
    payload: Vec<u8>,
}

/// A bundle goes before it is larger: the largest datagram carries no more.
const MOST_BYTES: usize = 60_000;

impl Gateway {
    /// Creates an empty gateway. `wake` is the flag that wakes its host.
    #[must_use]
    pub fn new(passing_on: PassingOn, wake: WakeFlag) -> Self {
        let held = Held {
            passing_on,
            waiting: VecDeque::new(),
            bytes: 0,
            handed_over: 0,
        };
        Self {
            held: Rc::new(RefCell::new(held)),
            wake,
        }
    }

    /// Takes a message that has come, if there is room.
    fn take(&self, now: Instant, id: MessageId, payload: &[u8]) -> bool {
        let mut held = self.held.borrow_mut();
        let has_room = held.waiting.len() as u64 + u64::from(held.handed_over)
            < u64::from(held.passing_on.room);
        if has_room {
            let payload = payload.to_vec();
            held.bytes += bundle::length(&payload);
            held.waiting.push_back((now, Message { id, payload }));
            self.wake.raise();
        }
        has_room
    }

    /// The messages that go on now, in one.
    fn next(&self, now: Instant) -> Option<Vec<Message>> {
        let mut held = self.held.borrow_mut();
        if held.next_due()? > now {
            return None;
        }
        let most = held.passing_on.batch as usize;
        let mut together = Vec::new();
        let mut bytes = 0;
        while together.len() < most
            && let Some((_, first)) = held.waiting.front()
        {
            let length = bundle::length(&first.payload);
            if bytes + length > MOST_BYTES && !together.is_empty() {
                break;
            }
            bytes += length;
            together.extend(held.waiting.pop_front().map(|(_, message)| message));
        }
        held.bytes -= bytes;
        held.handed_over += together.len() as u32;
        Some(together)
    }

    /// When the next ones go on, as it is now.
    fn next_due(&self) -> Option<Instant> {
        self.held.borrow().next_due()
    }

    /// The client has got rid of so many.
    fn let_go(&self, messages: u32) {
        let mut held = self.held.borrow_mut();
        held.handed_over = held.handed_over.saturating_sub(messages);
    }

    /// All is lost that is only in memory.
    fn forget(&self) {
        let mut held = self.held.borrow_mut();
        held.waiting.clear();
        held.bytes = 0;
    }
}

impl Held {
    fn next_due(&self) -> Option<Instant> {
        let (came, _) = self.waiting.front()?;
        let is_full =
            self.waiting.len() >= self.passing_on.batch as usize || self.bytes >= MOST_BYTES;
        Some(if is_full {
            Instant::ZERO
        } else {
            *came + self.passing_on.wait
        })
    }
}
