use core::f64::consts::TAU;

use super::fading_record::FadingRecord;
use crate::config;
use crate::mixed::mixed;

/// How the power of each device and antenna varies with time, by where each is in the one record.
#[derive(Clone, Debug)]
pub(super) struct Fading {
    kind: Kind,
    /// Phase of the record in a nanosecond.
    phase_per_nano: u64,
    /// At so many points in a nanosecond the power is looked up.
    points_per_nano: f64,
}

#[derive(Clone, Debug)]
enum Kind {
    None,
    Rayleigh(FadingRecord),
    TypicalUrban(FadingRecord, Box<[[[f32; 2]; TAPS.len()]; GROUPS]>),
}

/// One path between an antenna of a cell and one of a device, at one of the two frequencies of the duplex: each fades
/// by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch(u8);

/// Look-ups in a period of the Doppler shift: an eighth of a dB apart on average (J0(2 pi / 16)^2 = 0.92).
const POINTS_PER_PERIOD: f64 = 16.0;
/// Beyond so many look-ups a transmission averages over its fades anyway.
const MOST_POINTS: f64 = 256.0;
/// Typical Urban, 6 taps (TS 05.05 annex C.3): delay in microseconds, power in dB.
const TAPS: [(f64, f64); 6] = [
    (0.0, -3.0),
    (0.2, 0.0),
    (0.5, -2.0),
    (1.6, -6.0),
    (2.4, -8.0),
    (5.0, -10.0),
];
/// Groups of tones whose gain is looked at apart, and how far apart they are in MHz.
const GROUPS: usize = 4;
const GROUP_MHZ: f64 = 0.045;
/// Antennas of one end at most, hence branches of one direction.
const BRANCHES: u8 = 4;
/// Branches of both directions and their taps.
const PATHS: u64 = 2 * BRANCHES as u64 * TAPS.len() as u64;
impl Branch {
    /// From the device to an antenna of the base station.
    pub(super) fn uplink(antenna: u8) -> Self {
        Self(antenna % BRANCHES)
    }

    /// From a port of the base station to an antenna of the device.
    pub(super) fn downlink(pair: u8) -> Self {
        Self(BRANCHES + pair % BRANCHES)
    }

    fn first_path(self) -> u64 {
        u64::from(self.0) * TAPS.len() as u64
    }
}

impl Fading {
    pub(super) fn new(config: config::Fading, seed: u64) -> Self {
        let (kind, doppler_hz) = match config {
            config::Fading::None => (Kind::None, 0.0),
            config::Fading::Rayleigh { doppler_hz } => {
                (Kind::Rayleigh(FadingRecord::new(seed)), doppler_hz)
            }
            config::Fading::TypicalUrban { doppler_hz } => (
                Kind::TypicalUrban(FadingRecord::new(seed), Box::new(tap_gains())),
                doppler_hz,
            ),
        };
        let periods_per_nano = doppler_hz * 1e-9;
        Self {
            kind,
            phase_per_nano: (periods_per_nano / FadingRecord::PERIODS as f64 * libm::exp2(64.0))
                as u64,
            points_per_nano: periods_per_nano * POINTS_PER_PERIOD,
        }
    }

    /// The mean over time, and over groups of tones, of a function of the power gain; and how many gains were looked up.
    #[inline]
    pub(super) fn mean_over(
        &self,
        device: u64,
        branch: Branch,
        from: u64,
        nanos: u64,
        tone_groups: u8,
        function: impl Fn(f32) -> f32,
    ) -> (f32, u64) {
        let (record, groups) = match &self.kind {
            Kind::None => return (function(1.0), 0),
            Kind::Rayleigh(record) => (record, None),
            Kind::TypicalUrban(record, groups) => {
                let groups = &groups[..usize::from(tone_groups).min(GROUPS)];
                (record, (tone_groups > 1).then_some(groups))
            }
        };
        let points = (nanos as f64 * self.points_per_nano)
            .ceil()
            .clamp(1.0, MOST_POINTS) as u64;
        let step = (nanos / points).wrapping_mul(self.phase_per_nano);
        let first = |tap| self.place(device, branch, tap, from).wrapping_add(step / 2);
        let mut sum = 0.0;
        let Some(groups) = groups else {
            let mut phase = first(0);
            for _ in 0..points {
                sum += function(record.power_at(phase));
                phase = phase.wrapping_add(step);
            }
            return (sum / points as f32, points);
        };
        let mut phases: [u64; TAPS.len()] = core::array::from_fn(|tap| first(tap as u64));
        for _ in 0..points {
            let gains = phases.map(|phase| record.gain_at(phase));
            let of_groups: f32 = (groups.iter())
                .map(|group| function(power_of(group, &gains)))
                .sum();
            sum += of_groups / groups.len() as f32;
            for phase in &mut phases {
                *phase = phase.wrapping_add(step);
            }
        }
        (sum / points as f32, points * TAPS.len() as u64)
    }

