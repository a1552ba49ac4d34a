use core::f32::consts::PI;

use super::acknowledgement::REFERENCE_SYMBOLS;
use super::{BurstKind, Tones};
use crate::config::{CarrierMode, CombiningWeights, DownlinkEstimation, NetworkConfig};

/// How the receivers of a network estimate the channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Estimator {
    window_ms: f32,
    /// By coverage level.
    windows_15_khz_ms: [f32; 3],
    offset_hz: f32,
    /// Resource elements of a downlink subframe with these antenna ports over those of the tables, which have two.
    data_elements: f32,
    uplink: Weights,
    downlink: Weights,
    downlink_estimation: DownlinkEstimation,
}

/// By what a receiver weighs what it adds up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Weights {
    /// As if it knew which of its estimates are good.
    Reliability,
    /// By the estimates. The error of an estimate times what is sent counts as so much noise of its own variance: 0 where it is
    /// neglected, 1 for one port, and 2 for transmit diversity, where each port's error also hits the symbol of the other.
    Estimates { errors: f32 },
}

impl Estimator {
    pub(crate) fn new(config: &NetworkConfig) -> Self {
        let channel = &config.channel;
        // A port less leaves its 8 elements to data: 160 in place of 152, in-band 112 in place of 104.
        let data_elements = match (config.carrier.nrs_ports, config.carrier.mode) {
            (1, CarrierMode::InBand { .. }) => 112.0 / 104.0,
            (1, CarrierMode::Standalone | CarrierMode::GuardBand) => 160.0 / 152.0,
            _ => 1.0,
        };
        let weights = match channel.combining {
            CombiningWeights::Reliability => Weights::Reliability,
            CombiningWeights::Estimates => Weights::Estimates { errors: 0.0 },
        };
        Self {
            window_ms: channel.estimation_window_ms.into(),
            windows_15_khz_ms: channel
                .estimation_window_15_khz_ms
                .by_level()
                .map(f32::from),
            offset_hz: channel.frequency_offset_hz as f32,
            data_elements,
            uplink: weights,
            downlink: match channel.downlink_estimation {
                DownlinkEstimation::Window => weights,
                DownlinkEstimation::Symbol => Weights::Estimates {
                    errors: config.carrier.nrs_ports.into(),
                },
            },
            downlink_estimation: channel.downlink_estimation,
        }
    }

    /// Reference symbols that count on the uplink, of a transmission of so many milliseconds at a coverage level.
    pub(crate) fn uplink_pilots(
        &self,
        kind: BurstKind,
        tones: Tones,
        on_air_ms: f32,
        level: u8,
    ) -> f32 {
        let window_ms = match tones.count() {
            1 => self.window_ms,
            _ => self.windows_15_khz_ms[usize::from(level.min(2))],
        };
        self.pilots(uplink_pilots_per_ms(kind, tones), window_ms.min(on_air_ms))
    }

    /// Those of a slot of an acknowledgement.
    pub(crate) fn pilots_of_a_slot(&self, tones: Tones) -> f64 {
        let slot_ms = match tones.count() {
            1 => 2.0,
            _ => 0.5,
        };
        self.pilots(REFERENCE_SYMBOLS as f32 / slot_ms, slot_ms)
            .into()
    }

    /// Those of an antenna port on the downlink.
    pub(crate) fn downlink_pilots(&self, on_air_ms: f32) -> f32 {
        match self.downlink_estimation {
            DownlinkEstimation::Window => {
                self.pilots(NRS_PER_PORT_AND_MS, self.window_ms.min(on_air_ms))
            }
            DownlinkEstimation::Symbol => NRS_PER_PORT_AND_SYMBOL,
        }
    }

    /// What a bit of the downlink gains where there are more resource elements for it than the tables know: it is sent in
    /// so many more of them.
    pub(crate) const fn downlink_gain(&self) -> f32 {
        self.data_elements
    }

    /// The weights of base stations.
    pub(crate) const fn uplink_weights(&self) -> Weights {
        self.uplink
    }

    /// The weights of devices.
    pub(crate) const fn downlink_weights(&self) -> Weights {
        self.downlink
    }

    /// An offset turns the symbols of a window away from each other, so that their sum is less.
    fn pilots(&self, per_ms: f32, window_ms: f32) -> f32 {
        let turn = PI * self.offset_hz * window_ms / 1000.0;
        let sinc = if turn == 0.0 {
            1.0
        } else {
            libm::sinf(turn) / turn
        };
        per_ms * window_ms * sinc * sinc
    }
}

/// Narrowband reference symbols of a port in a subframe (TS 36.211 section 10.2.6.2).
pub(crate) const NRS_PER_PORT_AND_MS: f32 = 8.0;

/// Those of a port in one symbol.
const NRS_PER_PORT_AND_SYMBOL: f32 = 2.0;

