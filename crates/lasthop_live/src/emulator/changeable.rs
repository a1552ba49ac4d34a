use core::mem;
use std::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::{BackgroundTraffic, Link, LinkInput, LinkOutput};
use lasthop_engine::{HostId, LinkId, OutagePlace};
use lasthop_units::Instant;
use lasthop_world::{LonePath, MediumSpec, PathSpec};

use super::EmulatorError;
use super::watch::EmulatorWatch;
use crate::LiveRun;

/// A path whose links can be changed while packets pass.
pub(super) struct Changing {
    path: LonePath,
    hosts: [HostId; 2],
    hops: Vec<(LinkId, Next)>,
    /// How often it was changed.
    changes: u64,
    is_cut: bool,
}

/// Where the link waits that is to follow.
type Next = Rc<RefCell<Option<Box<dyn Link>>>>;

/// A link that another one can follow. What is on its way in it arrives as it would have.
struct Changeable {
    now: Box<dyn Link>,
    before: Vec<Box<dyn Link>>,
    next: Next,
}

impl Changing {
    pub(super) fn lay(
        path: &LonePath,
        run: &mut LiveRun<EmulatorWatch>,
        hosts: [HostId; 2],
    ) -> Result<Self, EmulatorError> {
        let mut nexts: Vec<Next> = Vec::new();
        let links = path.lay_each(run, hosts, |place, machine| {
            let next = Next::default();
            nexts.push(Rc::clone(&next));
            match path.path.hops[place].medium {
                MediumSpec::Link(_) => Box::new(Changeable {
                    now: machine,
                    before: Vec::new(),
                    next,
                }),
                _ => machine,
            }
        })?;
        Ok(Self {
            path: path.clone(),
            hosts,
            hops: links.into_iter().zip(nexts).collect(),
            changes: 0,
            is_cut: false,
        })
    }

    /// Returns the hosts at the two ends.
    pub(super) const fn hosts(&self) -> [HostId; 2] {
        self.hosts
    }

    /// Returns the number of the device.
    pub(super) const fn device(&self) -> u32 {
        self.path.device
    }

    /// Applies a path configuration to packets that enter from now on. Each configuration has new random streams.
    pub(super) fn set(
        &mut self,
        run: &mut LiveRun<EmulatorWatch>,
        path: PathSpec,
    ) -> Result<(), EmulatorError> {
        let mut changed = LonePath {
            path,
            ..self.path.clone()
        };
        changed.check()?;
        let (old, new) = (&self.path.path.hops, &changed.path.hops);
        let is_fixed = |(old, new): (&lasthop_world::HopSpec, &lasthop_world::HopSpec)| {
            let links = (&old.medium, &new.medium);
            old == new || matches!(links, (MediumSpec::Link(_), MediumSpec::Link(_)))
        };
        if old.len() != new.len() || !old.iter().zip(new).all(is_fixed) {
            let problem = "only the values of a link can be changed while it works, not its hops";
            return Err(EmulatorError::Order(problem.into()));
        }
        self.changes += 1;
        // The seed as it was stands for the beginning.
        let seed = changed.seed;
        changed.seed = seed.wrapping_add(self.changes.wrapping_mul(GOLDEN));
        let mut machines = Vec::new();
        for (place, (old, new)) in old.iter().zip(new).enumerate() {
            if old != new {
                machines.push((place, changed.machine(place)?));
            }
        }
        changed.seed = seed;
        self.path = changed;
        for (place, machine) in machines {
            let (link, next) = &self.hops[place];
            *next.borrow_mut() = Some(machine);
            run.tell_link(*link, LinkInput::Timeout);
        }
        Ok(())
    }

    /// Cuts or restores the path. Packets that arrive at an end while the path is cut are lost.
    pub(super) fn cut(&mut self, run: &mut LiveRun<EmulatorWatch>, is_cut: bool) {
        if mem::replace(&mut self.is_cut, is_cut) == is_cut {
            return;
        }
        for host in self.hosts.map(OutagePlace::Host) {
            match is_cut {
                true => run.begin_outage(host),
                false => run.end_outage(host),
            }
        }
    }
}

/// Far apart, so that changes of runs whose seeds follow each other have no stream in common.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Link for Changeable {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        if let Some(next) = self.next.borrow_mut().take() {
            let before = mem::replace(&mut self.now, next);
            self.before.push(before);
        }
        if matches!(input, LinkInput::Timeout) {
            for link in &mut self.before {
                link.handle(now, LinkInput::Timeout);
            }
        }
        self.now.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        let mut deadline = None;
        let mut place = 0;
        while let Some(link) = self.before.get_mut(place) {
            match link.poll(now) {
                // Nothing is in it any more.
                LinkOutput::WaitUntil(None) => _ = self.before.remove(place),
                LinkOutput::WaitUntil(until) => {
                    deadline = [deadline, until].into_iter().flatten().min();
                    place += 1;
                }
                output => return output,
            }
        }
        match self.now.poll(now) {
            LinkOutput::WaitUntil(until) => {
                LinkOutput::WaitUntil([deadline, until].into_iter().flatten().min())
            }
            output => output,
        }
    }

    fn tell_radio_time(&mut self, now: Instant) {
        self.now.tell_radio_time(now);
    }

    fn background(&mut self, until: Instant) -> [BackgroundTraffic; 2] {
        self.now.background(until)
    }
}
