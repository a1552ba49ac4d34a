//! How connections begin.

use super::time_line::check;
use super::{linux, plain};
use lasthop_transport::TcpProfile;

#[test]
fn an_opened_connection_shakes_hands_in_three_segments() {
    check(
        linux(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK,TS 0 0,wscale 7>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1400,sackOK,TS 1000 0,wscale 2>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 512 <TS 100 1000>
         +1 write 3000
         +0 > . 1:1389(1388) ack 1 win 512 <TS 1100 1000>
         +0 > . 1389:2777(1388) ack 1 win 512 <TS 1100 1000>
         +0 > P. 2777:3001(224) ack 1 win 512 <TS 1100 1000>
         +0.1 < . 1:1(0) ack 3001 win 16000 <TS 1100 1100>
         +0 finish
         +0 > F. 3001:3001(0) ack 1 win 512 <TS 1200 1100>",
    );
}

#[test]
fn an_accepted_connection_shakes_hands_in_three_segments() {
    check(
        linux(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1400,sackOK,TS 1000 0,wscale 2>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,TS 0 1000,wscale 7>
         +0.1 < . 1:1(0) ack 1 win 16000 <TS 1100 0>
         +0 ! Established(Full)
         +0.05 < P. 1:101(100) ack 1 win 16000 <TS 1150 0>
         +0 ! Readable
         +0 > . 1:1(0) ack 101 win 512 <TS 150 1150>
         +0 read 1000
         +0 = read 100",
    );
}

#[test]
fn a_plain_peer_gets_no_options_but_the_segment_size() {
    check(
        linux(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1400>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)",
    );
}

#[test]
fn the_answer_of_lwip_has_a_segment_size_of_1440_and_a_window_of_four() {
    check(
        TcpProfile::lwip_esp8266(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1460,sackOK,TS 1000 0,wscale 7>
         +0 > S. 0:0(0) ack 1 win 5744 <mss 1440>
         +0.1 < . 1:1(0) ack 1 win 500
         +0 ! Established(Full)",
    );
}

#[test]
fn a_lost_syn_leaves_four_times_undoubled_and_then_doubled() {
    check(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +1 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +1 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +1 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +1 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +1 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +2 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +4 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +8 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +16 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +32 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +64 ! Closed(TimedOut)
         +0.1 read 1
         +0 = no such stream",
    );
}

#[test]
fn a_lost_answer_leaves_again_when_its_time_comes_or_the_syn_comes_again() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.6 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.2 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0.8 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +2 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +4 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +8 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +16 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +32.2 < . 1:1(0) ack 1 win 64000
         +0 > R 1:1(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn a_lost_last_acknowledgement_is_made_up_for_by_data() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.3 < P. 1:101(100) ack 1 win 64000
         +0 ! Established(Full)
         +0 ! Readable
         +0 > . 1:1(0) ack 101 win 65435
         +0 read 200
         +0 = read 100",
    );
}

#[test]
fn our_last_acknowledgement_leaves_again_when_the_peer_answers_again() {
    check(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +1 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
         +0 > . 1:1(0) ack 1 win 65535
         +0 x unexpected_flags
         +0.2 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
         +0 x unexpected_flags",
    );
}

#[test]
fn both_may_open_at_once() {
    check(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.05 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.05 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535 <sack 0:1>
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535",
    );
}

#[test]
fn an_answer_to_another_syn_is_reset() {
    check(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 77 win 64000 <mss 1000,sackOK>
         +0 > R 77:77(0) win 0
         +0 x unsent_acknowledged
         +0.008 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.092 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535",
    );
}

#[test]
fn nobody_listens() {
    check(
        plain(),
        "+0 listen
         +0 < . 5:105(100) ack 9 win 64000
         +0 > R 9:9(0) win 0
         +0 x no_connection
         +0 < R 5:5(0) win 0
         +0 x no_connection
         +0 < SF 0:0(0) win 1000
         +0 x unexpected_flags",
    );
}

#[test]
fn a_refused_connection_is_closed_by_the_peer() {
    check(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < R. 0:0(0) ack 1 win 0
         +0 ! Closed(PeerReset)
         +1 read 1
         +0 = no such stream",
    );
}

#[test]
fn a_window_is_started_small_after_two_lost_syns() {
    check(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +1 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +1 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.5 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +0 write 5000
         +0 > . 1:1001(1000) ack 1 win 65535",
    );
}
