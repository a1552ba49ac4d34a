//! Fast Open (RFC 7413).

use super::linux;
use super::time_line::{check, check_again};
use lasthop_contract::RandomStream;
use lasthop_transport::{Tcp, TcpProfile};
use std::sync::Arc;

fn profile() -> TcpProfile {
    TcpProfile {
        fast_open_server: true,
        timestamps: false,
        window_scale: None,
        ..linux()
    }
}

/// A client that was given the cookie `c00c1e01`.
fn client() -> Tcp {
    let stream = RandomStream::named(1, "tcp");
    let host = Tcp::new(
        super::wire::US.parse().unwrap(),
        Arc::new(profile()),
        stream,
    );
    check_again(
        host,
        "+0 open 100
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK,FO>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK,FO c00c1e01>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +0 > P. 1:101(100) ack 1 win 65535
         +0 reset
         +0 > R. 101:101(0) ack 1 win 65535
         +0 ! Closed(Reset(NotNeeded))",
    )
}

#[test]
fn without_a_cookie_the_client_asks_for_one_and_its_data_waits() {
    client();
}

#[test]
fn early_data_that_is_taken_is_acknowledged_with_the_syn() {
    check_again(
        client(),
        "+0 open 100
         +0 > S 0:100(100) win 65535 <mss 1460,sackOK,FO c00c1e01>
         +0.1 < S. 0:0(0) ack 101 win 64000 <mss 1000,sackOK>
         +0 ! Established(Early)
         +0 > . 101:101(0) ack 1 win 65535
         +0 write 50
         +0 > P. 101:151(50) ack 1 win 65535",
    );
}

#[test]
fn early_data_that_is_refused_leaves_again_at_once() {
    check_again(
        client(),
        "+0 open 100
         +0 > S 0:100(100) win 65535 <mss 1460,sackOK,FO c00c1e01>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
         +0 ! Established(Full)
         +0 > P. 1:101(100) ack 1 win 65535
         +0.1 < . 1:1(0) ack 101 win 64000",
    );
}

#[test]
fn a_lost_syn_with_early_data_leaves_without_it() {
    check_again(
        client(),
        "+0 open 100
         +0 > S 0:100(100) win 65535 <mss 1460,sackOK,FO c00c1e01>
         +1 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
         +0 ! Established(Full)
         +0 > P. 1:101(100) ack 1 win 65535
         +0.1 < . 1:1(0) ack 101 win 64000",
    );
}

#[test]
fn a_server_gives_a_cookie_and_refuses_early_data_under_a_wrong_one() {
    check(
        profile(),
        "+0 listen
         +0 < S 0:100(100) win 64000 <mss 1000,sackOK,FO bad0c00c1e000000>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK,FO 5079445135ed4948>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < P. 1:101(100) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 101 win 65435",
    );
}

#[test]
fn a_server_takes_early_data_under_its_cookie() {
    check(
        profile(),
        "+0 listen
         +0 < S 0:100(100) win 64000 <mss 1000,sackOK,FO 5079445135ed4948>
         +0 ! Established(Early)
         +0 ! Readable
         +0 > S. 0:0(0) ack 101 win 65535 <mss 1460,sackOK>
         +0 write 50
         +0 > P. 1:51(50) ack 101 win 65535
         +0.1 < . 101:101(0) ack 51 win 64000
         +0 read 1000
         +0 = read 100",
    );
}
