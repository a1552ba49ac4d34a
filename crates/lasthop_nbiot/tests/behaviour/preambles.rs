use lasthop_contract::RandomStream;
use lasthop_nbiot::config::{Nprach, NprachFormat};
use lasthop_nbiot::phy::{NprachOccasions, Preamble, Subframe};
use lasthop_units::Duration;

fn durations_us(format: NprachFormat, repetitions: &[u16]) -> Vec<u64> {
    let duration = |repetitions| Preamble::new(format, repetitions).duration().as_nanos() / 1_000;
    repetitions.iter().map(|n| duration(*n)).collect()
}

#[test]
fn v_p7_durations_of_format_0() {
    let durations = durations_us(NprachFormat::Format0, &[1, 8, 32, 128]);
    assert_eq!(durations, [5_600, 44_800, 179_200, 756_800]);
}

#[test]
fn durations_of_all_formats_and_repetitions() {
    let all = [1, 2, 4, 8, 16, 32, 64, 128];
    assert_eq!(
        durations_us(NprachFormat::Format0, &all),
        [
            5_600, 11_200, 22_400, 44_800, 89_600, 179_200, 358_400, 756_800
        ]
    );
    assert_eq!(
        durations_us(NprachFormat::Format1, &all),
        [
            6_400, 12_800, 25_600, 51_200, 102_400, 204_800, 409_600, 859_200
        ]
    );
}

#[test]
fn a_gap_is_no_air_time() {
    let preamble = Preamble::new(NprachFormat::Format0, 128);
    assert_eq!(
        preamble.duration() - preamble.air_time(),
        Duration::from_millis(40)
    );
}

fn nprach(period_ms: u16, start_ms: u16, repetitions: u16) -> Nprach {
    Nprach {
        period_ms,
        start_ms,
        tones: 12,
        tone_offset: 24,
        repetitions,
        attempts: 10,
        multi_tone_msg3_thirds: 1,
    }
}

#[test]
fn opportunities_match_a_walk_over_every_subframe() {
    for (period_ms, start_ms, repetitions) in [
        (40, 8, 1),
        (160, 64, 1),
        (240, 1024, 8),
        (640, 512, 64),
        (2560, 256, 128),
        (1280, 1024, 128),
    ] {
        let occasions = NprachOccasions::new(
            &nprach(period_ms, start_ms, repetitions),
            NprachFormat::Format0,
        );
        let (period, start) = (u64::from(period_ms), u64::from(start_ms));
        let length = occasions
            .preamble()
            .duration()
            .as_nanos()
            .div_ceil(1_000_000);
        // The first opportunities are those of the pattern's endless repetition that lie in the run.
        let starts: Vec<u64> = (0..20 * period)
            .filter(|t| (t + 10 * period) % period == start % period)
            .collect();
        for t in 0..10 * period {
            let next = *starts.iter().find(|start| **start >= t).unwrap();
            assert_eq!(occasions.next(Subframe(t)), Subframe(next));
            let taken = *starts.iter().find(|start| **start + length > t).unwrap();
            assert_eq!(
                occasions.taken(Subframe(t)),
                (Subframe(taken), Subframe(taken + length))
            );
        }
    }
}

#[test]
fn a_share_of_the_tones_announces_multi_tone_msg3() {
    let occasions = |thirds| {
        let nprach = Nprach {
            multi_tone_msg3_thirds: thirds,
            ..nprach(160, 8, 1)
        };
        NprachOccasions::new(&nprach, NprachFormat::Format0)
    };
    assert_eq!(
        [0, 1, 2, 3].map(|thirds| occasions(thirds).single_tone_msg3_tones()),
        [12, 8, 4, 0]
    );
    assert_eq!(occasions(0).tones(), (24, 12));
}

#[test]
fn overlap_is_found_as_by_a_walk_over_every_subframe() {
    let mut random = RandomStream::named(5, "preambles/overlap");
    let mut pick = |values: &[u16]| values[random.below(values.len() as u64) as usize];
    let mut overlapping = 0;
    for _ in 0..300 {
        let mut draw = || {
            let period = pick(&[40, 80, 160, 240, 320, 640, 1280, 2560]);
            let start = pick(&[8, 16, 32, 64, 128, 256, 512, 1024]);
            let repetitions = pick(&[1, 2, 4]);
            NprachOccasions::new(&nprach(period, start, repetitions), NprachFormat::Format0)
        };
        let (one, other) = (draw(), draw());
        let is_on_air = |occasions: &NprachOccasions, t: u64| {
            let (start, _) = occasions.taken(Subframe(t));
            start <= Subframe(t) && Subframe(t).start() < occasions.end_of(start)
        };
        let meet = (7680..3 * 7680).any(|t| is_on_air(&one, t) && is_on_air(&other, t));
        assert_eq!(one.overlaps(&other), meet, "{one:?} {other:?}");
        assert_eq!(other.overlaps(&one), meet);
        overlapping += u32::from(meet);
    }
    assert!(
        (50..250).contains(&overlapping),
        "{overlapping} of 300 say little"
    );
}
