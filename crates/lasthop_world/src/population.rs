use std::collections::VecDeque;

use lasthop_contract::{Direction, FlowId, MessageEvent, RandomStream};
use lasthop_engine::HostId;
use lasthop_traffic::{Arrivals, Grouping, Schedule};
use lasthop_units::{Duration, Instant};

use crate::medium::nbiot::Member;

/// Who is there of devices that come and go, and who comes or goes next. A device goes when its message has ended.
///
/// Only the next arrival is drawn. Devices are numbered as they come, and each stays for a while at most: those that
/// are there lie between the oldest and the newest, and times of leaving of either kind come in the order in which
/// they were set.
#[derive(Debug)]
pub(crate) struct Population {
    arrivals: Schedule,
    stay: Stay,
    /// From the one whose flow is `first` on; `None` has gone.
    present: VecDeque<Option<Present>>,
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

/// A device that is there, its server, and its place in the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Present {
    pub(crate) device: HostId,
    pub(crate) server: HostId,
    pub(crate) member: Member,
    is_delivered: bool,
    is_acknowledged: bool,
    leaves: bool,
}

/// What happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// A device arrives.
    Arrival,
    /// A device leaves because it is done.
    Departure(FlowId),
    /// A device leaves although its message was not delivered.
    GivingUp(FlowId),
}

impl Population {
    /// Nobody is there; on average one comes after each gap, until the end. The first has this flow.
    pub(crate) fn new(
        first: u32,
        mean_gap: Duration,
        end: Instant,
        stay: Stay,
        stream: RandomStream,
    ) -> Self {
        let arrivals = Arrivals::Poisson { mean: mean_gap };
        Self {
            arrivals: Schedule::new(
                arrivals,
                Grouping { burst: 1, batch: 1 },
                Instant::ZERO,
                end,
                stream,
            ),
            stay,
            present: VecDeque::new(),
            first,
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
        FlowId(self.first + self.present.len() as u32)
    }

    /// Lets the next device in.
    pub(crate) fn admit(&mut self, now: Instant, device: HostId, server: HostId, member: Member) {
        self.arrivals.advance();
        let gives_up = now + self.stay.give_up;
        self.giving_up.push_back((gives_up, self.next_flow()));
        self.present.push_back(Some(Present {
            device,
            server,
            member,
            is_delivered: false,
            is_acknowledged: false,
            leaves: false,
        }));
    }

    /// Lets a device out.
    pub(crate) fn dismiss(&mut self, flow: FlowId) -> Option<Present> {
        self.leaving.pop_front_if(|(_, next)| *next == flow);
        let place = flow.0.checked_sub(self.first)?;
        let gone = self.present.get_mut(place as usize)?.take();
        self.forget_those_who_leave();
        while self.present.pop_front_if(|it| it.is_none()).is_some() {
            self.first += 1;
        }
        gone
    }

    /// How many are there.
    #[cfg(test)]
    pub(crate) fn size(&self) -> usize {
        self.present.iter().flatten().count()
    }

    fn present_as(&self, flow: FlowId) -> Option<&Present> {
        let place = flow.0.checked_sub(self.first)?;
        self.present.get(place as usize)?.as_ref()
    }

    /// Notes what is said of a message; when it has ended, its device leaves.
    pub(crate) fn note(&mut self, now: Instant, side: Direction, event: &MessageEvent) {
        let Some(id) = event.message() else { return };
        let place = id.flow.0.checked_sub(self.first);
        let there = place.and_then(|place| self.present.get_mut(place as usize)?.as_mut());
        let Some(there) = there else { return };
        let ends = match event {
            MessageEvent::Delivered { .. } => {
                there.is_delivered = true;
                there.is_acknowledged || !self.stay.until_acknowledged
            }
            MessageEvent::Acknowledged { .. } if side == Direction::Up => {
                there.is_acknowledged = true;
                there.is_delivered
            }
            MessageEvent::Failed { .. } => side == Direction::Up,
            _ => false,
        };
        if ends && !there.leaves {
            there.leaves = true;
            self.leaving.push_back((now + self.stay.linger, id.flow));
            self.forget_those_who_leave();
        }
    }

    /// Keeps the first pending departure that will happen without further events.
    fn forget_those_who_leave(&mut self) {
        while let Some((_, flow)) = self.giving_up.front()
            && self.present_as(*flow).is_none_or(|there| there.leaves)
        {
            self.giving_up.pop_front();
        }
    }
}
