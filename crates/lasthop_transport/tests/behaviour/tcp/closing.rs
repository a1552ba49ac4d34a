//! How connections end.

use super::plain;
use super::time_line::check;
use lasthop_transport::TcpProfile;

#[test]
fn we_finish_first() {
    check(
        plain(),
        "+0 connected
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0 finish
         +0 > F. 101:101(0) ack 1 win 65535
         +0.1 < . 1:1(0) ack 102 win 64000
         +0.1 < F. 1:1(0) ack 102 win 64000
         +0 > . 102:102(0) ack 2 win 65534 ; last
         +0 ! Readable
         +0 ! Closed(Finished)
         +0 read 10
         +0 = no such stream
         +1 < F. 1:1(0) ack 102 win 64000
         +0 > . 102:102(0) ack 2 win 65534
         +0.1 < F. 1:1(0) ack 102 win 64000
         +0 > . 102:102(0) ack 2 win 65534
         +61 < F. 1:1(0) ack 102 win 64000
         +0 > R 102:102(0) win 0
         +0 x no_connection",
    );
}

#[test]
fn the_peer_finishes_first() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < FP. 1:101(100) ack 1 win 64000
         +0 ! Readable
         +0 read 1000
         +0 = read 100
         +0 read 1000
         +0 = finished
         +0.01 write 50
         +0 > P. 1:51(50) ack 102 win 65434
         +0 finish
         +0 > F. 51:51(0) ack 102 win 65434
         +0.1 < . 102:102(0) ack 52 win 64000
         +0 ! Closed(Finished)
         +1 read 10
         +0 = no such stream",
    );
}

#[test]
fn the_end_of_the_peer_is_acknowledged_when_we_go_on() {
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
         +0.1 write 50
         +0 > P. 1:51(50) ack 2 win 65534
         +0 < . 2:2(0) ack 51 win 64000
         +0.1 finish
         +0 > F. 51:51(0) ack 2 win 65534
         +0.1 < . 2:2(0) ack 52 win 64000
         +0 ! Closed(Finished)",
    );
}

#[test]
fn both_may_finish_at_once() {
    check(
        plain(),
        "+0 connected
         +0 finish
         +0 > F. 1:1(0) ack 1 win 65535
         +0.05 < F. 1:1(0) ack 1 win 64000
         +0 > . 2:2(0) ack 2 win 65534
         +0 ! Readable
         +0.05 < . 2:2(0) ack 2 win 64000
         +0 ! Closed(Finished)
         +0.05 < F. 1:1(0) ack 2 win 64000
         +0 > . 2:2(0) ack 2 win 65534",
    );
}

#[test]
fn a_lost_end_leaves_again() {
    check(
        plain(),
        "+0 connected
         +0 finish
         +0 > F. 1:1(0) ack 1 win 65535
         +0.3 > F. 1:1(0) ack 1 win 65535
         +0.3 > F. 1:1(0) ack 1 win 65535
         +0.3 < . 1:1(0) ack 2 win 64000
         +0.1 < F. 1:1(0) ack 2 win 64000
         +0 > . 2:2(0) ack 2 win 65534 ; last
         +0 ! Readable
         +0 ! Closed(Finished)",
    );
}

#[test]
fn a_lost_acknowledgement_of_the_end_is_repeated() {
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
         +0.3 < F. 1:1(0) ack 1 win 64000
         +0 > . 1:1(0) ack 2 win 65534 <sack 1:2>
         +0 finish
         +0 > F. 1:1(0) ack 2 win 65534
         +0.1 < . 2:2(0) ack 2 win 64000
         +0 ! Closed(Finished)",
    );
}

#[test]
fn a_silent_peer_is_given_up_after_it_let_us_finish() {
    check(
        plain(),
        "+0 connected
         +0 finish
         +0 > F. 1:1(0) ack 1 win 65535
         +0.1 < . 1:1(0) ack 2 win 64000
         +60 ! Closed(TimedOut)
         +1 read 1
         +0 = no such stream",
    );
}

#[test]
fn a_reset_of_ours_tells_the_peer() {
    check(
        plain(),
        "+0 connected
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0 reset
         +0 > R. 101:101(0) ack 1 win 65535
         +0 ! Closed(Reset(NotNeeded))
         +0.1 < . 1:1(0) ack 101 win 64000
         +0 > R 101:101(0) win 0
         +0 x no_connection
         +0 read 1
         +0 = no such stream",
    );
}

#[test]
fn a_new_connection_may_take_the_place_of_an_old_one() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 finish
         +0 > F. 1:1(0) ack 1 win 65535
         +0.1 < F. 1:1(0) ack 2 win 64000
         +0 > . 2:2(0) ack 2 win 65534 ; last
         +0 ! Readable
         +0 ! Closed(Finished)
         +1 < S 1:1(0) win 64000 <mss 1000>
         +0 > . 2:2(0) ack 2 win 65534
         +1 < S 3:3(0) win 64000 <mss 1000>
         +0 > S. 0:0(0) ack 4 win 65535 <mss 1460>
         +0.1 < . 4:4(0) ack 1 win 64000
         +0 ! Established(Full)",
    );
}

#[test]
fn nobody_is_told_of_room_after_the_end() {
    check(
        TcpProfile {
            send_buffer: 2000,
            ..plain()
        },
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < F. 1:1(0) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 2 win 65534
         +0 write 3000
         +0 = wrote 2000
         +0 > . 1:1001(1000) ack 2 win 65534
         +0 > P. 1001:2001(1000) ack 2 win 65534
         +0 finish
         +0 > F. 2001:2001(0) ack 2 win 65534
         +0.1 < . 2:2(0) ack 2002 win 64000
         +0 ! Closed(Finished)",
    );
}
