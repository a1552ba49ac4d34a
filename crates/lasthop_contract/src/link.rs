use core::iter::Sum;

use lasthop_units::{Duration, Instant};

use crate::{Direction, Packet, PathId, RadioCause, RadioState, Spans};

/// A medium with two or more ports that carries packets between them.
///
/// A link is a machine too: a radio does not know at the offer when, or whether, a packet arrives.
/// After every [`handle`](Link::handle), call [`poll`](Link::poll) until it answers [`LinkOutput::WaitUntil`].
pub trait Link {
    /// Takes what happened at `now`.
    fn handle(&mut self, now: Instant, input: LinkInput);

    /// Gives the next thing to do.
    fn poll(&mut self, now: Instant) -> LinkOutput;

    /// Makes the next polls tell the radio time of every port up to `now`, as when the run ends there.
    ///
    /// `now` is not before the last instant that the link was told, nor after the one that it waits for.
    /// A link without radios has nothing to tell.
    fn tell_radio_time(&mut self, _now: Instant) {}

    /// What other traffic passed the link up to an instant, up and down: packets that it was not offered and does
    /// not deliver. `until` is not before the last instant that the link was told. Most links carry none.
    fn background(&mut self, _until: Instant) -> [BackgroundTraffic; 2] {
        Default::default()
    }
}

/// Traffic that loads a link beside what it is offered. Offered less dropped has passed or waits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackgroundTraffic {
    /// Packets that came.
    pub packets_offered: u64,
    /// Their bytes.
    pub bytes_offered: u64,
    /// Of the packets, those that found no room to wait.
    pub packets_dropped: u64,
    /// Their bytes.
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

/// Where something is attached to a link, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Port(pub u32);

/// What a link is told.
#[derive(Debug)]
pub enum LinkInput {
    /// A packet enters at a port.
    Offered {
        /// The port that it enters at.
        port: Port,
        /// The packet.
        packet: Packet,
    },
    /// Something is now at this port.
    Attach {
        /// The port.
        port: Port,
    },
    /// Nothing is at this port any more.
    Detach {
        /// The port.
        port: Port,
    },
    /// What is at this port is off for now, or elsewhere. It has not said so, and will be the same when it is back.
    SwitchedOff {
        /// The port.
        port: Port,
    },
    /// It is back, and remembers nothing.
    SwitchedOn {
        /// The port.
        port: Port,
    },
    /// An outage begins: until as many have ended, nobody offers anything. A medium that keeps to its times by itself
    /// goes on with what is in it.
    OutageBegins,
    /// An outage ends.
    OutageEnds,
    /// The deadline that the link waited for has come. It may also come early: check the time.
    Timeout,
}

/// What a link does.
#[derive(Debug)]
pub enum LinkOutput {
    /// A packet leaves at a port.
    Deliver {
        /// The port that it leaves at.
        port: Port,
        /// The packet.
        packet: Packet,
    },
    /// A packet ends here.
    Drop {
        /// The port that it entered at.
        port: Port,
        /// The packet.
        packet: Packet,
        /// Why.
        reason: DropReason,
    },
    /// The link made a second packet out of one.
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
    /// What the radio at a port did, told in hindsight. Energy follows from it.
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
    /// Nothing more before this instant; `None` sleeps until input arrives.
    WaitUntil(Option<Instant>),
}

/// Why a link ended a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DropReason {
    /// Lost at random or by list.
    Loss,
    /// The link was down.
    Outage,
    /// The queue before the bottleneck was full.
    QueueFull,
    /// Larger than the link's maximum transmission unit; packets are not fragmented.
    TooBig,
    /// The address translator knows no host behind this port.
    NoMapping,
    /// The address translator has no port left for another mapping.
    NoPort,
    /// The address translator could not read the packet.
    NotTranslatable,
    /// Nothing is attached where the packet would leave.
    NotAttached,
    /// Its device was taken away while it waited.
    Detached,
    /// Its device got no access to the radio network.
    AccessFailed,
    /// The radio link of its device failed.
    RadioLinkFailure,
    /// It waited longer than its device waits.
    GaveUp,
    /// A fault was aimed at a message in it, or had cut its connection.
    Fault,
    /// A firewall lets nobody speak its protocol.
    Blocked,
    /// The radio sent it as often as it sends a frame, and nobody acknowledged it.
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
