use core::iter::Sum;

use lasthop_units::{Duration, Instant};

use crate::{Direction, Packet, PathId, RadioCause, RadioState, Spans};

/// A link with two or more ports that carries packets between them.
///
/// A link is a machine too: a radio does not know at the offer when, or whether, a packet arrives.
/// After every [`handle`](Link::handle), call [`poll`](Link::poll) until it answers [`LinkOutput::WaitUntil`].
pub trait Link {
    /// Processes an input that happened at `now`.
    fn handle(&mut self, now: Instant, input: LinkInput);

    /// Returns the next output of the link.
    fn poll(&mut self, now: Instant) -> LinkOutput;

    /// Makes the next polls report the radio time of every port up to `now`.
    ///
    /// Call it when the run ends.
    ///
    /// `now` is not before the last instant that the link was told, nor after the one that it waits for.
    /// A link without radios has nothing to tell.
    fn tell_radio_time(&mut self, _now: Instant) {}

    /// Returns the background traffic that passed the link up to `until`, as `[up, down]`.
    ///
    /// It is neither offered by hosts nor delivered to them. `until` must not be before the last input. Most links have
    /// none.
    fn background(&mut self, _until: Instant) -> [BackgroundTraffic; 2] {
        Default::default()
    }
}

/// Background traffic that loads a link.
///
/// Packets that were not dropped have passed or are queued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackgroundTraffic {
    /// The number of background packets offered to the link.
    pub packets_offered: u64,
    /// The bytes of the offered background packets.
    pub bytes_offered: u64,
    /// The number of background packets that were dropped because the queue was full.
    pub packets_dropped: u64,
    /// The bytes of the dropped background packets.
    pub bytes_dropped: u64,
}

impl Sum for BackgroundTraffic {
    fn sum<I: Iterator<Item = Self>>(traffic: I) -> Self {
        traffic.fold(Self::default(), |sum, one| Self {
            packets_offered: sum.packets_offered + one.packets_offered,
            bytes_offered: sum.bytes_offered + one.bytes_offered,
            packets_dropped: sum.packets_dropped + one.packets_dropped,
            bytes_dropped: sum.bytes_dropped + one.bytes_dropped,
        })
    }
}

/// The index of an attachment point of a link, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u32);

/// An input to a link.
#[derive(Debug)]
pub enum LinkInput {
    /// A packet enters at a port.
    Offered {
        /// The port that it enters at.
        port: Port,
        /// The packet.
        packet: Packet,
    },
    /// A device is attached to this port.
    Attach {
        /// The port.
        port: Port,
    },
    /// The device at this port is removed.
    Detach {
        /// The port.
        port: Port,
    },
    /// The device at this port is switched off or out of reach, without notice to the link.
    ///
    /// It is the same device when it returns.
    SwitchedOff {
        /// The port.
        port: Port,
    },
    /// The device at this port is back. It has lost its state.
    SwitchedOn {
        /// The port.
        port: Port,
    },
    /// An outage begins.
    ///
    /// Until as many outages have ended, hosts offer no packets. A scheduled link continues with the packets that it
    /// holds.
    OutageBegins,
    /// An outage ends.
    OutageEnds,
    /// The requested deadline has passed.
    ///
    /// It can also come early, so check the time.
    Timeout,
}

/// An output of a link.
#[derive(Debug)]
pub enum LinkOutput {
    /// Deliver a packet at a port.
    Deliver {
        /// The port that it leaves at.
        port: Port,
        /// The packet.
        packet: Packet,
    },
    /// Drop a packet.
    Drop {
        /// The port that it entered at.
        port: Port,
        /// The packet.
        packet: Packet,
        /// Why.
        reason: DropReason,
    },
    /// The link duplicated a packet.
    Duplicated {
        /// The port that the original entered at.
        port: Port,
        /// The number of the original, which the copy shares.
        number: u64,
        /// Which way both go.
        direction: Direction,
        /// On which path.
        path: PathId,
        /// The provenance of the copy's bytes.
        spans: Spans,
    },
    /// The radio time of a port, reported afterwards. The energy is computed from it.
    ///
    /// The spans of a port are laid end to end, from when it was attached until it is detached: they add up to
    /// the time in between. What repeats, such as the paging occasions of a night, may be told as one span of
    /// each kind.
    RadioTime {
        /// The port.
        port: Port,
        /// What the radio was doing.
        state: RadioState,
        /// What for.
        cause: RadioCause,
        /// Since when: where the span before it ended.
        from: Instant,
        /// How long. The span does not end after now.
        duration: Duration,
    },
    /// There is nothing to do before this instant. `None` waits for input.
    WaitUntil(Option<Instant>),
}

/// Why a link ended a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// The packet was lost at random or by list.
    Loss,
    /// The link was down.
    Outage,
    /// The queue before the bottleneck was full.
    QueueFull,
    /// The packet exceeds the link's MTU. Links do not fragment packets.
    TooBig,
    /// The NAT has no mapping for this port.
    NoMapping,
    /// The NAT has no free port for a new mapping.
    NoPort,
    /// The address translator could not read the packet.
    NotTranslatable,
    /// No device is attached at the destination port.
    NotAttached,
    /// The device was detached while the packet was queued.
    Detached,
    /// The device got no access to the radio network.
    AccessFailed,
    /// The radio link of the packet's device failed.
    RadioLinkFailure,
    /// The packet waited longer than the device's limit.
    GaveUp,
    /// A fault was aimed at a message in the packet, or had cut its connection.
    Fault,
    /// A firewall blocks the packet's protocol.
    Blocked,
    /// The radio reached its retry limit without an acknowledgement.
    RetryLimit,
}

impl DropReason {
    /// Every reason, in order.
    pub const ALL: [Self; 15] = [
        Self::Loss,
        Self::Outage,
        Self::QueueFull,
        Self::TooBig,
        Self::NoMapping,
        Self::NoPort,
        Self::NotTranslatable,
        Self::NotAttached,
        Self::Detached,
        Self::AccessFailed,
        Self::RadioLinkFailure,
        Self::GaveUp,
        Self::Fault,
        Self::Blocked,
        Self::RetryLimit,
    ];

    /// The name in result tables and captures.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Outage => "outage",
            Self::QueueFull => "queue_full",
            Self::TooBig => "too_big",
            Self::NoMapping => "nat_no_mapping",
            Self::NoPort => "nat_no_port",
            Self::NotTranslatable => "nat_not_translatable",
            Self::NotAttached => "not_attached",
            Self::Detached => "detached",
            Self::AccessFailed => "access_failed",
            Self::RadioLinkFailure => "radio_link_failure",
            Self::GaveUp => "gave_up",
            Self::Fault => "fault",
            Self::Blocked => "blocked",
            Self::RetryLimit => "retry_limit",
        }
    }
}
