//! The committed table of bytes per object, and what runs of days hold.

use std::path::Path;
use std::process::Command;

use lasthop_benchmarks::NbIotFleet;
use lasthop_world::{MessageDetail, Simulated};

#[test]
fn the_committed_table_is_up_to_date_and_within_its_limits() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("../memory.md");
    let output = Command::new(env!("CARGO_BIN_EXE_memory"))
        .arg("--check")
        .arg(&table)
        .output()
        .expect("the program is built");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn what_a_fleet_holds_does_not_grow_with_its_days() {
    let most_bytes = |days: u64| {
        let fleet = NbIotFleet {
            devices: 42,
            cells: 21,
            coupling_loss_db: 144.0,
            hours: 24 * days,
            messages: MessageDetail::Summed,
            seed: 1,
        };
        let run = || {
            let run = Simulated::run(&fleet.spec(), Default::default(), &Default::default());
            let offered = run
                .expect("the spec describes a run")
                .summary()
                .messages_offered;
            assert_eq!(offered, 42 * 96 * days);
        };
        allocation_counter::measure(run).bytes_max
    };
    let (short, long) = (most_bytes(2), most_bytes(8));
    assert!(long < short + short / 20, "{short} B, then {long} B");
}
