/// How a broker sends QoS 1 and 2 messages to a client with unacknowledged ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sending {
    /// It sends on, up to its window, as mosquitto does.
    #[default]
    AtOnce,
    /// It holds them until nothing is in flight, and sends them together, as HiveMQ does.
    InBatches,
}

impl Sending {
    /// Whether more may be sent beside so many that are in flight, in a window of so many.
    pub(super) fn is_open(self, in_flight: usize, window: u16) -> bool {
        match self {
            Self::AtOnce => in_flight < usize::from(window),
            Self::InBatches => in_flight == 0,
        }
    }
}
