//! What made a segment leave: each timer, and each way to find a loss.

use super::plain;
use super::time_line::check_with_triggers;
use lasthop_transport::TcpProfile;
use lasthop_transport::tcp::KeepAlive;
use lasthop_units::Duration;

#[test]
fn a_timeout_says_how_long_it_was_and_how_many_there_were() {
    check_with_triggers(
        TcpProfile {
            loss_probe: false,
            ..plain()
        },
        "+0 connected
         +0 write 3000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > P. 2001:3001(1000) ack 1 win 65535
         +0.3 > . 1:1001(1000) ack 1 win 65535 ; retransmission timeout of 300 ms
         +0.6 > . 1:1001(1000) ack 1 win 65535 ; retransmission timeout of 600 ms, after 1 other
         +1.2 > . 1:1001(1000) ack 1 win 65535 ; retransmission timeout of 1200 ms, after 2 others
         +0.1 < . 1:1(0) ack 1001 win 64000
         +0 > . 1001:2001(1000) ack 1 win 65535 ; lost at the timeout
         +0 > P. 2001:3001(1000) ack 1 win 65535 ; lost at the timeout
         +0.1 < . 1:1(0) ack 3001 win 64000",
    );
}

#[test]
fn a_syn_says_so_too() {
    check_with_triggers(
        plain(),
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460,sackOK>
         +1 > S 0:0(0) win 65535 <mss 1460,sackOK> ; retransmission timeout of 1000 ms
         +0.5 < S. 0:0(0) ack 1 win 64000 <mss 1000,sackOK>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535",
    );
}

#[test]
fn an_answer_to_a_syn_says_so_too() {
    check_with_triggers(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +1 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK> ; retransmission timeout of 1000 ms
         +2 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK> ; retransmission timeout of 2000 ms, after 1 other",
    );
}

#[test]
fn a_loss_that_later_ones_show_says_so() {
    check_with_triggers(
        plain(),
        "+0 connected
         +0 write 5000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > P. 4001:5001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000 <sack 1001:4001>
         +0 > . 1:1001(1000) ack 1 win 65535 ; fast retransmit: lost, as later ones have arrived (RACK)",
    );
}

#[test]
fn a_loss_that_is_counted_says_so() {
    check_with_triggers(
        TcpProfile {
            rack: false,
            loss_probe: false,
            ..plain()
        },
        "+0 connected
         +0 write 5000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > P. 4001:5001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000 <sack 1001:4001>
         +0 > . 1:1001(1000) ack 1 win 65535 ; fast retransmit: lost by selective acknowledgements",
    );
}

#[test]
fn a_loss_by_three_duplicates_says_so() {
    check_with_triggers(
        TcpProfile {
            sack: false,
            ..plain()
        },
        "+0 open
         +0 > S 0:0(0) win 65535 <mss 1460>
         +0.1 < S. 0:0(0) ack 1 win 64000 <mss 1000>
         +0 ! Established(Full)
         +0 > . 1:1(0) ack 1 win 65535
         +0 write 5000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > P. 4001:5001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 < . 1:1(0) ack 1 win 64000
         +0 < . 1:1(0) ack 1 win 64000
         +0 < . 1:1(0) ack 1 win 64000
         +0 > . 1:1001(1000) ack 1 win 65535 ; fast retransmit: lost by duplicate acknowledgements",
    );
}

#[test]
fn the_reordering_timer_says_so() {
    check_with_triggers(
        plain(),
        "+0 connected
         +0 write 3000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > P. 2001:3001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1001 win 64000
         +0 < . 1:1(0) ack 1001 win 64000 <sack 2001:3001>
         +0.027 > . 1001:2001(1000) ack 1 win 65535 ; reordering timer (RACK)",
    );
}

#[test]
fn a_tail_loss_probe_says_so() {
    check_with_triggers(
        plain(),
        "+0 connected
         +0 write 100
         +0 > P. 1:101(100) ack 1 win 65535
         +0.3 > P. 1:101(100) ack 1 win 65535 ; tail loss probe
         +0.3 > P. 1:101(100) ack 1 win 65535 ; retransmission timeout of 300 ms",
    );
}

#[test]
fn an_acknowledgement_that_waited_says_so() {
    check_with_triggers(
        plain(),
        "+0 listen
         +0 < S 0:0(0) win 64000 <mss 1000,sackOK>
         +0 > S. 0:0(0) ack 1 win 65535 <mss 1460,sackOK>
         +0.1 < . 1:1(0) ack 1 win 64000
         +0 ! Established(Full)
         +0 < P. 1:101(100) ack 1 win 64000
         +0 ! Readable
         +0 > . 1:1(0) ack 101 win 65435
         +0 < F. 101:101(0) ack 1 win 64000
         +0.04 > . 1:1(0) ack 102 win 65434 ; delayed-acknowledgement timer",
    );
}

#[test]
fn a_window_probe_says_so() {
    check_with_triggers(
        plain(),
        "+0 connected
         +0 write 1000
         +0 > P. 1:1001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1001 win 0
         +0 write 500
         +0.3 > . 1000:1000(0) ack 1 win 65535 ; zero-window probe 1
         +0.6 > . 1000:1000(0) ack 1 win 65535 ; zero-window probe 2
         +0.1 < . 1:1(0) ack 1001 win 2000
         +0 > P. 1001:1501(500) ack 1 win 65535",
    );
}

#[test]
fn a_keep_alive_probe_says_so() {
    check_with_triggers(
        TcpProfile {
            keep_alive: Some(KeepAlive {
                idle: Duration::from_secs(60),
                interval: Duration::from_secs(10),
                probes: 2,
            }),
            ..plain()
        },
        "+0 connected
         +60 > . 0:0(0) ack 1 win 65535 ; keep-alive probe 1
         +10 > . 0:0(0) ack 1 win 65535 ; keep-alive probe 2
         +10 > R. 1:1(0) ack 1 win 65535
         +0 ! Closed(TimedOut)",
    );
}
