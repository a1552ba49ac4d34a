//! The committed table of bytes per object.

use std::path::Path;
use std::process::Command;

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
