//! What happens when segments are lost.

use super::time_line::check;
use super::{linux, plain};
use lasthop_transport::TcpProfile;

#[test]
fn the_first_of_many_is_found_by_later_ones() {
    check(
        plain(),
        "+0 connected
         +0 write 20000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > . 4001:5001(1000) ack 1 win 65535
         +0 > . 5001:6001(1000) ack 1 win 65535
         +0 > . 6001:7001(1000) ack 1 win 65535
         +0 > . 7001:8001(1000) ack 1 win 65535
         +0 > . 8001:9001(1000) ack 1 win 65535
         +0 > . 9001:10001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000 <sack 1001:2001>
         +0 > . 10001:11001(1000) ack 1 win 65535
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:3001>
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:4001>
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:5001>
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:6001>
         +0 > . 11001:12001(1000) ack 1 win 65535
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:7001>
         +0 > . 12001:13001(1000) ack 1 win 65535
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:8001>
         +0 > . 13001:14001(1000) ack 1 win 65535
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:9001>
         +0 > . 14001:15001(1000) ack 1 win 65535
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:10001>
         +0 > . 15001:16001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 10001 win 64000
         +0 > . 10001:11001(1000) ack 1 win 65535
         +0 > . 16001:17001(1000) ack 1 win 65535
         +0 < . 1:1(0) ack 12001 win 64000
         +0 > . 17001:18001(1000) ack 1 win 65535
         +0 > . 18001:19001(1000) ack 1 win 65535
         +0.01 < . 1:1(0) ack 19001 win 64000
         +0 > P. 19001:20001(1000) ack 1 win 65535",
    );
}

#[test]
fn one_in_the_middle_is_found_by_time_when_there_are_few() {
    check(
        plain(),
        "+0 connected
         +0 write 3000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > P. 2001:3001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1001 win 64000
         +0 < . 1:1(0) ack 1001 win 64000 <sack 2001:3001>
         +0.027 > . 1001:2001(1000) ack 1 win 65535
         +0.173 < . 1:1(0) ack 3001 win 64000",
    );
}

#[test]
fn the_last_is_found_by_a_probe() {
    check(
        plain(),
        "+0 connected
         +0 write 3000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > P. 2001:3001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 2001 win 64000
         +0.3 > P. 2001:3001(1000) ack 1 win 65535
         +0.2 < . 1:1(0) ack 3001 win 64000",
    );
}

#[test]
fn one_alone_is_probed_before_its_timeout() {
    check(
        plain(),
        "+0 connected
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0.3 > P. 1:101(100) ack 1 win 65535
         +0.2 < . 1:1(0) ack 101 win 64000
         +0.1 write 100
         +0 > P. 101:201(100) ack 1 win 65535",
    );
}

#[test]
fn a_probe_that_was_not_needed_is_reported_and_changes_nothing() {
    check(
        plain(),
        "+0 connected
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0.3 > P. 1:101(100) ack 1 win 65535
         +0.11 < . 1:1(0) ack 101 win 64000
         +0.05 < . 1:1(0) ack 101 win 64000 <sack 1:101>
         +0 write 20000
         +0 > . 101:1101(1000) ack 1 win 65535
         +0 > . 1101:2101(1000) ack 1 win 65535
         +0 > . 2101:3101(1000) ack 1 win 65535
         +0 > . 3101:4101(1000) ack 1 win 65535
         +0 > . 4101:5101(1000) ack 1 win 65535
         +0 > . 5101:6101(1000) ack 1 win 65535
         +0 > . 6101:7101(1000) ack 1 win 65535
         +0 > . 7101:8101(1000) ack 1 win 65535
         +0 > . 8101:9101(1000) ack 1 win 65535
         +0 > . 9101:10101(1000) ack 1 win 65535",
    );
}

