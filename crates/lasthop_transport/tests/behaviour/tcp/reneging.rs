//! A peer that throws away what it had reported (RFC 2018 section 8).

use super::plain;
use super::time_line::check;

#[test]
fn what_the_peer_threw_away_leaves_again_soon() {
    // It had 2001 to 5001, and acknowledges 3001 alone: the rest is sent again after half a round trip.
    check(
        plain(),
        "+0 connected
         +0 write 5000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > . 2001:3001(1000) ack 1 win 65535
         +0 > . 3001:4001(1000) ack 1 win 65535
         +0 > P. 4001:5001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000 <sack 2001:5001>
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 3001 win 64000
         +0.05 > . 3001:4001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 4001 win 64000
         +0 > P. 4001:5001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 5001 win 64000
         +60 read 1
         +0 = blocked",
    );
}

#[test]
fn a_timeout_forgets_what_the_peer_reported() {
    // It reports all and acknowledges nothing: after the timeout all leaves again (RFC 2018 section 8).
    check(
        plain(),
        "+0 connected
         +0 write 3000
         +0 > . 1:1001(1000) ack 1 win 65535
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > P. 2001:3001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1 win 64000 <sack 1:3001>
         +0.102 > P. 2001:3001(1000) ack 1 win 65535
         +0.3 > . 1:1001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 1001 win 64000
         +0 > . 1001:2001(1000) ack 1 win 65535
         +0 > P. 2001:3001(1000) ack 1 win 65535
         +0.1 < . 1:1(0) ack 3001 win 64000
         +60 read 1
         +0 = blocked",
    );
}
