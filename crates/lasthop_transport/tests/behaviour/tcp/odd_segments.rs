//! Keep-alive, time stamps, and what a peer must not do.

use super::time_line::check;
use super::{linux, plain};
use lasthop_transport::TcpProfile;
use lasthop_transport::tcp::KeepAlive;
use lasthop_units::Duration;

#[test]
fn an_idle_connection_is_probed_and_given_up() {
    check(
        TcpProfile {
            keep_alive: Some(KeepAlive {
                idle: Duration::from_secs(60),
                interval: Duration::from_secs(10),
                probes: 3,
            }),
            ..plain()
        },
        "+0 connected
         +60 > . 0:0(0) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000
         +60 > . 0:0(0) ack 1 win 65535
         +10 > . 0:0(0) ack 1 win 65535
         +10 > . 0:0(0) ack 1 win 65535
         +10 > R. 1:1(0) ack 1 win 65535
         +0 ! Closed(TimedOut)
         +10 read 1
         +0 = no such stream",
    );
}

#[test]
fn a_probe_is_answered() {
    check(
        plain(),
        "+0 connected
         +60 < . 0:0(0) ack 1 win 64000
         +0 > . 1:1(0) ack 1 win 65535
         +0.1 < . 0:0(0) ack 1 win 64000
         +1 < . 0:0(0) ack 1 win 64000
         +0 > . 1:1(0) ack 1 win 65535",
    );
}

