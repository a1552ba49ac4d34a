use super::{BurstKind, Tones};

/// Narrowband reference symbols of a port in a subframe (TS 36.211 10.2.6.2).
pub(crate) const NRS_PER_PORT_AND_MS: f32 = 8.0;

/// Reference symbols in a millisecond on all tones (TS 36.211 10.1.4.2): of the seven symbols of a slot, one in
/// format 1 and three in format 2. A slot takes 0.5 ms at 15 kHz and 2 ms at 3.75 kHz.
pub(crate) fn uplink_pilots_per_ms(kind: BurstKind, tones: Tones) -> f32 {
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

#[cfg(test)]
mod tests {
    use super::*;
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

    #[test]
    fn a_good_estimate_costs_nothing_and_a_bad_one_squares_the_loss() {
        assert!((left_of(100.0, 32.0) / 100.0 - 1.0).abs() < 0.001);
        assert!((left_of(0.001, 8.0) / (8.0 * 1e-6) - 1.0).abs() < 0.01);
        assert_eq!(left_of(0.0, 8.0), 0.0);
        assert_eq!(left_of(0.5, f32::INFINITY), 0.5);
    }
}