#[test]
fn a_new_segment_is_the_probe_where_there_is_one() {
    check(
        plain(),
        "+0 connected
         +0 write 12000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > . 4001:5001(1000) ack 1 win 65535
         +0 > . 5001:6001(1000) ack 1 win 65535
         +0 > . 6001:7001(1000) ack 1 win 65535
         +0 > . 7001:8001(1000) ack 1 win 65535
         +0 > . 8001:9001(1000) ack 1 win 65535
         +0 > . 9001:10001(1000) ack 1 win 65535
         +0.202 > . 10001:11001(1000) ack 1 win 65535
         +0.198 < . 1:1(0) ack 1 win 64000 <sack 10001:11001>
         +0 > . 1:1001(1000) ack 1 win 65535",
    );
}

#[test]
fn timeouts_double_until_the_peer_is_given_up() {
    check(
        plain(),
        "+0 connected
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0.3 > P. 1:101(100) ack 1 win 65535
         +0.3 > P. 1:101(100) ack 1 win 65535
         +0.6 > P. 1:101(100) ack 1 win 65535
         +1.2 > P. 1:101(100) ack 1 win 65535
         +2.4 > P. 1:101(100) ack 1 win 65535
         +4.8 > P. 1:101(100) ack 1 win 65535
         +9.6 > P. 1:101(100) ack 1 win 65535
         +19.2 > P. 1:101(100) ack 1 win 65535
         +38.4 > P. 1:101(100) ack 1 win 65535
         +76.8 > P. 1:101(100) ack 1 win 65535
         +120 > P. 1:101(100) ack 1 win 65535
         +120 > P. 1:101(100) ack 1 win 65535
         +120 > P. 1:101(100) ack 1 win 65535
         +120 > P. 1:101(100) ack 1 win 65535
         +120 > P. 1:101(100) ack 1 win 65535
         +120 > P. 1:101(100) ack 1 win 65535
         +120 ! Closed(TimedOut)
         +6.4 read 1
         +0 = no such stream",
    );
}

#[test]
fn the_timeout_stays_doubled_without_a_sample() {
    check(
        TcpProfile {
            loss_probe: false,
            ..plain()
        },
        "+0 connected
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0.3 > P. 1:101(100) ack 1 win 65535
         +0.6 > P. 1:101(100) ack 1 win 65535
         +0.6 < . 1:1(0) ack 101 win 64000
         +0 write 100
         +0 > P. 101:201(100) ack 1 win 65535
         +1.2 > P. 101:201(100) ack 1 win 65535
         +0.8 read 1
         +0 = blocked",
    );
}

#[test]
fn time_stamps_give_a_sample_even_so() {
    check(
        TcpProfile {
            loss_probe: false,
            ..linux()
        },
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK,TS 0 0,wscale 7>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000,TS 1000 0>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535 <TS 100 1000>
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535 <TS 100 1000>
         +0.3 > P. 1:101(100) ack 1 win 65535 <TS 400 1000>
         +0.6 > P. 1:101(100) ack 1 win 65535 <TS 1000 1000>
         +0.6 < . 1:1(0) ack 101 win 64000 <TS 2500 1000>
         +0 write 100
         +0 > P. 101:201(100) ack 1 win 65535 <TS 1600 2500>
         +0.8125 > P. 101:201(100) ack 1 win 65535 <TS 2412 2500>
         +1.1875 read 1
         +0 = blocked",
    );
}

#[test]
fn three_duplicates_make_a_loss_without_sack() {
    check(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +0 write 8000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > . 4001:5001(1000) ack 1 win 65535
         +0 > . 5001:6001(1000) ack 1 win 65535
         +0 > . 6001:7001(1000) ack 1 win 65535
         +0 > P. 7001:8001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 < . 1:1(0) ack 1 win 64000
         +0 < . 1:1(0) ack 1 win 64000
         +0 < . 1:1(0) ack 1 win 64000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 3001 win 64000
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 8001 win 64000",
    );
}

#[test]
fn duplicates_let_new_segments_leave() {
    check(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +0 write 20000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > . 4001:5001(1000) ack 1 win 65535
         +0 > . 5001:6001(1000) ack 1 win 65535
         +0 > . 6001:7001(1000) ack 1 win 65535
         +0 > . 7001:8001(1000) ack 1 win 65535
         +0 > . 8001:9001(1000) ack 1 win 65535
         +0 > . 9001:10001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 < . 1:1(0) ack 1 win 64000
         +0 > . 10001:11001(1000) ack 1 win 65535",
    );
}

