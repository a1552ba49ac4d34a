//! A device of a group that is there without the others.

use lasthop_contract::FlowId;
use lasthop_world::{EngineSpec, RunSpec};

use crate::flows::spec;
use crate::specs::{loss, run};
use crate::stacks::{mqtt, raw_tcp, raw_udp, set_stack};

/// What became of the messages of a device, which are told with their times.
fn records(spec: &RunSpec, device: u32) -> Vec<String> {
    let simulated = run(spec);
    let records = simulated.meter().log().records();
    let its = records.filter(|(flow, ..)| flow.device().0 == device);
    its.map(|(FlowId(flow), number, record)| format!("{flow} {number} {record:?}"))
        .collect()
}

/// Holds each device by itself against the same one among three.
fn assert_alike(all: &RunSpec) {
    for device in 0..3 {
        let mut alone = all.clone();
        alone.groups[0].only = Some(device);
        let told = records(&alone, device);
        assert!(!told.is_empty());
        assert!(told == records(all, device), "device {device}");
        for other in (0..3).filter(|it| *it != device) {
            assert!(records(&alone, other).is_empty());
        }
    }
}

#[test]
fn a_device_without_its_group_sends_and_loses_what_it_does_among_others() {
    for stack in [raw_udp(Some(3)), raw_tcp(), mqtt("1")] {
        let mut all = spec();
        set_stack(&mut all, stack);
        assert_alike(&all);
        // A server draws the timeouts of what it sends to all devices from one stream.
        all.flows.truncate(1);
        loss(&mut all, 0.1);
        assert_alike(&all);
    }
}

#[test]
fn a_device_that_its_group_does_not_have_is_refused() {
    let mut none = spec();
    none.groups[0].only = Some(3);
    let refused = |spec: &RunSpec| {
        let text = serde_json::to_string(spec).unwrap();
        RunSpec::parse(&text).unwrap_err().to_string()
    };
    let said = refused(&none);
    assert!(said.contains("the group has no such device"), "{said}");
    let mut waiting = spec();
    waiting.groups[0].only = Some(0);
    waiting.engine = EngineSpec::WallClock;
    let said = refused(&waiting);
    assert!(said.contains("needs virtual time"), "{said}");
}
