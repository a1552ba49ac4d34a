use lasthop_contract::{Advance, Clock};
use lasthop_units::Instant;

/// A clock that runs as fast as the machine allows. Each deadline has passed as soon as it is requested.
#[derive(Clone, Copy, Debug, Default)]
pub struct VirtualClock;

impl Clock for VirtualClock {
    #[inline]
    fn advance_to(&mut self, _deadline: Instant) -> Advance {
        Advance::OnTime
    }
}
