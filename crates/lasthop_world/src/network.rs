use std::cell::RefCell;
use std::rc::Rc;

use lasthop_contract::{Link, LinkInput, LinkOutput, Port};
use lasthop_measure::RadioSummary;
use lasthop_nbiot::cell::{CellReport, LevelReport};
use lasthop_nbiot::config::NetworkConfig;
use lasthop_nbiot::phy::{DownlinkMap, Subframe};
use lasthop_nbiot::{NbIotNetwork, NetworkReport, RadioLine};
use lasthop_units::Instant;

use crate::spec::SpecError;

/// A radio network: the loop drives it as a link, and the world asks it what a link does not tell.
///
/// Of each device it has two ports, one at the radio and one at the core's end of its bearer.
pub(crate) trait RadioNetwork {
    /// The network as a link.
    fn link(&self) -> Box<dyn Link>;

    /// States the coupling loss of the device that comes to this port next.
    fn state_coupling_loss(&mut self, radio: Port, coupling_loss_db: f64);

    /// Watches the radio of the device that comes to this port next.
    fn watch_next(&mut self, radio: Port);

    /// Whether the device at this port could be served, had the network nothing else to do.
    fn reaches(&self, radio: Port) -> bool;

    /// Notes that a message of the device at this port was served.
    fn note_served(&mut self, radio: Port);

    /// What has happened until `end`, and the path gain of the farthest device whose message was served.
    fn told(&self, end: Instant) -> Option<RadioReport>;
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

/// The coupling loss up to which NB-IoT is to serve a device (TR 45.820 5.1: 20 dB beyond 144 dB). A device that is
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

    fn told(&self, end: Instant) -> Option<RadioReport> {
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

    /// In one row.
    pub(crate) fn summary(&self) -> RadioSummary {
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
        RadioSummary {
            random_access_preambles: sum(|level| level.preambles),
            random_access_collisions: sum(|level| level.preambles_collided),
            random_access_failures: sum(|level| level.accesses_failed),
            early_data: sum(|level| level.early_data),
            early_data_fallbacks: sum(|level| level.early_data_fallbacks),
            radio_link_failures: sum(|level| level.radio_link_failures),
            harq_retransmission_up_ratio: ratio(
                sum(|level| level.npusch_repeated),
                sum(|level| level.npusch_granted),
            ),
            harq_retransmission_down_ratio: ratio(
                sum(|level| level.npdsch_repeated),
                sum(|level| level.npdsch_sent),
            ),
            rlc_retransmissions: sum(|level| level.rlc_retransmissions),
            occupancy_npdcch_ratio: down(|cell| cell.npdcch_subframes),
            occupancy_npdsch_ratio: down(|cell| cell.npdsch_subframes),
            occupancy_npusch_ratio: up(|cell| cell.npusch_tone_ms + cell.acknowledgement_tone_ms),
            occupancy_nprach_ratio: up(|cell| cell.preamble_tone_ms),
        }
    }
}
