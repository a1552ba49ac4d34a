//! A run is a function of its spec.

use crate::specs::{base, every_combination, everything, json_udp, run};

#[test]
fn the_same_spec_gives_the_same_tables() {
    for spec in every_combination().into_iter().map(everything) {
        let [one, other] = [run(&spec), run(&spec)].map(|run| run.tables("id").unwrap());
        assert_eq!(one.summary, other.summary);
        assert_eq!(one.messages, other.messages);
        assert_eq!(one.ledger, other.ledger);
        assert_eq!(one.packets, other.packets);
        assert_eq!(one.latency, other.latency);
    }
}

#[test]
fn another_seed_gives_other_tables() {
    let spec = base();
    let mut other = spec.clone();
    other.seed += 1;
    let [one, other] = [run(&spec), run(&other)].map(|run| run.tables("id").unwrap());
    assert_ne!(one.messages, other.messages);
}

#[test]
fn stacks_that_send_as_many_packets_lose_the_same_ones() {
    let raw = base();
    let mut json = base();
    json_udp(&mut json);
    let arrived = |spec| -> Vec<bool> {
        let simulated = run(spec);
        let records = simulated.meter().log().records();
        records
            .map(|(_, _, record)| record.delivered.is_some())
            .collect()
    };
    assert_eq!(arrived(&raw), arrived(&json));
}

#[test]
fn more_delay_does_not_move_a_loss() {
    let near = base();
    let mut far = base();
    far.path.up.delay = None;
    let arrived = |spec| -> Vec<bool> {
        let simulated = run(spec);
        let records = simulated.meter().log().records();
        records
            .map(|(_, _, record)| record.delivered.is_some())
            .collect()
    };
    assert_eq!(arrived(&near), arrived(&far));
}
