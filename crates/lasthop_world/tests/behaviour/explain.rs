//! The time line of a message says what fired each of its copies.

use crate::specs::{base, loss};
use crate::stacks::{coap_con, mqtt, raw_udp, set_stack};
use core::num::NonZeroU32;
use std::collections::BTreeSet;

use lasthop_measure::TimelineEntry;
use lasthop_world::{MessageName, Observe, RunSpec, Simulated, StackSpec};

/// A minute of reports with 20 % loss.
fn minute_of(stack: StackSpec) -> RunSpec {
    let mut spec = base();
    set_stack(&mut spec, stack);
    spec.flows[0].duration_ns = 60_000_000_000;
    loss(&mut spec, 0.2);
    spec
}

pub(crate) fn time_line(spec: &RunSpec, number: u32) -> Vec<TimelineEntry> {
    let observe = Observe {
        message: NonZeroU32::new(number).map(|number| MessageName {
            device: 0,
            flow: None,
            number,
        }),
        ..Observe::default()
    };
    let simulated = Simulated::run(spec, observe, &Default::default()).unwrap();
    simulated.meter().timeline().unwrap().entries().to_vec()
}

#[test]
fn every_copy_that_tcp_makes_says_what_fired_it() {
    let spec = minute_of(mqtt("1"));
    let (mut triggers, mut waited) = (BTreeSet::new(), 0);
    for number in 1..=60 {
        for entry in time_line(&spec, number) {
            let is_copy = entry.what.contains("leaves") && entry.what.contains("by tcp");
            assert!(!is_copy || entry.trigger.is_some(), "{number}: {entry:?}");
            triggers.extend(entry.trigger);
            // What carries nothing of this message and was fired by a timer or a loss holds it up.
            waited += u32::from(entry.trigger.is_some() && !entry.what.contains(" B of "));
        }
    }
    for name in [
        "retransmission_timeout",
        "overtaken",
        "tail_loss_probe",
        "reordering_timeout",
    ] {
        assert!(triggers.contains(name), "{name}: {triggers:?}");
    }
    assert!(waited > 10, "{waited}");
}

#[test]
fn a_repetition_by_the_application_says_which_timeout_it_was() {
    for stack in [coap_con(1, "post"), raw_udp(Some(4))] {
        let spec = minute_of(stack);
        let mut third = 0;
        for number in 1..=60 {
            let attempts: Vec<_> = time_line(&spec, number)
                .into_iter()
                .filter(|entry| entry.what.starts_with("attempt "))
                .collect();
            for (place, pair) in attempts.windows(2).enumerate() {
                let waited = pair[1].at - pair[0].at;
                let said = format!(
                    "attempt {} leaves the application (acknowledgement timeout of {}.{:03} ms",
                    place + 2,
                    waited.as_nanos() / 1_000_000,
                    waited.as_nanos() / 1000 % 1000
                );
                let others = [")", ", after 1 other)", ", after 2 others)"];
                let said = said + others.get(place).copied().unwrap_or("");
                assert!(pair[1].what.starts_with(&said), "{pair:?} is not {said}");
                assert_eq!(pair[1].trigger, Some("acknowledgement_timeout"));
                third += u32::from(place == 1);
            }
            assert_eq!(attempts.first().and_then(|first| first.trigger), None);
        }
        assert!(third > 0, "no message left three times");
    }
}
