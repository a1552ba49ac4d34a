use lasthop_units::Duration;

/// The settings of participants, as far as `dust_dds` exposes them. All participants of a stack share one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DdsConfig {
    /// The transport of RTPS messages.
    pub carrier: Carrier,
    /// Whether lost samples are retransmitted.
    pub reliability: Reliability,
    /// What late-joining readers receive.
    pub durability: Durability,
    /// The number of samples of a device that a writer holds. A volatile writer over TCP holds at least 1,000.
    ///
    /// A reliable writer with a full history waits for the oldest acknowledgement.
    pub history_depth: u32,
    /// The maximum wait for a full history, after which the sample is given up.
    pub max_blocking_time: Duration,
    /// The time for which a sample or fragment is not retransmitted again to the same reader
    /// (`nackSuppressionDuration`, DDSI-RTPS 2.5 §8.4.7.1).
    pub nack_suppression: Duration,
    /// The delay before a writer answers a request (`nackResponseDelay`, DDSI-RTPS 2.5 §8.4.7.1).
    pub nack_response_delay: Duration,
    /// The delay before a reader answers a heartbeat (`heartbeatResponseDelay`, DDSI-RTPS 2.5 §8.4.10.1).
    pub heartbeat_response_delay: Duration,
    /// The interval between two announcements of a participant.
    pub announcement_interval: Duration,
    /// The maximum bytes of a sample in one datagram.
    pub fragment_size: usize,
    /// Whether endpoints are announced with the descriptions of their types (DDS-XTypes §7.6.3).
    pub has_type_information: bool,
}

/// The transport of RTPS messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// Datagrams between ports of hosts (DDSI-RTPS 2.5 §9.6).
    Udp,
    /// Frames on TCP connections, which devices open to their server ([`RtpsTcp`](crate::RtpsTcp)).
    Tcp,
}

/// The reliability of readers and writers (DDS 1.4 §2.2.3.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reliability {
    /// Lost samples are not retransmitted.
    BestEffort,
    /// Lost samples are retransmitted, in order.
    Reliable,
}

/// The durability of samples (DDS 1.4 §2.2.3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// A reader receives only samples that are written after its discovery.
    Volatile,
    /// A late-joining reader also receives the samples that its writers still hold.
    TransientLocal,
}

/// The fewest samples that a volatile writer holds over TCP.
///
/// `dust_dds` waits where the oldest sample of a full history is not acknowledged. Fast DDS and OpenDDS replace that
/// sample, which TCP already has, so that a stall of TCP costs no message. A larger history has the same effect.
const FEWEST_OVER_TCP: u32 = 1000;

impl DdsConfig {
    /// Returns the number of samples of a device that a writer holds.
    pub(crate) fn depth(&self) -> u32 {
        match (self.carrier, self.durability) {
            (Carrier::Tcp, Durability::Volatile) => self.history_depth.max(FEWEST_OVER_TCP),
            // A late reader gets what is held.
            _ => self.history_depth,
        }
    }
}

impl Default for DdsConfig {
    fn default() -> Self {
        Self {
            carrier: Carrier::Udp,
            reliability: Reliability::Reliable,
            durability: Durability::Volatile,
            history_depth: 10,
            max_blocking_time: Duration::from_millis(100),
            nack_suppression: Duration::ZERO,
            nack_response_delay: Duration::ZERO,
            heartbeat_response_delay: Duration::ZERO,
            announcement_interval: Duration::from_secs(5),
            fragment_size: 1344,
            has_type_information: true,
        }
    }
}
