use lasthop_units::{Energy, Power};

/// What a device draws from its battery beside its radio: sensor, processor, display.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Load {
    /// At all times.
    pub constant: Power,
    /// For each message that it sends or receives.
    pub per_message: Energy,
}
