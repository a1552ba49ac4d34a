use core::fmt::{self, Display, Write};

use lasthop_units::{Duration, Probability};

/// A random stream that depends only on a seed and a name, never on the order of other draws.
///
/// The generator is xoshiro256++ (Blackman and Vigna 2021), its state filled by splitmix64 from the seed and
/// an FNV-1a hash of the name. Adding a stream to a run does not move the numbers of another.
///
/// ```
/// use lasthop_contract::RandomStream;
/// let mut loss = RandomStream::named(1, "path/0/up/loss");
/// let mut jitter = RandomStream::named(1, "path/0/up/delay");
/// assert_ne!(loss.next_u64(), jitter.next_u64());
/// ```
#[derive(Clone, Debug)]
pub struct RandomStream {
    state: [u64; 4],
}

impl RandomStream {
    /// Creates the stream with this name in a run with this seed. Pass a name of several parts as [`format_args!`].
    #[must_use]
    pub fn named(seed: u64, name: impl Display) -> Self {
        let mut hash = Fnv1a(0xcbf2_9ce4_8422_2325);
        let _ = write!(hash, "{name}");
        let mut mixer = hash.0 ^ split_mix(&mut seed.clone());
        Self {
            state: core::array::from_fn(|_| split_mix(&mut mixer)),
        }
    }

    /// Returns 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = &mut self.state;
        let result = s0.wrapping_add(*s3).rotate_left(23).wrapping_add(*s0);
        let shifted = *s1 << 17;
        *s2 ^= *s0;
        *s3 ^= *s1;
        *s1 ^= *s2;
        *s0 ^= *s3;
        *s2 ^= shifted;
        *s3 = s3.rotate_left(45);
        result
    }

    /// Returns a number in `0..bound`, or 0 for a bound of 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // Lemire's multiplication without the rejection step: the bias is below bound / 2^64.
        ((u128::from(self.next_u64()) * u128::from(bound)) >> 64) as u64
    }

    /// Returns a number from 0 up to but not including 1, in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Returns true with this probability. It always draws exactly once.
    pub fn chance(&mut self, probability: Probability) -> bool {
        self.unit() < probability.value()
    }

    /// Returns a uniformly distributed span from `from` to `to`, in whole nanoseconds.
    pub fn uniform(&mut self, from: Duration, to: Duration) -> Duration {
        let span = (to - from).as_nanos();
        from + Duration::from_nanos(self.below(span.saturating_add(1)))
    }

    /// Returns an exponentially distributed span, as between the arrivals of a Poisson process.
    pub fn exponential(&mut self, mean: Duration) -> Duration {
        // 1 - unit is never 0, so the logarithm is finite.
        mean.scaled(-libm::log(1.0 - self.unit()))
    }

    /// Returns a normally distributed number with mean 0 and standard deviation 1 (Box and Muller 1958, its cosine
    /// half).
    pub fn standard_normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt();
        radius * libm::cos(core::f64::consts::TAU * self.unit())
    }

    /// Returns a Pareto distributed span of at least `minimum`, with tail exponent `shape`.
    pub fn pareto(&mut self, minimum: Duration, shape: f64) -> Duration {
        minimum.scaled(libm::pow(1.0 - self.unit(), -1.0 / shape))
    }
}

/// The hash of the bytes that were written (Fowler, Noll and Vo).
struct Fnv1a(u64);

impl Write for Fnv1a {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_published_generator() {
        // The first outputs of the reference implementation from the state 1, 2, 3, 4.
        let mut stream = RandomStream {
            state: [1, 2, 3, 4],
        };
        let drawn: Vec<u64> = (0..4).map(|_| stream.next_u64()).collect();
        assert_eq!(
            drawn,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386
            ]
        );
    }

    #[test]
    fn a_stream_depends_on_its_name_and_seed_alone() {
        let first = |seed, name| RandomStream::named(seed, name).next_u64();
        assert_eq!(first(7, "a"), first(7, "a"));
        assert_ne!(first(7, "a"), first(8, "a"));
        assert_ne!(first(7, "a"), first(7, "b"));
    }

    #[test]
    fn certain_and_impossible_events_are_so() {
        let mut stream = RandomStream::named(1, "chance");
        for _ in 0..1000 {
            assert!(stream.chance(Probability::ALWAYS));
            assert!(!stream.chance(Probability::NEVER));
        }
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        // 1e6 draws: the standard errors are 1e-3 and below, the bounds five times that.
        let mut stream = RandomStream::named(3, "moments");
        let count = 1_000_000;
        let mean = Duration::from_millis(100);
        let total: Duration = (0..count).map(|_| stream.exponential(mean)).sum();
        assert!((total.as_secs_f64() / f64::from(count) / 0.1 - 1.0).abs() < 0.005);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..count {
            let x = stream.standard_normal();
            sum += x;
            squares += x * x;
        }
        assert!((sum / f64::from(count)).abs() < 0.005);
        assert!((squares / f64::from(count) - 1.0).abs() < 0.007);
    }
}
