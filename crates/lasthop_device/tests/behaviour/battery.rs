use lasthop_device::Battery;
use lasthop_units::{Energy, Power};

use crate::profile::same;

fn battery(watt_hours: f64, self_discharge: f64) -> Battery {
    Battery::new(Energy::from_watt_hours(watt_hours), self_discharge).expect("it holds something")
}

/// 5 Wh are 18,000 J; a year has 8,766 h.
#[test]
fn lasts_as_long_as_its_capacity_by_the_mean_power() {
    for (milliwatts, years) in [(0.015, 38.03), (0.057, 10.007), (3.0, 0.190)] {
        let life = battery(5.0, 0.0).life_years(Power::from_milliwatts(milliwatts));
        assert!(same(life, years, 2e-3), "{milliwatts} mW: {life} years");
    }
}

/// What lasts 10 years by its use lasts 5 when it loses a tenth of the capacity a year by itself.
#[test]
fn self_discharge_shortens_it() {
    let mean = Power::from_watts(5.0 / (10.0 * 8_766.0));
    assert!(same(battery(5.0, 0.1).life_years(mean), 5.0, 1e-9));
    assert!(same(
        battery(5.0, 0.01).life_years(Power::ZERO),
        100.0,
        1e-9
    ));
}

/// A tenth of the capacity is spent at once, so it lasts nine tenths as long; what is spent twice over leaves nothing.
#[test]
fn what_is_spent_once_shortens_it_once() {
    let mean = Power::from_watts(5.0 / (10.0 * 8_766.0));
    for (watt_hours, years) in [(0.0, 10.0), (0.5, 9.0), (10.0, 0.0)] {
        let spent = Energy::from_watt_hours(watt_hours);
        let life = battery(5.0, 0.0).life_years_after(spent, mean);
        assert!((life - years).abs() < 1e-9, "{watt_hours} Wh: {life} years");
    }
}

#[test]
fn refuses_what_is_no_battery() {
    for (joules, self_discharge, words) in [
        (0.0, 0.0, "a battery of 0 J holds nothing"),
        (-1.0, 0.0, "a battery of -1 J holds nothing"),
        (f64::NAN, 0.0, "a battery of NaN J holds nothing"),
        (f64::INFINITY, 0.0, "a battery of inf J holds nothing"),
        (1.0, -0.1, "cannot lose -0.1 of its capacity"),
        (1.0, 1.0, "cannot lose 1 of its capacity"),
        (1.0, f64::NAN, "cannot lose NaN of its capacity"),
    ] {
        let error =
            Battery::new(Energy::from_joules(joules), self_discharge).expect_err("no such battery");
        assert!(error.to_string().contains(words), "{error}");
    }
}
