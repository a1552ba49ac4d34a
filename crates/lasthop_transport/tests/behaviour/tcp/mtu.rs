//! How large segments are (RFC 9293 section 3.7.1), and what follows those that a hop drops (RFC 4821 section 7.7).

use super::time_line::check;
use super::{linux, plain};
use lasthop_transport::TcpProfile;
use lasthop_transport::tcp::PathMtu;

#[test]
fn a_client_offers_and_sends_what_its_interface_takes() {
    check(
        plain(),
        "+0 mtu 1200 1200
         +0 open
         +0 > S 0:0(0) win 65535 <mss 1160,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1460,sackOK>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +1 write 2000
         +0 > . 1:1161(1160) ack 1 win 65535
         +0 > P. 1161:2001(840) ack 1 win 65535",
    );
}

#[test]
fn a_server_offers_and_sends_what_its_interface_takes() {
    check(
        linux(),
        "+0 mtu 600 600
         +0 listen
         +0 < S 0:0(0) win 64000 <mss 1460,sackOK,TS 1000 0,wscale 2>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 560,sackOK,TS 0 1000,wscale 7>
         +0.1 < . 1:1(0) ack 1 win 16000 <TS 1100 0>
         +0 ! Established(Full)
         +1 write 600
         +0 > . 1:549(548) ack 1 win 512 <TS 1100 1100>
         +0 > P. 549:601(52) ack 1 win 512 <TS 1100 1100>",
    );
}

#[test]
fn what_a_hop_behind_the_interface_takes_bounds_what_is_sent() {
    check(
        plain(),
        "+0 mtu 1500 1200
         +0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1460,sackOK>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +1 write 2000
         +0 > . 1:1161(1160) ack 1 win 65535
         +0 > P. 1161:2001(840) ack 1 win 65535",
    );
}

#[test]
fn a_connection_that_moves_to_a_smaller_interface_sends_smaller_segments() {
    check(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1460,sackOK>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +1 mtu 1200 1200
         +0 write 1300
         +0 > . 1:1161(1160) ack 1 win 65535
         +0 > P. 1161:1301(140) ack 1 win 65535",
    );
}

/// Linux 6 with `tcp_mtu_probing` at 1: after the time of three retries from the least timeout on (3 s), 1024 B; then half.
#[test]
fn large_segments_that_meet_silence_are_followed_by_smaller_ones() {
    let profile = TcpProfile {
        loss_probe: false,
        path_mtu: PathMtu::Probing,
        ..plain()
    };
    check(
        profile,
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1460>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +1 write 1460
         +0 > P. 1:1461(1460) ack 1 win 65535
         +0.3 > P. 1:1461(1460) ack 1 win 65535
         +0.6 > P. 1:1461(1460) ack 1 win 65535
         +1.2 > P. 1:1461(1460) ack 1 win 65535
         +2.4 > . 1:1025(1024) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1025 win 64000
         +0 > P. 1025:1461(436) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1461 win 64000
         +1 write 1460
         +0 > . 1461:2485(1024) ack 1 win 65535
         +0 > P. 2485:2921(436) ack 1 win 65535",
    );
}

#[test]
fn without_probing_they_stay_as_large_as_they_are() {
    let profile = TcpProfile {
        loss_probe: false,
        path_mtu: PathMtu::Unknown,
        ..plain()
    };
    check(
        profile,
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1460>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +1 write 1460
         +0 > P. 1:1461(1460) ack 1 win 65535
         +0.3 > P. 1:1461(1460) ack 1 win 65535
         +0.6 > P. 1:1461(1460) ack 1 win 65535
         +1.2 > P. 1:1461(1460) ack 1 win 65535
         +2.4 > P. 1:1461(1460) ack 1 win 65535",
    );
}

#[test]
fn a_small_segment_that_meets_silence_changes_nothing() {
    let profile = TcpProfile {
        loss_probe: false,
        path_mtu: PathMtu::Probing,
        ..plain()
    };
    check(
        profile,
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1460>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +1 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0.3 > P. 1:101(100) ack 1 win 65535
         +0.6 > P. 1:101(100) ack 1 win 65535
         +1.2 > P. 1:101(100) ack 1 win 65535
         +2.4 > P. 1:101(100) ack 1 win 65535
         +0.1 < . 1:1(0) ack 101 win 64000
         +1 write 1460
         +0 > P. 101:1561(1460) ack 1 win 65535",
    );
}
