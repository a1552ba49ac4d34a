use lasthop_contract::RandomStream;
use lasthop_nbiot::config::*;
use lasthop_nbiot::phy::{DownlinkMap, DownlinkMaps, Subframe};

fn without_system_information(sib1_repetitions: u8) -> NetworkConfig {
    let mut config = NetworkConfig::larmo_2019();
    config.subframes.sib1_repetitions = sib1_repetitions;
    config.switches.other_system_information = false;
    config
}

fn map(config: &NetworkConfig) -> DownlinkMap {
    DownlinkMaps::new(config).all().clone()
}

#[test]
fn v_g4_725_usable_subframes_a_second() {
    let map = map(&without_system_information(8));
    assert_eq!(map.period(), (2560, 1856));
    assert_eq!(1856 * 1000, 725 * 2560);
    let a_minute = Subframe(64 * 2560);
    assert_eq!(
        map.usable_between(Subframe(0), a_minute) * 1000,
        725 * a_minute.0
    );
}

#[test]
fn sib1_takes_half_a_subframe_of_every_frame_that_it_is_in() {
    let usable =
        [4, 8, 16].map(|repetitions| map(&without_system_information(repetitions)).period().1);
    assert_eq!(usable, [1920 - 32, 1920 - 64, 1920 - 128]);
}

#[test]
fn system_information_of_the_preset_takes_32_subframes_in_5120() {
    let with = map(&NetworkConfig::larmo_2019());
    assert_eq!(with.period(), (5120, 2 * 1856 - 32));
}

/// The map by the words of the standard, one subframe after the other.
pub(crate) fn walk(config: &NetworkConfig, gap: Option<&DownlinkGap>, subframes: u64) -> Vec<bool> {
    let mut si_left = 0;
    (0..subframes)
        .map(|t| {
            let (frame, in_frame) = (t / 10, t % 10);
            if in_frame == 0 {
                for (number, message) in config.subframes.system_information.iter().enumerate() {
                    let window = u64::from(config.subframes.si_window_ms) / 10;
                    let start =
                        number as u64 * window + u64::from(config.subframes.si_radio_frame_offset);
                    let period = u64::from(message.periodicity_frames);
                    let into = (frame + period - start) % period;
                    if into < window && into.is_multiple_of(u64::from(message.every_frames)) {
                        si_left = if message.transport_block_bits > 120 {
                            8
                        } else {
                            2
                        };
                    }
                }
            }
            let repetitions = u64::from(config.subframes.sib1_repetitions);
            let sib1 = (frame % 256) % (256 / repetitions) < 16 && frame % 2 == 0 && in_frame == 4;
            if in_frame == 0 || in_frame == 5 || in_frame == 9 && frame % 2 == 0 || sib1 {
                return false;
            }
            if si_left > 0 && config.switches.other_system_information {
                si_left -= 1;
                return false;
            }
            !gap.is_some_and(|gap| {
                let period = u64::from(gap.period_subframes);
                (t % period) * 8 < period * u64::from(gap.duration_eighths)
            })
        })
        .collect()
}

#[test]
fn the_map_matches_a_walk_over_every_subframe() {
    let mut random = RandomStream::named(1, "downlink_map/walk");
    let mut pick = |values: &[u16]| values[random.below(values.len() as u64) as usize];
    for _ in 0..40 {
        let mut config = NetworkConfig::larmo_2019();
        config.subframes = SubframeMapConfig {
            sib1_repetitions: pick(&[4, 8, 16]) as u8,
            system_information: (0..pick(&[0, 1, 2, 3]))
                .map(|_| SystemInformation {
                    transport_block_bits: pick(&[56, 120, 208, 680]),
                    periodicity_frames: pick(&[64, 128, 512, 4096]),
                    every_frames: pick(&[2, 4, 8, 16]) as u8,
                })
                .collect(),
            si_window_ms: pick(&[160, 320]),
            si_radio_frame_offset: pick(&[0, 3, 15]) as u8,
            downlink_gap: Some(DownlinkGap {
                threshold_rmax: 64,
                period_subframes: pick(&[64, 128, 256, 512]),
                duration_eighths: pick(&[1, 2, 3, 4]) as u8,
            }),
        };
        if config.check().is_err() {
            continue;
        }
        let maps = DownlinkMaps::new(&config);
        for (rmax, gap) in [(32, None), (64, config.subframes.downlink_gap.as_ref())] {
            let map = maps.of_rmax(rmax);
            let (period, _) = map.period();
            // A message that begins at the end of a period may not run over it.
            let walked = walk(&config, gap, 2 * period);
            let mut before = 0;
            for (t, usable) in walked.iter().enumerate() {
                let subframe = Subframe(t as u64);
                assert_eq!(
                    map.is_usable(subframe),
                    *usable,
                    "{subframe:?} of {config:?}"
                );
                assert_eq!(map.usable_before(subframe), before);
                if *usable {
                    assert_eq!(map.subframe(before), subframe);
                    assert_eq!(map.next_usable(subframe), subframe);
                    before += 1;
                }
            }
        }
    }
}

#[test]
fn switches_take_gaps_and_messages_away() {
    let mut config = NetworkConfig::larmo_2019();
    config.switches.downlink_gap = false;
    let maps = DownlinkMaps::new(&config);
    assert_eq!(maps.of_rmax(2048).period(), maps.all().period());
    config.switches.other_system_information = false;
    assert_eq!(DownlinkMaps::new(&config).all().period(), (2560, 1856));
}
