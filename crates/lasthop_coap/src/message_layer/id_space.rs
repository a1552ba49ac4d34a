use lasthop_units::{Duration, Instant};

/// The message IDs for one peer, in ascending order.
///
/// A number means one message for `EXCHANGE_LIFETIME` (RFC 7252 section 4.4). Numbers are kept in ranges: one whose last
/// number was used less than that ago cannot be entered again.
#[derive(Clone, Debug)]
pub(super) struct IdSpace {
    next: u16,
    /// Whether any message ID was used.
    pub(super) is_used: bool,
    /// Whether a timer is armed for the instant when the next message ID can be reused.
    pub(super) is_awaited: bool,
    /// When each range may be used again; there once a range has been used up.
    free_from: Option<Box<[Instant; RANGES]>>,
}

const RANGES: usize = 16;
const RANGE_LENGTH: u16 = ((1_u32 << 16) / RANGES as u32) as u16;

impl IdSpace {
    pub(super) const fn starting_with(first: u16) -> Self {
        Self {
            next: first,
            is_used: false,
            is_awaited: false,
            free_from: None,
        }
    }

    /// Returns when the next message ID can be reused, or `None` if it can be used now.
    pub(super) fn blocked_until(&self, now: Instant) -> Option<Instant> {
        if !self.next.is_multiple_of(RANGE_LENGTH) {
            return None;
        }
        let free_from = self.free_from.as_ref()?[range_of(self.next)];
        (free_from > now).then_some(free_from)
    }

    /// Takes the next message ID.
    pub(super) fn take(&mut self, now: Instant, lifetime: Duration) -> u16 {
        let id = self.next;
        self.is_used = true;
        self.next = id.wrapping_add(1);
        if self.next.is_multiple_of(RANGE_LENGTH) {
            let free_from = self
                .free_from
                .get_or_insert_with(|| Box::new([Instant::ZERO; RANGES]));
            free_from[range_of(id)] = now + lifetime;
        }
        id
    }
}

const fn range_of(id: u16) -> usize {
    (id / RANGE_LENGTH) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_used_twice_within_its_lifetime() {
        let lifetime = Duration::from_secs(247);
        let mut ids = IdSpace::starting_with(60_000);
        let mut used = vec![None; 1 << 16];
        let mut now = Instant::ZERO;
        let mut waits = 0;
        for _ in 0..300_000 {
            if let Some(free) = ids.blocked_until(now) {
                assert!(free > now);
                now = free;
                waits += 1;
            }
            let id = usize::from(ids.take(now, lifetime));
            assert!(used[id].is_none_or(|at| at + lifetime <= now), "{id}");
            used[id] = Some(now);
            now += Duration::from_millis(1);
        }
        assert!(waits > 0, "1000 messages a second are too many");
    }
}
