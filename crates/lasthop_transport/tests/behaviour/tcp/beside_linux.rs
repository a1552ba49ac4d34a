//! Time lines that the kernel follows as well: `python -m benchmarks.tcp_against_linux.scripts.run` plays them to it.

use super::linux;
use super::time_line::check;

macro_rules! time_lines {
    ($($name:ident)*) => {
        const PLAYED: &[&str] = &[$(stringify!($name)),*];

        $(#[test]
        fn $name() {
            check(linux(), include_str!(concat!("../../time_lines/", stringify!($name), ".txt")));
        })*
    };
}

time_lines! {
    an_end_after_data_is_acknowledged_after_a_delay
    both_may_open_and_one_may_answer_with_a_plain_acknowledgement
    data_of_which_a_part_is_old_reports_that_part_alone
}

#[test]
fn every_time_line_is_played() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/time_lines");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.sort();
    assert_eq!(found, PLAYED);
}
