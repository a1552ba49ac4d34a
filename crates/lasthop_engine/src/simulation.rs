mod outages;
mod wiring;

use core::mem;
use core::sync::atomic::{AtomicBool, Ordering};

use lasthop_contract::{
    Advance, BackgroundTraffic, Clock, Direction, DropReason, Host, HostEvent, HostInput,
    HostOutput, InterfaceId, Link, LinkInput, LinkOutput, Packet, PathId, Port,
};
use lasthop_units::{Duration, Instant};
use smallvec::SmallVec;

use outages::Outages;

pub use outages::OutagePlace;

use crate::Observer;
use crate::wake_up_queue::{Machine, WINDOW, WakeUp, WakeUpQueue};

/// A simulation: hosts and links with their wiring, and the event loop.
pub struct Simulation<C, O> {
    clock: C,
    observer: O,
    hosts: Vec<HostSlot>,
    /// Numbers of hosts that are gone, to be used again.
    free_hosts: Vec<HostId>,
    /// Hosts that have not been started.
    new_hosts: Vec<HostId>,
    /// Hosts that something may come to from outside.
    outside: Vec<HostId>,
    links: Vec<LinkSlot>,
    outages: Outages,
    queue: WakeUpQueue,
    /// Machines that were touched, in that order, and have not yet said what they wait for.
    unsettled: Vec<Machine>,
    /// The time of the event that is served. It goes back when another part takes its turn.
    at: Instant,
    /// The latest time of an event so far.
    now: Instant,
    packets: u64,
    events: u64,
    polls: u64,
}

/// The number of a host in a simulation: the number that was freed last, or the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);

/// A link of a simulation, by number in the order of adding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// Why the event loop returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All machines are idle.
    Idle,
    /// The observer's horizon is reached.
    HorizonReached,
    /// The caller interrupted.
    Interrupted,
    /// Time did not advance for [`STALL_LIMIT`] events, because a machine requested a deadline in the past.
    Stalled,
}

struct HostSlot {
    machine: Box<dyn Host>,
    direction: Direction,
    /// A device has one.
    interfaces: SmallVec<[Interface; 1]>,
}

/// Where an interface of a host is attached.
#[derive(Clone, Copy)]
struct Interface {
    link: LinkId,
    port: Port,
    /// Which way the packets go that leave by it.
    direction: Direction,
    path: PathId,
}

struct LinkSlot {
    machine: Box<dyn Link>,
    ends: SmallVec<[Option<End>; 2]>,
}

#[derive(Clone, Copy)]
enum End {
    Host(HostId, InterfaceId),
    Link(LinkId, Port),
}

/// The maximum difference in time between parts that take turns.
pub const FORESIGHT: Duration = WINDOW;

/// Events without progress of time after which a run counts as stalled.
pub const STALL_LIMIT: u32 = 1_000_000;

/// Who is later than this does not make up for it: a process that stood still does not live through that time again.
const FORGIVEN: Duration = Duration::from_millis(10);

/// For how many machines that are touched at once room is kept. More of them are touched where all begin.
const ROOM_FOR_TOUCHED: usize = 64;

impl<C: Clock, O: Observer> Simulation<C, O> {
    /// Creates a simulation without machines.
    pub fn new(clock: C, observer: O) -> Self {
        Self {
            clock,
            observer,
            hosts: Vec::new(),
            free_hosts: Vec::new(),
            new_hosts: Vec::new(),
            outside: Vec::new(),
            links: Vec::new(),
            outages: Outages::default(),
            queue: WakeUpQueue::default(),
            unsettled: Vec::new(),
            at: Instant::ZERO,
            now: Instant::ZERO,
            packets: 0,
            events: 0,
            polls: 0,
        }
    }

    /// Passes an external input to a host, now.
    pub fn tell(&mut self, host: HostId, input: HostInput) {
        self.hosts[host.0 as usize].machine.handle(self.at, input);
        self.unsettled.push(Machine::Host(host.0));
        self.settle();
    }

    /// Passes an external input to a link, now.
    pub fn tell_link(&mut self, link: LinkId, input: LinkInput) {
        self.links[link.0 as usize].machine.handle(self.at, input);
        self.unsettled.push(Machine::Link(link.0));
        self.settle();
    }

    /// Advances the time to `at`, before hosts or links are added or removed there.
    ///
    /// No event may be pending before `at`: the loop has returned at a horizon, or with nothing to do.
    pub fn advance_to(&mut self, at: Instant) {
        debug_assert!(self.queue.first().is_none_or(|first| first.at >= at));
        self.at = at.max(self.at);
        self.now = self.at.max(self.now);
    }

