//! The WLAN cell beside the literature.

use lasthop_benchmarks::{WLAN_STATIONS, WlanCase, heusse_2003};
use lasthop_units::Duration;

/// The mean over five seeds of 200 s, as in the page.
fn ours(case: &WlanCase, stations: u32) -> f64 {
    let run = |seed| case.run(stations, Duration::from_secs(200), seed);
    (1..=5).map(|seed| run(seed).total_mbit_s()).sum::<f64>() / 5.0
}

#[test]
fn throughput_in_saturation_is_that_of_the_literature() {
    for case in WlanCase::all() {
        for (place, stations) in WLAN_STATIONS.into_iter().enumerate() {
            let ours = ours(&case, stations);
            let off = |theirs: f64| (ours / theirs - 1.0).abs();
            let equations = case.analysis(stations).throughput_mbit_s();
            assert!(
                off(equations) < 0.03,
                "{}, {stations}: {ours}, {equations}",
                case.name
            );
            if let Some(table) = case.reference_mbit_s {
                let told = table[place];
                assert!(
                    off(told) < 0.02,
                    "{}, {stations}: {ours}, {told}",
                    case.name
                );
            }
        }
    }
}

#[test]
fn bianchis_equations_give_the_figures_that_they_are_known_for() {
    // W = 32 and m = 3 at p = 1/2, where a closed form divides by zero, lies between its neighbours.
    let case = &WlanCase::all()[0];
    let throughput = |stations| case.analysis(stations).throughput_mbit_s();
    assert!(throughput(2) > throughput(10) && throughput(10) > throughput(50));
    // One station sends once in (W + 1) / 2 slots.
    let tau = case.analysis(1).transmission_probability();
    assert!((tau - 2.0 / 33.0).abs() < 1e-9);
}

#[test]
fn a_slow_station_pulls_all_others_to_its_throughput() {
    let anomaly = heusse_2003(&[11, 11, 11, 1]).run();
    let without = heusse_2003(&[11, 11, 11]).run();
    for (fast, alone) in anomaly
        .throughput_mbit_s
        .iter()
        .zip(&without.throughput_mbit_s)
    {
        assert!(*fast < 1.0 && *alone > 2.0, "{fast} beside {alone}");
    }
    let most = anomaly
        .throughput_mbit_s
        .iter()
        .copied()
        .fold(0.0, f64::max);
    let least = anomaly
        .throughput_mbit_s
        .iter()
        .copied()
        .fold(1.0, f64::min);
    assert!(most / least < 1.1);
}
