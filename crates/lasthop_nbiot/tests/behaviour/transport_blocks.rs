use lasthop_nbiot::config::{CarrierMode, DeviceCategory, SubcarrierSpacing};
use lasthop_nbiot::phy::*;

use CarrierMode::{InBand, Standalone};
use DeviceCategory::{Nb1, Nb2};

const IN_BAND: CarrierMode = InBand { control_symbols: 3 };

#[test]
fn the_smallest_block_that_holds_the_payload_is_taken() {
    let block = npdsch_block(4, 121, Nb1, Standalone).unwrap();
    assert_eq!((block.bits, block.column, block.units), (208, 2, 3));
    let block = npusch_block(3, 584, Nb1, 1);
    assert_eq!(block, None, "row 3 ends with 568 bit");
    let block = npusch_block(3, 568, Nb1, 1).unwrap();
    assert_eq!((block.bits, block.column, block.units), (568, 7, 10));
    assert_eq!(npusch_block(0, 0, Nb1, 1).unwrap().bits, 16);
}

#[test]
fn categories_carriers_and_tones_bound_the_tables() {
    assert_eq!(npdsch_block(12, 681, Nb1, Standalone), None);
    assert_eq!(npdsch_block(12, 681, Nb2, Standalone).unwrap().bits, 904);
    assert_eq!(npdsch_block(13, 16, Nb1, Standalone), None);
    assert_eq!(npdsch_block(11, 16, Nb2, IN_BAND), None);
    assert_eq!(npdsch_block(10, 16, Nb1, IN_BAND).unwrap().bits, 144);
    assert_eq!(npusch_block(11, 16, Nb2, 1), None);
    assert_eq!(npusch_block(13, 16, Nb1, 12), None);
    assert_eq!(npusch_block(13, 2536, Nb2, 12).unwrap().units, 10);
    assert_eq!(npusch_block(7, 1001, Nb1, 3), None);
    assert_eq!(npusch_block(14, 16, Nb2, 12), None);
}

#[test]
fn the_largest_blocks_are_those_of_the_releases() {
    let npdsch = |i_tbs, category, mode| {
        TransportBlock::largest_npdsch(i_tbs, category, mode).map(|block| block.bits)
    };
    assert_eq!(npdsch(12, Nb1, Standalone), Some(680));
    assert_eq!(npdsch(13, Nb2, Standalone), Some(2536));
    assert_eq!(npdsch(0, Nb1, IN_BAND), Some(256));
    assert_eq!(npdsch(12, Nb1, IN_BAND), None);
    let npusch = |i_tbs, category, tones| {
        TransportBlock::largest_npusch(i_tbs, category, tones).map(|block| block.bits)
    };
    assert_eq!(npusch(12, Nb1, 12), Some(1000));
    assert_eq!(npusch(13, Nb2, 12), Some(2536));
    assert_eq!(npusch(10, Nb1, 1), Some(1000));
}

#[test]
fn rows_rise_along_and_down_the_tables() {
    for i_tbs in 0..=13_u8 {
        let bits = |block: Option<TransportBlock>| block.map_or(0, |block| u32::from(block.bits));
        let row = |next: &dyn Fn(u32) -> Option<TransportBlock>| {
            core::iter::successors(next(0).map(|block| bits(Some(block))), |last| {
                next(last + 1).map(|block| bits(Some(block)))
            })
            .collect::<Vec<_>>()
        };
        let down = row(&|payload| npdsch_block(i_tbs, payload, Nb2, Standalone));
        let up = row(&|payload| npusch_block(i_tbs, payload, Nb2, 12));
        assert_eq!((down.len(), up.len()), (8, 8));
    }
}

#[test]
fn sums_of_the_tables_are_those_of_the_copies_that_agree() {
    // Sum of tbs_bits over each table, as counted in independent copies.
    let sum = |block: &dyn Fn(u8, u32) -> Option<TransportBlock>| {
        (0..=13)
            .flat_map(|i_tbs| {
                core::iter::successors(block(i_tbs, 0), move |last| {
                    block(i_tbs, u32::from(last.bits) + 1)
                })
            })
            .map(|block| u64::from(block.bits))
            .sum::<u64>()
    };
    assert_eq!(
        sum(&|i_tbs, payload| npdsch_block(i_tbs, payload, Nb2, Standalone)),
        64_592
    );
    assert_eq!(
        sum(&|i_tbs, payload| npusch_block(i_tbs, payload, Nb2, 12)),
        64_720
    );
}

#[test]
fn resource_units_last_and_carry_as_in_the_table() {
    let unit = |spacing, tones| ResourceUnit { spacing, tones };
    let khz15 = [1, 3, 6, 12].map(|tones| unit(SubcarrierSpacing::Khz15, tones));
    assert_eq!(khz15.map(ResourceUnit::duration_ms), [8, 4, 2, 1]);
    assert_eq!(khz15.map(ResourceUnit::data_elements), [96, 144, 144, 144]);
    assert_eq!(khz15.map(|unit| unit.coded_bits(4)), [192, 288, 288, 288]);
    // pi/2-BPSK for I_MCS 0 and 1, which are I_TBS 0 and 2.
    assert_eq!(
        [0, 1, 2, 3].map(|i_tbs| khz15[0].coded_bits(i_tbs)),
        [96, 192, 96, 192]
    );
    assert_eq!(unit(SubcarrierSpacing::Khz3_75, 1).duration_ms(), 32);
}

#[test]
fn msg3_has_88_bit_whatever_its_mcs() {
    for (mcs, units) in [(0, 4), (1, 3), (2, 1)] {
        let block = Msg3Format::of_mcs(mcs).unwrap().block;
        assert_eq!(Some(block), npusch_block(block.i_tbs, 88, Nb1, 1));
        assert_eq!((block.bits, block.units), (88, units));
    }
    assert_eq!(Msg3Format::of_mcs(3), None);
}

#[test]
fn npdsch_repeats_each_subframe_up_to_four_times_before_the_next() {
    let block = npdsch_block(4, 120, Nb1, Standalone).unwrap();
    let contents = |repetitions: u16| {
        let format = NpdschFormat { block, repetitions };
        (0..format.subframes())
            .map(|n| format.content_of(n))
            .collect::<Vec<_>>()
    };
    assert_eq!(contents(1), [0, 1]);
    assert_eq!(contents(2), [0, 0, 1, 1]);
    assert_eq!(
        contents(8),
        [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1]
    );
}

#[test]
fn npusch_repeats_slots_in_blocks() {
    let format = |tones, repetitions| NpuschFormat {
        unit: ResourceUnit {
            spacing: SubcarrierSpacing::Khz15,
            tones,
        },
        block: npusch_block(4, 256, Nb1, tones).unwrap(),
        repetitions,
    };
    assert_eq!(
        [1, 2, 4, 8, 128].map(|n| format(12, n).slot_repetitions_in_a_row()),
        [1, 1, 2, 4, 4]
    );
    assert_eq!(
        [1, 8, 128].map(|n| format(1, n).slot_repetitions_in_a_row()),
        [1, 1, 1]
    );
    assert_eq!(format(1, 4).duration_ms(), 4 * 4 * 8);
    assert!(
        !format(1, 1).has_both_redundancy_versions() && format(1, 2).has_both_redundancy_versions()
    );
}
