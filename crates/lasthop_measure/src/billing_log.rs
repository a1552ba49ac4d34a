use lasthop_contract::{
    Cause, DeviceId, Direction, Layer, LookupMap, MessageEvent, Packet, SessionChange,
};
use lasthop_engine::HostId;
use lasthop_tariff::{CloudUsage, CostParts, DataPlan, MeteredMessage, Month, Tariff, Usage};
use lasthop_units::{Duration, Instant};

use crate::Directory;

/// The cost of each device's packets by its tariff.
///
/// A packet counts where its device sends or receives it. Those until the first session of a device are its set-up. From
/// then on the window of its group counts, a whole number of periods of what is sent.
#[derive(Debug)]
pub struct BillingLog {
    classes: Vec<Class>,
    /// By the number of the device in the run.
    sims: Vec<Sim>,
    hosts: LookupMap<HostId, usize>,
    /// When sessions that are set up beforehand begin to count.
    established: Option<Instant>,
    until: Instant,
}

/// The tariff of a group's devices, and the interval of a run from which the cost is extrapolated.
#[derive(Clone, Debug)]
pub struct BillingConfig {
    /// The tariff.
    pub tariff: Tariff,
    /// The start of the interval of typical traffic, after the first session of the device.
    pub from: Duration,
    /// The end of this interval.
    pub until: Duration,
}

/// The bill of a SIM, or the mean of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bill {
    /// IP bytes each month.
    pub bytes_per_month: f64,
    /// Billed bytes each month.
    pub billed_bytes_per_month: f64,
    /// The cost of the first year, in the currency of the tariff.
    pub cost_per_year: f64,
    /// Billed bytes of the set-up, which occur once.
    pub set_up_bytes: f64,
}

/// The mean cost for devices of a class, by cause of the bytes or by tariff item.
#[derive(Clone, Debug, PartialEq)]
pub struct BillRow {
    /// The group.
    pub group: Box<str>,
    /// The stratum of the group.
    pub stratum: Option<Box<str>>,
    /// The layer that sent the bytes; `tariff` for bytes or fees that the tariff adds.
    pub layer: &'static str,
    /// The purpose of the bytes.
    pub cause: &'static str,
    /// Billed bytes each month.
    pub billed_bytes_per_month: f64,
    /// The cost in a year.
    pub cost_per_year: f64,
}

/// The bill of one device.
#[derive(Clone, Debug, PartialEq)]
pub struct SimBill {
    /// The group of the device.
    pub group: Box<str>,
    /// The stratum of the group.
    pub stratum: Option<Box<str>>,
    /// The number of the device in its group, from 0.
    pub device: u32,
    /// The bill.
    pub bill: Bill,
}

#[derive(Debug)]
struct Class {
    group: Box<str>,
    stratum: Option<Box<str>>,
    weight: f64,
    config: Option<BillingConfig>,
    by_cause: [[u64; Cause::ALL.len()]; Layer::ALL.len()],
    /// What the tariff adds to packets: headers of a tunnel, a minimum.
    added: u64,
}

#[derive(Debug, Default)]
struct Sim {
    class: usize,
    number: u32,
    has_flows: bool,
    ready: Option<Instant>,
    bytes: u64,
    usage: Usage,
    cloud: CloudUsage,
    payload: u64,
    connected: Option<Instant>,
}

