//! A base station that has to tell an acknowledgement from silence.
#![expect(clippy::print_stdout, reason = "the rows are stated in MODEL.md")]

use core::ops::Range;

use lasthop_nbiot::LevelReport;
use lasthop_nbiot::config::AcknowledgementEstimation::{self, Slot, Window};
use lasthop_nbiot::config::{DedicatedFormats, LinkAdaptation, NetworkConfig};
use lasthop_units::Duration;

use crate::city::City;

/// By which a DCI of one repetition is missed about as often as it is heard, behind 148 dB.
const WEAK_DBM: f64 = 26.0;

/// Devices behind a coupling loss, each with a report and an answer, over a few seeds.
fn served(
    coupling_loss_db: f64,
    downlink_power_dbm: f64,
    seeds: Range<u64>,
    silence: Option<f64>,
    estimation: AcknowledgementEstimation,
) -> (LevelReport, u64, u64) {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.carrier.downlink_power_dbm = downlink_power_dbm;
    // All are in level 0, and get in there.
    config.rsrp_thresholds_dbm = vec![-140.3, -140.4];
    config.levels[0].random_access_formats.dci_repetitions = 8;
    config.levels[0].random_access_formats.npdsch_repetitions = 16;
    config.channel.silence_as_acknowledgement = silence;
    config.channel.acknowledgement_estimation = estimation;
    config.levels[0].link_adaptation = LinkAdaptation::Fixed(DedicatedFormats {
        dci_repetitions: 1,
        npdsch_i_tbs: 4,
        npdsch_repetitions: 16,
        npusch_tones: 1,
        npusch_i_tbs: 3,
        npusch_repetitions: 4,
        ack_repetitions: 1,
    });
    let (mut sum, mut delivered, mut offered) = (LevelReport::default(), 0, 0);
    for seed in seeds {
        let mut city = City::new(&config, seed);
        city.answers = true;
        city.run(100, 0.5, Duration::from_secs(900));
        assert_eq!(city.delivered + city.dropped, city.offered);
        sum += city.network.report().levels()[0];
        delivered += city.delivered;
        offered += city.offered;
    }
    (sum, delivered, offered)
}

/// Where every answer arrives loud, a threshold changes nothing.
#[test]
fn in_good_coverage_a_threshold_costs_nothing() {
    let (sum, delivered, offered) = served(120.0, 43.0, 0..6, Some(0.01), Window);
    let (free, as_many, _) = served(120.0, 43.0, 0..6, None, Window);
    assert_eq!((delivered, as_many), (offered, offered));
    assert_eq!(
        (sum.npdsch_repeated, sum.blocks_lost),
        (free.npdsch_repeated, free.blocks_lost)
    );
}

/// Weak answers are taken for silence, and blocks repeated that had arrived: the more, the rarer silence is to be taken for an
/// answer.
#[test]
fn at_the_edge_blocks_are_repeated_that_had_arrived() {
    let [free, lax, strict] = [None, Some(0.1), Some(0.01)].map(|silence| {
        let (level, ..) = served(150.0, 43.0, 0..6, silence, Window);
        level.npdsch_repeated
    });
    assert!(free < lax && lax < strict, "{free} {lax} {strict}");
}

