/// How a broker sends QoS 1 and 2 messages to a client with unacknowledged ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sending {
    /// At once, up to the in-flight window, as mosquitto does.
    #[default]
    AtOnce,
    /// In batches: the broker queues messages until none is in flight, then sends them together, as HiveMQ does.
    InBatches,
}

impl Sending {
    /// Whether another message may be sent beside `in_flight` messages in a window of `window`.
    pub(super) fn is_open(self, in_flight: usize, window: u16) -> bool {
        match self {
            Self::AtOnce => in_flight < usize::from(window),
            Self::InBatches => in_flight == 0,
        }
    }
}
