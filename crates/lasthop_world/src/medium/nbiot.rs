use std::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::{DeviceId, Link, LinkInput, LinkOutput, Port};
use lasthop_engine::LinkId;
use lasthop_measure::MediumColumn;
use lasthop_nbiot::cell::{CellReport, LevelReport};
use lasthop_nbiot::config::{NetworkConfig, ReleaseAssistance};
use lasthop_nbiot::phy::{DownlinkMap, Subframe};
use lasthop_nbiot::{NbIotNetwork, NetworkReport, RadioLine};
use lasthop_units::Instant;

use super::place::{HopEnd, ends_of};
use super::{Ended, Ground, JoiningDevice, Links, Media, Medium, MediumSpec, OfRun, Place};
use crate::path::LonePath;
use crate::spec::{
    ChangeSpec, GroupSpec, HopSpec, PathSpec, RunSpec, ScopeSpec, SpecError, demand,
};

/// The networks of a run.
#[derive(Default)]
pub(crate) struct State<'a> {
    networks: Vec<NetworkHop<'a>>,
}

/// A radio network of a run. The members that left last make room for the next.
pub(crate) struct NetworkHop<'a> {
    /// Of its hop; hops of this name are this network.
    pub(crate) name: &'a str,
    pub(crate) network: Box<dyn RadioNetwork>,
    link: LinkId,
    members: u32,
    free: Vec<u32>,
}

/// A network of a run, by its hop's name.
pub(crate) type NamedNetwork<'a> = (&'a str, Box<dyn RadioNetwork>);

/// The place of a device in one of the networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Which network of the run.
    pub(crate) network: usize,
    /// Which of its places.
    pub(crate) place: u32,
}

/// A radio network: the loop drives it as a link, and the world asks it what a link does not tell.
///
/// Of each device it has two ports, one at the radio and one at the core's end of its bearer.
pub(crate) trait RadioNetwork {
    /// The network as a link.
    fn link(&self) -> Box<dyn Link>;

    /// Sets the coupling loss of the next device at this port.
    fn state_coupling_loss(&mut self, radio: Port, coupling_loss_db: f64);

    /// Watches the radio of the next device at this port.
    fn watch_next(&mut self, radio: Port);

    /// Whether the device at this port could be served, had the network nothing else to do.
    fn reaches(&self, radio: Port) -> bool;

    /// Notes that a message of the device at this port was served.
    fn note_served(&mut self, radio: Port);

    /// Returns the report until `end`, with the path gain of the farthest served device.
    fn report(&self, end: Instant) -> Option<RadioReport>;
}

/// What a network tells at the end, or several.
#[derive(Debug)]
pub(crate) struct RadioReport {
    pub(crate) network: NetworkReport,
    pub(crate) lowest_path_gain_served_db: Option<f64>,
    /// Downlink subframes that the cells could have used.
    usable_subframes: u64,
    /// Tones of the uplink, and their time.
    tone_ms: f64,
    /// What the radio of the device did whose message is explained.
    pub(crate) line: Option<RadioLine>,
}

/// An NB-IoT network of a run.
#[derive(Clone, Debug)]
pub(crate) struct NbIot {
    config: NetworkConfig,
    network: Rc<RefCell<NbIotNetwork>>,
    /// The largest coupling loss of a device whose message was delivered.
    farthest_served_db: Option<f64>,
}

/// The coupling loss up to which NB-IoT is to serve a device (TR 45.820 section 5.1: 20 dB beyond 144 dB). A device that is
/// further away and gets nothing through is out of coverage, whatever the load.
const REACH_DB: f64 = 164.0;

/// A resource block has so many tones of 15 kHz.
const TONES: f64 = 12.0;

impl NbIot {
    /// A network in which radios tell their time where energy is measured.
    pub(crate) fn new(
        config: &NetworkConfig,
        seed: u64,
        measures_energy: bool,
    ) -> Result<Self, SpecError> {
        let network = NbIotNetwork::new(config.clone(), seed).map_err(SpecError::in_network)?;
        let network = if measures_energy {
            network
        } else {
            network.without_radio_time()
        };
        Ok(Self {
            config: config.clone(),
            network: Rc::new(RefCell::new(network)),
            farthest_served_db: None,
        })
    }