#[test]
fn lwip_sends_nothing_new_on_duplicates() {
    check(
        TcpProfile {
            send_buffer: 20_000,
            ..TcpProfile::lwip_esp8266()
        },
        "+0 open
         +0 > S 0:0(0) win 5744 <mss 1440>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 5744
         +0 write 20000
         +0 > . 1:1001(1000) ack 1 win 5744
         +0 > . 1001:2001(1000) ack 1 win 5744
         +0 > . 2001:3001(1000) ack 1 win 5744
         +0.1 < . 1:1(0) ack 1 win 64001
         +0 < . 1:1(0) ack 1 win 64001
         +0 < . 1:1(0) ack 1 win 64001
         +0.1 < . 1:1(0) ack 3001 win 64000
         +0 > . 3001:4001(1000) ack 1 win 5744
         +0 > . 4001:5001(1000) ack 1 win 5744
         +0 > . 5001:6001(1000) ack 1 win 5744
         +0 > . 6001:7001(1000) ack 1 win 5744",
    );
}

#[test]
fn losses_are_counted_where_they_are_not_timed() {
    check(
        TcpProfile {
            rack: false,
            loss_probe: false,
            ..plain()
        },
        "+0 connected
         +0 write 8000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > . 4001:5001(1000) ack 1 win 65535
         +0 > . 5001:6001(1000) ack 1 win 65535
         +0 > . 6001:7001(1000) ack 1 win 65535
         +0 > P. 7001:8001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000 <sack 1001:2001>
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:3001>
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:4001>
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:4001 5001:6001>
         +0.1 < . 1:1(0) ack 4001 win 64000 <sack 5001:6001>
         +0 < . 1:1(0) ack 4001 win 64000 <sack 5001:7001>
         +0 < . 1:1(0) ack 4001 win 64000 <sack 5001:8001>
         +0 > . 4001:5001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 8001 win 64000",
    );
}

#[test]
fn a_spurious_timeout_is_undone_by_f_rto() {
    check(
        TcpProfile {
            loss_probe: false,
            ..plain()
        },
        "+0 connected
         +0 write 20000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > . 4001:5001(1000) ack 1 win 65535
         +0 > . 5001:6001(1000) ack 1 win 65535
         +0 > . 6001:7001(1000) ack 1 win 65535
         +0 > . 7001:8001(1000) ack 1 win 65535
         +0 > . 8001:9001(1000) ack 1 win 65535
         +0 > . 9001:10001(1000) ack 1 win 65535
         +0.3 > . 1:1001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1001 win 64000
         +0 > . 10001:11001(1000) ack 1 win 65535
         +0 > . 11001:12001(1000) ack 1 win 65535
         +0.01 < . 1:1(0) ack 3001 win 64000
         +0 > . 12001:13001(1000) ack 1 win 65535
         +0 > . 13001:14001(1000) ack 1 win 65535
         +0.01 < . 1:1(0) ack 10001 win 64000
         +0 > . 14001:15001(1000) ack 1 win 65535
         +0 > . 15001:16001(1000) ack 1 win 65535
         +0 > . 16001:17001(1000) ack 1 win 65535
         +0 > . 17001:18001(1000) ack 1 win 65535
         +0 > . 18001:19001(1000) ack 1 win 65535
         +0 > P. 19001:20001(1000) ack 1 win 65535",
    );
}

