use super::EsN0;

/// Reference symbols of NPUSCH format 2 in a slot (TS 36.211 section 10.1.4.2).
pub(super) const REFERENCE_SYMBOLS: f64 = 3.0;
/// Symbols of a slot that carry the acknowledgement.
const DATA_SYMBOLS: f64 = 4.0;
/// Slots of a repetition: 2 ms at 15 kHz, 8 ms at 3.75 kHz.
const SLOTS: u32 = 4;

/// An acknowledgement on NPUSCH format 2, as it arrived at a base station that estimates the channel in each slot.
///
/// The receiver adds the symbols of each slot and antenna, weighed by the estimate from the three reference symbols of that
/// slot. The noise of the estimates is drawn, not averaged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceivedAcknowledgement {
    /// The SNR of a resource element, summed over slots and antennas.
    snr: f64,
    /// The number of slots times antennas, each with an estimate of its own.
    estimates: u32,
    /// The reference symbols that count of those in a slot.
    reference_symbols: f64,
}

impl ReceivedAcknowledgement {
    pub(super) fn new(es_n0: EsN0, repetitions: u16, antennas: u8, reference_symbols: f64) -> Self {
        Self {
            snr: es_n0.ratio() * f64::from(SLOTS),
            estimates: SLOTS * u32::from(repetitions) * u32::from(antennas),
            reference_symbols,
        }
    }

    /// Whether no noise can change the decision: it would have to exceed ten standard deviations.
    pub(crate) fn is_certain(&self) -> bool {
        self.snr > 60.0 + 8.0 * f64::from(self.estimates)
    }

    /// Returns the level on which the receiver decides, over the standard deviation of its noise.
    ///
    /// It is positive for an acknowledgement and negative for a negative one. `noise` holds three independent standard normal
    /// numbers. Without a transmission the level would be the first of them: the receiver divides by the size of its
    /// estimates, so that the rate of false alarms depends on its threshold alone.
    #[must_use]
    pub fn level(&self, is_positive: bool, noise: [f64; 3]) -> f64 {
        let [of_data, along, across] = noise;
        let amplitude = libm::sqrt(self.snr);
        let variance = 0.5 / self.reference_symbols;
        let estimate = amplitude + libm::sqrt(variance) * along;
        let size = estimate * estimate + variance * chi_squared(2 * self.estimates - 1, across);
        let level = amplitude * estimate * libm::sqrt(2.0 * DATA_SYMBOLS / size);
        of_data + if is_positive { level } else { -level }
    }
}

/// A chi-squared number from a standard normal one (Wilson and Hilferty): the mean is exact within 0.2 % from seven degrees of
/// freedom on, which is the least that a transmission has.
fn chi_squared(degrees: u32, normal: f64) -> f64 {
    let degrees = f64::from(degrees);
    let spread = 2.0 / (9.0 * degrees);
    let root = 1.0 - spread + libm::sqrt(spread) * normal;
    degrees * (root * root * root).max(0.0)
}

#[cfg(test)]
mod tests {
    use lasthop_contract::RandomStream;

    use super::*;

    fn normals(stream: &mut RandomStream) -> [f64; 3] {
        core::array::from_fn(|_| stream.standard_normal())
    }

    #[test]
    fn the_level_is_that_of_a_receiver_that_is_simulated_symbol_by_symbol() {
        // Two antennas, four slots, both steady. 20,000 receptions each: the standard error of a share is at most 0.0035.
        let mut stream = RandomStream::named(1, "slots");
        for snr_db in [-9.0, -4.0, 1.0] {
            let snr = libm::exp10(snr_db / 10.0);
            let received = ReceivedAcknowledgement::new(EsN0::from_ratio(2.0 * snr), 1, 2, 3.0);
            for threshold in [0.0, 2.326] {
                let (mut ours, mut simulated) = (0, 0);
                for _ in 0..20_000 {
                    ours += u32::from(received.level(true, normals(&mut stream)) > threshold);
                    simulated += u32::from(by_symbols(snr, &mut stream) > threshold);
                }
                let [ours, simulated] = [ours, simulated].map(|count| f64::from(count) / 20_000.0);
                assert!(
                    (ours - simulated).abs() < 0.015,
                    "{snr_db} {threshold}: {ours} {simulated}"
                );
            }
        }
    }

    /// Eight estimates of three symbols, and the sum of the four symbols beside each, over the deviation of its noise.
    fn by_symbols(snr: f64, stream: &mut RandomStream) -> f64 {
        let mut complex =
            |variance: f64| [(); 2].map(|()| libm::sqrt(variance / 2.0) * stream.standard_normal());
        let (mut sum, mut size) = (0.0, 0.0);
        for _ in 0..8 {
            let [error, noise] = [complex(1.0 / 3.0), complex(4.0)];
            let estimate = [libm::sqrt(snr) + error[0], error[1]];
            let data = [4.0 * libm::sqrt(snr) + noise[0], noise[1]];
            sum += estimate[0] * data[0] + estimate[1] * data[1];
            size += estimate[0] * estimate[0] + estimate[1] * estimate[1];
        }
        sum / libm::sqrt(2.0 * size)
    }

    #[test]
    fn a_certain_acknowledgement_stays_above_any_threshold_whatever_the_noise() {
        for (repetitions, antennas) in [(1, 1), (1, 2), (16, 2), (128, 2), (128, 4)] {
            let received = |snr: f64| {
                ReceivedAcknowledgement::new(
                    EsN0::from_ratio(snr / 4.0),
                    repetitions,
                    antennas,
                    3.0,
                )
            };
            let estimates = f64::from(received(1.0).estimates);
            let just_certain = received(1.01 * (60.0 + 8.0 * estimates));
            assert!(just_certain.is_certain());
            assert!(!received(0.99 * (60.0 + 8.0 * estimates)).is_certain());
            for along in [-6.0, 6.0] {
                for across in [-6.0, 6.0] {
                    // The rarest false alarm that may be asked for has a threshold of 3.7.
                    let level = just_certain.level(true, [-6.0, along, across]);
                    assert!(level > 3.8, "{repetitions} {antennas}: {level}");
                }
            }
        }
    }

    #[test]
    fn without_a_signal_the_level_is_noise_whatever_the_estimates_are() {
        let nothing = ReceivedAcknowledgement::new(EsN0::NOTHING, 16, 2, 3.0);
        for noise in [[-1.5, 0.3, 2.0], [2.4, -3.0, -3.0]] {
            assert_eq!(nothing.level(true, noise), noise[0]);
        }
    }
}