impl BillingLog {
    /// Creates a log for the groups with a tariff, or returns `None` if no group has one.
    pub(crate) fn of(
        configs: &[Option<BillingConfig>],
        directory: &Directory,
        established: Option<Instant>,
    ) -> Option<Self> {
        configs.iter().flatten().next()?;
        let (mut classes, mut sims) = (Vec::new(), Vec::new());
        for (place, group) in directory.groups().iter().enumerate() {
            let config = configs.get(place).cloned().flatten();
            let mut number = 0;
            for stratum in &group.strata {
                let class = classes.len();
                classes.push(Class {
                    group: group.name.clone(),
                    stratum: stratum.name.clone(),
                    weight: stratum.weight,
                    config: config.clone(),
                    by_cause: Default::default(),
                    added: 0,
                });
                for _ in 0..stratum.devices {
                    sims.push(Sim {
                        class,
                        number,
                        has_flows: directory.has_flows(place, number),
                        ready: established,
                        ..Sim::default()
                    });
                    number += 1;
                }
            }
        }
        Some(Self {
            classes,
            sims,
            hosts: LookupMap::new(),
            established,
            until: Instant::ZERO,
        })
    }

    /// Records the device of a host from now on.
    pub(crate) fn attach(&mut self, host: HostId, device: Option<u32>) {
        match device
            .map(|it| it as usize)
            .filter(|it| *it < self.sims.len())
        {
            Some(sim) => self.hosts.insert(host, sim),
            None => self.hosts.remove(&host),
        };
    }

    /// Returns until when packets are counted, as far as is known.
    pub(crate) const fn until(&self) -> Instant {
        self.until
    }

    /// Records a packet that leaves a host or arrives there.
    pub(crate) fn packet(&mut self, now: Instant, host: HostId, way: Direction, packet: &Packet) {
        let Some(sim) = self.hosts.get(&host).map(|place| &mut self.sims[*place]) else {
            return;
        };
        let class = &mut self.classes[sim.class];
        let Some(config) = &class.config else { return };
        let bytes = packet.length() as u32;
        let plan = config.tariff.data.as_ref();
        let plan = plan.filter(|plan| way == Direction::Up || !plan.counts_up_only);
        let no_plan = DataPlan::default();
        let at = match sim.at(now, config) {
            Moment::Before if self.established.is_none() => {
                sim.usage.add_set_up(plan.unwrap_or(&no_plan), bytes);
                return;
            }
            Moment::Within(at) => at,
            _ => return,
        };
        sim.bytes += u64::from(bytes);
        sim.cloud.bytes += f64::from(bytes);
        let Some(plan) = plan else { return };
        let metered = sim.usage.add(plan, at, bytes);
        class.added += metered - u64::from(bytes);
        for span in packet.spans() {
            let (layer, cause) = (span.provenance.layer, span.provenance.cause);
            class.by_cause[layer as usize][cause as usize] += u64::from(span.length);
        }
    }

