//! The committed link tables against the points of validation, and the look-up itself.

use lasthop_nbiot::link_tables::{BlockErrorRate, Carrier, Combining, ControlMessage, Tones};

fn npusch(tones: Tones, i_tbs: u8, i_ru: u8) -> BlockErrorRate {
    BlockErrorRate::npusch(tones, i_tbs, i_ru, Combining::Chase).expect("a block of the table")
}

fn both_versions(tones: Tones, i_tbs: u8, i_ru: u8) -> BlockErrorRate {
    let combining = Combining::RedundancyVersions0And2;
    BlockErrorRate::npusch(tones, i_tbs, i_ru, combining).expect("a block of the table")
}

/// Every handle there is.
fn all() -> Vec<BlockErrorRate> {
    let indices = || (0..14).flat_map(|i_tbs| (0..8).map(move |i_size| (i_tbs, i_size)));
    let mut all = vec![BlockErrorRate::npusch_format_2()];
    for tones in [Tones::Single, Tones::Multi] {
        for combining in [Combining::Chase, Combining::RedundancyVersions0And2] {
            let rates =
                indices().map(|(tbs, ru)| BlockErrorRate::npusch(tones, tbs, ru, combining));
            all.extend(rates.flatten());
        }
    }
    for carrier in [Carrier::Standalone, Carrier::InBand] {
        all.extend(indices().filter_map(|(tbs, sf)| BlockErrorRate::npdsch(carrier, tbs, sf)));
        all.extend(MESSAGES.map(|message| BlockErrorRate::npdcch(carrier, message)));
    }
    all
}

const MESSAGES: [ControlMessage; 3] = [
    ControlMessage::N0OrN1OnOne,
    ControlMessage::N0OrN1OnTwo,
    ControlMessage::N2OnTwo,
];

#[track_caller]
fn assert_within(value: f64, expected: f64, tolerance: f64) {
    assert!(
        (value - expected).abs() <= tolerance,
        "{value} is not {expected} +- {tolerance}"
    );
}

#[test]
fn v_l1_256_bits_in_ten_units_of_a_tone_need_minus_4_40_db() {
    let rate = npusch(Tones::Single, 0, 7);
    assert_eq!(rate.payload_bits(), 256);
    assert_within(rate.es_n0_db(0.1), -4.40, 0.15);
}

#[test]
fn v_l2_256_bits_in_four_units_of_a_tone_need_minus_0_29_db() {
    let rate = npusch(Tones::Single, 4, 3);
    assert_eq!(rate.payload_bits(), 256);
    assert_within(rate.es_n0_db(0.1), -0.29, 0.15);
}

#[test]
fn v_l3_256_bits_in_two_units_of_a_tone_need_4_46_db() {
    let rate = npusch(Tones::Single, 8, 1);
    assert_eq!(rate.payload_bits(), 256);
    assert_within(rate.es_n0_db(0.1), 4.46, 0.15);
}

#[test]
fn v_l12_a_grant_on_both_elements_needs_minus_4_9_db_for_a_tenth_and_minus_3_7_for_a_hundredth() {
    let rate = BlockErrorRate::npdcch(Carrier::Standalone, ControlMessage::N0OrN1OnTwo);
    assert_eq!((rate.payload_bits(), rate.coded_bits()), (23, 304));
    assert_within(rate.es_n0_db(0.1), -4.9, 0.3);
    assert_within(rate.es_n0_db(0.01), -3.7, 0.3);
}

#[test]
fn v_l13_680_bits_in_three_subframes_need_5_5_db() {
    let rate = BlockErrorRate::npdsch(Carrier::Standalone, 12, 2).unwrap();
    assert_eq!((rate.payload_bits(), rate.coded_bits()), (680, 912));
    assert_within(rate.es_n0_db(0.1), 5.5, 0.3);
}

#[test]
fn v_l14_the_second_redundancy_version_gains_as_much_as_the_code_rate_is_high() {
    let cases = [
        (Tones::Single, 4, 3, 256, 768, 0.2),
        (Tones::Single, 8, 1, 256, 384, 1.9),
        (Tones::Multi, 12, 3, 1000, 1152, 2.9),
    ];
    for (tones, i_tbs, i_ru, payload_bits, coded_bits, gain_db) in cases {
        let (one, both) = (
            npusch(tones, i_tbs, i_ru),
            both_versions(tones, i_tbs, i_ru),
        );
        assert_eq!(
            (one.payload_bits(), one.coded_bits()),
            (payload_bits, coded_bits)
        );
        assert_within(one.es_n0_db(0.1) - both.es_n0_db(0.1), gain_db, 0.2);
    }
}

