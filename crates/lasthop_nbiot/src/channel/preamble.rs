use core::f64::consts::SQRT_2;

/// Returns the probability that a base station detects a preamble.
///
/// `snr_db` is the mean SNR on its 3.75 kHz tone over antennas and symbol groups.
///
/// An ideal detector that adds up the energy of all symbol groups and antennas, with a false alarm rate of 1e-3; a real
/// one needs a margin. Only the product of repetitions and antennas counts. Averaged over the fading of the antennas
/// the curve becomes that of a Rayleigh channel.
#[must_use]
pub fn preamble_detection(repetitions: u16, antennas: u8, snr_db: f64) -> f64 {
    let energies = usize::from(repetitions) * usize::from(antennas);
    let row = (energies.max(1).ilog2() as usize).min(SNR_DB.len() - 1);
    let [half, nine_tenths, nearly_all] = SNR_DB[row];
    let deviate = if snr_db < nine_tenths {
        DEVIATES[1] * (snr_db - half) / (nine_tenths - half)
    } else {
        let slope = (DEVIATES[2] - DEVIATES[1]) / (nearly_all - nine_tenths);
        DEVIATES[1] + slope * (snr_db - nine_tenths)
    };
    let chance = 0.5 * libm::erfc(-deviate / SQRT_2);
    chance.max(FALSE_ALARM)
}

/// A tone on which nobody sends is taken for a preamble so often.
const FALSE_ALARM: f64 = 1e-3;
/// Normal deviates of 50, 90 and 99 %.
const DEVIATES: [f64; 3] = [0.0, 1.281_551_565_544_600_4, 2.326_347_874_040_841];
/// SNR in dB at which 50, 90 and 99 % are detected without fading, by the power of two of repetitions times antennas:
/// four symbol groups a repetition, each five symbols added in phase.
const SNR_DB: [[f64; 3]; 10] = [
    [-3.1, -0.8, 0.6],
    [-5.1, -3.0, -1.6],
    [-7.0, -5.0, -3.7],
    [-8.8, -6.9, -5.7],
    [-10.6, -8.7, -7.5],
    [-12.2, -10.5, -9.3],
    [-13.9, -12.1, -11.1],
    [-15.4, -13.8, -12.7],
    [-17.0, -15.4, -14.4],
    [-18.6, -17.0, -16.0],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_goes_through_its_points_and_rises() {
        for (row, [half, nine_tenths, nearly_all]) in SNR_DB.into_iter().enumerate() {
            let at = |snr_db| preamble_detection(1 << row, 1, snr_db);
            assert!((at(half) - 0.5).abs() < 1e-9);
            assert!((at(nine_tenths) - 0.9).abs() < 1e-9);
            assert!((at(nearly_all) - 0.99).abs() < 1e-9);
            let mut last = 0.0;
            for step in -400..200 {
                let chance = at(f64::from(step) / 10.0);
                assert!(chance >= last && (FALSE_ALARM..=1.0).contains(&chance));
                last = chance;
            }
        }
    }

    #[test]
    fn antennas_count_as_repetitions() {
        assert_eq!(
            preamble_detection(8, 2, -9.0),
            preamble_detection(16, 1, -9.0)
        );
        assert_eq!(preamble_detection(128, 4, -17.0), 0.9);
    }
}
