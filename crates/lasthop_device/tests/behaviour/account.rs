use lasthop_contract::{RadioCause, RadioState, RandomStream};
use lasthop_device::{EnergyAccount, PowerProfile};
use lasthop_units::{DecibelMilliwatts, Duration};

use crate::profile::same;

const FULL: RadioState = RadioState::Transmit(DecibelMilliwatts::new(23.0));

/// A report by hand: what, what for, how many ms, how many mW by TR 45.820.
const REPORT: [(RadioState, RadioCause, u64, f64); 9] = [
    (RadioState::Receive, RadioCause::Synchronisation, 337, 80.0),
    (FULL, RadioCause::RandomAccess, 6, 500.0),
    (RadioState::Receive, RadioCause::RandomAccess, 41, 80.0),
    (RadioState::ConnectedSleep, RadioCause::Signalling, 100, 3.0),
    (FULL, RadioCause::Signalling, 88, 500.0),
    (FULL, RadioCause::Payload, 160, 500.0),
    (RadioState::Receive, RadioCause::Waiting, 20_000, 80.0),
    (RadioState::LightSleep, RadioCause::Sleep, 3_500, 3.0),
    (RadioState::DeepSleep, RadioCause::Sleep, 86_375_768, 0.015),
];

fn account_of_a_report() -> EnergyAccount {
    let mut account = EnergyAccount::new(PowerProfile::TR_45_820);
    for (state, cause, millis, _) in REPORT {
        account.record(state, cause, Duration::from_millis(millis));
    }
    account
}

#[test]
fn spans_add_up_to_the_day() {
    let account = account_of_a_report();
    assert_eq!(account.total_time(), Duration::from_secs(86_400));
}

#[test]
fn joules_go_to_what_they_were_for() {
    let account = account_of_a_report();
    for cause in RadioCause::ALL {
        let by_hand: f64 = REPORT
            .iter()
            .filter(|(_, entered, ..)| *entered == cause)
            .map(|(_, _, millis, milliwatts)| *millis as f64 * milliwatts / 1e6)
            .sum();
        let joules = account.energy_for(cause).as_joules();
        assert!((joules - by_hand).abs() < 1e-9, "{cause:?}: {joules} J");
    }
    let total = account.total_energy().as_joules();
    assert!(same(total, 3.063_68, 1e-4), "{total} J");
}

#[test]
fn time_goes_to_its_kind_of_state() {
    let account = account_of_a_report();
    let sending = account.time_in(FULL.index());
    assert_eq!(sending, Duration::from_millis(6 + 88 + 160));
    let listening_for_access = account.time(RadioState::Receive.index(), RadioCause::RandomAccess);
    assert_eq!(listening_for_access, Duration::from_millis(41));
}

#[test]
fn an_account_without_entries_has_no_mean_power() {
    assert_eq!(EnergyAccount::new(PowerProfile::BG96).mean_power(), None);
}

/// Whatever is entered, joules by cause and seconds by state sum to what was entered, each span once.
#[test]
fn nothing_is_lost_between_cause_and_state() {
    let mut random = RandomStream::named(7, "energy/account");
    let profile = PowerProfile::BG96;
    let mut account = EnergyAccount::new(profile);
    let (mut nanos, mut joules) = (0, 0.0);
    for _ in 0..10_000 {
        let state = match random.below(5) {
            0 => RadioState::DeepSleep,
            1 => RadioState::LightSleep,
            2 => RadioState::ConnectedSleep,
            3 => RadioState::Receive,
            _ => RadioState::Transmit(DecibelMilliwatts::new(random.below(64) as f64 - 40.0)),
        };
        let cause = RadioCause::ALL[random.below(8) as usize];
        let span = Duration::from_nanos(random.below(10_000_000_000));
        account.record(state, cause, span);
        nanos += span.as_nanos();
        joules += (profile.draws(state) * span).as_joules();
    }
    assert_eq!(account.total_time(), Duration::from_nanos(nanos));
    let total = account.total_energy().as_joules();
    assert!(same(total, joules, 1e-9), "{total} J of {joules} J");
}

#[test]
fn takes_the_same_room_for_one_span_and_for_a_million() {
    assert!(size_of::<EnergyAccount>() <= 640);
    assert!(!std::mem::needs_drop::<EnergyAccount>());
}
