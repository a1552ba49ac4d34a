use crate::channel::estimation::{Estimator, Weights, left_of, left_of_sum};
use crate::channel::{BurstKind, Tones};
use crate::config::{AcknowledgementEstimation, DownlinkEstimation, NetworkConfig};
use crate::phy::signal_to_noise_db;

/// The Es/N0 that the base station expects of one transmission to and from a device by what the device measures, without
/// fading and interference, antennas together, after channel estimation.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Expected {
    pub(crate) downlink_db: f32,
    /// By number of tones: 1, 3, 6, 12.
    pub(crate) uplink_db: [f32; 4],
    pub(crate) acknowledgement_db: f32,
    /// What is taken off for fading and interference, down and up; it follows the failures of HARQ.
    pub(crate) margin_db: [f32; 2],
    /// The same for control information and acknowledgements; it follows the silence after a DCI.
    pub(crate) control_margin_db: f32,
}

/// Control information and acknowledgements are to fail in one of a hundred.
pub(crate) const CONTROL_ERROR: f64 = 0.01;
/// What is taken off at first.
const FIRST_MARGIN_DB: f32 = 3.0;
/// What a failure adds.
const STEP_DB: f32 = 1.0;
/// The margin stays between these.
const MARGINS_DB: (f32, f32) = (-12.0, 15.0);

impl Expected {
    pub(crate) fn new(config: &NetworkConfig, measured_loss_db: f64, level: u8) -> Self {
        let carrier = &config.carrier;
        let estimator = Estimator::new(config);
        let db = |ratio: f32| 10.0 * libm::log10f(ratio);
        let ratio = |db: f64| libm::pow(10.0, db / 10.0) as f32;
        let ports = f32::from(carrier.nrs_ports);
        let downlink = ratio(signal_to_noise_db(
            carrier.downlink_power_dbm,
            measured_loss_db,
            180_000.0,
            carrier.device_noise_figure_db,
        ));
        let antennas = f32::from(carrier.device_receive_antennas);
        let pilots = ports * estimator.downlink_pilots(f32::INFINITY);
        let downlink = match (
            config.channel.downlink_estimation,
            estimator.downlink_weights(),
        ) {
            (DownlinkEstimation::Symbol, Weights::Estimates { errors }) => {
                estimator.downlink_gain()
                    * left_of_sum(antennas * downlink, antennas * ports, pilots, errors)
            }
            _ => antennas * ports * estimator.downlink_gain() * left_of(downlink / ports, pilots),
        };
        let spacing = config.uplink.subcarrier_spacing;
        let uplink = |tones: u8, kind| {
            let snr = ratio(signal_to_noise_db(
                config.device_power.maximum_dbm,
                measured_loss_db,
                spacing.hz() * f64::from(tones),
                carrier.base_station_noise_figure_db,
            ));
            let tones = Tones::new(spacing, 0, tones);
            let pilots = match (kind, config.channel.acknowledgement_estimation) {
                (BurstKind::Acknowledgement, AcknowledgementEstimation::Slot) => {
                    estimator.pilots_of_a_slot(tones) as f32
                }
                _ => estimator.uplink_pilots(kind, tones, f32::INFINITY, level),
            };
            db(f32::from(carrier.base_station_receive_antennas) * left_of(snr, pilots))
        };
        let allowed = spacing.allowed_tone_counts();
        Self {
            downlink_db: db(downlink),
            uplink_db: [1, 3, 6, 12].map(|tones| {
                if allowed.contains(&tones) {
                    uplink(tones, BurstKind::Data)
                } else {
                    f32::NEG_INFINITY
                }
            }),
            acknowledgement_db: uplink(1, BurstKind::Acknowledgement),
            margin_db: [FIRST_MARGIN_DB; 2],
            control_margin_db: FIRST_MARGIN_DB,
        }
    }

    /// Learns from what became of a first transmission: in the mean, so many fail as are to.
    pub(crate) fn learn(&mut self, direction: usize, failed: bool, target: f32) {
        follow(&mut self.margin_db[direction], failed, target);
    }

    /// Learns from whether a device reacted to a DCI.
    pub(crate) fn learn_control(&mut self, reacted: bool) {
        follow(&mut self.control_margin_db, !reacted, CONTROL_ERROR as f32);
    }
}

fn follow(margin_db: &mut f32, failed: bool, target: f32) {
    let step = if failed {
        STEP_DB
    } else {
        -STEP_DB * target / (1.0 - target)
    };
    *margin_db = (*margin_db + step).clamp(MARGINS_DB.0, MARGINS_DB.1);
}