#[test]
fn there_is_a_curve_for_every_block_of_the_standard() {
    // TS 36.213 tables 16.5.1.2-2 and 16.4.1.5.1-1: 14 rows, 11 of them for a single tone and in band, of 8 blocks.
    let up = (14 + 11) * 8 * 2;
    let down = (14 + 11) * 8;
    assert_eq!(all().len(), up + down + 2 * MESSAGES.len() + 1);
    let rows = [
        (0, [16, 32, 56, 88, 120, 152, 208, 256]),
        (6, [88, 176, 256, 392, 504, 600, 808, 1000]),
        (10, [144, 328, 504, 680, 872, 1000, 1384, 1736]),
    ];
    let columns: [u8; 8] = core::array::from_fn(|column| column as u8);
    for (i_tbs, bits) in rows {
        for tones in [Tones::Single, Tones::Multi] {
            let rates = columns.map(|i_ru| npusch(tones, i_tbs, i_ru));
            assert_eq!(rates.map(BlockErrorRate::payload_bits), bits);
        }
    }
    let down = |carrier, i_tbs: u8| {
        let rate = |i_sf| BlockErrorRate::npdsch(carrier, i_tbs, i_sf).expect("a block");
        columns.map(rate).map(BlockErrorRate::payload_bits)
    };
    let row_8 = [120, 256, 392, 536, 680, 808, 1096, 1352];
    assert_eq!(down(Carrier::InBand, 8), row_8);
    assert_eq!(down(Carrier::Standalone, 8), row_8);
    let row_13 = [224, 488, 744, 1032, 1256, 1544, 2024, 2536];
    assert_eq!(down(Carrier::Standalone, 13), row_13);
}

#[test]
fn what_the_standard_does_not_have_is_not_there() {
    let chase = Combining::Chase;
    let missing = [
        BlockErrorRate::npusch(Tones::Single, 11, 0, chase),
        BlockErrorRate::npusch(Tones::Multi, 14, 0, chase),
        BlockErrorRate::npusch(Tones::Multi, 0, 8, chase),
        BlockErrorRate::npusch(Tones::Single, 255, 255, chase),
        BlockErrorRate::npdsch(Carrier::InBand, 11, 0),
        BlockErrorRate::npdsch(Carrier::Standalone, 14, 0),
        BlockErrorRate::npdsch(Carrier::Standalone, 0, 8),
    ];
    assert_eq!(missing, [None; 7]);
}

#[test]
fn every_curve_falls_from_certain_to_never() {
    for rate in all() {
        let grid = (-1000..=1000).map(|step| rate.at(f64::from(step) * 0.05));
        let grid: Vec<f64> = grid.collect();
        assert!(grid.windows(2).all(|pair| pair[0] >= pair[1]), "{rate:?}");
        let start = if rate == BlockErrorRate::npusch_format_2() {
            0.5
        } else {
            1.0
        };
        assert_eq!((grid[0], grid[2000]), (start, 0.0), "{rate:?}");
    }
}

#[test]
fn a_curve_is_measured_from_nearly_all_to_a_thousandth() {
    for rate in all() {
        if rate == BlockErrorRate::npusch_format_2() {
            continue;
        }
        let (from_db, to_db) = rate.measured_db();
        assert!(rate.at(from_db) > 0.93, "{rate:?}: {}", rate.at(from_db));
        assert!(rate.at(to_db) < 2e-3, "{rate:?}: {}", rate.at(to_db));
        // Beyond, it goes on without a jump and is soon never.
        assert!(
            rate.at(to_db + 0.1) > 0.0 && rate.at(to_db + 10.0) == 0.0,
            "{rate:?}"
        );
    }
}

#[test]
fn the_least_es_n0_is_the_inverse_of_the_rate() {
    for rate in all() {
        for share in [0.4, 0.1, 0.03, 0.01, 1e-3, 1e-5] {
            let es_n0_db = rate.es_n0_db(share);
            assert_within(rate.at(es_n0_db), share, 1e-6 * share);
        }
        assert!(rate.at(rate.es_n0_db(0.0)) <= 1e-6);
        assert_eq!(rate.es_n0_db(1.0), rate.es_n0_db(2.0));
    }
}

#[test]
fn no_signal_and_what_is_not_a_number_lose_everything() {
    let rate = npusch(Tones::Single, 0, 0);
    for es_n0_db in [f64::NEG_INFINITY, f64::NAN, -1e300, -60.0] {
        assert_eq!(rate.at(es_n0_db), 1.0);
    }
    for es_n0_db in [f64::INFINITY, 1e300, 60.0] {
        assert_eq!(rate.at(es_n0_db), 0.0);
    }
}

#[test]
fn more_bits_in_the_same_units_need_more_signal() {
    let narrow = (0..8).flat_map(|i_ru| (0..11).map(move |i_tbs| (Tones::Multi, i_tbs, i_ru)));
    for (tones, i_tbs, i_ru) in narrow {
        let combining = Combining::RedundancyVersions0And2;
        let rate = |i_tbs| BlockErrorRate::npusch(tones, i_tbs, i_ru, combining);
        if let (Some(less), Some(more)) = (rate(i_tbs), rate(i_tbs + 1)) {
            // The tables are random to a twentieth of a decibel.
            assert!(
                less.es_n0_db(0.1) < more.es_n0_db(0.1) + 0.05,
                "{i_tbs}, {i_ru}"
            );
        }
    }
}

#[test]
fn the_acknowledgement_is_a_bit_of_sixteen_symbols() {
    let rate = BlockErrorRate::npusch_format_2();
    for es_n0_db in [-20.0, -12.05, -9.0, -6.0] {
        let energy = 16.0 * libm::pow(10.0, es_n0_db / 10.0);
        let expected = 0.5 * libm::erfc(energy.sqrt());
        assert_within(rate.at(es_n0_db), expected, 0.01 * expected);
    }
}

#[test]
fn a_handle_is_small() {
    assert_eq!(size_of::<Option<BlockErrorRate>>(), 4);
    assert_eq!(size_of::<BlockErrorRate>(), 2);
}