    /// Where a path is in the record at a time. Each is at a place of its own, and goes on from another with each turn
    /// of the record, so that what a device does every so often does not meet the same fades again.
    #[inline]
    fn place(&self, device: u64, branch: Branch, tap: u64, nanos: u64) -> u64 {
        let since_start = u128::from(nanos) * u128::from(self.phase_per_nano) + u128::from(device);
        let turn = (since_start >> 64) as u64;
        let path = branch.first_path() + tap;
        (since_start as u64).wrapping_add(mixed(device.wrapping_add(turn * PATHS + path)))
    }
}

/// The complex gain of each tap at the middle of each group of tones; the powers of the taps add up to 1.
fn tap_gains() -> [[[f32; 2]; TAPS.len()]; GROUPS] {
    let power = |(_, db): (f64, f64)| libm::exp10(db / 10.0);
    let total: f64 = TAPS.iter().map(|tap| power(*tap)).sum();
    core::array::from_fn(|group| {
        TAPS.map(|tap| {
            let amplitude = (power(tap) / total).sqrt();
            let angle = -TAU * GROUP_MHZ * group as f64 * tap.0;
            [
                (amplitude * libm::cos(angle)) as f32,
                (amplitude * libm::sin(angle)) as f32,
            ]
        })
    })
}

fn power_of(taps: &[[f32; 2]; TAPS.len()], gains: &[[f32; 2]; TAPS.len()]) -> f32 {
    let (mut re, mut im) = (0.0, 0.0);
    for (tap, gain) in taps.iter().zip(gains) {
        re += tap[0] * gain[0] - tap[1] * gain[1];
        im += tap[0] * gain[1] + tap[1] * gain[0];
    }
    re * re + im * im
}

#[cfg(test)]
mod tests {
    use lasthop_contract::RandomStream;

    use super::*;

    const MS: u64 = 1_000_000;

    fn power(fading: &Fading, device: u64, branch: Branch, at_ms: u64, groups: u8) -> f64 {
        let (power, _) = fading.mean_over(device, branch, at_ms * MS, MS, groups, |power| power);
        f64::from(power)
    }

    #[test]
    fn without_fading_the_power_stays_and_nothing_is_looked_up() {
        let fading = Fading::new(config::Fading::None, 1);
        assert_eq!(
            fading.mean_over(7, Branch::uplink(0), 5, 9 * MS, 4, |p| 3.0 * p),
            (3.0, 0)
        );
    }

    #[test]
    fn devices_antennas_and_directions_fade_independently() {
        // 4000 devices: the standard error of a correlation is 0.016; the bound is four of them.
        let fading = Fading::new(config::Fading::Rayleigh { doppler_hz: 1.0 }, 2);
        let mut stream = RandomStream::named(1, "devices");
        let branches = [
            Branch::uplink(0),
            Branch::uplink(1),
            Branch::downlink(0),
            Branch::downlink(1),
        ];
        let mut products = [0.0; 5];
        for _ in 0..4000 {
            let (device, other) = (stream.next_u64(), stream.next_u64());
            let at = branches.map(|branch| power(&fading, device, branch, 400, 1) - 1.0);
            let stranger = power(&fading, other, branches[0], 400, 1) - 1.0;
            for (product, (a, b)) in products.iter_mut().zip([
                (at[0], at[1]),
                (at[0], at[2]),
                (at[1], at[3]),
                (at[2], at[3]),
                (at[0], stranger),
            ]) {
                *product += a * b / 4000.0;
            }
        }
        assert!(products.iter().all(|p| p.abs() < 0.064), "{products:?}");
    }

    #[test]
    fn the_power_of_a_device_varies_with_the_doppler_shift() {
        // The autocorrelation of the power is J0(2 pi f t)^2; 20,000 devices, standard error 0.02.
        let mut stream = RandomStream::named(2, "devices");
        for doppler_hz in [1.0, 5.0] {
            let fading = Fading::new(config::Fading::Rayleigh { doppler_hz }, 3);
            for lag_ms in [40, 160, 380] {
                let mut product = 0.0;
                for _ in 0..20_000 {
                    let device = stream.next_u64();
                    let at = |ms| power(&fading, device, Branch::uplink(0), ms, 1) - 1.0;
                    product += at(1000) * at(1000 + lag_ms) / 20_000.0;
                }
                let bessel = libm::j0(TAU * doppler_hz * lag_ms as f64 / 1000.0);
                assert!(
                    (product - bessel * bessel).abs() < 0.08,
                    "{doppler_hz} {lag_ms} {product}"
                );
            }
        }
    }

    #[test]
    fn a_turn_of_the_record_later_the_fades_are_others() {
        // 20,000 devices: standard error 0.007.
        let fading = Fading::new(config::Fading::Rayleigh { doppler_hz: 1.0 }, 6);
        let turn_ms = 1000 * FadingRecord::PERIODS as u64;
        let mut stream = RandomStream::named(4, "devices");
        for turns in [1, 2, 7] {
            let mut product = 0.0;
            for _ in 0..20_000 {
                let device = stream.next_u64();
                let at = |ms| power(&fading, device, Branch::uplink(0), ms, 1) - 1.0;
                product += at(500) * at(500 + turns * turn_ms) / 20_000.0;
            }
            assert!(product.abs() < 0.04, "{turns}: {product}");
        }
    }

