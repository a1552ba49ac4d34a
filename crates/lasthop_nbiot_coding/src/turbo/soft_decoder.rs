use super::Lanes;

/// What one of the two encoders tells about the bits: max-log-MAP over its trellis.
///
/// States count the registers of the encoder as binary digits, the newest first. With *a* = input + parity and
/// *b* = input - parity, a branch has the metric *a* (bit 0, parity 0), *b* (0, 1), -*b* (1, 0) or -*a* (1, 1),
/// where ratios for a 0 are positive. All metrics are twice what they are in the textbooks.
#[derive(Debug)]
pub(super) struct SoftDecoder {
    /// The forward metrics of each step.
    forward: Vec<[Lanes; STATES]>,
}

const STATES: usize = 8;
/// So unlikely that no sum of ratios makes up for it.
const IMPOSSIBLE: f32 = -1e6;
/// How often metrics are moved back towards zero, so that they keep their precision.
const STEPS_BETWEEN_SHIFTS: usize = 32;

impl SoftDecoder {
    pub(super) fn new(bits: usize) -> Self {
        Self {
            forward: vec![[Lanes::default(); STATES]; bits],
        }
    }

    /// Twice what the parities tell about each bit beyond its own `input`, the sum of what the channel and the
    /// other decoder say of it. `tail` are the three bits that end the trellis, with their parities.
    pub(super) fn extrinsic(
        &mut self,
        input: &[Lanes],
        parity: &[Lanes],
        tail: &[[Lanes; 2]; 3],
        extrinsic: &mut [Lanes],
    ) {
        let bits = self.forward.len();
        let (input, parity) = (&input[..bits], &parity[..bits]);
        let extrinsic = &mut extrinsic[..bits];
        let mut state = at_zero();
        for step in 0..bits {
            if step % STEPS_BETWEEN_SHIFTS == 0 {
                state = shifted(state);
            }
            self.forward[step] = state;
            state = onwards(&state, input[step], parity[step]);
        }
        let mut state = at_zero();
        for [input, parity] in tail.iter().rev() {
            state = back(&state, *input, *parity);
        }
        for step in (0..bits).rev() {
            if step % STEPS_BETWEEN_SHIFTS == 0 {
                state = shifted(state);
            }
            extrinsic[step] = between(&self.forward[step], parity[step], &state);
            state = back(&state, input[step], parity[step]);
        }
    }
}

fn at_zero() -> [Lanes; STATES] {
    let mut state = [Lanes::all(IMPOSSIBLE); STATES];
    state[0] = Lanes::all(0.0);
    state
}

fn shifted(state: [Lanes; STATES]) -> [Lanes; STATES] {
    let by = state.into_iter().fold(state[0], Lanes::max);
    state.map(|metric| metric - by)
}

#[inline(always)]
fn onwards(s: &[Lanes; STATES], input: Lanes, parity: Lanes) -> [Lanes; STATES] {
    let (a, b) = (input + parity, input - parity);
    [
        (s[0] + a).max(s[1] - a),
        (s[3] + b).max(s[2] - b),
        (s[4] + b).max(s[5] - b),
        (s[7] + a).max(s[6] - a),
        (s[1] + a).max(s[0] - a),
        (s[2] + b).max(s[3] - b),
        (s[5] + b).max(s[4] - b),
        (s[6] + a).max(s[7] - a),
    ]
}

#[inline(always)]
fn back(s: &[Lanes; STATES], input: Lanes, parity: Lanes) -> [Lanes; STATES] {
    let (a, b) = (input + parity, input - parity);
    [
        (s[0] + a).max(s[4] - a),
        (s[4] + a).max(s[0] - a),
        (s[5] + b).max(s[1] - b),
        (s[1] + b).max(s[5] - b),
        (s[2] + b).max(s[6] - b),
        (s[6] + b).max(s[2] - b),
        (s[7] + a).max(s[3] - a),
        (s[3] + a).max(s[7] - a),
    ]
}

/// The best path with a 0 against the best with a 1, leaving out what `input` adds to both.
#[inline(always)]
fn between(from: &[Lanes; STATES], parity: Lanes, to: &[Lanes; STATES]) -> Lanes {
    let (f, t) = (from, to);
    let zero_zero = best(f[0] + t[0], f[1] + t[4], f[6] + t[7], f[7] + t[3]);
    let zero_one = best(f[2] + t[5], f[3] + t[1], f[4] + t[2], f[5] + t[6]);
    let one_zero = best(f[2] + t[1], f[3] + t[5], f[4] + t[6], f[5] + t[2]);
    let one_one = best(f[0] + t[4], f[1] + t[0], f[6] + t[3], f[7] + t[7]);
    (zero_zero + parity).max(zero_one - parity) - (one_zero + parity).max(one_one - parity)
}

#[inline(always)]
fn best(first: Lanes, second: Lanes, third: Lanes, fourth: Lanes) -> Lanes {
    first.max(second).max(third.max(fourth))
}
