//! A peer that is silent for longer than the user waits (RFC 5482) is given up, whatever `retries` says.

use super::plain;
use super::time_line::check;
use lasthop_transport::TcpProfile;
use lasthop_units::Duration;

fn impatient() -> TcpProfile {
    TcpProfile {
        user_timeout: Some(Duration::from_secs(5)),
        loss_probe: false,
        ..plain()
    }
}

#[test]
fn data_that_is_not_acknowledged_ends_the_connection() {
    // As in Linux, the time counts from the first retransmission, and the last timeout is cut short.
    check(
        impatient(),
        "+0 connected
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0.3 > P. 1:101(100) ack 1 win 65535
         +0.6 > P. 1:101(100) ack 1 win 65535
         +1.2 > P. 1:101(100) ack 1 win 65535
         +2.4 > P. 1:101(100) ack 1 win 65535
         +0.8 ! Closed(TimedOut)
         +1 read 1
         +0 = no such stream",
    );
}

#[test]
fn progress_begins_the_time_anew() {
    check(
        impatient(),
        "+0 connected
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0.3 > P. 1:101(100) ack 1 win 65535
         +0.6 > P. 1:101(100) ack 1 win 65535
         +1.2 > P. 1:101(100) ack 1 win 65535
         +2.4 > P. 1:101(100) ack 1 win 65535
         +0.7 < . 1:1(0) ack 101 win 64000
         +10 write 100
         +0 > P. 101:201(100) ack 1 win 65535
         +0.1 < . 1:1(0) ack 201 win 64000
         +60 read 1
         +0 = blocked",
    );
}

#[test]
fn a_shut_window_that_nobody_speaks_for_ends_the_connection() {
    check(
        impatient(),
        "+0 connected
         +0 write 1000
         +0 > P. 1:1001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1001 win 0
         +0 write 500
         +0.3 > . 1000:1000(0) ack 1 win 65535
         +0.6 > . 1000:1000(0) ack 1 win 65535
         +1.2 > . 1000:1000(0) ack 1 win 65535
         +2.4 > . 1000:1000(0) ack 1 win 65535
         +4.8 ! Closed(TimedOut)",
    );
}
