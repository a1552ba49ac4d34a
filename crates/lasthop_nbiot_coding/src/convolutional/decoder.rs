use super::coded;

/// The wrap-around Viterbi decoder for tail-biting codes (Shao, Lin and Fossorier 2003), with at most three passes over
/// the trellis.
///
/// Each pass starts in the state where the last one ended, until the best path starts and ends in one state. Otherwise
/// the second of the three passes counts, since it knows most of what follows it.
///
/// A state holds the six newest bits, the newest highest. All generators have a tap at both ends, so that the four
/// branches of a butterfly have one metric, twice with either sign.
#[derive(Debug)]
pub struct ConvolutionalDecoder {
    /// The path metrics of this pass, before each step and behind the last.
    metrics: Vec<[f32; STATES]>,
    /// Those of the pass before.
    before: Vec<[f32; STATES]>,
    /// For each butterfly, the signs with which the three ratios make its metric.
    signs: Box<[[f32; HALF]; 3]>,
}

const STATES: usize = 64;
const HALF: usize = STATES / 2;
const PASSES: usize = 3;

impl ConvolutionalDecoder {
    /// Creates a decoder for blocks of `bits` bits.
    #[must_use]
    pub fn new(bits: usize) -> Self {
        let sign = |stream: usize, butterfly: usize| {
            // The older state of a butterfly is even, its bit a 0.
            1.0 - 2.0 * f32::from(coded(2 * butterfly as u32)[stream])
        };
        let signs =
            core::array::from_fn(|stream| core::array::from_fn(|index| sign(stream, index)));
        let metrics = vec![[0.0; STATES]; bits + 1];
        Self {
            before: metrics.clone(),
            metrics,
            signs: Box::new(signs),
        }
    }

    /// Decodes a block to the most likely bits that three passes find.
    ///
    /// `received` are the ratios of the three streams of [`encode`](super::encode) one behind the other, 0 where
    /// nothing was received. Their scale does not matter.
    ///
    /// # Panics
    /// When the streams are of another length than the block.
    pub fn decode(&mut self, received: &[f32], block: &mut Vec<u8>) {
        let bits = self.metrics.len() - 1;
        assert_eq!(received.len(), 3 * bits, "streams of the block's length");
        let ratios = |step: usize| [0, 1, 2].map(|stream: usize| received[stream * bits + step]);
        block.resize(bits, 0);
        let mut start = [0.0; STATES];
        for pass in 0..PASSES {
            core::mem::swap(&mut self.metrics, &mut self.before);
            self.metrics[0] = start;
            for step in 0..bits {
                self.metrics[step + 1] = self.onwards(&self.metrics[step], ratios(step));
            }
            let end = best(&self.metrics[bits]);
            let state = self.trace_back(&self.metrics, end, ratios, block);
            if state == end {
                return;
            }
            if pass == PASSES - 1 {
                self.trace_back(&self.before, state, ratios, block);
            }
            start = shifted(&self.metrics[bits]);
        }
    }

    #[inline]
    fn onwards(&self, from: &[f32; STATES], ratios: [f32; 3]) -> [f32; STATES] {
        let mut to = [0.0; STATES];
        let (zeros, ones) = to.split_at_mut(HALF);
        for index in 0..HALF {
            let metric = self.metric(index, ratios);
            let (even, odd) = (from[2 * index], from[2 * index + 1]);
            zeros[index] = greater(even + metric, odd - metric);
            ones[index] = greater(even - metric, odd + metric);
        }
        to
    }

    #[inline(always)]
    fn metric(&self, butterfly: usize, ratios: [f32; 3]) -> f32 {
        self.signs[0][butterfly] * ratios[0]
            + self.signs[1][butterfly] * ratios[1]
            + self.signs[2][butterfly] * ratios[2]
    }

    /// Writes the bits of the path through these metrics that ends here, and says where it starts.
    fn trace_back(
        &self,
        metrics: &[[f32; STATES]],
        end: usize,
        ratios: impl Fn(usize) -> [f32; 3],
        block: &mut [u8],
    ) -> usize {
        let mut state = end;
        for step in (0..block.len()).rev() {
            let index = state % HALF;
            let bit = state / HALF;
            let metric = self.metric(index, ratios(step));
            let signed = if bit == 0 { metric } else { -metric };
            let from = &metrics[step];
            let odd_is_better = from[2 * index + 1] - signed > from[2 * index] + signed;
            block[step] = bit as u8;
            state = 2 * index + usize::from(odd_is_better);
        }
        state
    }
}

fn greater(left: f32, right: f32) -> f32 {
    if left > right { left } else { right }
}

fn best(metrics: &[f32; STATES]) -> usize {
    (1..STATES).fold(0, |best, state| {
        if metrics[state] > metrics[best] {
            state
        } else {
            best
        }
    })
}

/// The same metrics, the greatest of them 0.
fn shifted(metrics: &[f32; STATES]) -> [f32; STATES] {
    let by = metrics[best(metrics)];
    metrics.map(|metric| metric - by)
}
