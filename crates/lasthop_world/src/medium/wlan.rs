use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use lasthop_contract::{Link, LinkInput, LinkOutput};
use lasthop_engine::LinkId;
use lasthop_link::wlan::{CellConfig, CellReport, StationConfig, StationReport, WlanCell};
use lasthop_measure::MediumColumn;
use lasthop_units::{Duration, Instant};
use serde::{Deserialize, Serialize};

use super::place::{ends_of, sharing};
use super::{Ended, Ground, JoiningDevice, LinkPlace, Medium, MediumSpec, OfRun, Place};
use crate::path::LonePath;
use crate::spec::{HopSpec, RunSpec, ScopeSpec, SpecError};

/// The settings of a WLAN: those of its cell, and those of each station on the path.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WlanSpec {
    /// The common settings of the cell. Shared hops with the same name are the same cell.
    pub cell: CellConfig,
    /// The settings of a station on this path.
    pub station: StationConfig,
}

/// The WLAN cells of a run.
#[derive(Default)]
pub(crate) struct State<'a> {
    cells: Vec<(LinkId, Wlan)>,
    /// Which of them devices share, by the name of the hop and of whoever shares it.
    shared: BTreeMap<(&'a str, &'a str), usize>,
}

/// A cell that the loop drives as a link, and that takes in stations and is asked at the end beside.
#[derive(Clone, Debug)]
struct Wlan(Rc<RefCell<WlanCell>>);

impl<'a> OfRun<'a> for State<'a> {
    fn new(_: &'a RunSpec) -> Self {
        Self::default()
    }

    fn columns(&self, ended: Ended) -> Vec<MediumColumn> {
        let reports = self
            .cells
            .iter()
            .map(|(_, cell)| cell.0.borrow().report(ended.last));
        columns(&reports.collect::<Vec<_>>())
    }
}

impl Medium for Box<WlanSpec> {
    fn is_radio(&self) -> bool {
        true
    }

    /// A cell that several paths name is the same for all.
    fn differs(&self, hop: &HopSpec, other: &HopSpec) -> Option<&'static str> {
        let MediumSpec::Wlan(wlan) = &other.medium else {
            return None;
        };
        (wlan.cell != self.cell || other.scope != hop.scope).then_some("WLAN")
    }

    fn admit<'a>(
        &'a self,
        hop: &'a HopSpec,
        device: JoiningDevice<'a>,
        ground: &mut Ground<'_, 'a>,
    ) -> Result<Place, SpecError> {
        let State { cells, shared } = &mut ground.media.wlan;
        let name = (hop.name.as_str(), sharing(hop, &device.on.group.name));
        let known = shared.get(&name).copied();
        let number = match known.filter(|_| hop.scope != ScopeSpec::Own) {
            Some(number) => number,
            None => {
                let place = LinkPlace::of(hop, ground.spec.seed, device.name());
                let cell = Wlan::new(self, &place);
                let link = ground.links.add(Box::new(cell.clone()));
                cells.push((link, cell));
                shared.insert(name, cells.len() - 1);
                cells.len() - 1
            }
        };
        let (link, cell) = &cells[number];
        let station = cell.station(self, device.on.device);
        Ok(Place::between(ends_of(*link, station)))
    }

    fn alone(&self, hop: &HopSpec, of: &LonePath, _: usize) -> Result<Box<dyn Link>, SpecError> {
        let cell = Wlan::new(self, &of.place_of(hop));
        cell.station(self, of.device);
        Ok(Box::new(cell))
    }
}

impl Wlan {
    /// A cell without stations at its place.
    fn new(wlan: &WlanSpec, place: &LinkPlace) -> Self {
        let cell = WlanCell::new(&wlan.cell, place.seed, &place.name);
        Self(Rc::new(RefCell::new(cell)))
    }

    /// Takes a device in: its number among the stations.
    fn station(&self, wlan: &WlanSpec, device: u32) -> u32 {
        let mut cell = self.0.borrow_mut();
        cell.add_station(&wlan.station, &device.to_string())
    }
}

impl Link for Wlan {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        self.0.borrow_mut().handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        self.0.borrow_mut().poll(now)
    }
}

/// Returns the sums over all cells in the whole run, or no values without cells.
fn columns(reports: &[CellReport]) -> Vec<MediumColumn> {
    let mean = |sum: Duration, of: usize| sum.scaled(1.0 / of.max(1) as f64);
    let sum = |count: fn(&CellReport) -> u64| reports.iter().map(count).sum::<u64>();
    let transmissions = sum(|report| report.transmissions);
    let of_frames = |part: u64| (transmissions > 0).then(|| part as f64 / transmissions as f64);
    let stations = reports.iter().flat_map(|report| &report.stations);
    let airtimes: Vec<Duration> = stations.map(StationReport::airtime).collect();
    let seconds = |time: Duration| (!reports.is_empty()).then(|| time.as_secs_f64());
    let busy = reports.iter().map(|report| report.busy).sum();
    let airtime = airtimes.iter().copied().sum();
    let longest = airtimes.iter().copied().max().unwrap_or_default();
    let time = |name, value| MediumColumn::number(name, "s", seconds(value));
    let share = |name, part| MediumColumn::number(name, "fraction", of_frames(part));
    vec![
        // The mean over the cells.
        time("wlan_busy_s", mean(busy, reports.len())),
        // Frames of a station and to it, with their acknowledgements.
        time("wlan_station_airtime_mean_s", mean(airtime, airtimes.len())),
        time("wlan_station_airtime_max_s", longest),
        // The data frames that met another.
        share("wlan_collision_ratio", sum(|report| report.collided)),
        // The data frames that were sent before.
        share("wlan_retransmission_ratio", sum(|report| report.repeated)),
    ]
}