/// Reference symbols in a millisecond on all tones (TS 36.211 section 10.1.4.2): of the seven symbols of a slot, one in
/// format 1 and three in format 2. A slot takes 0.5 ms at 15 kHz and 2 ms at 3.75 kHz.
fn uplink_pilots_per_ms(kind: BurstKind, tones: Tones) -> f32 {
    let tones_and_slots = match tones.count() {
        1 => 0.5,
        steps => 2.0 * (steps / 4) as f32,
    };
    match kind {
        BurstKind::Data => tones_and_slots,
        BurstKind::Acknowledgement => 3.0 * tones_and_slots,
        // A preamble is detected without an estimate.
        BurstKind::Preamble => f32::INFINITY,
    }
}

/// What is left of an SNR when the channel was estimated from so many reference symbols of the same SNR: g N g / (1 + N g).
///
/// The estimate averages N symbols, so its own SNR is N g; its error adds to the noise.
pub(crate) fn left_of(snr: f32, pilots: f32) -> f32 {
    if pilots == f32::INFINITY {
        return snr;
    }
    let of_estimate = pilots * snr;
    snr * of_estimate / (1.0 + of_estimate)
}

/// What is left of the sum *S* of SNRs over branches that are weighed by their estimates, each from so many reference
/// symbols: S S / (S (1 + errors / N) + branches / N). The error of every estimate adds the noise of its branch, however little
/// arrives there, and noise in proportion to what is sent ([`Weights::Estimates`]).
pub(crate) fn left_of_sum(sum: f32, branches: f32, pilots: f32, errors: f32) -> f32 {
    if sum > 0.0 {
        sum * sum / (sum + (errors * sum + branches) / pilots)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::EstimationWindow;
    use crate::config::SubcarrierSpacing::{Khz3_75, Khz15};

    #[test]
    fn reference_symbols_by_format_and_spacing() {
        let single = [
            (Tones::new(Khz3_75, 5, 1), 0.5),
            (Tones::new(Khz15, 5, 1), 2.0),
        ];
        for (tones, format_1) in single {
            assert_eq!(uplink_pilots_per_ms(BurstKind::Data, tones), format_1);
            assert_eq!(
                uplink_pilots_per_ms(BurstKind::Acknowledgement, tones),
                3.0 * format_1
            );
        }
        for (count, pilots) in [(3, 6.0), (6, 12.0), (12, 24.0)] {
            let tones = Tones::new(Khz15, 0, count);
            assert_eq!(uplink_pilots_per_ms(BurstKind::Data, tones), pilots);
        }
    }

    fn estimator(change: impl Fn(&mut NetworkConfig)) -> Estimator {
        let mut config = NetworkConfig::single_device(144.0);
        change(&mut config);
        Estimator::new(&config)
    }

    #[test]
    fn a_window_counts_no_further_than_the_transmission_and_by_the_spacing() {
        let (window_ms, window_15_khz_ms) = crate::config::RadioChannel::ESTIMATION_TS_36_104_MS;
        let of = estimator(|config| {
            config.channel.estimation_window_ms = window_ms;
            config.channel.estimation_window_15_khz_ms = window_15_khz_ms.into();
        });
        let (narrow, wide) = (Tones::new(Khz3_75, 0, 1), Tones::new(Khz15, 0, 1));
        assert_eq!(of.uplink_pilots(BurstKind::Data, narrow, 64.0, 0), 8.0);
        assert_eq!(of.uplink_pilots(BurstKind::Data, wide, 64.0, 2), 8.0);
        assert_eq!(of.uplink_pilots(BurstKind::Data, wide, 2.0, 0), 4.0);
        assert_eq!(of.downlink_pilots(640.0), 128.0);
    }

    #[test]
    fn each_coverage_level_has_its_window() {
        let of = estimator(|config| {
            config.channel.estimation_window_15_khz_ms = EstimationWindow::ByLevel([8, 4, 1]);
        });
        let wide = Tones::new(Khz15, 0, 1);
        let pilots = [0, 1, 2].map(|level| of.uplink_pilots(BurstKind::Data, wide, 64.0, level));
        assert_eq!(pilots, [16.0, 8.0, 2.0]);
    }

    #[test]
    fn a_device_that_estimates_in_each_symbol_has_two_reference_symbols_whatever_the_length() {
        let of = estimator(|config| {
            config.channel.downlink_estimation = DownlinkEstimation::Symbol;
        });
        assert_eq!(of.downlink_pilots(640.0), 2.0);
        assert_eq!(of.downlink_weights(), Weights::Estimates { errors: 2.0 });
        assert_eq!(of.uplink_weights(), Weights::Reliability);
    }

    #[test]
    fn what_transmit_diversity_leaves_is_what_its_decoder_finds() {
        // Two ports, Alamouti: 40,000 pairs of symbols, estimates of variance 1 / N each. The mean of the decoded symbol over the
        // deviation of its noise and interference, on a steady channel with phases of their own.
        let mut stream = lasthop_contract::RandomStream::named(3, "alamouti");
        for (snr, pilots) in [(0.1_f64, 4.0), (1.0, 4.0), (10.0, 4.0), (1.0, 16.0)] {
            let amplitude = snr.sqrt();
            let channels = [[amplitude, 0.0], [0.6 * amplitude, 0.8 * amplitude]];
            let (mut mean, mut square) = (0.0, 0.0);
            let count = 40_000;
            for _ in 0..count {
                let mut noise = |variance: f64| -> [f64; 2] {
                    core::array::from_fn(|_| (variance / 2.0).sqrt() * stream.standard_normal())
                };
                let estimates = channels.map(|[re, im]| {
                    let [error_re, error_im] = noise(1.0 / pilots);
                    [re + error_re, im + error_im]
                });
                let noises = [noise(1.0), noise(1.0)];
                // The first symbol is 1, the second i.
                let sent = [[1.0, 0.0], [0.0, 1.0]];
                let first = plus(
                    plus(times(channels[0], sent[0]), times(channels[1], sent[1])),
                    noises[0],
                );
                let second = plus(
                    minus(
                        times(channels[1], conjugate(sent[0])),
                        times(channels[0], conjugate(sent[1])),
                    ),
                    noises[1],
                );
                let decoded = plus(
                    times(conjugate(estimates[0]), first),
                    times(estimates[1], conjugate(second)),
                );
                mean += decoded[0] / f64::from(count);
                square += (decoded[0] * decoded[0] + decoded[1] * decoded[1]) / f64::from(count);
            }
            let found = mean * mean / (square - mean * mean);
            let ours = f64::from(left_of_sum(2.0 * snr as f32, 2.0, pilots as f32, 2.0));
            assert!(
                (found / ours - 1.0).abs() < 0.06,
                "{snr} {pilots}: {found} {ours}"
            );
        }
    }

    fn plus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] + b[0], a[1] + b[1]]
    }

    fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] - b[0], a[1] - b[1]]
    }

    fn times(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
    }

    fn conjugate([re, im]: [f64; 2]) -> [f64; 2] {
        [re, -im]
    }

    #[test]
    fn an_offset_takes_what_the_sum_of_turning_symbols_loses() {
        let of = |offset_hz| {
            estimator(move |config| config.channel.frequency_offset_hz = offset_hz)
                .downlink_pilots(640.0)
        };
        // 128 symbols, one each eighth of a millisecond, summed by hand.
        for offset_hz in [5.0, 20.0, 35.0, 62.5] {
            let (mut re, mut im) = (0.0, 0.0);
            for symbol in 0..1280 {
                let turn = 2.0 * core::f64::consts::PI * offset_hz * f64::from(symbol) / 80_000.0;
                re += libm::cos(turn) / 1280.0;
                im += libm::sin(turn) / 1280.0;
            }
            let left = 128.0 * (re * re + im * im);
            assert!(
                (f64::from(of(offset_hz)) - left).abs() < 0.3,
                "{offset_hz}: {left}"
            );
        }
        assert_eq!(of(0.0), 128.0);
    }

    #[test]
    fn one_port_leaves_its_reference_symbols_to_data() {
        let gain = |ports, mode| {
            estimator(move |config| {
                config.carrier.nrs_ports = ports;
                config.carrier.mode = mode;
            })
            .downlink_gain()
        };
        let in_band = CarrierMode::InBand { control_symbols: 3 };
        assert_eq!(gain(2, CarrierMode::Standalone), 1.0);
        assert_eq!(gain(2, in_band), 1.0);
        assert!((gain(1, CarrierMode::Standalone) - 160.0 / 152.0).abs() < 1e-6);
        assert!((gain(1, in_band) - 112.0 / 104.0).abs() < 1e-6);
    }

    #[test]
    fn weights_by_estimates_cost_nothing_on_a_steady_channel_and_more_where_one_branch_fades() {
        let (snr, pilots) = (0.2, 8.0);
        let by_reliability = 2.0 * left_of(snr, pilots);
        assert!((left_of_sum(2.0 * snr, 2.0, pilots, 0.0) - by_reliability).abs() < 1e-6);
        let faded = left_of(2.0 * snr, pilots) + left_of(0.0, pilots);
        assert!(left_of_sum(2.0 * snr, 2.0, pilots, 0.0) < faded);
        assert_eq!(left_of_sum(0.0, 2.0, pilots, 0.0), 0.0);
        assert_eq!(left_of_sum(0.5, 2.0, f32::INFINITY, 2.0), 0.5);
    }

    #[test]
    fn a_good_estimate_costs_nothing_and_a_bad_one_squares_the_loss() {
        assert!((left_of(100.0, 32.0) / 100.0 - 1.0).abs() < 0.001);
        assert!((left_of(0.001, 8.0) / (8.0 * 1e-6) - 1.0).abs() < 0.01);
        assert_eq!(left_of(0.0, 8.0), 0.0);
        assert_eq!(left_of(0.5, f32::INFINITY), 0.5);
    }
}
