use lasthop_contract::{Advance, Clock};
use lasthop_units::Instant;

/// Runs as fast as the machine allows: every deadline has come as soon as it is asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct VirtualClock;

impl Clock for VirtualClock {
    #[inline]
    fn advance_to(&mut self, _deadline: Instant) -> Advance {
        Advance::OnTime
    }
}
