//! What a peer must not send, as time lines: ignored or answered as the standards say, and counted.

use super::plain;
use super::time_line::check;

/// A handshake that the peer began.
const ACCEPTED: &str = "+0 listen
     +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
     +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
     +0.1 < . 1:1(0) ack 1 win 64000
     +0 ! Established(Full)";

/// One that was answered and not completed.
const HALF_OPEN: &str = "+0 listen
     +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
     +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>";

const SYN_SENT: &str = "+0 open
     +0 > S 0:0(0) win 65535 <mss 1460,sackOK>";

fn check_all(beginning: &str, cases: &[&str]) {
    for case in cases {
        check(plain(), &format!("{beginning}\n{case}"));
    }
}

#[test]
fn a_listener_answers_a_plain_syn_alone() {
    check_all(
        "+0 listen",
        &[
            // RFC 9293 section 3.10.7.2: a RST is ignored, whatever else is set.
            "+0.1 < R 0:0(0) win 0
             +0 x no_connection",
            "+0.1 < SR 0:0(0) win 0
             +0 x no_connection",
            "+0.1 < SFR. 0:0(0) ack 7 win 0
             +0 x no_connection",
            // Any acknowledgement is of nothing that was sent.
            "+0.1 < . 7:7(0) ack 9 win 0
             +0 > R 9:9(0) win 0
             +0 x no_connection",
            "+0.1 < S. 0:0(0) ack 9 win 0
             +0 > R 9:9(0) win 0
             +0 x no_connection",
            // What is neither is dropped, and so is a SYN that ends at once (as in Linux).
            "+0.1 < F 0:0(0) win 0
             +0 x unexpected_flags",
            "+0.1 < P 0:100(100) win 0
             +0 x unexpected_flags",
            "+0.1 < SF 0:0(0) win 0
             +0 x unexpected_flags",
        ],
    );
}

#[test]
fn a_handshake_goes_on_under_segments_that_make_no_sense() {
    // RFC 9293 section 3.10.7.3.
    check_all(
        SYN_SENT,
        &[
            "+0.1 < . 1:1(0) ack 1 win 64000
             +0 x unexpected_flags",
            "+0.1 < . 1:1(0) ack 0 win 64000
             +0 > R 0:0(0) win 0
             +0 x unsent_acknowledged",
            "+0.1 < . 1:1(0) ack 2 win 64000
             +0 > R 2:2(0) win 0
             +0 x unsent_acknowledged",
            "+0.1 < R. 0:0(0) ack 2 win 0
             +0 x unsent_acknowledged",
            "+0.1 < R 0:0(0) win 0
             +0 x out_of_window",
            "+0.1 < SR 0:0(0) win 0
             +0 x out_of_window",
            "+0.1 < P 1:101(100) win 64000
             +0 x unexpected_flags",
            "+0.1 < SR. 0:0(0) ack 1 win 0
             +0 ! Closed(PeerReset)",
        ],
    );
    // RFC 9293 section 3.10.7.4, RFC 5961 sections 3 and 4.
    check_all(
        HALF_OPEN,
        &[
            "+0.1 < . 1:1(0) ack 0 win 64000
             +0 > R 0:0(0) win 0
             +0 x unsent_acknowledged",
            "+0.1 < . 1:1(0) ack 5000 win 64000
             +0 > R 5000:5000(0) win 0
             +0 x unsent_acknowledged",
            "+0.1 < . 70001:70001(0) ack 1 win 64000
             +0 > . 1:1(0) ack 1 win 65535
             +0 x out_of_window",
            "+0.1 < P 1:101(100) win 64000
             +0 x unexpected_flags",
            "+0.1 < S 5:5(0) win 64000
             +0 > . 1:1(0) ack 1 win 65535
             +0 x unexpected_flags",
            "+0.1 < R 70001:70001(0) win 0
             +0 x out_of_window",
        ],
    );
}

#[test]
fn an_established_connection_bears_any_segment() {
    // RFC 9293 section 3.10.7.4, RFC 5961 sections 3 to 5.
    check_all(
        ACCEPTED,
        &[
            // Behind the window, before it, and around it.
            "+0.1 < P. 65536:65636(100) ack 1 win 64000
             +0 > . 1:1(0) ack 1 win 65535
             +0 x out_of_window",
            "+0.1 < P. 4294966297:4294966397(100) ack 1 win 64000
             +0 > . 1:1(0) ack 1 win 65535 <sack 4294966297:4294966397>
             +0 x out_of_window",
            "+0.1 < F. 65537:65537(0) ack 1 win 64000
             +0 > . 1:1(0) ack 1 win 65535
             +0 x out_of_window",
            // A reset must be exact.
            "+0.1 < R 65536:65536(0) win 0
             +0 > . 1:1(0) ack 1 win 65535
             +0 x out_of_window",
            "+0.1 < R 70000:70000(0) win 0
             +0 x out_of_window",
            "+0.1 < R 0:0(0) win 0
             +0 x out_of_window",
            "+0.1 < SFR. 1:1(0) ack 1 win 0
             +0 ! Closed(PeerReset)",
            // A SYN is challenged wherever it lies.
            "+0.1 < S 1:1(0) win 64000
             +0 > . 1:1(0) ack 1 win 65535
             +0 x unexpected_flags",
            "+0.1 < SF. 1:101(100) ack 1 win 64000
             +0 > . 1:1(0) ack 1 win 65535
             +0 x unexpected_flags",
            // What was never sent cannot be acknowledged, and nothing else of the segment counts.
            "+0.1 < FP. 1:101(100) ack 2 win 64000
             +0 > . 1:1(0) ack 1 win 65535
             +0 x unsent_acknowledged",
            "+0.1 < P. 1:101(100) ack 2147483648 win 64000
             +0 > . 1:1(0) ack 1 win 65535
             +0 x unsent_acknowledged",
            // No flags at all.
            "+0.1 < P 1:101(100) win 64000
             +0 x unexpected_flags",
        ],
    );
}
