//! Cells that have thresholds, repetitions and carriers of their own.

use lasthop_nbiot::CellReport;
use lasthop_nbiot::config::{
    CarrierUse, CellSettings, NetworkConfig, NonAnchorCarriers, Placement,
};
use lasthop_units::Duration;

use crate::city::City;

/// Cells that hear nothing of each other, with devices at 140 dB in turn.
fn apart(cells: u16) -> NetworkConfig {
    NetworkConfig {
        placement: Placement::StatedCouplingLoss {
            cells,
            coupling_loss_db: 140.0,
        },
        ..NetworkConfig::single_device(140.0)
    }
}

/// What the network has, for some of its cells.
fn as_the_network(config: &NetworkConfig, cells: &[u16]) -> CellSettings {
    CellSettings {
        cells: cells.to_vec(),
        rsrp_thresholds_dbm: config.rsrp_thresholds_dbm.clone(),
        levels: config.levels.clone(),
        non_anchor_carriers: config.non_anchor_carriers.clone(),
    }
}

/// Devices come for a minute; gives the network, which keeps what has to be kept.
fn served(config: &NetworkConfig, per_second: f64) -> City {
    let mut city = City::new(config, 3);
    city.run(60, per_second, Duration::from_secs(180));
    assert_eq!(city.told_ns, city.attached_ns, "radio time is conserved");
    assert_eq!(city.delivered + city.dropped, city.offered);
    assert_eq!(city.packet_time, city.packet_sojourn, "Little");
    city
}

fn cells(city: &City) -> Vec<CellReport> {
    city.network.report().cells
}

fn as_told(cell: &CellReport) -> String {
    format!("{cell:?}")
}

#[test]
fn a_cell_whose_own_settings_are_those_of_the_network_is_like_the_others() {
    let mut config = NetworkConfig::larmo_2019();
    if let Placement::Deployment(deployment) = &mut config.placement {
        deployment.cells = 3;
    }
    let plain = cells(&served(&config, 9.0));
    config.cell_settings = vec![as_the_network(&config, &[1])];
    let own = cells(&served(&config, 9.0));
    for (cell, same) in plain.iter().zip(&own) {
        assert_eq!(as_told(cell), as_told(same));
    }
}

#[test]
fn thresholds_of_a_cell_move_its_devices_to_the_next_level_and_nobody_elses() {
    let mut config = apart(3);
    let before = cells(&served(&config, 6.0));
    let mut own = as_the_network(&config, &[1]);
    own.rsrp_thresholds_dbm = [138.0, 154.0]
        .map(|loss| config.carrier.rsrp_dbm(loss))
        .to_vec();
    config.cell_settings = vec![own];
    let after = cells(&served(&config, 6.0));
    for cell in [0, 2] {
        assert_eq!(as_told(&before[cell]), as_told(&after[cell]));
        assert!(after[cell].levels[0].preambles > 50);
        assert_eq!(after[cell].levels[1].preambles, 0);
    }
    assert_eq!(after[1].levels[0].preambles, 0);
    assert!(after[1].levels[1].preambles > 50);
}

/// Eight repetitions of a preamble take eight times the air of one.
#[test]
fn repetitions_of_a_cell_are_its_own() {
    let mut config = apart(2);
    let mut own = as_the_network(&config, &[1]);
    own.levels[0].nprach.repetitions = 8;
    own.levels[0].nprach.period_ms = 320;
    config.cell_settings = vec![own];
    let told = cells(&served(&config, 4.0));
    let air = |cell: &CellReport| cell.preamble_tone_ms / cell.levels[0].preambles as f64;
    let ratio = air(&told[1]) / air(&told[0]);
    assert!((ratio - 8.0).abs() < 0.01, "{ratio}");
}

/// A cell with fewer levels than the others, where a device that is far away still gets in.
#[test]
fn a_cell_may_have_one_level_where_others_have_three() {
    let mut config = apart(2);
    let mut own = as_the_network(&config, &[1]);
    own.levels.truncate(1);
    own.rsrp_thresholds_dbm.clear();
    config.cell_settings = vec![own];
    let city = served(&config, 2.0);
    let told = cells(&city);
    assert_eq!((told[0].levels.len(), told[1].levels.len()), (3, 1));
    assert_eq!(city.delivered, city.offered);
    let preambles: u64 = (city.network.report().levels().iter())
        .map(|level| level.preambles)
        .sum();
    assert!(preambles > 100);
}

/// The crowded cell gets two carriers more and serves more; the other one has nobody on carriers that it has not.
#[test]
fn carriers_are_those_of_the_cell() {
    let mut config = apart(2);
    let before = served(&config, 60.0);
    let mut own = as_the_network(&config, &[1]);
    own.non_anchor_carriers = Some(NonAnchorCarriers {
        count: 2,
        anchor_sixteenths: 5,
        serve: CarrierUse::Everything,
    });
    config.cell_settings = vec![own];
    assert_eq!(config.carriers_of_all_cells(), 4);
    let after = served(&config, 60.0);
    let (alone, together) = (cells(&before), cells(&after));
    assert_eq!((alone.len(), together.len()), (2, 6));
    let preambles = |cell: &CellReport| -> u64 {
        let levels = cell.levels.iter();
        levels.map(|level| level.preambles).sum()
    };
    for absent in [2, 4] {
        assert_eq!(
            preambles(&together[absent]),
            0,
            "cell 0 has an anchor alone"
        );
    }
    for present in [1, 3, 5] {
        assert!(preambles(&together[present]) > 50);
    }
    assert_eq!(as_told(&alone[0]), as_told(&together[0]));
    let up = |told: &[CellReport], places: &[usize]| -> u64 {
        let levels = places.iter().flat_map(|place| &told[*place].levels);
        levels.map(|level| level.packets_up).sum()
    };
    let (few, many) = (up(&alone, &[1]), up(&together, &[1, 3, 5]));
    assert!(many * 10 > few * 12, "{many} in place of {few}");
}
