use std::collections::VecDeque;

use lasthop_contract::{Direction, LookupMap};
use lasthop_units::{Duration, Instant};

use crate::conversation::ConversationId;

/// A set of names seen within the last minutes.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    seen: LookupMap<Name, u64>,
    order: VecDeque<(Instant, Name)>,
}

/// The sender of an item and the sender's identifier for it.
pub(crate) type Name = (ConversationId, Direction, [u64; 4]);

/// EXCHANGE_LIFETIME of CoAP (RFC 7252 section 4.8.2).
const LIFETIME: Duration = Duration::from_secs(247);
const MOST: usize = 1 << 20;

impl Recent {
    /// Records an item. Returns whether it was seen before under its name.
    pub(crate) fn note(&mut self, now: Instant, name: Name, content: u64) -> bool {
        while let Some(&(since, old)) = self.order.front() {
            let is_old = now.as_nanos() >= since.as_nanos() + LIFETIME.as_nanos();
            if !is_old && self.order.len() < MOST {
                break;
            }
            self.order.pop_front();
            self.seen.remove(&old);
        }
        if self.seen.get(&name) == Some(&content) {
            return true;
        }
        if self.seen.insert(name, content).is_none() {
            self.order.push_back((now, name));
        }
        false
    }
}

/// Returns the FNV-1a hash of bytes.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
