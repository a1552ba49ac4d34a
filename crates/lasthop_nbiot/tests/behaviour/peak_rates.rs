use std::sync::Arc;

use lasthop_nbiot::config::{CarrierMode, DeviceCategory, NetworkConfig, SubcarrierSpacing};
use lasthop_nbiot::phy::*;

/// Subframes from a DCI of one subframe for this NPUSCH to the earliest next one.
fn uplink_cycle(dci: Subframe, i_tbs: u8, tones: u8, spacing: SubcarrierSpacing) -> u64 {
    let block = npusch_block(i_tbs, 1000, DeviceCategory::Nb1, tones).expect("the block exists");
    assert_eq!(block.bits, 1000);
    let unit = ResourceUnit { spacing, tones };
    let format = NpuschFormat {
        unit,
        block,
        repetitions: 1,
    };
    let start = npusch_start(dci + 1, npusch_delays()[0], spacing);
    monitoring_after_npusch(start + u64::from(format.duration_ms())) - dci
}

fn rate_kbps(bits: f64, cycle_ms: u64) -> f64 {
    bits / cycle_ms as f64
}

#[test]
fn v_p1_peak_uplink_rate_on_12_tones() {
    let cycle = uplink_cycle(Subframe(1), 12, 12, SubcarrierSpacing::Khz15);
    assert_eq!(cycle, 1 + 8 + 4 + 3);
    assert_eq!(rate_kbps(1000.0, cycle), 62.5);
}

#[test]
fn v_p2_peak_downlink_rate() {
    let mut config = NetworkConfig::single_device(120.0);
    config.switches.other_system_information = false;
    let timeline = DownlinkTimeline::new(Arc::new(DownlinkMaps::new(&config)));
    let block = npdsch_block(12, 680, DeviceCategory::Nb1, CarrierMode::Standalone).unwrap();
    assert_eq!((block.bits, block.units), (680, 3));
    // A DCI in subframe 6, so that no broadcast lies in the three subframes of the data.
    let dci = Subframe(6);
    let (field, npdsch) = timeline.find_npdsch(8, dci + 1, 3, true).unwrap();
    assert_eq!((field, npdsch.end - npdsch.start), (0, 3));
    let spacing = SubcarrierSpacing::Khz15;
    let k0 = acknowledgement_resources(spacing)[0].k0;
    let acknowledgement = acknowledgement_start(npdsch.end, k0, spacing);
    let end = acknowledgement + u64::from(acknowledgement_duration_ms(spacing, 1));
    let cycle = monitoring_after_npusch(end) - dci;
    assert_eq!(cycle, 1 + 4 + 3 + 12 + 2 + 3);
    assert_eq!(rate_kbps(680.0, cycle), 27.2);
}

#[test]
fn v_p3_single_tone_of_15_khz() {
    let cycle = uplink_cycle(Subframe(1), 10, 1, SubcarrierSpacing::Khz15);
    assert_eq!(cycle, 60);
    assert_eq!((rate_kbps(1000.0, cycle) * 10.0).round() / 10.0, 16.7);
}

#[test]
fn v_p4_single_tone_of_3_75_khz() {
    // Slots of 2 ms start with even subframes: a DCI in an odd one waits for none.
    let cycle = uplink_cycle(Subframe(1), 10, 1, SubcarrierSpacing::Khz3_75);
    assert_eq!(cycle, 204);
    assert_eq!((rate_kbps(1000.0, cycle) * 10.0).round() / 10.0, 4.9);
    assert_eq!(
        uplink_cycle(Subframe(2), 10, 1, SubcarrierSpacing::Khz3_75),
        205
    );
}

#[test]
fn acknowledgements_come_12_ms_after_the_data_at_the_earliest() {
    for spacing in [SubcarrierSpacing::Khz15, SubcarrierSpacing::Khz3_75] {
        for resource in acknowledgement_resources(spacing) {
            let start = acknowledgement_start(Subframe(100), resource.k0, spacing);
            assert!(start - Subframe(100) >= 12);
        }
    }
    let tones = acknowledgement_resources(SubcarrierSpacing::Khz15).map(|resource| resource.tone);
    assert_eq!(tones[..5], [0, 1, 2, 3, 0]);
    let delays = acknowledgement_resources(SubcarrierSpacing::Khz15).map(|resource| resource.k0);
    assert_eq!(
        [delays[0], delays[4], delays[8], delays[15]],
        [13, 15, 17, 18]
    );
    let resources = acknowledgement_resources(SubcarrierSpacing::Khz3_75);
    assert_eq!((resources[7].tone, resources[7].k0), (45, 13));
    assert_eq!((resources[8].tone, resources[8].k0), (38, 21));
}

#[test]
fn the_response_window_waits_longer_after_long_preambles() {
    let config = NetworkConfig::larmo_2019();
    let space = SearchSpace::new(&config.levels[0].random_access_search_space);
    assert_eq!(space.period(), 16);
    assert_eq!(
        response_window(Subframe(5), 32, 10, &space),
        (Subframe(9), Subframe(169))
    );
    assert_eq!(
        response_window(Subframe(5), 64, 2, &space),
        (Subframe(46), Subframe(78))
    );
}
