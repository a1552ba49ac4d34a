//! TCP, seen through the contract and on the wire.

mod acknowledgement;
mod beside_linux;
mod closing;
mod fast_open;
mod handshake;
mod hostile;
mod hostile_bytes;
mod hostile_lines;
mod loss;
mod mtu;
mod odd_segments;
mod provenance;
mod random_worlds;
mod reneging;
mod time_line;
mod triggers;
mod two_ends;
mod user_timeout;
mod windows;
mod wire;

use lasthop_transport::TcpProfile;
use lasthop_transport::tcp::TimerClock;

/// Linux with timers that fire at the instant, which makes time lines easier to read.
fn linux() -> TcpProfile {
    TcpProfile {
        timer_clock: TimerClock::Exact,
        ..TcpProfile::linux()
    }
}

/// The same without time stamps and window scale.
fn plain() -> TcpProfile {
    TcpProfile {
        timestamps: false,
        window_scale: None,
        ..linux()
    }
}