    /// Records an event of a device's messages or sessions, reported by this side.
    pub(crate) fn note(
        &mut self,
        now: Instant,
        side: Direction,
        event: &MessageEvent,
        directory: &Directory,
    ) {
        let device = match event {
            MessageEvent::TrafficStarted { flow } => flow.device(),
            MessageEvent::Session(session) => session.device,
            _ => match event.message() {
                Some(id) => id.flow.device(),
                None => return,
            },
        };
        let DeviceId(number) = device;
        let Some(sim) = self.sims.get_mut(number as usize) else {
            return;
        };
        let Some(config) = &self.classes[sim.class].config else {
            return;
        };
        let begins = match event {
            MessageEvent::TrafficStarted { .. } => true,
            MessageEvent::Session(session) => {
                !sim.has_flows && matches!(session.change, SessionChange::SetUp { .. })
            }
            _ => false,
        };
        if begins && sim.ready.is_none() {
            sim.ready = Some(now);
        }
        if let Some(ready) = sim.ready {
            self.until = self.until.max(ready + config.until);
        }
        let Some(cloud) = &config.tariff.cloud else {
            return;
        };
        let window = sim.window(config);
        let counts = window.is_some_and(|(from, until)| from <= now && now < until);
        let mut add = |kinds: &[MeteredMessage]| {
            if counts {
                let blocks = kinds.iter().map(|kind| cloud.blocks(*kind, sim.payload));
                sim.cloud.messages += blocks.sum::<u64>() as f64;
            }
        };
        use MeteredMessage::{AcknowledgementOfDevice, Connect, FromDevice, ToDevice};
        match *event {
            MessageEvent::Intended { payload, .. } => sim.payload = payload.as_bytes(),
            MessageEvent::Delivered { id, .. } => match (directory.origin(id.flow), side) {
                (Direction::Up, Direction::Down) => add(&[FromDevice]),
                (Direction::Up, Direction::Up) => add(&[FromDevice, ToDevice]),
                (Direction::Down, _) => {}
            },
            MessageEvent::Transmitted { id, .. }
                if directory.origin(id.flow) == Direction::Down && side == Direction::Down =>
            {
                add(&[ToDevice]);
            }
            MessageEvent::Acknowledged { id }
                if directory.origin(id.flow) == Direction::Down && side == Direction::Down =>
            {
                add(&[AcknowledgementOfDevice]);
            }
            MessageEvent::Session(session) => match session.change {
                SessionChange::SetUp { .. } => {
                    add(&[Connect]);
                    sim.connected = Some(now);
                }
                SessionChange::Lost => {
                    if let Some(since) = sim.connected.take() {
                        sim.cloud.minutes += started_minutes(window, since, now);
                    }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Returns the mean bill of a class of devices, or `None` if it has no tariff or no devices.
    pub(crate) fn of_class(&self, class: usize) -> Option<Bill> {
        mean(
            self.sims
                .iter()
                .filter(|sim| sim.class == class)
                .filter_map(|sim| self.bill(sim))
                .map(|bill| (1.0, bill)),
        )
    }

    /// Returns the mean bill of all represented devices with a tariff.
    pub(crate) fn summary(&self) -> Option<Bill> {
        let weight = |sim: &Sim| self.classes[sim.class].weight;
        mean(
            self.sims
                .iter()
                .filter_map(|sim| Some((weight(sim), self.bill(sim)?))),
        )
    }

    /// Returns the bill of each device with a tariff.
    pub(crate) fn sims(&self) -> Vec<SimBill> {
        let bills = self.sims.iter().filter_map(|sim| {
            let class = &self.classes[sim.class];
            Some(SimBill {
                group: class.group.clone(),
                stratum: class.stratum.clone(),
                device: sim.number,
                bill: self.bill(sim)?,
            })
        });
        bills.collect()
    }

    /// Returns the mean cost for devices of each class, by purpose.
    pub(crate) fn rows(&self) -> Vec<BillRow> {
        let mut rows = Vec::new();
        for (place, class) in self.classes.iter().enumerate() {
            let Some(config) = &class.config else {
                continue;
            };
            let sims = || self.sims.iter().filter(|sim| sim.class == place);
            let count = sims().count() as f64;
            if count == 0.0 {
                continue;
            }
            let mut parts = CostParts::default();
            let mut billed = 0.0;
            for sim in sims() {
                let (month, cloud) = sim.month(config);
                let of_sim = config.tariff.cost_parts(&month, &cloud);
                parts.fees += of_sim.fees / count;
                parts.data += of_sim.data / count;
                parts.minutes += of_sim.minutes / count;
                parts.cloud += of_sim.cloud / count;
                billed += month.billed_bytes / count;
            }
            let months = config.months() / count;
            let mut row = |layer, cause, bytes: f64, cost: f64| {
                if bytes > 0.0 || cost > 0.0 {
                    rows.push(BillRow {
                        group: class.group.clone(),
                        stratum: class.stratum.clone(),
                        layer,
                        cause,
                        billed_bytes_per_month: bytes,
                        cost_per_year: cost,
                    });
                }
            };
            let share = |bytes: f64| {
                if billed > 0.0 {
                    parts.data * bytes / billed
                } else {
                    0.0
                }
            };
            let mut told = 0.0;
            for layer in Layer::ALL {
                for cause in Cause::ALL {
                    let bytes = class.by_cause[layer as usize][cause as usize] as f64 * months;
                    told += bytes;
                    row(layer.name(), cause.name(), bytes, share(bytes));
                }
            }
            let added = class.added as f64 * months;
            row(TARIFF, "packet_overhead", added, share(added));
            let rounding = (billed - told - added).max(0.0);
            // What is left by the last digits of sums is nothing.
            let rounding = if rounding < 1e-6 * billed {
                0.0
            } else {
                rounding
            };
            row(TARIFF, "rounding", rounding, share(rounding));
            row(TARIFF, "fee", 0.0, parts.fees);
            row(TARIFF, "minutes", 0.0, parts.minutes);
            row(TARIFF, "cloud", 0.0, parts.cloud);
        }
        rows
    }

    fn bill(&self, sim: &Sim) -> Option<Bill> {
        let config = self.classes[sim.class].config.as_ref()?;
        let (month, cloud) = sim.month(config);
        Some(Bill {
            bytes_per_month: sim.bytes as f64 * config.months(),
            billed_bytes_per_month: month.billed_bytes,
            cost_per_year: config.tariff.cost_parts(&month, &cloud).total(),
            set_up_bytes: month.set_up_bytes,
        })
    }
}

/// The layer of what a tariff adds to bytes.
const TARIFF: &str = "tariff";

/// Where a moment lies.
enum Moment {
    Before,
    Within(Duration),
    Outside,
}

impl BillingConfig {
    fn span(&self) -> Duration {
        self.until - self.from
    }

    fn months(&self) -> f64 {
        match self.span() {
            Duration::ZERO => 0.0,
            span => lasthop_tariff::MONTH.as_secs_f64() / span.as_secs_f64(),
        }
    }
}

impl Sim {
    fn at(&self, now: Instant, config: &BillingConfig) -> Moment {
        match (self.ready, self.window(config)) {
            (Some(ready), Some((from, until))) if ready <= now => {
                match from <= now && now < until {
                    true => Moment::Within(now - from),
                    false => Moment::Outside,
                }
            }
            _ => Moment::Before,
        }
    }

    fn window(&self, config: &BillingConfig) -> Option<(Instant, Instant)> {
        let ready = self.ready?;
        Some((ready + config.from, ready + config.until))
    }

    fn month(&self, config: &BillingConfig) -> (Month, CloudUsage) {
        let span = config.span();
        let no_plan = DataPlan::default();
        let plan = config.tariff.data.as_ref().unwrap_or(&no_plan);
        let mut cloud = self.cloud;
        if let (Some(since), Some((_, until))) = (self.connected, self.window(config)) {
            cloud.minutes += started_minutes(self.window(config), since, until);
        }
        (self.usage.month(plan, span), cloud.month(span))
    }
}

/// Started minutes of a connection, as far as it lies in a window.
fn started_minutes(window: Option<(Instant, Instant)>, since: Instant, until: Instant) -> f64 {
    let Some((from, end)) = window else {
        return 0.0;
    };
    let (since, until) = (since.max(from), until.min(end));
    if until <= since {
        return 0.0;
    }
    (until - since).as_nanos().div_ceil(60_000_000_000) as f64
}

fn mean(bills: impl Iterator<Item = (f64, Bill)>) -> Option<Bill> {
    let (mut sum, mut weights) = (Bill::default(), 0.0);
    for (weight, bill) in bills {
        weights += weight;
        sum.bytes_per_month += weight * bill.bytes_per_month;
        sum.billed_bytes_per_month += weight * bill.billed_bytes_per_month;
        sum.cost_per_year += weight * bill.cost_per_year;
        sum.set_up_bytes += weight * bill.set_up_bytes;
    }
    (weights > 0.0).then(|| Bill {
        bytes_per_month: sum.bytes_per_month / weights,
        billed_bytes_per_month: sum.billed_bytes_per_month / weights,
        cost_per_year: sum.cost_per_year / weights,
        set_up_bytes: sum.set_up_bytes / weights,
    })
}
