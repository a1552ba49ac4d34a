//! The radio channel: fading, channel estimation and interference.

mod acknowledgement;
mod burst;
mod devices;
mod downlink_activity;
mod es_n0;
pub(crate) mod estimation;
mod fading;
mod fading_record;
mod preamble;
mod tones;
mod uplink_interference;

pub use acknowledgement::ReceivedAcknowledgement;
pub use burst::{BurstKind, DownlinkBurst, UplinkBurst};
pub use es_n0::EsN0;
pub use preamble::preamble_detection;
pub use tones::Tones;
pub use uplink_interference::BurstId;

use lasthop_contract::RandomStream;
use lasthop_units::{DecibelMilliwatts, Decibels, Instant};

use self::devices::Devices;
use self::downlink_activity::DownlinkActivity;
use self::estimation::{Estimator, Weights};
use self::fading::{Branch, Fading};
use self::uplink_interference::UplinkInterference;
use crate::config::{CarrierUse, NetworkConfig, NonAnchorCarriers, SubcarrierSpacing};
use crate::deployment::{CellIndex, PathGains, RadioMap};
use crate::phy::noise_dbm;

/// The radio channel between all devices and all cells of a network.
///
/// Announce a transmission when it is scheduled, and ask for its result when it has ended. By then all overlapping
/// transmissions are known, if the network handles the decisions of all its cells in the order of time. A device is
/// identified by its slot in the arena of the network. Before a new device takes a slot, the transmissions of the
/// previous one must be withdrawn.
///
/// ```text
/// attach(device, number) -> serving cell, coupling loss
///   uplink_starts(now, device, burst) -> id  ..  uplink_ends(device, id) -> Es/N0, or preamble_ends(device, id) -> p
///   downlink_starts(now, cell, burst)        ..  downlink_ends(device, burst) -> Es/N0
/// ```
///
/// The Es/N0 that comes back is what the receiver collected over all repetitions and antennas, after the loss of
/// channel estimation, in terms of one repetition: look it up in the table of a single transmission. Retransmissions
/// that are combined add up ([`EsN0`] has `+`).
#[derive(Clone, Debug)]
pub struct Channel {
    seed: u64,
    map: RadioMap,
    scratch: PathGains,
    devices: Devices,
    fading: Fading,
    uplink: UplinkInterference,
    activity: DownlinkActivity,
    estimator: Estimator,
    /// Of each cell; none at all where no cell has any.
    non_anchor: Box<[Option<NonAnchorCarriers>]>,
    carriers_of_a_cell: usize,
    downlink_mw: f32,
    /// Of the base station on one 3.75 kHz tone.
    uplink_noise_mw: f32,
    /// Of the device on the carrier.
    downlink_noise_mw: f32,
    /// Weakest interference that counts, as a multiple of the noise; none for no interference at all.
    cut_off: Option<f32>,
    uplink_antennas: u8,
    nrs_ports: u8,
    downlink_antennas: u8,
    nprach_margin_db: f64,
    evaluations: u64,
    /// What cells have sent, where somebody wants to know.
    downlink_record: Option<Vec<(CellIndex, DownlinkBurst)>>,
}

/// The cell that serves a device, and the path to this cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camping {
    /// The serving cell, indexed by carrier.
    pub cell: CellIndex,
    /// The carrier of the device's connections after contention resolution; 0 for the anchor.
    pub data_carrier: u8,
    /// The coupling loss between the antenna connectors of device and cell.
    pub coupling_loss: Decibels,
}

