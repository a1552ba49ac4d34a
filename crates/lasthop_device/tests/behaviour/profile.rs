use lasthop_contract::RadioState;
use lasthop_device::PowerProfile;
use lasthop_units::{DecibelMilliwatts, Power};

pub(crate) fn same(one: f64, other: f64, relative: f64) -> bool {
    (one - other).abs() <= relative * other.abs()
}

#[test]
fn sending_at_full_power_draws_what_the_profile_says() {
    for (profile, milliwatts) in [
        (PowerProfile::TR_45_820, 500.0),
        (PowerProfile::BG96, 589.0),
        (PowerProfile::SARA_N2, 828.0),
    ] {
        let drawn = profile.draws(RadioState::Transmit(DecibelMilliwatts::new(23.0)));
        assert_eq!(drawn, Power::from_milliwatts(milliwatts));
    }
}

/// 60 mW, and 440 mW for 199.5 mW at the antenna.
#[test]
fn less_at_the_antenna_draws_less_down_to_the_floor() {
    let transmit = PowerProfile::TR_45_820.transmit;
    assert!(same(transmit.efficiency(), 0.4535, 1e-3));
    for (level, milliwatts) in [
        (22.999_999, 500.0),
        (20.0, 280.5),
        (13.0, 104.0),
        (-40.0, 60.0),
    ] {
        let drawn = transmit.at(DecibelMilliwatts::new(level)).as_watts() * 1e3;
        assert!(same(drawn, milliwatts, 1e-3), "{level} dBm: {drawn} mW");
    }
}

/// TR 45.820 knows one light sleep; the module draws more while it is connected.
#[test]
fn the_deeper_the_sleep_the_less_it_draws() {
    for profile in [
        PowerProfile::TR_45_820,
        PowerProfile::BG96,
        PowerProfile::SARA_N2,
    ] {
        assert!(profile.deep_sleep < profile.light_sleep);
        assert!(profile.light_sleep <= profile.connected_sleep);
        assert!(profile.connected_sleep < profile.receive);
        assert!(
            profile.receive < profile.draws(RadioState::Transmit(DecibelMilliwatts::new(23.0)))
        );
    }
}
