use lasthop_contract::RandomStream;
use lasthop_nbiot_coding::turbo::{Interleaver, LANES, Lanes, TurboDecoder, encode};
use lasthop_nbiot_coding::{Noise, TransportFormat};

fn block(bits: usize, seed: u64) -> Vec<u8> {
    let mut block = Vec::new();
    Noise::from_stream(RandomStream::named(seed, "block")).bits(bits, &mut block);
    block
}

/// The same ratios for all that are decoded side by side.
fn as_ratios(coded: &[u8]) -> Vec<Lanes> {
    coded
        .iter()
        .map(|bit| Lanes::all(1.0 - 2.0 * f32::from(*bit)))
        .collect()
}

fn decoded(interleaver: Interleaver, received: &[Lanes]) -> Vec<u8> {
    let mut bits = Vec::new();
    TurboDecoder::new(interleaver).decode(received, |ratios| {
        bits = ratios
            .iter()
            .map(|ratio| u8::from(ratio.0[0] < 0.0))
            .collect();
        for ratio in ratios {
            assert_eq!(
                ratio.0, [ratio.0[0]; LANES],
                "blocks do not touch each other"
            );
        }
        false
    });
    bits
}

#[test]
fn every_interleaver_of_the_standard_is_a_permutation() {
    let sizes: Vec<usize> = Interleaver::sizes().collect();
    assert_eq!(sizes.len(), 188);
    assert_eq!((sizes[0], sizes[187]), (40, 6144));
    for size in sizes {
        let interleaver = Interleaver::of(size).unwrap();
        let mut seen = vec![false; size];
        for place in interleaver.places() {
            seen[*place as usize] = true;
        }
        assert!(seen.iter().all(|seen| *seen), "{size}");
    }
}

#[test]
fn there_is_no_interleaver_between_the_sizes() {
    for size in [0, 39, 41, 520, 6145] {
        assert_eq!(Interleaver::of(size), None);
    }
}

#[test]
fn every_block_of_the_uplink_has_an_interleaver() {
    for format in TransportFormat::all_npusch(u16::MAX) {
        assert!(Interleaver::of(format.block_bits()).is_some(), "{format}");
    }
}

#[test]
fn parities_are_the_quotient_of_the_generators() {
    let interleaver = Interleaver::of(64).unwrap();
    let block = block(64, 1);
    let [systematic, first, second] = encode(&block, &interleaver);
    assert_eq!(systematic[..64], block);
    let interleaved: Vec<u8> = interleaver
        .places()
        .iter()
        .map(|p| block[*p as usize])
        .collect();
    for (input, parity) in [(block, first), (interleaved, second)] {
        // parity x (1 + D^2 + D^3) = input x (1 + D + D^3), as far as the block goes.
        let product = |bits: &[u8], powers: [usize; 3], at: usize| {
            powers
                .iter()
                .filter(|power| **power <= at)
                .fold(0, |sum, power| sum ^ bits[at - power])
        };
        for at in 0..64 {
            assert_eq!(
                product(&parity, [0, 2, 3], at),
                product(&input, [0, 1, 3], at),
                "{at}"
            );
        }
    }
}

#[test]
fn a_block_of_zeros_ends_in_zeros() {
    let streams = encode(&[0; 40], &Interleaver::of(40).unwrap());
    for stream in streams {
        assert_eq!(stream, [0; 44]);
    }
}

#[test]
fn without_noise_every_block_comes_back() {
    for size in Interleaver::sizes().take_while(|size| *size <= 2560) {
        let block = block(size, 2);
        let interleaver = Interleaver::of(size).unwrap();
        let coded = encode(&block, &interleaver).concat();
        assert_eq!(decoded(interleaver, &as_ratios(&coded)), block, "{size}");
    }
}

#[test]
fn half_of_the_parities_are_enough_without_noise() {
    let block = block(1024, 3);
    let interleaver = Interleaver::of(1024).unwrap();
    let mut received = as_ratios(&encode(&block, &interleaver).concat());
    for parity in received[1028..].iter_mut().step_by(2) {
        *parity = Lanes::default();
    }
    assert_eq!(decoded(interleaver, &received), block);
}

#[test]
fn wrong_bits_are_put_right() {
    let block = block(256, 4);
    let interleaver = Interleaver::of(256).unwrap();
    let mut received = as_ratios(&encode(&block, &interleaver).concat());
    for ratio in received.iter_mut().step_by(13) {
        *ratio = ratio.scaled(-1.0);
    }
    assert_eq!(decoded(interleaver, &received), block);
}
