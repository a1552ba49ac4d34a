use std::collections::BTreeMap;

use lasthop_contract::RandomStream;
use lasthop_nbiot::config::{NetworkConfig, SubcarrierSpacing};
use lasthop_nbiot::phy::*;

fn config(spacing: SubcarrierSpacing, postponement: bool) -> NetworkConfig {
    let mut config = NetworkConfig::larmo_2019();
    config.uplink.subcarrier_spacing = spacing;
    config.switches.nprach_postponement = postponement;
    config
}

/// Which reservation has each tone in each millisecond.
#[derive(Default)]
struct Units(BTreeMap<(u64, u8), u32>);

impl Units {
    fn is_free(&self, allocation: &UplinkAllocation) -> bool {
        cells(allocation).all(|cell| !self.0.contains_key(&cell))
    }

    fn take(&mut self, allocation: &UplinkAllocation, number: u32) {
        for cell in cells(allocation) {
            assert_eq!(
                self.0.insert(cell, number),
                None,
                "a resource unit is used twice"
            );
        }
    }
}

fn cells(allocation: &UplinkAllocation) -> impl Iterator<Item = (u64, u8)> {
    let tones = allocation.first_tone..allocation.first_tone + allocation.tones;
    let span = allocation.span;
    (span.start.0..span.end.0).flat_map(move |t| tones.clone().map(move |tone| (t, tone)))
}

fn fill(spacing: SubcarrierSpacing, longest_units: u64, seed: u64) {
    let config = config(spacing, true);
    let mut grid = UplinkGrid::new(&config);
    let mut units = Units::default();
    let mut random = RandomStream::named(seed, "uplink_grid");
    let (mut now, mut refused, mut sent, mut held) = (0, 0, 0, 0);
    for number in 0..1_500 {
        now += random.below(25);
        grid.advance(Subframe(now));
        let end = Subframe(now + random.below(40));
        let is_acknowledgement = random.below(3) == 0;
        let allocation = if is_acknowledgement {
            grid.find_acknowledgement(end, 1 << random.below(5), false)
                .map(|(_, found)| found)
        } else {
            let counts = spacing.allowed_tone_counts();
            let tones = counts[random.below(counts.len() as u64) as usize];
            let units = random.below(longest_units) as u32 + 1;
            let sent_ms = units * ResourceUnit { spacing, tones }.duration_ms();
            grid.find_grant(end, npusch_delays(), sent_ms, tones)
                .map(|(_, found)| found)
        };
        let Some(allocation) = allocation else {
            refused += 1;
            continue;
        };
        assert!(
            allocation.span.start.0 >= end.0 + 8,
            "no grant starts earlier"
        );
        assert!(units.is_free(&allocation));
        units.take(&allocation, number);
        let channel = if is_acknowledgement {
            UplinkChannel::Acknowledgement
        } else {
            UplinkChannel::Data
        };
        grid.reserve(&allocation, channel);
        sent += u64::from(allocation.tones) * u64::from(allocation.span.sent_ms);
        held += cells(&allocation).count();
    }
    assert!(
        refused > 20,
        "{refused} refusals: the grid was hardly loaded"
    );
    assert!(
        refused < 1_400,
        "{refused} refusals: hardly anything was found"
    );
    let share = 12.0 / f64::from(spacing.tones());
    let counted =
        grid.sent_tone_ms(UplinkChannel::Data) + grid.sent_tone_ms(UplinkChannel::Acknowledgement);
    assert_eq!(counted, sent as f64 * share);
    assert_eq!(grid.held_tone_ms(), held as f64 * share);
    assert!(held > sent as usize, "nothing waited for a preamble");
}

#[test]
fn no_resource_unit_is_used_twice_at_15_khz() {
    (0..3).for_each(|seed| fill(SubcarrierSpacing::Khz15, 20, seed));
}

#[test]
fn no_resource_unit_is_used_twice_at_3_75_khz() {
    (0..3).for_each(|seed| fill(SubcarrierSpacing::Khz3_75, 80, seed));
}

#[test]
fn a_find_fails_only_if_every_place_is_taken() {
    let config = config(SubcarrierSpacing::Khz15, false);
    let mut grid = UplinkGrid::new(&config);
    let start = Subframe(1_000);
    let mut tones = Vec::new();
    while let Some(found) = grid.find(start, 100, 1) {
        tones.push(found.first_tone);
        grid.reserve(&found, UplinkChannel::Data);
    }
    assert_eq!(
        tones,
        [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
        "tones of acknowledgements come last"
    );
    assert!(grid.find(Subframe(1_099), 1, 1).is_none());
    assert!(grid.find(Subframe(1_100), 1, 12).is_some());
    assert!(grid.find(Subframe(900), 100, 12).is_some());
    assert!(grid.find(Subframe(901), 100, 12).is_none());
}

#[test]
fn several_tones_lie_where_the_field_can_put_them() {
    for (tones, firsts) in [(3, vec![9, 6, 3, 0]), (6, vec![6, 0]), (12, vec![0])] {
        let mut grid = UplinkGrid::new(&config(SubcarrierSpacing::Khz15, false));
        let mut found = Vec::new();
        while let Some(allocation) = grid.find(Subframe(0), 4, tones) {
            found.push(allocation.first_tone);
            grid.reserve(&allocation, UplinkChannel::Data);
        }
        assert_eq!(found, firsts);
    }
}

#[test]
fn tones_without_preambles_are_preferred() {
    // At 384 ms level 0 alone has preambles, on the 15 kHz tones 9 to 11.
    let grid = UplinkGrid::new(&config(SubcarrierSpacing::Khz15, true));
    let beside = grid.find(Subframe(380), 8, 1).unwrap();
    assert_eq!(beside.span.end, Subframe(388));
    assert!(beside.first_tone < 9, "{beside:?}");
    let all = grid.find(Subframe(380), 8, 12).unwrap();
    assert_eq!(all.span.end, Subframe(380 + 8 + 6));
}

#[test]
fn acknowledgements_take_the_next_tone_then_the_next_delay() {
    let mut grid = UplinkGrid::new(&config(SubcarrierSpacing::Khz15, false));
    let mut found = Vec::new();
    while let Some((field, allocation)) = grid.find_acknowledgement(Subframe(100), 1, false) {
        found.push((field, allocation.first_tone, allocation.span.start.0));
        grid.reserve(&allocation, UplinkChannel::Acknowledgement);
    }
    // 2 ms each: those delayed by 13, 15 and 17 fit after each other; 18 meets 17.
    let expected: Vec<_> = (0..12)
        .map(|field| (field, field % 4, 112 + 2 * u64::from(field / 4)))
        .collect();
    assert_eq!(found, expected);
    let grid = UplinkGrid::new(&config(SubcarrierSpacing::Khz15, false));
    assert_eq!(
        grid.find_acknowledgement(Subframe(100), 1, true).unwrap().0,
        0
    );
}

#[test]
#[should_panic(expected = "no resource unit may be used twice")]
fn taking_a_resource_unit_twice_is_a_panic() {
    let mut grid = UplinkGrid::new(&config(SubcarrierSpacing::Khz15, false));
    let three_tones = grid.find(Subframe(0), 8, 3).unwrap();
    let meanwhile = grid.find(Subframe(7), 8, 1).unwrap();
    grid.reserve(&three_tones, UplinkChannel::Data);
    grid.reserve(&meanwhile, UplinkChannel::Data);
}