    fn coupling_loss_db(&self, radio: Port) -> Option<f64> {
        self.network.borrow().coupling_loss_db(radio)
    }
}

impl RadioNetwork for NbIot {
    fn link(&self) -> Box<dyn Link> {
        Box::new(self.clone())
    }

    fn state_coupling_loss(&mut self, radio: Port, coupling_loss_db: f64) {
        let mut network = self.network.borrow_mut();
        network.state_coupling_loss(radio, coupling_loss_db);
    }

    fn watch_next(&mut self, radio: Port) {
        self.network.borrow_mut().watch_next(radio);
    }

    fn reaches(&self, radio: Port) -> bool {
        self.coupling_loss_db(radio)
            .is_some_and(|loss| loss <= REACH_DB)
    }

    fn note_served(&mut self, radio: Port) {
        if let Some(loss) = self.coupling_loss_db(radio) {
            let farthest = self.farthest_served_db.unwrap_or(loss);
            self.farthest_served_db = Some(farthest.max(loss));
        }
    }

    fn report(&self, end: Instant) -> Option<RadioReport> {
        let network = self.network.borrow().report();
        let until = Subframe::at_or_after(end);
        let map = DownlinkMap::new(&self.config.subframes, &self.config.switches, None);
        let anchors = u64::from(self.config.cells());
        let carriers = self.config.carriers_of_all_cells();
        let others = carriers - anchors;
        Some(RadioReport {
            usable_subframes: map.usable_before(until) * anchors + until.0 * others,
            tone_ms: TONES * until.0 as f64 * carriers as f64,
            network,
            line: self.network.borrow().radio_line().cloned(),
            lowest_path_gain_served_db: self.farthest_served_db.map(|loss| -loss),
        })
    }
}

impl Link for NbIot {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        self.network.borrow_mut().handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        self.network.borrow_mut().poll(now)
    }

    fn tell_radio_time(&mut self, now: Instant) {
        self.network.borrow_mut().tell_radio_time(now);
    }
}

impl RadioReport {
    /// This one and another, as one network with the cells of both.
    pub(crate) fn with(mut self, other: Self) -> Self {
        let lowest = [
            self.lowest_path_gain_served_db,
            other.lowest_path_gain_served_db,
        ];
        self.network += other.network;
        Self {
            lowest_path_gain_served_db: lowest.into_iter().flatten().reduce(f64::min),
            usable_subframes: self.usable_subframes + other.usable_subframes,
            tone_ms: self.tone_ms + other.tone_ms,
            line: RadioLine::joined(self.line.take(), other.line),
            ..self
        }
    }

    /// Returns the sums over all cells in the whole run.
    fn columns(&self) -> Vec<MediumColumn> {
        let cells = &self.network.cells;
        let levels = || cells.iter().flat_map(|cell| &cell.levels);
        let sum = |count: fn(&LevelReport) -> u64| levels().map(count).sum::<u64>();
        let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        let down = |taken: fn(&CellReport) -> u64| {
            ratio(cells.iter().map(taken).sum(), self.usable_subframes)
        };
        let up = |taken: fn(&CellReport) -> f64| {
            (self.tone_ms > 0.0).then(|| cells.iter().map(taken).sum::<f64>() / self.tone_ms)
        };
        let values = [
            ratio(
                sum(|level| level.npusch_repeated),
                sum(|level| level.npusch_granted),
            ),
            ratio(
                sum(|level| level.npdsch_repeated),
                sum(|level| level.npdsch_sent),
            ),
            down(|cell| cell.npdcch_subframes),
            down(|cell| cell.npdsch_subframes),
            up(|cell| cell.npusch_tone_ms + cell.acknowledgement_tone_ms),
            up(|cell| cell.preamble_tone_ms),
        ];
        let counts = COUNTS.map(|(name, count)| MediumColumn::count(name, Some(sum(count))));
        let ratios = SHARES.iter().zip(values);
        let ratios = ratios.map(|(name, value)| MediumColumn::number(name, "fraction", value));
        counts.into_iter().chain(ratios).collect()
    }
}

