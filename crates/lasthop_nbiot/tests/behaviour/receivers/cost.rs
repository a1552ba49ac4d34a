//! What the receivers cost a network: what it sends, and the instructions that a run takes.
//!
//! Counted by `valgrind --tool=callgrind target/release/deps/behaviour-* --include-ignored --exact receivers::cost::preset_receivers`
//! and the same with `link_simulation_receivers`.

use lasthop_nbiot::LevelReport;
use lasthop_nbiot::config::NetworkConfig;
use lasthop_units::Duration;

use crate::city::City;

/// The network of Larmo et al. 2019 with four reports a second and cell for 10 s.
fn run(link_simulations: bool) -> LevelReport {
    let mut config = NetworkConfig::larmo_2019();
    if link_simulations {
        config.channel.receive_as_link_simulations();
    }
    let mut city = City::new(&config, 1);
    city.run(10, 84.0, Duration::from_secs(60));
    let mut sum = LevelReport::default();
    for level in city.network.report().levels() {
        sum += level;
    }
    println!(
        "| {link_simulations} | {} | {} | {} | {} | {} |",
        city.offered, city.delivered, city.dropped, sum.npdsch_repeated, sum.blocks_lost
    );
    assert_eq!(city.offered, city.delivered + city.dropped);
    sum
}

#[test]
#[ignore = "soak: what it costs is counted by callgrind"]
fn preset_receivers() {
    run(false);
}

#[test]
#[ignore = "soak: what it costs is counted by callgrind"]
fn link_simulation_receivers() {
    run(true);
}

/// Acknowledgements that are taken for silence are answered by sending the block again.
#[test]
fn receivers_beside_their_sources_repeat_more_blocks() {
    println!(
        "| link simulations | offered | delivered | dropped | NPDSCH repeated | blocks lost |"
    );
    println!("|---|---|---|---|---|---|");
    let [preset, link_simulations] = [false, true].map(run);
    assert!(preset.npdsch_repeated < link_simulations.npdsch_repeated);
}
