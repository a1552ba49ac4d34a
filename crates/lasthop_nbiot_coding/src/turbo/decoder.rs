use super::soft_decoder::SoftDecoder;
use super::{Interleaver, Lanes, TAIL};

/// The iterative decoder of the turbo code: two max-log-MAP decoders that scale their extrinsic information by 0.75.
///
/// The factor makes up for the optimism of max-log (Vogt and Finger 2000).
#[derive(Debug)]
pub struct TurboDecoder {
    interleaver: Interleaver,
    soft: SoftDecoder,
    input: Vec<Lanes>,
    /// The systematic ratios in the order of the second encoder.
    interleaved: Vec<Lanes>,
    extrinsic: Vec<Lanes>,
    /// What the second decoder told the first, in the block's order.
    hint: Vec<Lanes>,
    posterior: Vec<Lanes>,
}

const ITERATIONS: usize = 8;
/// Of an extrinsic ratio, which [`SoftDecoder`] gives twice.
const SCALING: f32 = 0.75 * 0.5;

impl TurboDecoder {
    /// Creates a decoder for blocks of the interleaver's size.
    #[must_use]
    pub fn new(interleaver: Interleaver) -> Self {
        let bits = interleaver.places().len();
        let zeros = vec![Lanes::default(); bits];
        Self {
            interleaver,
            soft: SoftDecoder::new(bits),
            input: zeros.clone(),
            interleaved: zeros.clone(),
            extrinsic: zeros.clone(),
            hint: zeros.clone(),
            posterior: zeros,
        }
    }

    /// Decodes until `accept` accepts the log-likelihood ratios of the block, for at most eight iterations.
    ///
    /// `received` are the ratios of the three streams of [`encode`](super::encode) one behind the other, 0 where
    /// nothing was received. Their scale does not matter.
    ///
    /// # Panics
    /// When the streams have another length than the interleaver asks for.
    pub fn decode(&mut self, received: &[Lanes], mut accept: impl FnMut(&[Lanes]) -> bool) {
        let places = self.interleaver.places();
        let bits = places.len();
        let length = bits + TAIL;
        assert_eq!(received.len(), 3 * length, "streams of this size");
        let (systematic, parities) = received.split_at(length);
        let (first_parity, second_parity) = parities.split_at(length);
        let [first_tail, second_tail] = tails(received, bits);
        for (to, place) in self.interleaved.iter_mut().zip(places) {
            *to = systematic[*place as usize];
        }
        self.hint.fill(Lanes::default());
        for _ in 0..ITERATIONS {
            for (bit, input) in self.input.iter_mut().enumerate() {
                *input = systematic[bit] + self.hint[bit];
            }
            let extrinsic = &mut self.extrinsic;
            self.soft
                .extrinsic(&self.input, first_parity, &first_tail, extrinsic);
            for (index, place) in places.iter().enumerate() {
                let hint = self.extrinsic[*place as usize].scaled(SCALING);
                self.input[index] = self.interleaved[index] + hint;
            }
            let extrinsic = &mut self.extrinsic;
            self.soft
                .extrinsic(&self.input, second_parity, &second_tail, extrinsic);
            for (index, place) in places.iter().enumerate() {
                let found = self.extrinsic[index];
                self.posterior[*place as usize] = self.input[index] + found.scaled(0.5);
                self.hint[*place as usize] = found.scaled(SCALING);
            }
            if accept(&self.posterior) {
                return;
            }
        }
    }
}

/// The bits that end both trellises, with their parities: the reverse of what [`encode`](super::encode) does.
fn tails(received: &[Lanes], bits: usize) -> [[[Lanes; 2]; 3]; 2] {
    let at = |index: usize| received[index % 3 * (bits + TAIL) + bits + index / 3];
    core::array::from_fn(|encoder| {
        core::array::from_fn(|step| {
            let first = encoder * 6 + step * 2;
            [at(first), at(first + 1)]
        })
    })
}
