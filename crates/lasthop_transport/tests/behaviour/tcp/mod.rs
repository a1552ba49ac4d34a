//! TCP, seen through the contract and on the wire.

mod acknowledgement;
mod closing;
mod fast_open;
mod handshake;
mod loss;
mod odd_segments;
mod random_worlds;
mod time_line;
mod two_ends;
mod windows;
mod wire;

use lasthop_transport::TcpProfile;

/// Linux without time stamps and window scale, whose time lines are easier to read.
fn plain() -> TcpProfile {
    TcpProfile {
        timestamps: false,
        window_scale: None,
        ..TcpProfile::linux()
    }
}
