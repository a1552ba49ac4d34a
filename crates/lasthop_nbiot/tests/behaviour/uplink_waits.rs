use lasthop_contract::RandomStream;
use lasthop_nbiot::config::{Nprach, NprachFormat, SubcarrierSpacing};
use lasthop_nbiot::phy::{NprachOccasions, Subframe, nprach_free_span};

/// The end of an NPUSCH by the words of the standard, one slot group after the other.
fn walk(
    opportunities: &[NprachOccasions],
    start: u64,
    sent_ms: u64,
    spacing: SubcarrierSpacing,
) -> u64 {
    let slot = if spacing == SubcarrierSpacing::Khz15 {
        1
    } else {
        2
    };
    let meets = |t: u64| {
        opportunities.iter().any(|all| {
            let (start, end) = all.taken(Subframe(t));
            start.0 < t + slot && end.0 > t
        })
    };
    let (mut now, mut left, mut since_gap) = (start, sent_ms, 0);
    while left > 0 {
        if since_gap == 256 {
            now += 40;
            since_gap = 0;
        }
        if !meets(now) {
            left -= slot;
        }
        now += slot;
        since_gap += slot;
    }
    now
}

fn opportunities(period_ms: u16, start_ms: u16, repetitions: u16) -> NprachOccasions {
    let nprach = Nprach {
        period_ms,
        start_ms,
        tones: 12,
        tone_offset: 0,
        repetitions,
        attempts: 10,
        multi_tone_msg3_thirds: 0,
    };
    NprachOccasions::new(&nprach, NprachFormat::Format0)
}

#[test]
fn waits_match_a_walk_over_every_slot() {
    let levels = [
        opportunities(160, 64, 1),
        opportunities(640, 8, 8),
        opportunities(2560, 256, 32),
    ];
    let mut random = RandomStream::named(2, "uplink_waits");
    for round in 0..2_000 {
        let (spacing, slot) = match round % 2 {
            0 => (SubcarrierSpacing::Khz15, 1),
            _ => (SubcarrierSpacing::Khz3_75, 2),
        };
        let met = &levels[..random.below(4) as usize];
        let start = random.below(5_000) * slot;
        let sent_ms = (random.below(700) + 1) * slot;
        let span = nprach_free_span(met.iter(), Subframe(start), sent_ms as u32, spacing);
        assert_eq!(
            span.end.0,
            walk(met, start, sent_ms, spacing),
            "{start} {sent_ms} {spacing:?}"
        );
        assert_eq!((span.start.0, u64::from(span.sent_ms)), (start, sent_ms));
    }
}

#[test]
fn a_gap_of_40_ms_follows_256_ms_if_more_is_to_come() {
    let end = |sent_ms| {
        nprach_free_span([].iter(), Subframe(100), sent_ms, SubcarrierSpacing::Khz15)
            .end
            .0
            - 100
    };
    assert_eq!(
        [1, 256, 257, 512, 513, 10_240].map(end),
        [1, 256, 297, 552, 593, 10_240 + 39 * 40]
    );
}

#[test]
fn an_npusch_waits_for_the_end_of_a_preamble() {
    let levels = [opportunities(160, 64, 1)];
    let end = |start, sent_ms| {
        nprach_free_span(
            levels.iter(),
            Subframe(start),
            sent_ms,
            SubcarrierSpacing::Khz15,
        )
        .end
        .0
    };
    assert_eq!(end(60, 4), 64, "ends as the preamble starts");
    assert_eq!(end(60, 5), 71, "a preamble of 5.6 ms takes 6 subframes");
    assert_eq!(end(66, 1), 71);
    assert_eq!(end(70, 1), 71);
}
