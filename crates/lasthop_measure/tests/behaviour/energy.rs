use core::sync::atomic::AtomicBool;

use lasthop_contract::{Direction, Link, Port, RadioCause, RadioState};
use lasthop_device::{Battery, Load, PowerProfile};
use lasthop_engine::{Observer, Outcome, Simulation, VirtualClock};
use lasthop_measure::{Directory, EnergyConfig, Meter, MeterConfig, RunStatus, Summary};
use lasthop_units::{Duration, Energy, Instant};

use crate::toys::{Collector, PERIOD, Radio, Reporter};

const REPORTS: u32 = 24;

/// Joules of a report by hand: 2 s of 500 mW and 2 s of 80 mW; 0.015 mW for the rest of an hour.
const SENDING: f64 = 2.0 * 0.5;
const LISTENING: f64 = 2.0 * 0.08;
const SLEEPING: f64 = 3_596.0 * 0.015e-3;

fn config(warm_up: Duration, energy: bool) -> MeterConfig {
    let battery = Battery::new(Energy::from_watt_hours(5.0), 0.0).expect("a battery");
    MeterConfig {
        billing: Vec::new(),
        counts_from: None,
        directory: Directory::default(),
        radios: 1,
        flows: 1,
        arriving: None,
        cells: None,
        warm_up,
        drain: Duration::from_secs(60),
        set_up: Duration::from_secs(60),
        disturbed: Instant::FAR_FUTURE,
        keeps_records: true,
        energy: vec![energy.then_some(EnergyConfig {
            profile: PowerProfile::TR_45_820,
            battery,
            load: Load::default(),
            lifetime_years: None,
            from: warm_up,
            until: PERIOD * u64::from(REPORTS),
        })],
    }
}

fn run(config: MeterConfig, link: impl Link + 'static) -> (Summary, RunStatus) {
    let meter = Meter::new(config, None, None);
    let mut simulation = Simulation::new(VirtualClock, meter);
    let device = simulation.add_host(Box::new(Reporter::new(REPORTS)), Direction::Up);
    let server = simulation.add_host(Box::new(Collector::default()), Direction::Down);
    let link = simulation.add_link(Box::new(link));
    simulation.attach(device, link, Port(0));
    simulation.attach(server, link, Port(1));
    let outcome = simulation.run(&AtomicBool::new(false));
    assert_eq!(outcome, Outcome::Idle);
    let end = simulation.observer().horizon();
    simulation.tell_radio_time(end);
    let meter = simulation.into_observer();
    (meter.summary(end), meter.status(outcome))
}

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * other.abs()
}

#[test]
fn a_day_of_reports_takes_what_a_hand_calculation_says() {
    let (summary, status) = run(config(Duration::ZERO, true), Radio::new());
    assert_eq!(status, RunStatus::Completed);
    assert_eq!(summary.messages_delivered, u64::from(REPORTS));
    let energy = summary.energy.as_ref().expect("there is a radio");
    let reports = f64::from(REPORTS);
    for (cause, joules) in [
        (RadioCause::Payload, SENDING),
        (RadioCause::Acknowledgement, LISTENING),
        (RadioCause::Sleep, SLEEPING),
        (RadioCause::RandomAccess, 0.0),
    ] {
        let found = energy.by_cause[cause as usize].as_joules();
        assert!(close(found, reports * joules), "{cause:?}: {found} J");
    }
    let asleep = energy.by_state[RadioState::DeepSleep.index()];
    assert_eq!(asleep, Duration::from_secs(24 * 3_596));
    let per_message = summary.energy_per_message().expect("some arrived");
    let by_hand = SENDING + LISTENING + SLEEPING;
    assert!(close(per_message.as_joules(), by_hand));
    let years = energy.battery_years.expect("it was there all day");
    assert!(
        close(years, 18_000.0 / (by_hand * 8_766.0)),
        "{years} years"
    );
}

/// Half a day of warm-up halves the joules and the messages, and leaves the mean power as it is.
#[test]
fn the_warm_up_does_not_count() {
    let half = PERIOD * u64::from(REPORTS / 2);
    let (all, _) = run(config(Duration::ZERO, true), Radio::new());
    let (late, _) = run(config(half, true), Radio::new());
    let total = |summary: &Summary| {
        summary
            .energy
            .as_ref()
            .map(|energy| energy.total.as_joules())
    };
    let years = |summary: &Summary| {
        summary
            .energy
            .as_ref()
            .and_then(|energy| energy.battery_years)
    };
    let (all_joules, late_joules) = (total(&all).unwrap(), total(&late).unwrap());
    assert!(close(late_joules, all_joules / 2.0), "{late_joules} J");
    assert_eq!(late.messages_delivered, u64::from(REPORTS / 2));
    assert!(close(years(&late).unwrap(), years(&all).unwrap()));
}

#[test]
fn a_radio_that_counts_a_moment_twice_makes_the_run_invalid() {
    let (_, status) = run(config(Duration::ZERO, true), Radio::forgetful());
    assert_eq!(status, RunStatus::Invalid("energy_not_conserved"));
}

#[test]
fn energy_that_nobody_asks_for_is_not_there() {
    let (summary, status) = run(config(Duration::ZERO, false), Radio::new());
    assert_eq!(status, RunStatus::Completed);
    assert!(summary.energy.is_none());
    assert!(summary.energy_per_message().is_none());
}
