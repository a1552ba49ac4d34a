use std::collections::VecDeque;

use lasthop_contract::{Direction, LookupMap};
use lasthop_units::{Duration, Instant};

use crate::conversation::ConversationId;

/// What was seen within the last minutes, by name.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    seen: LookupMap<Name, u64>,
    order: VecDeque<(Instant, Name)>,
}

/// Who sent something, and what its sender calls it.
pub(crate) type Name = (ConversationId, Direction, [u64; 4]);

/// EXCHANGE_LIFETIME of CoAP (RFC 7252 section 4.8.2).
const LIFETIME: Duration = Duration::from_secs(247);
const MOST: usize = 1 << 20;

impl Recent {
    /// Notes something, and says whether it was seen before under its name.
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

/// A digest of bytes (FNV-1a): two that differ are hardly one.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
