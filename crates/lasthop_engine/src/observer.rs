use lasthop_contract::{
    Direction, DropReason, HostEvent, InterfaceId, Packet, PathId, Port, RadioCause, RadioState,
    Spans,
};
use lasthop_units::{Duration, Instant};

use crate::{HostId, LinkId};

/// Receives the events of a run.
///
/// Observing changes nothing, except that [`Observer::horizon`] can end the run.
pub trait Observer {
    /// A packet leaves a host by one of its interfaces and enters its path.
    fn transmitted(&mut self, now: Instant, host: HostId, interface: InterfaceId, packet: &Packet);

    /// A packet leaves its path and arrives at an interface of a host.
    fn received(&mut self, now: Instant, host: HostId, interface: InterfaceId, packet: &Packet);

    /// A link dropped a packet.
    fn dropped(&mut self, now: Instant, link: LinkId, packet: &Packet, reason: DropReason);

    /// A link duplicated a packet.
    fn duplicated(
        &mut self,
        now: Instant,
        number: u64,
        direction: Direction,
        path: PathId,
        spans: &Spans,
    );

    /// A host reports an event. `side` is up for a device and down for a server.
    fn host_event(&mut self, now: Instant, host: HostId, side: Direction, event: &HostEvent);

    /// Radio time of a port: the state from `from` on, for `duration`.
    fn radio_time(
        &mut self,
        _link: LinkId,
        _port: Port,
        _state: RadioState,
        _cause: RadioCause,
        _from: Instant,
        _duration: Duration,
    ) {
    }

    /// The loop was late by this much. Never called in virtual time.
    fn late(&mut self, _now: Instant, _by: Duration) {}

    /// Returns the instant after which no event matters. It may change, but not to an instant in the past.
    fn horizon(&self) -> Instant;
}
