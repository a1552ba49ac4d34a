use std::collections::VecDeque;

use lasthop_contract::{
    Direction, DropReason, FlowId, HostEvent, InterfaceId, MessageEvent, Packet, Port, RadioCause,
    RadioState, RandomStream, Spans,
};
use lasthop_engine::{HostId, LinkId, Observer};
use lasthop_measure::Meter;
use lasthop_traffic::{Arrivals, Schedule};
use lasthop_units::{Duration, Instant};

/// Who is there of devices that come and go, and who comes or goes next. It watches the run beside the meter, since
/// a device goes because its message is delivered.
///
/// Only the next arrival is drawn. Devices are numbered as they come, and each stays for a while at most: those that
/// are there lie between the oldest and the newest, and times of leaving of either kind come in the order in which
/// they were set.
#[derive(Debug)]
pub(crate) struct Visits {
    pub(crate) meter: Meter,
    arrivals: Schedule,
    stay: Stay,
    /// From the visitor with the number `first` on; `None` has gone.
    visitors: VecDeque<Option<Visitor>>,
    first: u32,
    /// Whose message has ended, and when they go.
    leaving: VecDeque<(Instant, FlowId)>,
    /// When the others go at the latest; the first of them is there and does not leave.
    giving_up: VecDeque<(Instant, FlowId)>,
}

/// How long devices stay.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stay {
    /// After the message has ended.
    pub(crate) linger: Duration,
    /// At most.
    pub(crate) give_up: Duration,
    /// Whether a message has not ended before its sender knows that it is there.
    pub(crate) until_acknowledged: bool,
}

/// A device that is there, and its server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visitor {
    pub(crate) device: HostId,
    pub(crate) server: HostId,
    is_delivered: bool,
    is_acknowledged: bool,
    leaves: bool,
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A device comes.
    Arrival,
    /// A device goes because it has nothing to do any more.
    Departure(FlowId),
    /// A device goes although its message is not there.
    GivingUp(FlowId),
}

impl Visits {
    /// Nobody is there; on average one comes after each gap, until the end.
    pub(crate) fn new(
        meter: Meter,
        mean_gap: Duration,
        end: Instant,
        stay: Stay,
        stream: RandomStream,
    ) -> Self {
        let arrivals = Arrivals::Poisson { mean: mean_gap };
        Self {
            meter,
            arrivals: Schedule::new(arrivals, 1, Instant::ZERO, end, stream),
            stay,
            visitors: VecDeque::new(),
            first: 0,
            leaving: VecDeque::new(),
            giving_up: VecDeque::new(),
        }
    }

    /// What happens next, and when. Who goes makes room for who comes.
    pub(crate) fn next_change(&self) -> Option<(Instant, Change)> {
        let departure = self
            .leaving
            .front()
            .map(|(at, flow)| (*at, Change::Departure(*flow)));
        let giving_up = self
            .giving_up
            .front()
            .map(|(at, flow)| (*at, Change::GivingUp(*flow)));
        let arrival = self.arrivals.next_due().map(|at| (at, Change::Arrival));
        let changes = [departure, giving_up, arrival];
        changes.into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    /// The number of the device that comes next.
    pub(crate) fn next_flow(&self) -> FlowId {
        FlowId(self.first + self.visitors.len() as u32)
    }

    /// Lets the next device in.
    pub(crate) fn admit(&mut self, now: Instant, device: HostId, server: HostId) {
        self.arrivals.advance();
        let gives_up = now + self.stay.give_up;
        self.meter.admit(self.next_flow(), device, server);
        self.giving_up.push_back((gives_up, self.next_flow()));
        self.visitors.push_back(Some(Visitor {
            device,
            server,
            is_delivered: false,
            is_acknowledged: false,
            leaves: false,
        }));
    }

    /// Lets a device out.
    pub(crate) fn dismiss(&mut self, flow: FlowId) -> Option<Visitor> {
        self.leaving.pop_front_if(|(_, next)| *next == flow);
        let place = flow.0.checked_sub(self.first)?;
        let gone = self.visitors.get_mut(place as usize)?.take();
        self.forget_those_who_leave();
        while self.visitors.pop_front_if(|it| it.is_none()).is_some() {
            self.first += 1;
        }
        gone
    }

    /// How many are there.
    #[cfg(test)]
    pub(crate) fn present(&self) -> usize {
        self.visitors.iter().flatten().count()
    }

    fn visitor(&self, flow: FlowId) -> Option<&Visitor> {
        let place = flow.0.checked_sub(self.first)?;
        self.visitors.get(place as usize)?.as_ref()
    }

    /// Notes what is said of a message; when it has ended, its device leaves.
    fn note(&mut self, now: Instant, side: Direction, event: &MessageEvent) {
        let Some(id) = event.message() else { return };
        let place = id.flow.0.checked_sub(self.first);
        let visitor = place.and_then(|place| self.visitors.get_mut(place as usize)?.as_mut());
        let Some(visitor) = visitor else { return };
        let ends = match event {
            MessageEvent::Delivered { .. } => {
                visitor.is_delivered = true;
                visitor.is_acknowledged || !self.stay.until_acknowledged
            }
            MessageEvent::Acknowledged { .. } if side == Direction::Up => {
                visitor.is_acknowledged = true;
                visitor.is_delivered
            }
            MessageEvent::Failed { .. } => side == Direction::Up,
            _ => false,
        };
        if ends && !visitor.leaves {
            visitor.leaves = true;
            self.leaving.push_back((now + self.stay.linger, id.flow));
            self.forget_those_who_leave();
        }
    }

    /// Keeps the first that may give up one that will, if nothing happens before.
    fn forget_those_who_leave(&mut self) {
        while let Some((_, flow)) = self.giving_up.front()
            && self.visitor(*flow).is_none_or(|visitor| visitor.leaves)
        {
            self.giving_up.pop_front();
        }
    }
}

impl Observer for Visits {
    fn transmitted(&mut self, now: Instant, host: HostId, interface: InterfaceId, packet: &Packet) {
        self.meter.transmitted(now, host, interface, packet);
    }

    fn received(&mut self, now: Instant, host: HostId, interface: InterfaceId, packet: &Packet) {
        self.meter.received(now, host, interface, packet);
    }

    fn dropped(&mut self, now: Instant, link: LinkId, packet: &Packet, reason: DropReason) {
        self.meter.dropped(now, link, packet, reason);
    }

    fn duplicated(&mut self, now: Instant, number: u64, direction: Direction, spans: &Spans) {
        self.meter.duplicated(now, number, direction, spans);
    }

    fn host_event(&mut self, now: Instant, host: HostId, side: Direction, event: &HostEvent) {
        self.meter.host_event(now, host, side, event);
        if let HostEvent::Message(event) = event {
            self.note(now, side, event);
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

    /// The loop comes back for every change.
    fn horizon(&self) -> Instant {
        let end = self.meter.horizon();
        self.next_change().map_or(end, |(next, _)| next.min(end))
    }
}