#[test]
fn an_old_time_stamp_is_refused_and_answered() {
    check(
        linux(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK,TS 1000 0>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,TS 0 1000>
         +0.1 < . 1:1(0) ack 1 win 64000 <TS 1100 0>
         +0 ! Established(Full)
         +0 < P. 1:101(100) ack 1 win 64000 <TS 1100 0>
         +0 ! Readable
         +0 > . 1:1(0) ack 101 win 65435 <TS 100 1100>
         +0.1 < P. 101:201(100) ack 1 win 64000 <TS 1050 0>
         +0 > . 1:1(0) ack 101 win 65435 <TS 200 1100>
         +0 x old_timestamp
         +0 < P. 101:201(100) ack 1 win 64000
         +0 x old_timestamp
         +0 < P. 101:201(100) ack 1 win 64000 <TS 1200 0>
         +0 > . 1:1(0) ack 201 win 65335 <TS 200 1200>",
    );
}

#[test]
fn time_stamps_may_wrap() {
    check(
        linux(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK,TS 1000 0>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,TS 0 1000>
         +0.1 < . 1:1(0) ack 1 win 64000 <TS 1100 0>
         +0 ! Established(Full)
         +0.3 < P. 1:101(100) ack 1 win 64000 <TS 1400 0>
         +0 ! Readable
         +0 > . 1:1(0) ack 101 win 65435 <TS 400 1400>
         +0.3 < P. 101:201(100) ack 1 win 64000 <TS 1700 0>
         +0 > . 1:1(0) ack 201 win 65335 <TS 700 1700>",
    );
}

#[test]
fn after_24_days_an_old_time_stamp_counts_for_nothing() {
    check(
        TcpProfile {
            window_scale: None,
            ..linux()
        },
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK,TS 5000 0>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,TS 0 5000>
         +0.1 < . 1:1(0) ack 1 win 64000 <TS 5100 0>
         +0 ! Established(Full)
         +2073601 < P. 1:101(100) ack 1 win 64000 <TS 100 0>
         +0 ! Readable
         +0 > . 1:1(0) ack 101 win 65435 <TS 2073601100 100>",
    );
}

#[test]
fn a_reset_ends_established() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0.1 < R 6:6(0) win 0
         +0 > . 1:1(0) ack 1 win 65535
         +0 x out_of_window
         +0.1 < R 1:1(0) win 0
         +0 ! Closed(PeerReset)
         +0 < . 1:1(0) ack 1 win 64000
         +0 > R 1:1(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn a_reset_ends_fin_wait_1() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 finish
         +0 > F. 1:1(0) ack 1 win 65535
         +0.1 < R 6:6(0) win 0
         +0 > . 2:2(0) ack 1 win 65535
         +0 x out_of_window
         +0.1 < R 1:1(0) win 0
         +0 ! Closed(PeerReset)
         +0 < . 1:1(0) ack 1 win 64000
         +0 > R 1:1(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn a_reset_ends_fin_wait_2() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 finish
         +0 > F. 1:1(0) ack 1 win 65535
         +0.1 < . 1:1(0) ack 2 win 64000
         +0.1 < R 6:6(0) win 0
         +0 > . 2:2(0) ack 1 win 65535
         +0 x out_of_window
         +0.1 < R 1:1(0) win 0
         +0 ! Closed(PeerReset)
         +0 < . 1:1(0) ack 1 win 64000
         +0 > R 1:1(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn a_reset_ends_close_wait() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < F. 1:1(0) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 2 win 65534
         +0.1 < R 7:7(0) win 0
         +0 > . 1:1(0) ack 2 win 65534
         +0 x out_of_window
         +0.1 < R 2:2(0) win 0
         +0 ! Closed(PeerReset)
         +0 < . 2:2(0) ack 1 win 64000
         +0 > R 1:1(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn a_reset_ends_last_ack() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < F. 1:1(0) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 2 win 65534
         +0 finish
         +0 > F. 1:1(0) ack 2 win 65534
         +0.1 < R 7:7(0) win 0
         +0 > . 2:2(0) ack 2 win 65534
         +0 x out_of_window
         +0.1 < R 2:2(0) win 0
         +0 ! Closed(PeerReset)
         +0 < . 2:2(0) ack 1 win 64000
         +0 > R 1:1(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn a_reset_ends_closing() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 finish
         +0 > F. 1:1(0) ack 1 win 65535
         +0.1 < F. 1:1(0) ack 1 win 64000
         +0 > . 2:2(0) ack 2 win 65534
         +0 ! Readable
         +0.1 < R 7:7(0) win 0
         +0 > . 2:2(0) ack 2 win 65534
         +0 x out_of_window
         +0.1 > F. 1:1(0) ack 2 win 65534
         +0 < R 2:2(0) win 0
         +0 ! Closed(PeerReset)
         +0 < . 2:2(0) ack 1 win 64000
         +0 > R 1:1(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn a_reset_ends_syn_received() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < R 6:6(0) win 0
         +0 > . 1:1(0) ack 1 win 65535
         +0 x out_of_window
         +0.1 < R 1:1(0) win 0
         +0 < . 1:1(0) ack 1 win 64000
         +0 > R 1:1(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn a_reset_in_time_wait_must_be_exact() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 finish
         +0 > F. 1:1(0) ack 1 win 65535
         +0.1 < F. 1:1(0) ack 2 win 64000
         +0 > . 2:2(0) ack 2 win 65534 ; last
         +0 ! Readable
         +0 ! Closed(Finished)
         +0.1 < R 9:9(0) win 0
         +0 x out_of_window
         +0 < F. 1:1(0) ack 2 win 64000
         +0 > . 2:2(0) ack 2 win 65534
         +1 < R 2:2(0) win 0
         +0 < F. 1:1(0) ack 2 win 64000
         +0 > R 2:2(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn what_makes_no_sense_is_answered_twice_a_second_at_most() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < S 500:500(0) win 64000 <mss 1000>
         +0 > . 1:1(0) ack 1 win 65535
         +0 x unexpected_flags
         +0.1 < S 0:0(0) win 64000 <mss 1000>
         +0 x unexpected_flags
         +0.5 < . 1:1(0) ack 5000 win 64000
         +0 > . 1:1(0) ack 1 win 65535
         +0 x unsent_acknowledged
         +0.5 < . 70000:70000(0) ack 1 win 64000
         +0 > . 1:1(0) ack 1 win 65535
         +0 x out_of_window
         +0.5 < P 1:101(100) win 64000
         +0 x unexpected_flags
         +0.5 < . 1:1(0) ack 1 win 64000",
    );
}

#[test]
fn data_after_the_end_is_not_taken() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < F. 1:1(0) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 2 win 65534
         +0.1 < P. 2:102(100) ack 1 win 64000
         +0 x out_of_window
         +0 read 1000
         +0 = finished",
    );
}

#[test]
fn an_acknowledgement_from_long_ago_is_challenged() {
    check(
        plain(),
        "+0 connected
         +0 write 5000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > P. 4001:5001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 5001 win 100
         +0.1 < . 1:1(0) ack 2001 win 64000
         +0.1 < . 1:1(0) ack 4000000000 win 64000
         +0 > . 5001:5001(0) ack 1 win 65535
         +0 x old_acknowledgement",
    );
}
