//! A base station that has to tell an acknowledgement from silence.

use lasthop_nbiot::LevelReport;
use lasthop_nbiot::config::{DedicatedFormats, LinkAdaptation, NetworkConfig};
use lasthop_units::Duration;

use crate::city::City;

/// Devices behind a coupling loss, each with a report and an answer, over a few seeds.
fn served(
    coupling_loss_db: f64,
    dci_repetitions: u16,
    silence: Option<f64>,
) -> (LevelReport, u64, u64) {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.rsrp_thresholds_dbm = [162.0, 170.0]
        .map(|loss| config.carrier.rsrp_dbm(loss))
        .to_vec();
    config.channel.silence_as_acknowledgement = silence;
    config.levels[0].link_adaptation = LinkAdaptation::Fixed(DedicatedFormats {
        dci_repetitions,
        npdsch_i_tbs: 4,
        npdsch_repetitions: 4,
        npusch_tones: 1,
        npusch_i_tbs: 3,
        npusch_repetitions: 4,
        ack_repetitions: 1,
    });
    let (mut sum, mut delivered, mut offered) = (LevelReport::default(), 0, 0);
    for seed in 0..6 {
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
    let (sum, delivered, offered) = served(120.0, 1, Some(0.01));
    let (free, as_many, _) = served(120.0, 1, None);
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
        let (level, ..) = served(150.0, 1, silence);
        level.npdsch_repeated
    });
    assert!(free < lax && lax < strict, "{free} {lax} {strict}");
}
