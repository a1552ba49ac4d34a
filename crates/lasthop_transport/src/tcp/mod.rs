//! TCP (RFC 9293) with a setting for every constant. `MODEL.md` lists what it leaves out.

mod accept;
mod acknowledgement;
mod close;
mod congestion;
mod connection;
mod endpoint;
mod fast_open;
mod handshake;
mod incoming_ack;
mod loss;
mod options;
mod output;
mod profile;
mod rack;
mod reassembly;
mod receive;
mod recovery;
mod resend;
mod rtt;
mod sack;
mod scoreboard;
mod segment;
mod send_buffer;
mod sequence;
mod time_wait;
mod timeout;
mod timer_clock;
mod transport;
mod undo;

pub use congestion::{CongestionLaw, OwnLaw};
pub use endpoint::Tcp;
pub use profile::{
    AcknowledgementPolicy, CongestionControl, KeepAlive, PathMtu, RttEstimator, TcpProfile,
    TimerClock,
};
