use lasthop_nbiot::config::*;

fn presets() -> Vec<NetworkConfig> {
    let mut presets = vec![NetworkConfig::larmo_2019()];
    presets.extend([100.0, 144.0, 154.0, 164.0].map(NetworkConfig::single_device));
    for carrier in [GoldenCarrier::InBand35, GoldenCarrier::Standalone46] {
        for level in 0..3 {
            for procedure in [
                Procedure::ServiceRequest,
                Procedure::Resume,
                Procedure::ControlPlane,
            ] {
                presets.push(NetworkConfig::golden_timeline(carrier, level, procedure));
            }
        }
    }
    presets
}

#[test]
fn every_preset_is_a_network() {
    for preset in presets() {
        assert_eq!(preset.check(), Ok(()));
    }
}

#[test]
fn a_configuration_survives_json_bit_by_bit() {
    for preset in presets() {
        let json = serde_json::to_string(&preset).unwrap();
        let read: NetworkConfig = serde_json::from_str(&json).unwrap();
        assert_eq!(read, preset);
    }
}

#[test]
fn an_unknown_or_missing_key_is_refused() {
    let mut json = serde_json::to_value(NetworkConfig::larmo_2019()).unwrap();
    json["levels"][1]["nprach"]["periodicity"] = 640.into();
    let error = serde_json::from_value::<NetworkConfig>(json.clone()).unwrap_err();
    assert!(error.to_string().contains("periodicity"), "{error}");

    let nprach = json["levels"][1]["nprach"].as_object_mut().unwrap();
    nprach.remove("periodicity");
    nprach.remove("period_ms");
    let error = serde_json::from_value::<NetworkConfig>(json).unwrap_err();
    assert!(error.to_string().contains("period_ms"), "{error}");
}

#[test]
fn golden_devices_are_in_the_level_that_they_are_named_after() {
    for carrier in [GoldenCarrier::InBand35, GoldenCarrier::Standalone46] {
        for level in 0..3 {
            let network = NetworkConfig::golden_timeline(carrier, level, Procedure::Resume);
            let Placement::StatedCouplingLoss {
                coupling_loss_db, ..
            } = network.placement
            else {
                unreachable!("a single device has a stated coupling loss");
            };
            let rsrp_dbm = network.carrier.rsrp_dbm(coupling_loss_db);
            assert_eq!(network.level_at(rsrp_dbm), level);
        }
    }
}

#[test]
fn a_device_at_the_threshold_is_in_the_better_level() {
    let mut network = NetworkConfig::larmo_2019();
    network.rsrp_thresholds_dbm = vec![-115.5, -127.5];
    let levels = [-115.5, -115.6, -127.5, -127.6].map(|rsrp_dbm| network.level_at(rsrp_dbm));
    assert_eq!(levels, [0, 1, 1, 2]);
}