#[test]
fn a_spurious_timeout_is_undone_by_time_stamps() {
    check(
        TcpProfile {
            loss_probe: false,
            frto: false,
            window_scale: None,
            ..linux()
        },
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK,TS 0 0>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1012,sackOK,TS 1000 0>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535 <TS 100 1000>
         +0 write 20000
         +0 > . 1:1001(1000) ack 1 win 65535 <TS 100 1000>
         +0 > . 1001:2001(1000) ack 1 win 65535 <TS 100 1000>
         +0 > . 2001:3001(1000) ack 1 win 65535 <TS 100 1000>
         +0 > . 3001:4001(1000) ack 1 win 65535 <TS 100 1000>
         +0 > . 4001:5001(1000) ack 1 win 65535 <TS 100 1000>
         +0 > . 5001:6001(1000) ack 1 win 65535 <TS 100 1000>
         +0 > . 6001:7001(1000) ack 1 win 65535 <TS 100 1000>
         +0 > . 7001:8001(1000) ack 1 win 65535 <TS 100 1000>
         +0 > . 8001:9001(1000) ack 1 win 65535 <TS 100 1000>
         +0 > . 9001:10001(1000) ack 1 win 65535 <TS 100 1000>
         +0.3 > . 1:1001(1000) ack 1 win 65535 <TS 400 1000>
         +0.1 < . 1:1(0) ack 1001 win 64000 <TS 1400 100>
         +0 > . 10001:11001(1000) ack 1 win 65535 <TS 500 1400>
         +0 > . 11001:12001(1000) ack 1 win 65535 <TS 500 1400>",
    );
}

#[test]
fn a_reduction_is_undone_when_all_copies_are_reported_as_duplicates() {
    check(
        plain(),
        "+0 connected
         +0 write 5000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > P. 4001:5001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000 <sack 1001:2001>
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:3001>
         +0 < . 1:1(0) ack 1 win 64000 <sack 1001:4001>
         +0 > . 1:1001(1000) ack 1 win 65535
         +0.01 < . 1:1(0) ack 4001 win 64000
         +0.09 < . 1:1(0) ack 4001 win 64000 <sack 1:1001>
         +0 write 20000
         +0 > . 5001:6001(1000) ack 1 win 65535
         +0 > . 6001:7001(1000) ack 1 win 65535
         +0 > . 7001:8001(1000) ack 1 win 65535
         +0 > . 8001:9001(1000) ack 1 win 65535
         +0 > . 9001:10001(1000) ack 1 win 65535
         +0 > . 10001:11001(1000) ack 1 win 65535
         +0 > . 11001:12001(1000) ack 1 win 65535
         +0 > . 12001:13001(1000) ack 1 win 65535",
    );
}

#[test]
fn small_segments_that_are_lost_together_leave_as_one() {
    check(
        TcpProfile {
            nodelay: true,
            loss_probe: false,
            ..plain()
        },
        "+0 connected
         +0 write 200
         +0 > P. 1:201(200) ack 1 win 65535
         +0.01 write 200
         +0 > P. 201:401(200) ack 1 win 65535
         +0.01 write 200
         +0 > P. 401:601(200) ack 1 win 65535
         +0.28 > P. 1:601(600) ack 1 win 65535
         +0.32 < . 1:1(0) ack 601 win 64000",
    );
}

#[test]
fn a_retransmission_that_is_lost_is_found_by_later_ones() {
    check(
        plain(),
        "+0 connected
         +0 write 4000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > P. 3001:4001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000 <sack 1001:4001>
         +0 > . 1:1001(1000) ack 1 win 65535
         +0.001 write 3000
         +0 > . 4001:5001(1000) ack 1 win 65535
         +0 > . 5001:6001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000 <sack 1001:6001>
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > P. 6001:7001(1000) ack 1 win 65535
         +0.2 < . 1:1(0) ack 6001 win 64000",
    );
}

#[test]
fn the_timers_of_linux_are_coarse() {
    check(
        TcpProfile::linux(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK,TS 0 0,wscale 7>
         +1.024 > S 0:0(0) win 65535 <mss 1460,sackOK,TS 1024 0,wscale 7>
         +1.024 > S 0:0(0) win 65535 <mss 1460,sackOK,TS 2048 0,wscale 7>
         +1.024 > S 0:0(0) win 65535 <mss 1460,sackOK,TS 3072 0,wscale 7>
         +1.024 > S 0:0(0) win 65535 <mss 1460,sackOK,TS 4096 0,wscale 7>
         +1.004 read 1
         +0 = blocked",
    );
}
