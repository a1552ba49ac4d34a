use std::collections::BTreeSet;
use std::sync::Arc;

use lasthop_contract::RandomStream;
use lasthop_nbiot::config::{DownlinkGap, NetworkConfig, SearchSpaceConfig};
use lasthop_nbiot::phy::*;

fn config(gap: DownlinkGap) -> NetworkConfig {
    let mut config = NetworkConfig::larmo_2019();
    config.subframes.downlink_gap = Some(gap);
    config
}

/// What a timeline must find, from lists of usable and of taken subframes.
struct Walk {
    usable: Vec<u64>,
    taken: BTreeSet<u64>,
}

impl Walk {
    fn new(map: &DownlinkMap, until: u64) -> Self {
        Self {
            usable: (0..until).filter(|t| map.is_usable(Subframe(*t))).collect(),
            taken: BTreeSet::new(),
        }
    }

    fn from(&self, t: u64) -> usize {
        self.usable.partition_point(|usable| *usable < t)
    }

    fn is_free(&self, subframes: &[u64]) -> bool {
        subframes.iter().all(|t| !self.taken.contains(t))
    }

    fn find_dci(
        &self,
        space: &SearchSpaceConfig,
        repetitions: u16,
        from: u64,
        until: u64,
        first_only: bool,
    ) -> Option<&[u64]> {
        let period = (f64::from(space.rmax) * space.g) as u64;
        let offset = period * u64::from(space.offset_eighths) / 8;
        let candidates = if first_only {
            1
        } else {
            space.rmax / repetitions
        };
        for start in (offset..until).step_by(period as usize) {
            let base = self.from(start);
            for candidate in 0..usize::from(candidates) {
                let first = base + candidate * usize::from(repetitions);
                if self.usable[first] < from {
                    continue;
                }
                if self.usable[first] >= until {
                    return None;
                }
                let subframes = &self.usable[first..first + usize::from(repetitions)];
                if self.is_free(subframes) {
                    return Some(subframes);
                }
            }
        }
        None
    }

    fn find_npdsch(&self, rmax: u16, dci_end: u64, subframes: u32) -> Option<&[u64]> {
        let delays = if rmax < 128 {
            [0, 4, 8, 12, 16, 32, 64, 128]
        } else {
            [0, 16, 32, 64, 128, 256, 512, 1024]
        };
        let n = dci_end - 1;
        delays
            .iter()
            .map(|k0| &self.usable[self.from(n + 5) + k0..][..subframes as usize])
            .find(|subframes| self.is_free(subframes))
    }
}

fn bounds(subframes: &[u64]) -> (Subframe, Subframe) {
    (
        Subframe(subframes[0]),
        Subframe(subframes[subframes.len() - 1] + 1),
    )
}

/// Random DCIs and NPDSCHs on a timeline and on a walk: the same finds, and no subframe twice.
fn compare(config: &NetworkConfig, spaces: &[SearchSpaceConfig], seed: u64) -> u64 {
    let maps = Arc::new(DownlinkMaps::new(config));
    let mut timeline = DownlinkTimeline::new(Arc::clone(&maps));
    let mut random = RandomStream::named(seed, "downlink_timeline");
    let end = 60_000;
    let mut walks = [32, 2048].map(|rmax| Walk::new(maps.of_rmax(rmax), end + 40_000));
    let (mut now, mut found) = (0, 0);
    while now < end {
        now += random.below(60);
        timeline.advance(Subframe(now));
        let space_config = &spaces[random.below(spaces.len() as u64) as usize];
        let space = SearchSpace::new(space_config);
        let repetitions = space_config.dci_repetitions()
            [random.below(space_config.dci_repetitions().len() as u64) as usize];
        let first_only = random.below(4) == 0;
        let (from, until) = (
            now + random.below(30),
            now + 30 + random.below(3 * space.period() + 1),
        );
        let walk = &walks[usize::from(space_config.rmax >= 64)];
        let dci = timeline.find_dci(
            &space,
            repetitions,
            Subframe(from),
            Subframe(until),
            first_only,
        );
        let expected = walk.find_dci(space_config, repetitions, from, until, first_only);
        assert_eq!(dci.map(|span| (span.start, span.end)), expected.map(bounds));
        let (Some(dci), Some(expected)) = (dci, expected) else {
            continue;
        };
        let subframes = random.below(40) as u32 + 1;
        let npdsch = timeline.find_npdsch(space_config.rmax, dci.end, subframes, false);
        let expected_npdsch = walk.find_npdsch(space_config.rmax, dci.end.0, subframes);
        assert_eq!(
            npdsch.map(|(_, span)| (span.start, span.end)),
            expected_npdsch.map(bounds)
        );
        let (Some((_, npdsch)), Some(expected_npdsch)) = (npdsch, expected_npdsch) else {
            continue;
        };
        timeline.reserve(&dci, DownlinkChannel::Npdcch);
        timeline.reserve(&npdsch, DownlinkChannel::Npdsch);
        for t in expected
            .to_vec()
            .iter()
            .chain(expected_npdsch.to_vec().iter())
        {
            for walk in &mut walks {
                walk.taken.insert(*t);
            }
        }
        found += u64::from(dci.subframes + npdsch.subframes);
        let reserved =
            timeline.reserved(DownlinkChannel::Npdcch) + timeline.reserved(DownlinkChannel::Npdsch);
        assert_eq!(reserved, found);
        // Every reservation took subframes of its own.
        assert_eq!(walks[0].taken.len() as u64, found);
    }
    found
}

