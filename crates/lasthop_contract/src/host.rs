use core::net::IpAddr;

use lasthop_units::Instant;

use crate::{DeviceEvent, DiscardReason, MessageEvent, MessageId, Packet, Survives};

/// A network host with addresses. It receives and sends packets and reports events about its messages.
///
/// After every [`handle`](Host::handle), call [`poll`](Host::poll) until it answers
/// [`HostOutput::WaitUntil`]; that deadline replaces the previous one.
pub trait Host {
    /// Processes an input that happened at `now`.
    fn handle(&mut self, now: Instant, input: HostInput);

    /// Returns the next output of the host.
    fn poll(&mut self, now: Instant) -> HostOutput;
}

/// The index of a network interface of a host, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterfaceId(pub u32);

/// An input to a host.
#[derive(Debug)]
pub enum HostInput {
    /// The host starts: at the beginning of the run, or after [`HostInput::Stop`] or [`HostInput::Crash`].
    Start,
    /// The services and clients of the host shut down.
    ///
    /// They end their sessions and close, which can take time, and save their state. The network of the host stays up.
    Stop,
    /// The power fails.
    ///
    /// The host sends and receives nothing more and loses all state except what is named.
    Crash(Survives),
    /// A packet arrived.
    Received {
        /// The interface that it arrived at.
        interface: InterfaceId,
        /// The packet.
        packet: Packet,
    },
    /// An interface has a new address and the old one no longer works. The programs of the host are not notified.
    AddressChanged {
        /// The interface.
        interface: InterfaceId,
        /// Its new address.
        address: IpAddr,
    },
    /// The operating system reports the last change of an address to the programs of the host.
    AddressNoticed,
    /// The maximum packet size of an interface, if it differs from Ethernet's.
    InterfaceMtu {
        /// The interface.
        interface: InterfaceId,
        /// How large.
        mtu: Mtu,
    },
    /// From now on, packets to this address leave by this interface.
    RouteChanged {
        /// Where they go.
        destination: IpAddr,
        /// The interface.
        interface: InterfaceId,
    },
    /// The requested deadline has passed.
    ///
    /// It can also come early, so check the time.
    Timeout,
}

/// The maximum packet size in bytes, counted from the IP header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mtu {
    /// The limit of the interface.
    pub interface_bytes: u16,
    /// The limit of all hops of the path, as reported by ICMP (RFC 1191, RFC 8201).
    pub path_bytes: u16,
}

/// An output of a host.
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
    /// An event to record.
    Event(HostEvent),
    /// Nothing to do before this instant. `None` waits for input.
    WaitUntil(Option<Instant>),
}

/// An event that a host reports.
#[derive(Debug)]
pub enum HostEvent {
    /// An event of a message at the current instant.
    Message(MessageEvent),
    /// An event of a message at another instant, from hosts that process several inputs in one step.
    MessageAt(Instant, MessageEvent),
    /// A packet with bytes of these messages has arrived and waits for the host's processor.
    Waiting(Box<[MessageId]>),
    /// The processing of a waiting packet is complete.
    Served(Box<[MessageId]>),
    /// An arriving packet was discarded, or a packet to send found a full queue.
    Discarded {
        /// The packet.
        packet: Packet,
        /// Why.
        reason: DiscardReason,
    },
    /// An idle peer was evicted to make room for another one.
    Evicted,
    /// A resource of the device is exhausted.
    Device(DeviceEvent),
}
