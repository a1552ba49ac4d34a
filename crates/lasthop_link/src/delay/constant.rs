use lasthop_units::Duration;

/// The same delay for every packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// The delay.
    pub delay: Duration,
}
