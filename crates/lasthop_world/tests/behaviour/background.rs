//! Other traffic on a hop that devices share.

use lasthop_contract::{BackgroundTraffic, Direction};
use lasthop_link::rate::{Background, QueueLimit};
use lasthop_measure::{Fate, RunStatus};
use lasthop_units::{DataSize, Duration};
use lasthop_world::{RunSpec, ScopeSpec};

use crate::specs::{base, both_ways, every_combination, hops_of, loss, run};

/// One line for all, of whose 50 kbit/s others ask for a share in packets of 500 B.
fn loaded(mut spec: RunSpec, share: f64, queue: QueueLimit) -> RunSpec {
    hops_of(&mut spec)[0].scope = ScopeSpec::All;
    let every = Duration::from_nanos((80_000_000.0 / share) as u64);
    for direction in both_ways(&mut spec) {
        let rate = direction.rate.as_mut().unwrap();
        rate.background = Some(Background::new(DataSize::from_bytes(500), every).unwrap());
        rate.queue = queue;
    }
    spec
}

#[test]
fn others_are_accounted_for_apart_and_alike_in_every_stack() {
    for spec in every_combination() {
        let spec = loaded(spec, 0.5, QueueLimit::Packets(4));
        let simulated = run(&spec);
        let (summary, rows) = (
            simulated.summary(),
            simulated.meter().ledger().packet_rows(),
        );
        for direction in Direction::ALL {
            let of = |wanted: fn(&Fate) -> bool| -> u64 {
                let rows = rows.iter().filter(|row| row.direction == direction);
                rows.filter(|row| wanted(&row.fate))
                    .map(|row| row.packets)
                    .sum()
            };
            let came = of(|fate| matches!(fate, Fate::Offered | Fate::Duplicated));
            let went = of(|f| matches!(f, Fate::Delivered | Fate::Dropped(_) | Fate::InFlight));
            assert_eq!(came, went, "{direction:?} of {spec:?}");
            let others = summary.background[direction as usize];
            // Every 160 ms, in the minute of traffic and what follows it.
            let seconds = summary.simulated.as_secs_f64();
            let expected = seconds / 0.16;
            let offered = others.packets_offered as f64;
            assert!(
                (offered - expected).abs() < 5.0 * expected.sqrt(),
                "{offered} in {seconds} s"
            );
            assert!(others.packets_dropped < others.packets_offered);
        }
        assert_eq!(simulated.status(), RunStatus::Completed);
        let again = run(&spec).summary();
        assert_eq!(
            (again.trace, again.background),
            (summary.trace, summary.background)
        );
    }
}

#[test]
fn a_report_waits_for_others() {
    let mut free = base();
    loss(&mut free, 0.0);
    hops_of(&mut free)[0].scope = ScopeSpec::All;
    let roomy = QueueLimit::Packets(100_000);
    let busy = loaded(free.clone(), 0.5, roomy);
    let mean = |spec: &RunSpec| run(spec).summary().latency_mean.unwrap().as_secs_f64();
    let waited = mean(&busy) - mean(&free);
    // Pollaczek and Khinchine: 40 ms behind packets of 80 ms that take half the time, and somewhat more as reports of
    // 70 ms, four a second, hold those up.
    assert!((0.040..0.100).contains(&waited), "{waited} s");
}

#[test]
fn a_line_without_others_tells_of_none() {
    let none = BackgroundTraffic::default();
    assert_eq!(run(&base()).summary().background, [none, none]);
}
