//! When what arrives is acknowledged.

use super::plain;
use super::time_line::check;
use lasthop_transport::TcpProfile;
use lasthop_transport::tcp::AcknowledgementPolicy;
use lasthop_units::Duration;

#[test]
fn the_first_segments_are_acknowledged_at_once() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < . 1:1001(1000) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 1001 win 64535
         +0 < . 1001:2001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 2001 win 63535
         +0 < . 2001:3001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 3001 win 62535
         +0 < . 3001:4001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 4001 win 61535
         +0 < . 4001:5001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 5001 win 60535
         +0 < . 5001:6001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 6001 win 59535
         +0 < . 6001:7001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 7001 win 58535
         +0 < . 7001:8001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 8001 win 57535
         +0 < . 8001:9001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 9001 win 56535
         +0 < . 9001:10001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 10001 win 55535
         +0 < . 10001:11001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 11001 win 54535
         +0 < . 11001:12001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 12001 win 53535
         +0 < . 12001:13001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 13001 win 52535
         +0 < . 13001:14001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 14001 win 51535
         +0 < . 14001:15001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 15001 win 50535
         +0 < . 15001:16001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 16001 win 49535
         +0 < . 16001:17001(1000) ack 1 win 64000
         +0 < . 17001:18001(1000) ack 1 win 64000
         +0 < . 18001:19001(1000) ack 1 win 64000
         +0 < . 19001:20001(1000) ack 1 win 64000
         +0.04 > . 1:1(0) ack 20001 win 45535
         +0.96 read 100000
         +0 = read 20000",
    );
}

#[test]
fn a_small_segment_is_acknowledged_when_it_is_read() {
    check(
        TcpProfile {
            acknowledgement: AcknowledgementPolicy::Adaptive {
                quick: 0,
                min_delay: Duration::from_millis(40),
                max_delay: Duration::from_millis(200),
            },
            ..plain()
        },
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < P. 1:101(100) ack 1 win 64000
         +0 ! Readable
         +0.001 read 1000
         +0 = read 100
         +0 > . 1:1(0) ack 101 win 65435
         +0.25 < P. 101:201(100) ack 1 win 64000
         +0 ! Readable
         +0.04 > . 1:1(0) ack 201 win 65335
         +0.06 read 1000
         +0 = read 100
         +0.25 < . 201:1201(1000) ack 1 win 64000
         +0 ! Readable
         +0.08 > . 1:1(0) ack 1201 win 64335
         +0.02 read 1000
         +0 = read 1000
         +0.25 < . 1201:2201(1000) ack 1 win 64000
         +0 ! Readable
         +0.001 < . 2201:3201(1000) ack 1 win 64000
         +0.039 read 1000
         +0 = read 1000
         +0 > . 1:1(0) ack 3201 win 64000",
    );
}

#[test]
fn an_answer_takes_the_acknowledgement_with_it() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < P. 1:101(100) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 101 win 65435
         +0 read 1000
         +0 = read 100
         +0.001 write 10
         +0 > P. 1:11(10) ack 101 win 65435
         +0.1 < P. 101:201(100) ack 11 win 64000
         +0 ! Readable
         +0 read 1000
         +0 = read 100
         +0.002 write 10
         +0 > P. 11:21(10) ack 201 win 65335
         +0.1 < P. 201:301(100) ack 21 win 64000
         +0 ! Readable
         +0 read 1000
         +0 = read 100
         +0.04 > . 21:21(0) ack 301 win 65235
         +0.96 read 1000
         +0 = blocked",
    );
}

#[test]
fn what_is_out_of_order_is_reported_at_once() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < . 1001:2001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 1 win 65535 <sack 1001:2001>
         +0 < . 3001:4001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 1 win 65535 <sack 3001:4001 1001:2001>
         +0 < . 1:1001(1000) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 2001 win 63535 <sack 3001:4001>
         +0 < . 2001:3001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 4001 win 61535
         +0 read 100000
         +0 = read 4000",
    );
}

#[test]
fn what_came_before_is_reported_as_a_duplicate() {
    check(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < . 1:1001(1000) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 1001 win 64535
         +0.1 < . 1:1001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 1001 win 64535 <sack 1:1001>
         +0 < . 2001:3001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 1001 win 64535 <sack 2001:3001>
         +0 < . 2001:3001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 1001 win 64535 <sack 2001:3001 2001:3001>",
    );
}

#[test]
fn lwip_acknowledges_every_second_segment_or_by_its_timer() {
    check(
        TcpProfile::lwip_esp8266(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000>
         +0 > S. 0:0(0) ack 1 win 5744 <mss 1440>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0.01 < . 1:1001(1000) ack 1 win 64000
         +0 ! Readable
         +0.01 < . 1001:2001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 2001 win 3744
         +0.01 < . 2001:3001(1000) ack 1 win 64000
         +0.12 > . 1:1(0) ack 3001 win 2744
         +0.18 read 10000
         +0 = read 3000",
    );
}

#[test]
fn lwip_keeps_nothing_that_is_out_of_order() {
    check(
        TcpProfile::lwip_esp8266(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000>
         +0 > S. 0:0(0) ack 1 win 5744 <mss 1440>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < . 1001:2001(1000) ack 1 win 64000
         +0 > . 1:1(0) ack 1 win 5744
         +0 < . 1:1001(1000) ack 1 win 64000
         +0 ! Readable
         +0 read 10000
         +0 = read 1000",
    );
}