    /// Starts new hosts and runs until all machines are idle, the horizon is reached or `interrupt` is set. It can be
    /// called again to continue.
    pub fn run(&mut self, interrupt: &AtomicBool) -> Outcome {
        for host in mem::take(&mut self.new_hosts) {
            self.hosts[host.0 as usize]
                .machine
                .handle(self.at, HostInput::Start);
            self.unsettled.push(Machine::Host(host.0));
        }
        self.settle();
        self.unsettled.shrink_to(ROOM_FOR_TOUCHED);
        let mut without_progress = 0;
        let mut part = 0;
        loop {
            let horizon = self.observer.horizon();
            let wake_up = match self.next_wake_up(horizon) {
                Some(wake_up) if wake_up.at <= horizon => wake_up,
                later => {
                    let end = later.map_or(Outcome::Idle, |_| Outcome::HorizonReached);
                    match self.wait_for_outside(horizon, end) {
                        Some(outcome) => return outcome,
                        None => continue,
                    }
                }
            };
            // At each event: a flood of packets makes of one event the work of a second.
            if interrupt.load(Ordering::Relaxed) {
                return Outcome::Interrupted;
            }
            if wake_up.part != part {
                // Another part may still be where this one was.
                part = wake_up.part;
                self.at = wake_up.at;
                without_progress = 0;
            }
            let before = self.at;
            match self.clock.advance_to(wake_up.at) {
                Advance::OnTime => self.at = wake_up.at.max(self.at),
                // Served as of when it was due: what follows is no later for that, and of many who were due at once those
                // with higher numbers do not come behind.
                Advance::Late(by) => {
                    self.at = (wake_up.at + (by - FORGIVEN)).max(self.at);
                    self.observer.late(self.at, by);
                }
                Advance::Arrived(at) => {
                    self.arrived(at);
                    continue;
                }
                Advance::Stopped => return Outcome::Interrupted,
            }
            without_progress = if self.at > before {
                0
            } else {
                without_progress + 1
            };
            if without_progress > STALL_LIMIT {
                return Outcome::Stalled;
            }
            self.events += 1;
            self.now = self.at.max(self.now);
            match wake_up.who {
                Machine::Link(link) => self.links[link as usize]
                    .machine
                    .handle(self.at, LinkInput::Timeout),
                Machine::Host(host) => self.hosts[host as usize]
                    .machine
                    .handle(self.at, HostInput::Timeout),
            }
            self.unsettled.push(wake_up.who);
            self.settle();
        }
    }

    /// Makes every link report its radio time up to `end` to the observer.
    ///
    /// `end` must not be before the latest event. Call it once, after the loop has returned for good.
    pub fn tell_radio_time(&mut self, end: Instant) {
        self.at = end;
        for link in 0..self.links.len() {
            self.links[link].machine.tell_radio_time(end);
            self.drain_link(LinkId(link as u32));
        }
    }

    /// Returns the background traffic of all links up to the latest event, as `[up, down]`.
    pub fn background(&mut self) -> [BackgroundTraffic; 2] {
        let links = self.links.iter_mut();
        let told: Vec<_> = links
            .map(|link| link.machine.background(self.now))
            .collect();
        [0, 1].map(|way| told.iter().map(|ways| ways[way]).sum())
    }

    /// Returns the time of the latest event.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// Returns the number of wake-ups that were served.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Returns the number of polls of machines.
    pub fn polls(&self) -> u64 {
        self.polls
    }

    /// Returns the observer.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// Returns the observer for changes.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// Returns the number of host slots in use or free, which is the maximum number of simultaneous hosts.
    pub fn host_slots(&self) -> usize {
        self.hosts.len()
    }

    /// Ends the simulation and returns the observer.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// Waits for external input until the horizon.
    ///
    /// Returns `None` if input arrived, otherwise why the loop ends, which is `end` if no input can arrive.
    fn wait_for_outside(&mut self, horizon: Instant, end: Outcome) -> Option<Outcome> {
        if !self.clock.accepts_external_input() {
            return Some(end);
        }
        match self.clock.advance_to(horizon) {
            Advance::Arrived(at) => {
                self.arrived(at);
                None
            }
            Advance::Stopped => Some(Outcome::Interrupted),
            Advance::OnTime | Advance::Late(_) => Some(Outcome::HorizonReached),
        }
    }

    /// Wakes the hosts that are open to the outside.
    fn arrived(&mut self, at: Instant) {
        self.at = at.max(self.at);
        self.now = self.at.max(self.now);
        for place in 0..self.outside.len() {
            let host = self.outside[place];
            let slot = &mut self.hosts[host.0 as usize];
            slot.machine.handle(self.at, HostInput::Timeout);
            self.unsettled.push(Machine::Host(host.0));
        }
        self.settle();
    }