impl Channel {
    /// Creates the channel of a network. The seed determines shadowing and fading.
    #[must_use]
    pub fn new(config: &NetworkConfig, seed: u64) -> Self {
        let map = RadioMap::new(config, seed);
        let cells = map.cells();
        let carrier = &config.carrier;
        let cut_off = (config.channel.interference_cut_off_below_noise_db)
            .map(|below_db| Decibels::new(-below_db).ratio() as f32);
        Self {
            seed,
            scratch: PathGains::default(),
            devices: Devices::new(config, cells),
            fading: Fading::new(config.channel.fading, seed),
            uplink: UplinkInterference::new(cells * config.carriers()),
            activity: DownlinkActivity::new(config, cells),
            non_anchor: non_anchor_carriers(config),
            carriers_of_a_cell: config.carriers(),
            estimator: Estimator::new(config),
            downlink_mw: milliwatts(carrier.downlink_power_dbm),
            uplink_noise_mw: milliwatts(noise_dbm(
                SubcarrierSpacing::Khz3_75.hz(),
                carrier.base_station_noise_figure_db,
            )),
            downlink_noise_mw: milliwatts(noise_dbm(CARRIER_HZ, carrier.device_noise_figure_db)),
            cut_off,
            uplink_antennas: carrier.base_station_receive_antennas,
            nrs_ports: carrier.nrs_ports,
            downlink_antennas: carrier.device_receive_antennas,
            nprach_margin_db: config.channel.nprach_detection_margin_db,
            evaluations: 0,
            downlink_record: None,
            map,
        }
    }