/// What is counted by coverage level.
type Count = fn(&LevelReport) -> u64;

/// The columns of counts.
const COUNTS: [(&str, Count); 7] = [
    ("random_access_preambles", |level| level.preambles),
    ("random_access_collisions", |level| level.preambles_collided),
    ("random_access_failures", |level| level.accesses_failed),
    ("early_data", |level| level.early_data),
    ("early_data_fallbacks", |level| level.early_data_fallbacks),
    ("radio_link_failures", |level| level.radio_link_failures),
    ("rlc_retransmissions", |level| level.rlc_retransmissions),
];

/// The columns of shares: of transport blocks that were sent before, and of the time or tones of each channel.
const SHARES: [&str; 6] = [
    "harq_retransmission_up_ratio",
    "harq_retransmission_down_ratio",
    "occupancy_npdcch_ratio",
    "occupancy_npdsch_ratio",
    "occupancy_npusch_ratio",
    "occupancy_nprach_ratio",
];

impl<'a> NetworkHop<'a> {
    /// A network that is this link, in which nobody is.
    pub(crate) fn new((name, network): NamedNetwork<'a>, link: LinkId) -> Self {
        Self {
            name,
            network,
            link,
            members: 0,
            free: Vec::new(),
        }
    }

    /// The link that it is.
    pub(crate) fn link(&self) -> LinkId {
        self.link
    }

    /// A place for a device.
    pub(crate) fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.members += 1;
            self.members - 1
        })
    }

    /// Makes a place free.
    pub(crate) fn leave(&mut self, place: u32) {
        self.free.push(place);
    }

    /// The ends of the network for a device at this place: at its radio, and at the core.
    pub(crate) fn ends_of(&self, place: u32) -> (HopEnd, HopEnd) {
        ends_of(self.link, place)
    }
}

impl Member {
    /// The port of its radio.
    pub(crate) fn radio(self) -> Port {
        Port(2 * self.place)
    }
}

impl<'a> OfRun<'a> for State<'a> {
    fn new(_: &'a RunSpec) -> Self {
        Self::default()
    }

    fn columns(&self, ended: Ended) -> Vec<MediumColumn> {
        if let Some(report) = self.report(ended.end) {
            return report.columns();
        }
        let counts = COUNTS.map(|(name, _)| MediumColumn::count(name, None));
        let shares = SHARES.map(|name| MediumColumn::number(name, "fraction", None));
        counts.into_iter().chain(shares).collect()
    }
}

impl<'a> State<'a> {
    /// Lays the networks of the run, in which nobody is yet.
    pub(crate) fn lay(&mut self, networks: Vec<NamedNetwork<'a>>, links: &mut dyn Links) {
        for named in networks {
            let link = links.add(named.1.link());
            self.networks.push(NetworkHop::new(named, link));
        }
    }

    /// The network of a member, to be told something.
    pub(crate) fn network_of(&mut self, member: Member) -> &mut NetworkHop<'a> {
        &mut self.networks[member.network]
    }

    /// What the networks tell at the end, as one; `None` where there are none.
    pub(crate) fn report(&self, end: Instant) -> Option<RadioReport> {
        let told = self.networks.iter().map(|hop| hop.network.report(end));
        told.flatten().reduce(RadioReport::with)
    }
}

impl Medium for Box<NetworkConfig> {
    fn is_radio(&self) -> bool {
        true
    }

    fn check(&self, hop: &HopSpec, field: &str) -> Result<(), SpecError> {
        demand(&[(
            hop.scope == ScopeSpec::All,
            &format!("{field}.scope"),
            "a radio network is shared by all: all",
        )])?;
        NetworkConfig::check(self).map_err(SpecError::in_network)
    }

