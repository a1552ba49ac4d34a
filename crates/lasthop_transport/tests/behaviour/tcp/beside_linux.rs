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
    a_segment_without_an_acknowledgement_is_ignored
    a_small_buffer_has_few_quick_acknowledgements
    a_syn_leaves_again_soon_after_a_wrong_answer
    a_time_stamp_with_an_acknowledgement_of_what_was_never_sent_does_not_count
    an_accepted_peer_that_goes_on_with_a_small_window_gets_small_segments
    an_acknowledgement_stays_in_a_window_that_shrank
    an_end_after_data_is_acknowledged_after_a_delay
    an_end_before_any_data_is_acknowledged_with_the_next_tick
    an_end_behind_two_gaps_is_a_block_of_its_own
    an_end_is_not_joined_to_a_full_segment
    an_end_joins_what_is_held_before_it
    an_end_over_what_is_held_is_acknowledged_as_any_end
    an_end_that_arrives_out_of_order_is_reported
    an_idle_connection_is_probed_from_when_it_was_heard_last
    blocks_are_told_with_an_end_that_is_answered_at_once
    both_ends_may_open_at_once
    both_may_open_and_one_may_answer_with_a_plain_acknowledgement
    data_behind_an_end_alone_is_acknowledged_at_once
    data_of_which_a_part_is_old_reports_that_part_alone
    data_that_covers_a_part_of_what_is_held_reports_that_part
    data_that_covers_what_is_held_is_reported_as_a_duplicate
    data_with_an_end_is_acknowledged_after_a_delay
    early_data_is_no_more_than_the_server_takes
    early_data_that_is_partly_taken_leaves_again_at_once
    full_segments_beside_a_block_are_not_small
    large_segments_that_nobody_reads_are_acknowledged_as_long_as_there_is_room
    late_data_is_answered_each_time
    lost_data_before_an_end_leaves_when_the_end_is_reported
    probes_go_on_behind_our_end
    the_second_of_two_segments_fills_the_window
    what_arrived_before_a_reset_is_read
    without_sack_a_duplicate_behind_a_timeout_undoes_nothing
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
