use core::net::IpAddr;

use lasthop_units::Instant;

use crate::{DeviceEvent, DiscardReason, MessageEvent, MessageId, Packet, Survives};

/// A machine with addresses: packets in and out, and events about its messages.
///
/// After every [`handle`](Host::handle), call [`poll`](Host::poll) until it answers
/// [`HostOutput::WaitUntil`]; that deadline replaces the previous one.
pub trait Host {
    /// Takes what happened at `now`.
    fn handle(&mut self, now: Instant, input: HostInput);

    /// Gives the next thing to do.
    fn poll(&mut self, now: Instant) -> HostOutput;
}

/// Which of its network interfaces a host means, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceId(pub u32);

/// What a host is told.
#[derive(Debug)]
pub enum HostInput {
    /// It is switched on: at the beginning of the run, and again after [`HostInput::Stop`] or [`HostInput::Crash`].
    Start,
    /// The services and clients of the host are shut down: they say good-bye and close, for which they may take their
    /// time, and write down what they would have in memory. The network of the host goes on.
    Stop,
    /// The power fails: nothing more is sent or heard, and all is forgotten but what is named.
    Crash(Survives),
    /// A packet arrived.
    Received {
        /// The interface that it arrived at.
        interface: InterfaceId,
        /// The packet.
        packet: Packet,
    },
    /// The interface has a new address; the old one no longer works. No program of the host is told.
    AddressChanged {
        /// The interface.
        interface: InterfaceId,
        /// Its new address.
        address: IpAddr,
    },
    /// The operating system reports the last change of an address to the programs of the host.
    AddressNoticed,
    /// How large packets by an interface may be, where that is not as on Ethernet.
    InterfaceMtu {
        /// The interface.
        interface: InterfaceId,
        /// How large.
        mtu: Mtu,
    },
    /// Packets to this address leave by this interface from now on.
    RouteChanged {
        /// Where they go.
        destination: IpAddr,
        /// The interface.
        interface: InterfaceId,
    },
    /// The deadline that the host waited for has come. It may also come early: check the time.
    Timeout,
}

/// How large packets may be, in bytes from the IP header on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mtu {
    /// Those that an interface takes.
    pub interface_bytes: u16,
    /// Those that all hops of the path behind it take, as they say by ICMP (RFC 1191, RFC 8201).
    pub path_bytes: u16,
}

/// What a host wants.
#[derive(Debug)]
pub enum HostOutput {
    /// Send this packet.
    Transmit {
        /// The interface to send it from.
        interface: InterfaceId,
        /// The packet.
        packet: Packet,
    },
    /// Record that this packet is not sent.
    Discard {
        /// The interface that it would have left by.
        interface: InterfaceId,
        /// The packet.
        packet: Packet,
        /// Why.
        reason: DiscardReason,
    },
    /// Something worth recording.
    Event(HostEvent),
    /// Nothing more before this instant; `None` sleeps until input arrives.
    WaitUntil(Option<Instant>),
}

/// What a host reports.
#[derive(Debug)]
pub enum HostEvent {
    /// About a message, now.
    Message(MessageEvent),
    /// About a message, at an instant of its own: of hosts that work on many things in one go.
    MessageAt(Instant, MessageEvent),
    /// A packet with bytes of these messages has come and waits for the host's processor.
    Waiting(Box<[MessageId]>),
    /// What came of a packet that waited is done.
    Served(Box<[MessageId]>),
    /// A packet arrived and was of no use, or found no room to leave.
    Discarded {
        /// The packet.
        packet: Packet,
        /// Why.
        reason: DiscardReason,
    },
    /// A peer that was at rest gave way to another one, for want of room.
    Evicted,
    /// A device has come to the end of what it has little of.
    Device(DeviceEvent),
}
