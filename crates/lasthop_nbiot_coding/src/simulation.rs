use lasthop_contract::RandomStream;

use crate::convolutional::ConvolutionalDecoder;
use crate::rate_matching;
use crate::turbo::{self, Interleaver, LANES, Lanes, TurboDecoder};
use crate::{Code, Noise, TransportFormat, convolutional};

/// A simulation that counts block errors of a transport format over white noise.
///
/// The channel is known exactly; a block is lost when its bits are wrong, which a check would tell but for one case
/// in 2^16 or more. All that is received of a coded bit, in one pass or several, is summed before it is decoded, and
/// drawn as this sum: a normal number whose mean and variance grow with how often the bit is sent.
#[derive(Debug)]
pub struct Simulation {
    format: TransportFormat,
    /// The places of the coded streams that are sent at all, each with how often all passes together send it.
    sent: Vec<(usize, u32)>,
    noise: Vec<f32>,
    decoder: Decoder,
}

/// The number of block errors among a number of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The number of blocks in error.
    pub errors: u32,
    /// The number of blocks sent.
    pub blocks: u32,
}

#[derive(Debug)]
enum Decoder {
    Turbo {
        interleaver: Interleaver,
        decoder: TurboDecoder,
        received: Vec<Lanes>,
    },
    Convolutional {
        decoder: ConvolutionalDecoder,
        received: Vec<f32>,
    },
}

/// A coded bit's ratio, were it a 0.
struct Ratio {
    place: usize,
    mean: f32,
    deviation: f32,
}

impl Simulation {
    /// Creates a simulation of a transport format.
    ///
    /// # Panics
    /// When the turbo code has no interleaver for its block, which no format of the standard asks for.
    #[must_use]
    pub fn new(format: TransportFormat) -> Self {
        let bits = format.block_bits();
        let (length, decoder) = match format.code() {
            Code::Turbo => {
                let interleaver = Interleaver::of(bits).expect("a size that the turbo code has");
                let length = bits + turbo::TAIL;
                let decoder = Decoder::Turbo {
                    decoder: TurboDecoder::new(interleaver.clone()),
                    interleaver,
                    received: vec![Lanes::default(); 3 * length],
                };
                (length, decoder)
            }
            Code::Convolutional => {
                let decoder = Decoder::Convolutional {
                    decoder: ConvolutionalDecoder::new(bits),
                    received: vec![0.0; 3 * bits],
                };
                (bits, decoder)
            }
        };
        let mut times = vec![0; 3 * length];
        for version in format.redundancy_versions() {
            let places = match format.code() {
                Code::Turbo => rate_matching::turbo(length, *version, format.coded_bits()),
                Code::Convolutional => rate_matching::convolutional(length, format.coded_bits()),
            };
            for place in places {
                times[place] += 1;
            }
        }
        let sent = times.into_iter().enumerate();
        let sent: Vec<(usize, u32)> = sent.filter(|(_, times)| *times > 0).collect();
        Self {
            format,
            noise: vec![0.0; sent.len()],
            sent,
            decoder,
        }
    }

    /// Sends blocks until `errors` are in error or `blocks` are sent, at this Es/N0 summed over the passes.
    ///
    /// What is drawn depends on the seed, the format and the Es/N0 alone.
    pub fn run(&mut self, seed: u64, es_n0_db: f64, errors: u32, blocks: u32) -> Count {
        let name = format_args!("link_tables/{}/{es_n0_db:.2}", self.format);
        let mut noise = Noise::from_stream(RandomStream::named(seed, name));
        let channel = self.channel(es_n0_db);
        let mut count = Count::default();
        while count.errors < errors && count.blocks < blocks {
            let more = self.send(&channel, &mut noise);
            count.errors += more.errors;
            count.blocks += more.blocks;
        }
        count
    }

    fn channel(&self, es_n0_db: f64) -> Vec<Ratio> {
        let passes = self.format.redundancy_versions().len() as f64;
        let es_n0 = libm::pow(10.0, es_n0_db / 10.0) / passes;
        let of_one = self.format.modulation().mean_llr(es_n0);
        let ratio = |(place, times): &(usize, u32)| {
            let mean = of_one * f64::from(*times);
            Ratio {
                place: *place,
                mean: mean as f32,
                deviation: (2.0 * mean).sqrt() as f32,
            }
        };
        self.sent.iter().map(ratio).collect()
    }

    /// Sends as many blocks as are decoded side by side.
    fn send(&mut self, channel: &[Ratio], noise: &mut Noise) -> Count {
        let format = self.format;
        let numbers = &mut self.noise;
        match &mut self.decoder {
            Decoder::Turbo {
                interleaver,
                decoder,
                received,
            } => {
                let blocks: [Vec<u8>; LANES] = core::array::from_fn(|lane| {
                    let block = draw(format, noise);
                    let coded = turbo::encode(&block, interleaver).concat();
                    receive(&coded, channel, noise, numbers, |place, ratio| {
                        received[place].0[lane] = ratio;
                    });
                    block
                });
                // As with a check behind each iteration: who was right once is done.
                let mut lost = [true; LANES];
                decoder.decode(received, |ratios| {
                    for (lane, block) in blocks.iter().enumerate() {
                        lost[lane] &= !is_right(ratios, lane, block);
                    }
                    lost == [false; LANES]
                });
                Count {
                    errors: lost.map(u32::from).iter().sum(),
                    blocks: LANES as u32,
                }
            }
            Decoder::Convolutional { decoder, received } => {
                let block = draw(format, noise);
                let coded = convolutional::encode(&block).concat();
                receive(&coded, channel, noise, numbers, |place, ratio| {
                    received[place] = ratio;
                });
                let mut decoded = Vec::with_capacity(block.len());
                decoder.decode(received, &mut decoded);
                Count {
                    errors: u32::from(decoded != block),
                    blocks: 1,
                }
            }
        }
    }
}

/// A block of random bits with its check.
fn draw(format: TransportFormat, noise: &mut Noise) -> Vec<u8> {
    let mut block = Vec::with_capacity(format.block_bits());
    noise.bits(format.payload_bits(), &mut block);
    format.crc().attach(&mut block);
    block
}

/// Gives each place that was sent its ratio.
#[inline]
fn receive(
    coded: &[u8],
    channel: &[Ratio],
    noise: &mut Noise,
    numbers: &mut [f32],
    mut give: impl FnMut(usize, f32),
) {
    noise.fill(numbers);
    for (ratio, number) in channel.iter().zip(numbers) {
        let zero = ratio.mean + ratio.deviation * *number;
        let sign = 1.0 - 2.0 * f32::from(coded[ratio.place]);
        give(ratio.place, sign * zero);
    }
}

fn is_right(ratios: &[Lanes], lane: usize, block: &[u8]) -> bool {
    let mut bits = ratios.iter().zip(block);
    bits.all(|(ratio, bit)| (ratio.0[lane] < 0.0) == (*bit == 1))
}