fn space(rmax: u16, g: f64, offset_eighths: u8) -> SearchSpaceConfig {
    SearchSpaceConfig {
        rmax,
        g,
        offset_eighths,
    }
}

#[test]
fn finds_match_a_walk_over_every_subframe() {
    let gap = DownlinkGap {
        threshold_rmax: 64,
        period_subframes: 256,
        duration_eighths: 4,
    };
    let spaces = [
        space(8, 2.0, 0),
        space(16, 1.5, 1),
        space(4, 4.0, 3),
        space(64, 2.0, 2),
        space(128, 1.5, 0),
    ];
    for seed in 0..4 {
        let found = compare(&config(gap.clone()), &spaces, seed);
        assert!(
            found > 20_000,
            "{found} subframes found: the timeline was hardly loaded"
        );
    }
}

#[test]
fn finds_match_a_walk_over_every_subframe_with_long_spaces() {
    let gap = DownlinkGap {
        threshold_rmax: 64,
        period_subframes: 64,
        duration_eighths: 3,
    };
    let spaces = [space(32, 4.0, 0), space(512, 1.5, 0), space(256, 2.0, 3)];
    for seed in 0..4 {
        assert!(compare(&config(gap.clone()), &spaces, seed) > 20_000);
    }
}

#[test]
fn nothing_is_found_beyond_the_horizon() {
    let maps = Arc::new(DownlinkMaps::new(&NetworkConfig::larmo_2019()));
    let timeline = DownlinkTimeline::new(maps);
    let space = SearchSpace::new(&space(1, 4.0, 0));
    let find =
        |from: u64| timeline.find_dci(&space, 1, Subframe(from), Subframe(from + 1000), false);
    assert!(find(80_000).is_some());
    assert!(find(100_000).is_none());
}

#[test]
fn an_hour_of_silence_leaves_the_timeline_empty() {
    let maps = Arc::new(DownlinkMaps::new(&NetworkConfig::larmo_2019()));
    let mut timeline = DownlinkTimeline::new(maps);
    let space = SearchSpace::new(&space(8, 2.0, 0));
    let find = |timeline: &DownlinkTimeline, from: u64| {
        timeline.find_dci(&space, 8, Subframe(from), Subframe(from + 100), false)
    };
    let span = find(&timeline, 0).unwrap();
    timeline.reserve(&span, DownlinkChannel::Npdcch);
    assert_ne!(find(&timeline, 0), Some(span));
    timeline.advance(Subframe(3_600_000));
    assert_eq!(
        find(&timeline, 3_600_000).unwrap().start,
        Subframe(3_600_001)
    );
}

#[test]
#[should_panic(expected = "no subframe may be used twice")]
fn taking_a_subframe_twice_is_a_panic() {
    let maps = Arc::new(DownlinkMaps::new(&NetworkConfig::larmo_2019()));
    let mut timeline = DownlinkTimeline::new(maps);
    let (_, span) = timeline.find_npdsch(8, Subframe(10), 5, false).unwrap();
    timeline.reserve(&span, DownlinkChannel::Npdsch);
    timeline.reserve(&span, DownlinkChannel::Npdsch);
}