    #[test]
    fn what_recurs_meets_fades_of_its_own_each_time() {
        // As far apart as meters report, as the record lasts, and as its halves and eighths. The record has some 2,000
        // independent fades, which bounds what it can give: a standard error of 0.022 of a correlation, and of the
        // distances of Kolmogorov and Smirnov 1 % lie above 0.036.
        let fading = Fading::new(config::Fading::Rayleigh { doppler_hz: 1.0 }, 7);
        let device = RandomStream::named(5, "devices").next_u64();
        const COUNT: usize = 20_000;
        let turn_ms = 1000 * FadingRecord::PERIODS as u64;
        for period_ms in [
            7_200_000,
            3_600_000,
            900_000,
            turn_ms,
            turn_ms / 2,
            turn_ms / 8,
        ] {
            let of_branch = |branch| -> Vec<f64> {
                let at = |time: usize| time as u64 * period_ms + 77;
                (0..COUNT)
                    .map(|time| power(&fading, device, branch, at(time), 1))
                    .collect()
            };
            let powers = of_branch(Branch::uplink(0));
            let others = of_branch(Branch::uplink(1));
            for lag in 1..=9 {
                let correlation = |earlier: &[f64], later: &[f64]| {
                    let pairs = earlier.iter().zip(&later[lag..]);
                    pairs.map(|(a, b)| (a - 1.0) * (b - 1.0)).sum::<f64>() / COUNT as f64
                };
                let found = [
                    correlation(&powers, &powers),
                    correlation(&powers, &others),
                    correlation(&others, &powers),
                ];
                assert!(
                    found.iter().all(|c| c.abs() < 0.09),
                    "every {period_ms} ms, {lag} later: {found:?}"
                );
            }
            let mut sorted = powers;
            sorted.sort_by(f64::total_cmp);
            let distance = (sorted.iter().enumerate())
                .map(|(rank, power)| {
                    let exponential = 1.0 - libm::exp(-power);
                    (exponential - rank as f64 / COUNT as f64).abs()
                })
                .fold(0.0, f64::max);
            assert!(distance < 0.036, "every {period_ms} ms: {distance}");
        }
    }

    #[test]
    fn a_long_transmission_is_looked_up_sixteen_times_a_period_and_averages() {
        let fading = Fading::new(config::Fading::Rayleigh { doppler_hz: 1.0 }, 4);
        let count = |nanos| fading.mean_over(0, Branch::uplink(0), 0, nanos, 1, |p| p).1;
        assert_eq!(
            [MS, 62 * MS, 63 * MS, 1000 * MS, 100_000 * MS].map(count),
            [1, 1, 2, 16, 256]
        );
        let (mean, _) = fading.mean_over(1 << 60, Branch::uplink(0), 0, 15_000 * MS, 1, |p| p);
        assert!((0.6..1.5).contains(&mean), "{mean}");
    }

    #[test]
    fn typical_urban_is_flat_on_a_tone_and_varies_less_over_the_carrier() {
        // The variance of the power is 1 on a tone; over the carrier it falls with the coherence of the taps.
        let fading = Fading::new(config::Fading::TypicalUrban { doppler_hz: 1.0 }, 5);
        let mut stream = RandomStream::named(3, "devices");
        let count = 20_000;
        let mut squares = [0.0; 2];
        let mut means = [0.0; 2];
        for _ in 0..count {
            let device = stream.next_u64();
            for (which, groups) in [(0, 1), (1, 4)] {
                let off = power(&fading, device, Branch::uplink(1), 900, groups) - 1.0;
                means[which] += off / f64::from(count);
                squares[which] += off * off / f64::from(count);
            }
        }
        let expected = variance_over_groups();
        assert!(means.iter().all(|mean| mean.abs() < 0.04), "{means:?}");
        assert!((squares[0] - 1.0).abs() < 0.15, "{squares:?}");
        assert!(
            (squares[1] - expected).abs() < 0.1,
            "{squares:?} {expected}"
        );
        assert!((0.5..0.95).contains(&expected), "{expected}");
    }

    /// The mean over pairs of groups of the squared correlation between their gains.
    fn variance_over_groups() -> f64 {
        let taps = tap_gains();
        let mut sum = 0.0;
        for a in &taps {
            for b in &taps {
                let (mut re, mut im) = (0.0, 0.0);
                for (x, y) in a.iter().zip(b) {
                    re += f64::from(x[0] * y[0] + x[1] * y[1]);
                    im += f64::from(x[1] * y[0] - x[0] * y[1]);
                }
                sum += (re * re + im * im) / 16.0;
            }
        }
        sum
    }
}
