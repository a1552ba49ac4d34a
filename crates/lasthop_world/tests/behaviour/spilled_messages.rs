//! Messages that are given to files as they end.

use core::cell::RefCell;
use std::io::{self, Cursor, Write};
use std::rc::Rc;

use lasthop_measure::{MessageFiles, RunTables, Store};
use lasthop_world::{
    ArrivalSpec, FlowKind, MessageDetail, Observe, PopulationSpec, RunError, RunSpec, ServerLayout,
    Simulated, SurvivesSpec,
};

use crate::events::{SECOND_NS, add_other_path, at, every_change, restart_server, ten};
use crate::relays::{spec as relayed, to_all, with_topics};
use crate::specs::{base, every_combination, everything, loss, run};
use crate::stacks::{every_stack, in_turns, json_udp, mqtt, stack};

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Files for a run of which only so many ended messages wait in memory, and their table.
fn files(most_in_memory: usize) -> (MessageFiles, Shared) {
    let table = Shared::default();
    let out = table.clone();
    let files = MessageFiles {
        run_id: "x".into(),
        most_in_memory,
        spill: Box::new(|| Ok(Box::new(Cursor::new(Vec::new())) as Box<dyn Store>)),
        table: Box::new(|| Ok(Box::new(out) as Box<dyn Write>)),
    };
    (files, table)
}

/// The tables of a run whose messages go to files.
fn spilled(spec: &RunSpec, most_in_memory: usize) -> RunTables {
    let (messages, table) = files(most_in_memory);
    let observe = Observe {
        messages: Some(messages),
        ..Observe::default()
    };
    let simulated = Simulated::run(spec, observe, &Default::default()).unwrap();
    let mut tables = simulated.tables("x");
    let written = table.0.take();
    assert!(
        tables.messages.is_empty() || written.is_empty(),
        "the table is in one place"
    );
    tables.messages.extend(written);
    tables
}

fn assert_alike(spec: &RunSpec, most_in_memory: usize) {
    let kept = run(spec).tables("x");
    let found = spilled(spec, most_in_memory);
    let name = format!("{:?} {most_in_memory}", spec.stacks);
    assert!(kept.messages == found.messages, "messages of {name}");
    assert!(kept.summary == found.summary, "summary of {name}");
    assert!(kept.groups == found.groups, "groups of {name}");
    assert!(kept.latency == found.latency, "latency of {name}");
    assert!(kept.ledger == found.ledger, "ledger of {name}");
}

#[test]
fn tables_are_what_they_are_when_messages_stay_in_memory() {
    for spec in every_combination().into_iter().map(everything) {
        assert_alike(&spec, 100);
    }
    assert_alike(&everything(base()), usize::MAX);
}

#[test]
fn what_happens_to_a_message_after_its_end_is_in_its_row() {
    let kinds = [FlowKind::Report, FlowKind::RoundTrip, FlowKind::Command];
    for (stack, change, kind) in in_turns(every_stack(), &every_change(), &kinds) {
        let mut spec = ten(stack, kind);
        spec.flows[0].duration_ns = 60 * SECOND_NS;
        loss(&mut spec, 0.1);
        add_other_path(&mut spec);
        spec.events.push(at(20, change));
        assert_alike(&spec, 64);
    }
}

/// A device that observes anew is told the newest value in the answer; those that waited are sent to it all the same, that one
/// for the second time.
#[test]
fn payload_that_is_first_sent_when_its_message_has_ended_counts() {
    let observed = [("push", "observe")];
    let mut spec = ten(stack("coap/dtls/udp", &observed), FlowKind::Command);
    spec.flows[0].duration_ns = 60 * SECOND_NS;
    loss(&mut spec, 0.1);
    spec.events = vec![at(20, restart_server(SurvivesSpec::Nothing))];
    assert_alike(&spec, 64);
}

#[test]
fn a_message_for_several_is_in_files_as_it_would_be_in_memory() {
    for hears in with_topics() {
        let spec = everything(to_all(relayed(mqtt("1"), hears), 3));
        assert_alike(&spec, 64);
    }
    let mut days = everything(to_all(relayed(mqtt("1"), json_udp()), 3));
    days.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 1200 * SECOND_NS,
    };
    days.flows[0].duration_ns = 3 * 86_400 * SECOND_NS;
    assert_alike(&days, 64);
}

#[test]
fn what_is_summed_tells_what_rows_tell_an_overload_too() {
    let mut overloads = 0;
    for stack in every_stack() {
        for every_ns in [SECOND_NS, SECOND_NS / 50] {
            let mut spec = ten(stack.clone(), FlowKind::Report);
            spec.flows[0].arrivals = ArrivalSpec::Periodic { every_ns };
            spec.flows[0].duration_ns = 30 * SECOND_NS;
            loss(&mut spec, 0.05);
            let each = run(&spec);
            let uncarried = each.summary().uncarried_share;
            let rows = each.tables("x");
            spec.measure.messages = MessageDetail::Summed;
            let sums = spilled(&spec, 64);
            assert!(rows.summary == sums.summary, "{stack:?}");
            assert!(rows.groups == sums.groups, "{stack:?}");
            assert!(rows.messages.len() > sums.messages.len());
            overloads += u32::from(uncarried > Some(0.1));
        }
    }
    assert!(overloads > 5, "{overloads}");
}

#[test]
fn messages_that_are_lost_leave_memory_after_a_day_and_keep_their_rows() {
    let mut spec = everything(base());
    spec.groups[0].population = PopulationSpec::Staying { devices: 3 };
    spec.servers[0].layout = ServerLayout::Shared;
    let flow = &mut spec.flows[0];
    flow.arrivals = ArrivalSpec::Periodic {
        every_ns: 600_000_000_000,
    };
    flow.duration_ns = 3 * 86_400_000_000_000;
    assert_alike(&spec, 64);
}

/// A file on a disk that is full.
struct Full;

impl io::Read for Full {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }
}

impl Write for Full {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl io::Seek for Full {
    fn seek(&mut self, _: io::SeekFrom) -> io::Result<u64> {
        Ok(0)
    }
}

#[test]
fn a_full_disk_ends_a_run_whose_messages_go_to_files() {
    let (messages, _) = files(100);
    let messages = MessageFiles {
        spill: Box::new(|| Ok(Box::new(Full) as Box<dyn Store>)),
        ..messages
    };
    let observe = Observe {
        messages: Some(messages),
        ..Observe::default()
    };
    let outcome = Simulated::run(&base(), observe, &Default::default());
    let Err(RunError::Messages(error)) = outcome else {
        panic!("{outcome:?}");
    };
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}