    /// Returns the number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.map.cells()
    }

    /// Returns the number of carriers of all cells.
    ///
    /// They are ordered by carrier: the anchors of all cells, then the second carrier of each, and so on.
    #[must_use]
    pub fn carriers(&self) -> usize {
        self.map.cells() * self.carriers_of_a_cell
    }

    /// Adds a device at an index of the arena and returns its serving cell.
    ///
    /// Its number determines its place, its fading, and its coupling loss unless `stated_db` is given.
    pub fn attach(&mut self, device: u32, number: u64, stated_db: Option<f64>) -> Camping {
        let mut stream = RandomStream::named(self.seed, format_args!("nbiot/device/{number}"));
        let fading = stream.next_u64();
        self.map
            .drop_device(number, &mut stream, stated_db, &mut self.scratch);
        let of_its_cell = self.non_anchor.get(self.scratch.serving().as_usize());
        let (carrier, data_carrier) = match of_its_cell.and_then(Option::as_ref) {
            None => (0, 0),
            Some(carriers) => {
                let name = format_args!("nbiot/device/{number}/carrier");
                let drawn = carriers.of(RandomStream::named(self.seed, name).unit());
                match carriers.serve {
                    CarrierUse::Everything => (drawn, 0),
                    CarrierUse::Data => (0, drawn),
                }
            }
        };
        let first = carrier * self.map.cells() as u8;
        let has_it = |cell: CellIndex| {
            let others = self
                .non_anchor
                .get(cell.as_usize())
                .and_then(Option::as_ref);
            carrier <= others.map_or(0, |others| others.count)
        };
        self.devices
            .insert(device, &self.scratch, (first, has_it), fading);
        Camping {
            cell: CellIndex(self.scratch.serving().0 + first),
            data_carrier,
            coupling_loss: self.scratch.coupling_loss(),
        }
    }

    /// Sets the coverage level of a device, which determines how long the base station averages. It is 0 at first.
    pub fn set_level(&mut self, device: u32, level: u8) {
        self.devices.set_level(device, level);
    }

    /// Moves a device to another carrier of its cell, 0 for the anchor. Transmissions on the air continue.
    pub fn tune(&mut self, device: u32, carrier: u8) {
        self.devices.tune(device, carrier, self.map.cells() as u8);
    }

    /// Announces an uplink transmission that starts now or later.
    ///
    /// It interferes with overlapping transmissions of other cells, and with those on the same tones of its own cell.
    pub fn uplink_starts(&mut self, now: Instant, device: u32, burst: &UplinkBurst) -> BurstId {
        let radio = self.devices.of(device);
        let power_mw = burst.power.milliwatts() as f32;
        let tones = burst.tones.count() as f32;
        let id = self
            .uplink
            .start(radio.serving, burst, power_mw * radio.gain / tones);
        if let Some(cut_off) = self.cut_off {
            let weakest_mw = cut_off * self.uplink_noise_mw;
            for neighbour in self.devices.neighbours_of(device) {
                let tone_mw = power_mw * neighbour.gain / tones;
                if tone_mw > weakest_mw {
                    self.uplink.hear(now, neighbour.cell, burst, tone_mw);
                }
            }
        }
        id
    }

    /// Returns the Es/N0 at which the base station received an uplink transmission that has ended.
    pub fn uplink_ends(&mut self, device: u32, id: BurstId) -> EsN0 {
        let received = self.uplink.end(id);
        let level = self.devices.of(device).level;
        let pilots = (self.estimator).uplink_pilots(
            received.kind,
            received.tones,
            received.nanos_ms(),
            level,
        );
        let link = Link {
            mean_snr: received.tone_mw / (self.uplink_noise_mw + received.interference_tone_mw),
            from: received.from,
            nanos: received.until - received.from,
            pilots,
            weights: self.estimator.uplink_weights(),
            tone_groups: received.tones.fading_groups(),
            repetitions: received.repetitions,
        };
        let offset = self.devices.of(device).fading;
        let branches = (0..self.uplink_antennas).map(Branch::uplink);
        self.collect(offset, branches, 1.0, 1.0, &link)
    }

    /// Returns what the base station received of an acknowledgement that has ended, if it estimates the channel in each slot.
    pub fn acknowledgement_ends(&mut self, device: u32, id: BurstId) -> ReceivedAcknowledgement {
        let received = self.uplink.end(id);
        let link = Link {
            mean_snr: received.tone_mw / (self.uplink_noise_mw + received.interference_tone_mw),
            from: received.from,
            nanos: received.until - received.from,
            pilots: f32::INFINITY,
            weights: self.estimator.uplink_weights(),
            tone_groups: 1,
            repetitions: received.repetitions,
        };
        let antennas = self.uplink_antennas;
        let offset = self.devices.of(device).fading;
        let known = self.collect(offset, (0..antennas).map(Branch::uplink), 1.0, 1.0, &link);
        ReceivedAcknowledgement::new(
            known,
            received.repetitions,
            antennas,
            self.estimator.pilots_of_a_slot(received.tones),
        )
    }

    /// Returns the probability that the base station detects a preamble that has ended.
    pub fn preamble_ends(&mut self, device: u32, id: BurstId) -> f64 {
        let received = self.uplink.end(id);
        let mean_snr = received.tone_mw / (self.uplink_noise_mw + received.interference_tone_mw)
            // All of the power is on one of the tones over which the preamble hops.
            * received.tones.count() as f32;
        let antennas = self.uplink_antennas;
        let link = Link {
            mean_snr,
            from: received.from,
            nanos: received.until - received.from,
            pilots: f32::INFINITY,
            weights: self.estimator.uplink_weights(),
            tone_groups: 1,
            repetitions: 1,
        };
        let offset = self.devices.of(device).fading;
        let collected = self.collect(offset, (0..antennas).map(Branch::uplink), 1.0, 1.0, &link);
        let per_antenna = collected.ratio() / f64::from(antennas);
        let snr_db = Decibels::from_ratio(per_antenna).value() - self.nprach_margin_db;
        preamble_detection(received.repetitions, antennas, snr_db)
    }

    /// Withdraws an uplink transmission whose result is not needed. It still interferes until its planned end.
    pub fn uplink_withdrawn(&mut self, id: BurstId) {
        self.uplink.withdraw(id);
    }

    /// Starts the recording of downlink transmissions.
    pub fn record_downlink(&mut self) {
        self.downlink_record.get_or_insert_default();
    }

    /// Returns the downlink transmissions recorded since the last call.
    pub fn take_downlink_record(&mut self) -> Vec<(CellIndex, DownlinkBurst)> {
        self.downlink_record
            .as_mut()
            .map(core::mem::take)
            .unwrap_or_default()
    }

    /// Announces a downlink transmission that starts now or later.
    pub fn downlink_starts(&mut self, now: Instant, cell: CellIndex, burst: &DownlinkBurst) {
        if let Some(record) = &mut self.downlink_record {
            record.push((cell, *burst));
        }
        self.activity.add(now, cell, burst);
    }

    /// Returns the Es/N0 at which a device received a transmission of its cell that has ended.
    pub fn downlink_ends(&mut self, device: u32, burst: &DownlinkBurst) -> EsN0 {
        let radio = self.devices.of(device);
        let interference_mw = self.downlink_interference_mw(device, burst);
        let ports = self.nrs_ports;
        let link = Link {
            mean_snr: self.downlink_mw * radio.gain / (self.downlink_noise_mw + interference_mw),
            from: burst.from.as_nanos(),
            nanos: burst.until.as_nanos() - burst.from.as_nanos(),
            pilots: self.estimator.downlink_pilots(burst.subframes.into()),
            weights: self.estimator.downlink_weights(),
            tone_groups: Tones::CARRIER.fading_groups(),
            repetitions: burst.repetitions,
        };
        let branches = (0..self.downlink_antennas * ports).map(Branch::downlink);
        // The ports share the power of the data, and each sends its reference symbols in turn with all of it: TS 36.213
        // 16.2.2, NPDSCH to NRS EPRE of 0 dB for one port and -3 dB for two.
        let share = 1.0 / f32::from(ports);
        let collected = self.collect(radio.fading, branches, share, f32::from(ports), &link);
        EsN0::from_ratio(collected.ratio() * f64::from(self.estimator.downlink_gain()))
    }

    /// Returns the number of evaluations of an antenna's fading.
    #[must_use]
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    fn downlink_interference_mw(&self, device: u32, burst: &DownlinkBurst) -> f32 {
        let Some(cut_off) = self.cut_off else {
            return 0.0;
        };
        let weakest = cut_off * self.downlink_noise_mw / self.downlink_mw;
        let time = self.activity.during(burst);
        let neighbours = self.devices.neighbours_of(device).iter();
        let received: f32 = neighbours
            .filter(|neighbour| neighbour.gain > weakest)
            .map(|neighbour| neighbour.gain * self.activity.share(neighbour.cell, time))
            .sum();
        self.downlink_mw * received
    }

    /// The sum over antennas of the mean over time of what estimation leaves of the SNR, times the repetitions.
    fn collect(
        &mut self,
        offset: u64,
        branches: impl Iterator<Item = Branch>,
        power_share: f32,
        pilot_boost: f32,
        link: &Link,
    ) -> EsN0 {
        let snr = link.mean_snr * power_share;
        let pilots = link.pilots * pilot_boost;
        let by_reliability = link.weights == Weights::Reliability;
        let (mut sum, mut count) = (0.0, 0.0);
        for branch in branches {
            let (mean, evaluations) = self.fading.mean_over(
                offset,
                branch,
                link.from,
                link.nanos,
                link.tone_groups,
                |power| {
                    if by_reliability {
                        estimation::left_of(snr * power, pilots)
                    } else {
                        snr * power
                    }
                },
            );
            sum += mean;
            count += 1.0;
            self.evaluations += evaluations;
        }
        if let Weights::Estimates { errors } = link.weights {
            sum = estimation::left_of_sum(sum, count, pilots, errors);
        }
        EsN0::from_ratio(f64::from(sum) * f64::from(link.repetitions))
    }
}

/// What there is to know about a transmission apart from its fading.
struct Link {
    mean_snr: f32,
    /// In nanoseconds since the start of the run.
    from: u64,
    nanos: u64,
    /// Reference symbols that the receiver averages.
    pilots: f32,
    weights: Weights,
    tone_groups: u8,
    repetitions: u16,
}

/// The carrier of a cell.
const CARRIER_HZ: f64 = 180_000.0;

/// The carriers of each cell beside its anchor; nothing where no cell has any.
fn non_anchor_carriers(config: &NetworkConfig) -> Box<[Option<NonAnchorCarriers>]> {
    if config.carriers() == 1 {
        return Box::default();
    }
    let kinds = config.of_each_kind_of_cell();
    (0..config.cells())
        .map(|cell| kinds[config.kind_of_cell(cell)].non_anchor_carriers.clone())
        .collect()
}

fn milliwatts(dbm: f64) -> f32 {
    DecibelMilliwatts::new(dbm).milliwatts() as f32
}