    /// The next event. In the window that the horizon lies in, parts no longer take turns.
    fn next_wake_up(&mut self, horizon: Instant) -> Option<WakeUp> {
        let first = self.queue.first()?;
        if self.queue.has_parts() && first.at + WINDOW > horizon {
            self.queue.order_by_time();
            let first = self.queue.first()?;
            // Some parts were further than the others.
            self.at = first.at;
            return Some(first);
        }
        Some(first)
    }

    /// Polls every machine that was touched until all of them wait.
    fn settle(&mut self) {
        let mut place = 0;
        // Who is polled may touch others.
        while let Some(&who) = self.unsettled.get(place) {
            place += 1;
            let deadline = match who {
                Machine::Link(link) => self.drain_link(LinkId(link)),
                Machine::Host(host) => self.drain_host(HostId(host)),
            };
            self.queue.arm(who, deadline);
        }
        self.unsettled.clear();
    }

    fn drain_host(&mut self, id: HostId) -> Option<Instant> {
        loop {
            self.polls += 1;
            let slot = &mut self.hosts[id.0 as usize];
            match slot.machine.poll(self.at) {
                HostOutput::Transmit {
                    interface,
                    mut packet,
                } => {
                    let Interface {
                        link,
                        port,
                        direction,
                        path,
                    } = slot.interfaces[interface.0 as usize];
                    packet.enter(self.packets, direction, path);
                    self.packets += 1;
                    self.observer.transmitted(self.at, id, interface, &packet);
                    if self.outages.are_at(OutagePlace::Host(id)) {
                        self.lose(link, &packet);
                    } else {
                        self.offer(link, port, packet);
                    }
                }
                HostOutput::Discard {
                    interface,
                    mut packet,
                    reason,
                } => {
                    let (side, way) = (slot.direction, &slot.interfaces[interface.0 as usize]);
                    packet.enter(self.packets, way.direction, way.path);
                    self.packets += 1;
                    let event = HostEvent::Discarded { packet, reason };
                    self.observer.host_event(self.at, id, side, &event);
                }
                HostOutput::Event(event) => {
                    let side = slot.direction;
                    self.observer.host_event(self.at, id, side, &event);
                }
                HostOutput::WaitUntil(deadline) => return deadline,
            }
        }
    }

    fn drain_link(&mut self, id: LinkId) -> Option<Instant> {
        loop {
            self.polls += 1;
            let slot = &mut self.links[id.0 as usize];
            match slot.machine.poll(self.at) {
                LinkOutput::Deliver { port, packet } => {
                    match slot.ends.get(port.0 as usize).copied().flatten() {
                        Some(End::Host(host, _))
                            if self.outages.are_at(OutagePlace::Host(host)) =>
                        {
                            self.lose(id, &packet);
                        }
                        Some(End::Host(host, interface)) => self.deliver(host, interface, packet),
                        Some(End::Link(link, port)) => self.offer(link, port, packet),
                        None => {
                            let reason = DropReason::NotAttached;
                            self.observer.dropped(self.at, id, &packet, reason);
                        }
                    }
                }
                LinkOutput::Drop { packet, reason, .. } => {
                    self.observer.dropped(self.at, id, &packet, reason);
                }
                LinkOutput::Duplicated {
                    number,
                    direction,
                    path,
                    spans,
                    ..
                } => self
                    .observer
                    .duplicated(self.at, number, direction, path, &spans),
                LinkOutput::RadioTime {
                    port,
                    state,
                    cause,
                    from,
                    duration,
                } => self
                    .observer
                    .radio_time(id, port, state, cause, from, duration),
                LinkOutput::WaitUntil(deadline) => return deadline,
            }
        }
    }

    fn deliver(&mut self, host: HostId, interface: InterfaceId, packet: Packet) {
        self.observer.received(self.at, host, interface, &packet);
        let input = HostInput::Received { interface, packet };
        self.hosts[host.0 as usize].machine.handle(self.at, input);
        self.unsettled.push(Machine::Host(host.0));
    }

    fn offer(&mut self, link: LinkId, port: Port, packet: Packet) {
        if self.outages.are_at(OutagePlace::Link(link)) {
            return self.lose(link, &packet);
        }
        let input = LinkInput::Offered { port, packet };
        self.links[link.0 as usize].machine.handle(self.at, input);
        self.unsettled.push(Machine::Link(link.0));
    }
}
