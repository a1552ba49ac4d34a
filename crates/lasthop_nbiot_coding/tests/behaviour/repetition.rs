use lasthop_contract::RandomStream;
use lasthop_nbiot_coding::rate_matching;
use lasthop_nbiot_coding::turbo::{Interleaver, LANES, Lanes, TAIL, TurboDecoder, encode};
use lasthop_nbiot_coding::{Combining, Modulation, Noise, Simulation, Tones, TransportFormat};

/// Lost blocks of 256 bits in ten resource units of one tone when every repetition is drawn by itself and the
/// receiver adds up what it gets.
fn lost_with_repetitions(repetitions: u32, es_n0_db: f64, blocks: u32) -> u32 {
    let bits = 256 + 24;
    let interleaver = Interleaver::of(bits).expect("a size of the standard");
    let places = rate_matching::turbo(bits + TAIL, 0, 960);
    let mean = Modulation::Bpsk.mean_llr(libm::pow(10.0, es_n0_db / 10.0)) as f32;
    let name = format_args!("repetitions/{repetitions}");
    let mut noise = Noise::from_stream(RandomStream::named(1, name));
    let mut decoder = TurboDecoder::new(interleaver.clone());
    let mut numbers = vec![0.0; places.len()];
    let mut lost = 0;
    for _ in 0..blocks / LANES as u32 {
        let mut received = vec![Lanes::default(); 3 * (bits + TAIL)];
        let sent: [Vec<u8>; LANES] = core::array::from_fn(|lane| {
            let mut block = Vec::new();
            noise.bits(bits, &mut block);
            let coded = encode(&block, &interleaver).concat();
            for _ in 0..repetitions {
                noise.fill(&mut numbers);
                for (place, number) in places.iter().zip(&numbers) {
                    let zero = mean + (2.0 * mean).sqrt() * number;
                    received[*place].0[lane] += if coded[*place] == 0 { zero } else { -zero };
                }
            }
            block
        });
        let mut right = [false; LANES];
        decoder.decode(&received, |ratios| {
            for lane in 0..LANES {
                let bits = ratios.iter().map(|ratio| u8::from(ratio.0[lane] < 0.0));
                right[lane] |= bits.eq(sent[lane].iter().copied());
            }
            right == [true; LANES]
        });
        lost += right.iter().filter(|right| !**right).count() as u32;
    }
    lost
}

/// V-L4: 3.01 dB a doubling, within 0.05 dB; so 18.06 dB for 64 repetitions, within 0.3 dB.
#[test]
fn v_l4_each_doubling_of_repetitions_gains_three_decibels() {
    let format = TransportFormat::npusch(Tones::Single, 0, 7, Combining::Chase).unwrap();
    let mut once = Simulation::new(format);
    let mut share = |es_n0_db| once.run(1, es_n0_db, u32::MAX, 2_000).share();
    let (worse, better) = (share(AT_DB - 0.3), share(AT_DB + 0.3));
    let gain_db = 10.0 * libm::log10(64.0);
    let lost = lost_with_repetitions(64, AT_DB - gain_db, 2_000);
    let repeated = f64::from(lost) / 2_000.0;
    assert!(
        better < repeated && repeated < worse,
        "{better} < {repeated} < {worse}"
    );
}

/// Where about a tenth is lost with one repetition.
const AT_DB: f64 = -4.45;