    fn differs(&self, _: &HopSpec, other: &HopSpec) -> Option<&'static str> {
        let MediumSpec::Nbiot(network) = &other.medium else {
            return None;
        };
        (network != self).then_some("radio network")
    }

    fn admit<'a>(
        &'a self,
        hop: &'a HopSpec,
        device: JoiningDevice<'a>,
        ground: &mut Ground<'_, 'a>,
    ) -> Result<Place, SpecError> {
        let networks = &mut ground.media.nbiot.networks;
        let of_name = networks.iter().position(|network| network.name == hop.name);
        let number = of_name.expect("a run with its path has it");
        let network = &mut networks[number];
        let member = Member {
            network: number,
            place: network.take(),
        };
        let (radio, core) = network.ends_of(member.place);
        let group = device.on.group;
        // Strata are of the path that a group begins on.
        if device.on.path == group.path
            && let Some(loss) = coupling_loss_db(group, device.in_group)
        {
            network.network.state_coupling_loss(radio.1, loss);
        }
        let meter = ground.links.meter();
        let explained = meter.timeline().map(|line| line.message().flow.device());
        if explained == Some(DeviceId(device.on.device)) {
            network.network.watch_next(radio.1);
        }
        let mut groups = ground.spec.groups.iter();
        let place = groups.position(|it| it.name == group.name);
        let place = (place.expect("a group of the spec"), device.in_group);
        meter.attach_radio(radio, place, device.radios_before > 0);
        Ok(Place {
            near: radio,
            far: core,
            member: Some(member),
        })
    }

    fn standing(&self, hop: &HopSpec, media: &Media<'_>) -> Option<LinkId> {
        let mut networks = media.nbiot.networks.iter();
        let network = networks.find(|network| network.name == hop.name);
        network.map(NetworkHop::link)
    }

    fn alone(&self, _: &HopSpec, of: &LonePath, _: usize) -> Result<Box<dyn Link>, SpecError> {
        let mut network = NbIot::new(self, of.seed, false)?;
        if let Some(loss) = of.coupling_loss_db {
            network.state_coupling_loss(Port(0), loss);
        }
        Ok(network.link())
    }
}

impl PathSpec {
    /// Returns the radio network of the path's first hop, if it is one.
    #[must_use]
    pub fn network(&self) -> Option<&NetworkConfig> {
        match &self.hops.first()?.medium {
            MediumSpec::Nbiot(network) => Some(network),
            _ => None,
        }
    }

    /// Returns the number of cells. A path without a radio network counts as one.
    #[must_use]
    pub fn cells(&self) -> u16 {
        self.network().map_or(1, NetworkConfig::cells)
    }
}

impl RunSpec {
    /// Returns the radio networks of all paths that groups use, by hop name. Initial paths come first.
    #[must_use]
    pub fn networks(&self) -> Vec<(&str, &NetworkConfig)> {
        let mut networks: Vec<(&str, &NetworkConfig)> = Vec::new();
        let further = self.events.iter().filter_map(|event| match &event.change {
            ChangeSpec::ChangePath { to, .. } => self.paths.get(to),
            _ => None,
        });
        let paths = self.groups.iter().map(|group| self.path_of(group));
        for path in paths.chain(further) {
            if let Some(network) = path.network()
                && networks.iter().all(|(name, _)| *name != path.hops[0].name)
            {
                networks.push((&path.hops[0].name, network));
            }
        }
        networks
    }

    /// Whether devices tell a network what follows their packets.
    pub(crate) fn assists_release(&self) -> bool {
        let mut networks = self.networks().into_iter();
        networks.any(|(_, it)| it.connection.release_assistance != ReleaseAssistance::Off)
    }
}

/// Returns the coupling loss of a device, if its group sets one.
fn coupling_loss_db(group: &GroupSpec, number: u32) -> Option<f64> {
    let mut before = 0;
    let mut strata = group.strata.iter();
    let stratum = strata.find(|stratum| {
        before += stratum.devices;
        number < before
    })?;
    Some(stratum.coupling_loss_db)
}
