use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use lasthop_contract::{Clock, Link, LinkInput, LinkOutput};
use lasthop_engine::{LinkId, Simulation};
use lasthop_link::wlan::{CellReport, StationReport, WlanCell};
use lasthop_measure::WlanSummary;
use lasthop_units::{Duration, Instant};

use crate::hops::{HopEnd, ends_of};
use crate::registered_link::LinkPlace;
use crate::spec::{HopSpec, ScopeSpec, WlanSpec};
use crate::translators::sharing;
use crate::watch::Watch;

/// The WLAN cells of a run.
#[derive(Default)]
pub(crate) struct WlanCells<'a> {
    cells: Vec<(LinkId, Wlan)>,
    /// Which of them devices share, by the name of the hop and of whoever shares it.
    shared: BTreeMap<(&'a str, &'a str), usize>,
}

/// A cell that the loop drives as a link, and that takes in stations and is asked at the end beside.
#[derive(Clone, Debug)]
pub(crate) struct Wlan(Rc<RefCell<WlanCell>>);

impl<'a> WlanCells<'a> {
    /// A place for a device of a group, by the group's name and the device's number.
    pub(crate) fn station(
        &mut self,
        (hop, wlan): (&'a HopSpec, &WlanSpec),
        seed: u64,
        device: (&'a str, u32),
        simulation: &mut Simulation<impl Clock, Watch>,
    ) -> (HopEnd, HopEnd) {
        let name = (hop.name.as_str(), sharing(hop, device.0));
        let known = self.shared.get(&name).copied();
        let number = match known.filter(|_| hop.scope != ScopeSpec::Own) {
            Some(number) => number,
            None => {
                let cell = Wlan::new(wlan, &LinkPlace::of(hop, seed, device));
                let link = simulation.add_link(Box::new(cell.clone()));
                self.cells.push((link, cell));
                self.shared.insert(name, self.cells.len() - 1);
                self.cells.len() - 1
            }
        };
        let (link, cell) = &self.cells[number];
        ends_of(*link, cell.station(wlan, device.1))
    }

    /// What the cells have counted until an instant; `None` where there are none.
    pub(crate) fn told(&self, until: Instant) -> Option<WlanSummary> {
        let reports = self
            .cells
            .iter()
            .map(|(_, cell)| cell.0.borrow().report(until));
        let reports: Vec<CellReport> = reports.collect();
        (!reports.is_empty()).then(|| summary(&reports))
    }
}

impl Wlan {
    /// A cell without stations at its place.
    pub(crate) fn new(wlan: &WlanSpec, place: &LinkPlace) -> Self {
        let cell = WlanCell::new(&wlan.cell, place.seed, &place.name);
        Self(Rc::new(RefCell::new(cell)))
    }

    /// Takes a device in: its number among the stations.
    pub(crate) fn station(&self, wlan: &WlanSpec, device: u32) -> u32 {
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

/// All cells in one row.
fn summary(reports: &[CellReport]) -> WlanSummary {
    let mean = |sum: Duration, of: usize| sum.scaled(1.0 / of.max(1) as f64);
    let sum = |count: fn(&CellReport) -> u64| reports.iter().map(count).sum::<u64>();
    let transmissions = sum(|report| report.transmissions);
    let of_frames = |part: u64| (transmissions > 0).then(|| part as f64 / transmissions as f64);
    let stations = reports.iter().flat_map(|report| &report.stations);
    let airtimes: Vec<Duration> = stations.map(StationReport::airtime).collect();
    WlanSummary {
        busy: mean(
            reports.iter().map(|report| report.busy).sum(),
            reports.len(),
        ),
        collision_ratio: of_frames(sum(|report| report.collided)),
        retransmission_ratio: of_frames(sum(|report| report.repeated)),
        station_airtime_mean: mean(airtimes.iter().copied().sum(), airtimes.len()),
        station_airtime_max: airtimes.into_iter().max().unwrap_or_default(),
    }
}