/// Where half of the assignments are not heard, silence is taken for an acknowledgement in the share that was asked for, within
/// four standard deviations, and for none where the base station knows; RLC finds what was thought to have arrived.
#[test]
fn silence_is_taken_for_an_acknowledgement_in_the_share_that_was_asked_for() {
    println!("| share asked | missing | taken | share | RLC sent again | delivered | offered |");
    println!("|---|---|---|---|---|---|---|");
    let mut sent_again = Vec::new();
    for share in [None, Some(0.01), Some(0.1)] {
        let (level, delivered, offered) = served(148.0, WEAK_DBM, 0..24, share, Window);
        let (missing, taken) = (
            level.acknowledgements_missing,
            level.silences_taken_for_acknowledgements,
        );
        let asked = share.unwrap_or(0.0);
        let found = taken as f64 / missing.max(1) as f64;
        println!(
            "| {asked} | {missing} | {taken} | {found:.4} | {} | {delivered} | {offered} |",
            level.rlc_retransmissions
        );
        let Some(asked) = share else {
            assert_eq!((missing, taken), (0, 0), "it knows");
            sent_again.push(level.rlc_retransmissions);
            continue;
        };
        assert!(missing > 1500, "{missing} are too few to tell");
        let deviation = (asked * (1.0 - asked) / missing as f64).sqrt();
        assert!(
            (found - asked).abs() < 4.0 * deviation,
            "{found} in place of {asked}, of {missing}"
        );
        sent_again.push(level.rlc_retransmissions);
    }
    assert!(
        sent_again[2] > sent_again[1],
        "what nobody has is sent again: {sent_again:?}"
    );
}

/// A receiver that estimates in each slot divides by the size of its estimates: silence is taken for an acknowledgement in the share
/// that was asked for, within four standard deviations, and more blocks are repeated that had arrived.
#[test]
fn a_receiver_that_estimates_in_each_slot_keeps_its_rate_of_false_alarms() {
    for asked in [0.01, 0.1] {
        let (level, ..) = served(148.0, WEAK_DBM, 0..24, Some(asked), Slot);
        let (missing, taken) = (
            level.acknowledgements_missing,
            level.silences_taken_for_acknowledgements,
        );
        println!("by slots, {asked}: {taken} of {missing}");
        assert!(missing > 1500, "{missing} are too few to tell");
        let off = deviations(missing, taken, asked);
        assert!(off.abs() < 4.0, "{taken} of {missing}: {off} deviations");
    }
    let [known, by_window, by_slot] = [(None, Window), (Some(0.01), Window), (Some(0.01), Slot)]
        .map(|(silence, estimation)| {
            let (level, ..) = served(150.0, 43.0, 0..6, silence, estimation);
            level.npdsch_repeated
        });
    println!("NPDSCH repeated: {known} known, {by_window} by window, {by_slot} by slot");
    assert!(known < by_window && by_window < by_slot);
}

/// The same over forty times as many seeds, each batch of them by itself: the batches scatter about the share that was asked for
/// as counts do, and no share is off by more than four standard deviations of all of them.
#[test]
#[ignore = "soak: 250,000 silences for each share"]
fn silence_is_taken_for_an_acknowledgement_in_that_share_over_many_seeds() {
    const BATCHES: u64 = 40;
    println!(
        "| share asked | missing | taken | expected | deviations off | least | greatest | chi squared of {BATCHES} |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for asked in [0.01, 0.1] {
        let (mut missing, mut taken, mut off) = (0, 0, Vec::new());
        for batch in 0..BATCHES {
            let seeds = 24 * batch..24 * (batch + 1);
            let (level, ..) = served(148.0, WEAK_DBM, seeds, Some(asked), Window);
            let (silent, said) = (
                level.acknowledgements_missing,
                level.silences_taken_for_acknowledgements,
            );
            off.push(deviations(silent, said, asked));
            missing += silent;
            taken += said;
        }
        off.sort_by(f64::total_cmp);
        let all = deviations(missing, taken, asked);
        let chi_squared: f64 = off.iter().map(|one| one * one).sum();
        println!(
            "| {asked} | {missing} | {taken} | {:.0} | {all:.2} | {:.2} | {:.2} | {chi_squared:.1} |",
            asked * missing as f64,
            off[0],
            off[off.len() - 1],
        );
        assert!(
            all.abs() < 4.0,
            "{taken} of {missing}, {all} deviations off {asked}"
        );
        // Beyond 80 in one of 6,000.
        assert!(chi_squared < 80.0, "{off:?}");
    }
}

/// How far a count lies from what is expected of it, in its standard deviations.
fn deviations(of: u64, counted: u64, share: f64) -> f64 {
    let of = of as f64;
    (counted as f64 - of * share) / (of * share * (1.0 - share)).sqrt()
}
