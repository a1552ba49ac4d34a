use lasthop_contract::RandomStream;
use lasthop_nbiot_coding::Noise;
use lasthop_nbiot_coding::convolutional::{ConvolutionalDecoder, encode};

fn block(bits: usize, seed: u64) -> Vec<u8> {
    let mut block = Vec::new();
    Noise::from_stream(RandomStream::named(seed, "block")).bits(bits, &mut block);
    block
}

fn as_ratios(coded: &[u8]) -> Vec<f32> {
    coded
        .iter()
        .map(|bit| 1.0 - 2.0 * f32::from(*bit))
        .collect()
}

fn decoded(bits: usize, received: &[f32]) -> Vec<u8> {
    let mut block = Vec::new();
    ConvolutionalDecoder::new(bits).decode(received, &mut block);
    block
}

#[test]
fn coded_bits_are_the_sums_that_the_generators_name() {
    let block = block(40, 1);
    let streams = encode(&block);
    // 133, 171 and 165 (octal): how long ago the bits are that are added up, around the end of the block.
    let generators = [&[0, 2, 3, 5, 6][..], &[0, 1, 2, 3, 6], &[0, 1, 2, 4, 6]];
    for (stream, ages) in streams.iter().zip(generators) {
        for (at, coded) in stream.iter().enumerate() {
            let sum = ages
                .iter()
                .fold(0, |sum, age| sum ^ block[(at + 40 - age) % 40]);
            assert_eq!(*coded, sum);
        }
    }
}

#[test]
fn a_turned_block_has_turned_streams() {
    let mut block = block(39, 2);
    let mut streams = encode(&block);
    block.rotate_left(7);
    for stream in &mut streams {
        stream.rotate_left(7);
    }
    assert_eq!(encode(&block), streams);
}

#[test]
fn without_noise_every_block_comes_back() {
    for bits in (31..2600).step_by(97) {
        let block = block(bits, 3);
        assert_eq!(
            decoded(bits, &as_ratios(&encode(&block).concat())),
            block,
            "{bits}"
        );
    }
}

#[test]
fn wrong_bits_are_put_right() {
    let block = block(120, 4);
    let mut received = as_ratios(&encode(&block).concat());
    for ratio in received.iter_mut().step_by(11) {
        *ratio = -*ratio;
    }
    assert_eq!(decoded(120, &received), block);
}

#[test]
fn the_decoder_is_nearly_as_good_as_one_that_tries_all_starts() {
    // The blocks of DCI formats N2 and N0, and the shortest of NPDSCH.
    for (bits, name) in [(31, "n2"), (39, "n0"), (40, "npdsch")] {
        let mut noise = Noise::from_stream(RandomStream::named(5, name));
        let mut decoder = ConvolutionalDecoder::new(bits);
        let mut received = vec![0.0; 3 * bits];
        let (mut decoded, mut lost, mut lost_by_the_best) = (Vec::new(), 0, 0);
        for _ in 0..300 {
            let mut block = Vec::new();
            noise.bits(bits, &mut block);
            noise.fill(&mut received);
            for (ratio, bit) in received.iter_mut().zip(as_ratios(&encode(&block).concat())) {
                *ratio = bit + *ratio * 1.15;
            }
            decoder.decode(&received, &mut decoded);
            lost += u32::from(decoded != block);
            lost_by_the_best += u32::from(likeliest(&received) != block);
        }
        assert!(
            lost_by_the_best > 20,
            "the noise is strong enough to tell: {lost_by_the_best}"
        );
        assert!(
            f64::from(lost) < 1.4 * f64::from(lost_by_the_best),
            "{name}: {lost} against {lost_by_the_best}"
        );
    }
}

/// The likeliest of all blocks of up to 64 bits: for each state, the best path that starts and ends there.
fn likeliest(received: &[f32]) -> Vec<u8> {
    const IMPOSSIBLE: (f32, u64) = (f32::NEG_INFINITY, 0);
    let bits = received.len() / 3;
    let ends = (0..64).map(|start| {
        let mut paths = [IMPOSSIBLE; 64];
        paths[start].0 = 0.0;
        for step in 0..bits {
            let mut next = [IMPOSSIBLE; 64];
            for (register, more) in (0..128).zip(likenesses(received, step)) {
                let (likeness, path) = paths[register % 64];
                let to = &mut next[register / 2];
                if likeness + more > to.0 {
                    *to = (likeness + more, path | (register as u64 / 64) << step);
                }
            }
            paths = next;
        }
        paths[start]
    });
    let (_, block) = ends
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .expect("64 ends");
    (0..bits).map(|bit| (block >> bit & 1) as u8).collect()
}

/// How well each register of seven bits fits what was received of this step.
fn likenesses(received: &[f32], step: usize) -> [f32; 128] {
    let bits = received.len() / 3;
    core::array::from_fn(|register| {
        let coded = [0o133, 0o171, 0o165].map(|generator| (register & generator).count_ones() % 2);
        let ratios = (0..3).map(|stream| received[stream * bits + step]);
        let parts = ratios
            .zip(coded)
            .map(|(ratio, bit)| if bit == 0 { ratio } else { -ratio });
        parts.sum()
    })
}
