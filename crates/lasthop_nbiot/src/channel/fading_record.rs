use core::f64::consts::{PI, TAU};

use lasthop_contract::RandomStream;

/// One long record of Rayleigh fading with the Jakes spectrum, which all devices share.
///
/// A sum of rays, one in each resolved bin of the spectrum, with random phases: it closes on itself, its mean power is
/// 1, and its autocorrelation over the whole record is J0(2 pi f t). Places in it are phases: 2^64 is the whole record.
#[derive(Clone, Debug)]
pub(super) struct FadingRecord {
    samples: Vec<[f32; 2]>,
}

const LOG2_SAMPLES: u32 = 15;
const SAMPLES: usize = 1 << LOG2_SAMPLES;
/// Samples in a period of the largest Doppler shift; between them lies a straight line.
const SAMPLES_PER_PERIOD: usize = 32;

impl FadingRecord {
    /// Periods of the largest Doppler shift in the record.
    pub(super) const PERIODS: usize = SAMPLES / SAMPLES_PER_PERIOD;

    /// A record of its own for each seed.
    pub(super) fn new(seed: u64) -> Self {
        let mut stream = RandomStream::named(seed, "nbiot/fading");
        let mut spectrum = vec![[0.0_f64; 2]; SAMPLES];
        let periods = Self::PERIODS as i32;
        for bin in -periods..=periods {
            let edge =
                |offset: f64| ((f64::from(bin) + offset) / f64::from(periods)).clamp(-1.0, 1.0);
            let share = (libm::asin(edge(0.5)) - libm::asin(edge(-0.5))) / PI;
            let (amplitude, phase) = (share.sqrt(), TAU * stream.unit());
            spectrum[bin.rem_euclid(SAMPLES as i32) as usize] =
                [amplitude * libm::cos(phase), amplitude * libm::sin(phase)];
        }
        transform(&mut spectrum);
        // A straight line cuts corners: the mean power between samples is less by this.
        let correlation = libm::j0(TAU / SAMPLES_PER_PERIOD as f64);
        let scale = 1.0 / (2.0 / 3.0 + correlation / 3.0).sqrt();
        Self {
            samples: (spectrum.iter())
                .map(|[re, im]| [(re * scale) as f32, (im * scale) as f32])
                .collect(),
        }
    }

    /// The complex gain at a phase of the record.
    #[inline]
    pub(super) fn gain_at(&self, phase: u64) -> [f32; 2] {
        let index = (phase >> (64 - LOG2_SAMPLES)) as usize;
        let between = (phase << LOG2_SAMPLES >> 40) as f32 * (1.0 / (1 << 24) as f32);
        let [from, to] = [self.samples[index], self.samples[(index + 1) % SAMPLES]];
        [
            from[0] + (to[0] - from[0]) * between,
            from[1] + (to[1] - from[1]) * between,
        ]
    }

    /// The power gain at a phase of the record; 1 on average.
    #[inline]
    pub(super) fn power_at(&self, phase: u64) -> f32 {
        let [re, im] = self.gain_at(phase);
        re * re + im * im
    }
}

/// The inverse discrete Fourier transform without a factor, in place (Cooley and Tukey 1965).
fn transform(values: &mut [[f64; 2]]) {
    let count = values.len();
    let bits = count.trailing_zeros();
    for index in 0..count {
        let reversed = index.reverse_bits() >> (usize::BITS - bits);
        if index < reversed {
            values.swap(index, reversed);
        }
    }
    let turns: Vec<[f64; 2]> = (0..count / 2)
        .map(|k| TAU * k as f64 / count as f64)
        .map(|angle| [libm::cos(angle), libm::sin(angle)])
        .collect();
    let mut half = 1;
    while half < count {
        let stride = count / (2 * half);
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for (k, (a, b)) in low.iter_mut().zip(high).enumerate() {
                let [c, s] = turns[k * stride];
                let turned = [b[0] * c - b[1] * s, b[0] * s + b[1] * c];
                *b = [a[0] - turned[0], a[1] - turned[1]];
                *a = [a[0] + turned[0], a[1] + turned[1]];
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_transform_is_the_sum_that_defines_it() {
        let mut stream = RandomStream::named(1, "transform");
        let values: Vec<[f64; 2]> = (0..16).map(|_| [stream.unit(), stream.unit()]).collect();
        let mut quick = values.clone();
        transform(&mut quick);
        for (n, [re, im]) in quick.into_iter().enumerate() {
            let mut sum = [0.0, 0.0];
            for (k, [a, b]) in values.iter().enumerate() {
                let angle = TAU * (k * n) as f64 / 16.0;
                sum[0] += a * libm::cos(angle) - b * libm::sin(angle);
                sum[1] += a * libm::sin(angle) + b * libm::cos(angle);
            }
            assert!((re - sum[0]).abs() < 1e-12 && (im - sum[1]).abs() < 1e-12);
        }
    }

    #[test]
    fn mean_power_is_one_and_the_autocorrelation_is_the_bessel_function() {
        let record = FadingRecord::new(4);
        let step = 1_u64 << 47;
        let phases: Vec<u64> = (0..1_u64 << 17).map(|n| n * step).collect();
        let count = phases.len() as f64;
        let power: f64 = phases
            .iter()
            .map(|p| f64::from(record.power_at(*p)))
            .sum::<f64>()
            / count;
        assert!((power - 1.0).abs() < 1e-3, "{power}");
        for periods in [0.05, 0.1, 0.25, 0.383, 0.5, 1.0, 2.3, 10.0] {
            let lag = (periods / FadingRecord::PERIODS as f64 * libm::exp2(64.0)) as u64;
            let mut sum = 0.0;
            for phase in &phases {
                let [a, b] = record.gain_at(*phase);
                let [c, d] = record.gain_at(phase.wrapping_add(lag));
                sum += f64::from(a * c + b * d) / count;
            }
            let expected = libm::j0(TAU * periods);
            assert!((sum - expected).abs() < 0.01, "{periods}: {sum} {expected}");
        }
    }

    #[test]
    fn powers_are_exponentially_distributed() {
        // 700 places, a period and a half apart: Kolmogorov and Smirnov's bound at 1 in 1000 is 1.95 / sqrt(n).
        let record = FadingRecord::new(5);
        let count = 700_u64;
        let mut powers: Vec<f64> = (0..count)
            .map(|n| f64::from(record.power_at(n.wrapping_mul(u64::MAX / count))))
            .collect();
        powers.sort_by(f64::total_cmp);
        let n = powers.len() as f64;
        let distance = (powers.iter().enumerate())
            .map(|(index, power)| {
                let theory = -libm::expm1(-power);
                (theory - index as f64 / n)
                    .abs()
                    .max(((index + 1) as f64 / n - theory).abs())
            })
            .fold(0.0, f64::max);
        assert!(distance < 1.95 / n.sqrt(), "{distance}");
    }
}
