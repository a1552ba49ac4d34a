use lasthop_contract::{
    BackgroundTraffic, Direction, DropReason, Link, LinkInput, LinkOutput, Port,
};
use lasthop_units::Instant;

use crate::LinkConfig;
use crate::in_flight::{Entry, Held, InFlight};
use crate::pipeline::{Fate, Pipeline, Progress};
use crate::stage::Shared;
use crate::stage::rate::SharedRate;

/// A link between port 0 (the device's side) and port 1, with separate impairments for each direction.
///
/// Both ports are attached from the start.
#[derive(Debug)]
pub struct DuplexLink {
    up: Pipeline,
    down: Pipeline,
    /// The shared_rate of both directions, where they share one.
    shared: Option<Box<SharedRate>>,
    in_flight: InFlight,
    /// An arrival that did not have to wait and what became of it, until the poll after it.
    decided: Option<(Entry, Fate)>,
    attached: [bool; 2],
}

impl DuplexLink {
    /// Creates a link from a configuration and the seed of the run. `prefix` starts the names of its random streams:
    /// `path/0` gives `path/0/up/loss`.
    #[must_use]
    pub fn new(config: &LinkConfig, seed: u64, prefix: &str) -> Self {
        let shared = match (&config.up.rate, &config.down.rate) {
            (Some(up), Some(down)) if config.shared => {
                Some(Box::new(SharedRate::start(up, down, seed, prefix)))
            }
            _ => None,
        };
        let pipeline = |settings, direction: Direction| {
            let shared_rate = shared.as_ref();
            let shared_rate = shared_rate.map_or(Shared::No, |_| Shared::By(direction));
            let prefix = format!("{prefix}/{}", direction.name());
            Pipeline::new(&config.order, settings, shared_rate, seed, &prefix)
        };
        Self {
            up: pipeline(&config.up, Direction::Up),
            down: pipeline(&config.down, Direction::Down),
            shared,
            in_flight: InFlight::default(),
            decided: None,
            attached: [true; 2],
        }
    }

    /// Returns the number of packets in flight that entered at a port.
    #[must_use]
    pub fn in_flight_from(&self, port: Port) -> usize {
        self.in_flight.count(direction_from(port))
    }

    fn pipeline(&self, direction: Direction) -> &Pipeline {
        match direction {
            Direction::Up => &self.up,
            Direction::Down => &self.down,
        }
    }

    /// Advances a packet as far as possible; returns its fate if it must be reported.
    #[inline]
    fn advance(&mut self, mut due: Entry) -> Option<(Entry, Fate)> {
        let held = &mut due.held;
        let pipeline = match held.direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
        };
        let shared = self.shared.as_deref_mut();
        match pipeline.advance(due.at, held.next, &mut held.packet, shared) {
            Progress::Waits { until, next } => {
                let held = Held { next, ..due.held };
                self.in_flight.push(until, held);
                None
            }
            Progress::Met(fate) => Some((due, fate)),
        }
    }

    fn tell(&mut self, mut due: Entry, fate: Fate) -> LinkOutput {
        let (port, _) = ports(due.held.direction);
        match fate {
            Fate::Passed => self.deliver(due.held),
            Fate::Dropped(reason) => LinkOutput::Drop {
                port,
                packet: due.held.packet,
                reason,
            },
            Fate::Duplicated { next } => {
                let packet = &due.held.packet;
                let output = LinkOutput::Duplicated {
                    port,
                    number: packet.number(),
                    direction: packet.direction(),
                    path: packet.path(),
                    spans: packet.spans().into(),
                };
                due.held.next = next;
                self.in_flight.resume_twice(due);
                output
            }
        }
    }

    #[inline]
    fn deliver(&self, held: Held) -> LinkOutput {
        let (entry, exit) = ports(held.direction);
        let packet = held.packet;
        if self.attached[exit.0 as usize] {
            LinkOutput::Deliver { port: exit, packet }
        } else {
            LinkOutput::Drop {
                port: entry,
                packet,
                reason: DropReason::NotAttached,
            }
        }
    }

    fn set_attached(&mut self, port: Port, attached: bool) {
        if let Some(state) = self.attached.get_mut(port.0 as usize) {
            *state = attached;
        }
    }
}

impl Link for DuplexLink {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        match input {
            LinkInput::Offered { port, packet } => {
                let held = Held {
                    packet,
                    direction: direction_from(port),
                    next: 0,
                };
                // What is due goes first, and what nobody has polled for must not be lost.
                if self.decided.is_some() || self.in_flight.is_due(now) {
                    self.in_flight.push(now, held);
                } else {
                    let arrival = self.in_flight.entry(now, held);
                    self.decided = self.advance(arrival);
                }
            }
            LinkInput::Attach { port } | LinkInput::SwitchedOn { port } => {
                self.set_attached(port, true);
            }
            LinkInput::Detach { port } | LinkInput::SwitchedOff { port } => {
                self.set_attached(port, false);
            }
            LinkInput::OutageBegins | LinkInput::OutageEnds | LinkInput::Timeout => {}
        }
    }

    fn background(&mut self, until: Instant) -> [BackgroundTraffic; 2] {
        match &mut self.shared {
            Some(shared_rate) => shared_rate.background(until),
            None => [&mut self.up, &mut self.down].map(|pipeline| pipeline.background(until)),
        }
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        if let Some((due, fate)) = self.decided.take() {
            return self.tell(due, fate);
        }
        loop {
            match self.in_flight.pop_due(now) {
                Ok(due) if self.pipeline(due.held.direction).is_past(due.held.next) => {
                    return self.deliver(due.held);
                }
                Ok(due) => {
                    if let Some((due, fate)) = self.advance(due) {
                        return self.tell(due, fate);
                    }
                }
                Err(deadline) => return LinkOutput::WaitUntil(deadline),
            }
        }
    }
}

/// Every port but port 0 is the far side.
fn direction_from(port: Port) -> Direction {
    if port == Port(0) {
        Direction::Up
    } else {
        Direction::Down
    }
}

/// Returns the entry and exit ports of a direction.
fn ports(direction: Direction) -> (Port, Port) {
    match direction {
        Direction::Up => (Port(0), Port(1)),
        Direction::Down => (Port(1), Port(0)),
    }
}
