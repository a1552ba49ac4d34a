use lasthop_device::{Battery, PowerProfile};
use lasthop_units::{Duration, Energy, Power};

const DAY: Duration = Duration::from_secs(86_400);

/// Battery lives with 5 Wh after TR 45.820: by size and coupling loss, at a report every 2 h and every day.
const LIVES: [(&str, f64, f64); 6] = [
    ("50 B at 144 dB", 22.4, 36.0),
    ("50 B at 154 dB", 11.0, 31.6),
    ("50 B at 164 dB", 2.5, 17.5),
    ("200 B at 144 dB", 18.2, 34.9),
    ("200 B at 154 dB", 5.9, 26.2),
    ("200 B at 164 dB", 1.5, 12.8),
];

/// Each life at 2 h fixes the joules of a report; with the same joules, sleep and battery, the life at a day must come
/// out within a tenth of a year, to which both are rounded.
#[test]
fn v_e1_to_v_e3_follow_from_one_energy_of_a_report() {
    let battery = Battery::new(Energy::from_watt_hours(5.0), 0.0).expect("a battery");
    let sleep = PowerProfile::TR_45_820.deep_sleep;
    for (name, every_2_h, every_day) in LIVES {
        let lives = [every_2_h + 0.05, every_2_h - 0.05].map(|years| {
            let a_day = 18_000.0 / (years * 365.25) - (sleep * DAY).as_joules();
            let report = Energy::from_joules(a_day / 12.0);
            battery.life_years(sleep + report / DAY)
        });
        let [most, least] = lives;
        assert!(
            (least - 0.1..=most + 0.1).contains(&every_day),
            "{name}: {least} to {most} years, published {every_day}"
        );
        assert!(most - least < 0.8, "{name}: a year would fit any figure");
    }
    assert_eq!(sleep, Power::from_milliwatts(0.015));
}
