use lasthop_contract::{
    DeviceEvent, Direction, DropReason, FlowId, HostEvent, InterfaceId, LookupMap, Packet, PathId,
    Port, RadioCause, RadioState, Spans,
};
use lasthop_engine::{HostId, LinkId, Observer};
use lasthop_measure::Meter;
use lasthop_units::{Duration, Instant};

use crate::population::Population;

/// Watches a run: the meter, and who is there of devices that come and go.
#[derive(Debug)]
pub(crate) struct Watch {
    pub(crate) meter: Meter,
    pub(crate) population: Option<Box<Population>>,
    /// When the next thing happens that no machine brings about; far in the future where none will.
    pub(crate) next_step: Instant,
    /// What devices forget that may crash by themselves, by host.
    pub(crate) forgets: LookupMap<HostId, Box<[(FlowId, Direction)]>>,
}

impl Observer for Watch {
    fn transmitted(&mut self, now: Instant, host: HostId, interface: InterfaceId, packet: &Packet) {
        self.meter.transmitted(now, host, interface, packet);
    }

    fn received(&mut self, now: Instant, host: HostId, interface: InterfaceId, packet: &Packet) {
        self.meter.received(now, host, interface, packet);
    }

    fn dropped(&mut self, now: Instant, link: LinkId, packet: &Packet, reason: DropReason) {
        self.meter.dropped(now, link, packet, reason);
    }

    fn duplicated(
        &mut self,
        now: Instant,
        number: u64,
        direction: Direction,
        path: PathId,
        spans: &Spans,
    ) {
        self.meter.duplicated(now, number, direction, path, spans);
    }

    fn host_event(&mut self, now: Instant, host: HostId, side: Direction, event: &HostEvent) {
        self.meter.host_event(now, host, side, event);
        if let HostEvent::Device(DeviceEvent::Crashed(_)) = event {
            for &(flow, side) in self.forgets.get(&host).into_iter().flatten() {
                self.meter.forget(now, flow, side);
            }
        }
        if let (Some(population), HostEvent::Message(event)) = (&mut self.population, event) {
            population.note(now, side, event);
        }
    }

    fn radio_time(
        &mut self,
        link: LinkId,
        port: Port,
        state: RadioState,
        cause: RadioCause,
        from: Instant,
        duration: Duration,
    ) {
        self.meter
            .radio_time(link, port, state, cause, from, duration);
    }

    fn late(&mut self, now: Instant, by: Duration) {
        self.meter.late(now, by);
    }

    /// Returns the horizon: the loop returns at every change.
    fn horizon(&self) -> Instant {
        let horizon = self.meter.horizon().min(self.next_step);
        let change = self.population.as_ref().and_then(|it| it.next_change());
        change.map_or(horizon, |(at, _)| at.min(horizon))
    }
}
