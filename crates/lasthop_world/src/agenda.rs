use core::ops::Range;
use std::collections::VecDeque;

use lasthop_contract::RandomStream;
use lasthop_units::{Duration, Instant};

use crate::plan::numbers_of_groups;
use crate::spec::{
    AddressSpec, BackSpec, ChangeSpec, DevicesSpec, EventSpec, NotifySpec, OutageOfSpec,
    RecurrenceSpec, RestartOfSpec, RunSpec, SurvivesSpec, nanos,
};

/// What events do in a run, one thing after the other.
#[derive(Debug, Default)]
pub(crate) struct Agenda<'a> {
    steps: VecDeque<(Instant, Step<'a>)>,
}

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step<'a> {
    /// An outage begins.
    OutageBegins(&'a OutageOfSpec),
    /// An outage ends.
    OutageEnds(&'a OutageOfSpec),
    /// A host goes off.
    GoesOff(Whose<'a>, WayOff, SurvivesSpec),
    /// A host comes back.
    ComesBack(Whose<'a>),
    /// A device is out of reach.
    GapBegins(u32),
    /// A device is in reach again.
    GapEnds(u32),
    /// A device has another address.
    NewAddress(u32, NotifySpec),
    /// A device moves to another path.
    ChangesPath(u32, &'a str, NotifySpec),
}

/// Which host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Whose<'a> {
    /// The device with this number in the run.
    Device(u32),
    /// The server of this name, or all of it.
    Server(&'a str),
}

/// In which way a host goes off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WayOff {
    /// Its power fails.
    Crashes,
    /// It shuts down politely.
    Stops,
}

impl<'a> Agenda<'a> {
    /// The events of a spec. Those of one instant happen in the order of the spec.
    pub(crate) fn new(spec: &'a RunSpec) -> Self {
        let mut steps = Vec::new();
        for event in &spec.events {
            let name = event.name(spec);
            if event.again.is_some_and(RecurrenceSpec::is_own) {
                for it in happenings(spec, event) {
                    let devices = [it.device];
                    add_steps(event, &devices, (spec.seed, it.at, &it.name), &mut steps);
                }
                continue;
            }
            for (at, time) in event.instants(spec.seed, &name).into_iter().zip(0..) {
                let name = time_of(&name, time);
                let devices = event.change.devices();
                let devices = devices.map(|of| drawn(spec, of, &name)).unwrap_or_default();
                add_steps(event, &devices, (spec.seed, at, &name), &mut steps);
            }
        }
        steps.sort_by_key(|(at, _)| *at);
        Self {
            steps: steps.into(),
        }
    }

    /// When the next thing happens; far in the future where nothing will.
    pub(crate) fn next(&self) -> Instant {
        let next = self.steps.front();
        next.map_or(Instant::FAR_FUTURE, |(at, _)| *at)
    }

    /// Takes it.
    pub(crate) fn take(&mut self) -> Option<Step<'a>> {
        self.steps.pop_front().map(|(_, step)| step)
    }

    /// To which paths devices go over, in the order of time.
    pub(crate) fn paths(&self) -> impl Iterator<Item = (u32, &'a str)> + '_ {
        self.steps.iter().filter_map(|(_, step)| match step {
            Step::ChangesPath(device, path, _) => Some((*device, *path)),
            _ => None,
        })
    }
}

/// Returns the name of the random streams for the `time`-th occurrence of an event, from 0.
fn time_of(name: &str, time: u32) -> String {
    match time {
        0 => name.into(),
        time => format!("{name}/{time}"),
    }
}

/// One occurrence of an event at one device.
pub(crate) struct Happening {
    device: u32,
    at: Instant,
    /// The name of its random streams.
    name: String,
}

/// Returns each occurrence of an event at each device that it concerns; none if it concerns no devices.
///
/// The times of a device that has its own are drawn by its name, so other devices and groups do not change them.
pub(crate) fn happenings(spec: &RunSpec, event: &EventSpec) -> Vec<Happening> {
    let Some(of) = event.change.devices() else {
        return Vec::new();
    };
    let name = event.name(spec);
    if event.again.is_some_and(RecurrenceSpec::is_own) {
        let first = numbers_of(spec, of).start;
        let of_device = |device: u32| {
            let name = format!("{name}/{}/{}", of.group, device - first);
            let times = event.instants(spec.seed, &name).into_iter().zip(0..);
            let each = times.map(|(at, time)| Happening {
                device,
                at,
                name: time_of(&name, time),
            });
            each.collect::<Vec<_>>()
        };
        let devices = drawn(spec, of, &name).into_iter();
        return devices.flat_map(of_device).collect();
    }
    let times = event.instants(spec.seed, &name).into_iter().zip(0..);
    let of_time = |(at, time)| {
        let name = time_of(&name, time);
        let devices = drawn(spec, of, &name).into_iter();
        let each = devices.map(|device| Happening {
            device,
            at,
            name: name.clone(),
        });
        each.collect::<Vec<_>>()
    };
    times.flat_map(of_time).collect()
}

/// Adds the steps of an event that happens at an instant, at these devices if it concerns devices.
fn add_steps<'a>(
    event: &'a EventSpec,
    devices: &[u32],
    (seed, at, name): (u64, Instant, &str),
    steps: &mut Vec<(Instant, Step<'a>)>,
) {
    let mut add = |at: Instant, step| steps.push((at, step));
    let all = || devices.iter().copied();
    match &event.change {
        ChangeSpec::Outage { of, duration_ns } => {
            add(at, Step::OutageBegins(of));
            add(at + nanos(*duration_ns), Step::OutageEnds(of));
        }
        ChangeSpec::DeviceOutage { duration_ns, .. } => {
            for device in all() {
                add(at, Step::GapBegins(device));
                add(at + nanos(*duration_ns), Step::GapEnds(device));
            }
        }
        ChangeSpec::PowerCut { back, .. } => {
            let devices = all().map(Whose::Device);
            go_off(seed, name, devices, WayOff::Crashes, (at, back), add);
        }
        ChangeSpec::Restart { of, back } => {
            let hosts = match of {
                RestartOfSpec::Server(name) => vec![Whose::Server(name)],
                RestartOfSpec::Devices(_) => all().map(Whose::Device).collect(),
            };
            let hosts = hosts.into_iter();
            go_off(seed, name, hosts, WayOff::Stops, (at, back), add);
        }
        ChangeSpec::NewAddress { notify, .. } => {
            for device in all() {
                add(at, Step::NewAddress(device, *notify));
            }
        }
        ChangeSpec::ChangePath { to, notify, .. } => {
            for device in all() {
                add(at, Step::ChangesPath(device, to, *notify));
            }
        }
        ChangeSpec::Handover {
            gap_ns,
            address,
            notify,
            ..
        } => {
            let end = at + nanos(*gap_ns);
            for device in all() {
                add(at, Step::GapBegins(device));
                add(end, Step::GapEnds(device));
                if *address == AddressSpec::New {
                    add(end, Step::NewAddress(device, *notify));
                }
            }
        }
    }
}

/// Switches hosts off at once, and on one after the other.
fn go_off<'a>(
    seed: u64,
    name: &str,
    hosts: impl Iterator<Item = Whose<'a>>,
    way: WayOff,
    (at, back): (Instant, &BackSpec),
    mut add: impl FnMut(Instant, Step<'a>),
) {
    for (number, host) in hosts.enumerate() {
        let key = match host {
            Whose::Device(device) => device as usize,
            Whose::Server(_) => number,
        };
        let mut stream = RandomStream::named(seed, format_args!("{name}/{key}/back"));
        let later = match back.spread_ns {
            0 => Duration::ZERO,
            spread => stream.uniform(Duration::ZERO, nanos(spread)),
        };
        add(at, Step::GoesOff(host, way, back.survives));
        add(at + nanos(back.duration_ns) + later, Step::ComesBack(host));
    }
}

/// Draws the devices that an event concerns, by number. A smaller share is a subset of a larger one.
fn drawn(spec: &RunSpec, of: &DevicesSpec, name: &str) -> Vec<u32> {
    let numbers = numbers_of(spec, of);
    let count = of.count(spec) as usize;
    if count >= numbers.len() {
        return numbers.collect();
    }
    let mut stream = RandomStream::named(spec.seed, format_args!("{name}/who"));
    let mut lots: Vec<(u64, u32)> = numbers.map(|device| (stream.next_u64(), device)).collect();
    lots.sort_unstable();
    let mut devices: Vec<u32> = lots.into_iter().take(count).map(|(_, it)| it).collect();
    devices.sort_unstable();
    devices
}

/// Returns the numbers in the run of all devices of a group; none if it is not there.
fn numbers_of(spec: &RunSpec, of: &DevicesSpec) -> Range<u32> {
    let place = spec.groups.iter().position(|group| group.name == of.group);
    place.map_or(0..0, |place| numbers_of_groups(spec)[place].clone())
}
