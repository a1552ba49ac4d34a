//! Protocol stacks: an application on a list of layers. Each application and each layer has one file.

mod above;
mod application;
mod builder;
mod catalogue;
mod device_end;
mod ends;
mod layer;
mod negotiated;
mod notation;
mod option;
mod registry;
mod shared;
mod socket_server;
mod ways;

use lasthop_measure::PacketBound;
use lasthop_units::{DataSize, Duration};

pub use above::Above;
pub(crate) use application::token_authority;
pub use application::{ApplicationBuilder, ApplicationEntry, BuildApplication};
pub use builder::{Role, StackBuilder};
pub use device_end::DeviceEnd;
pub use ends::{Below, ClientEnd, ClientFlow, Guest, HostEnd, RegisteredDevice, ServerEnd};
pub use layer::{
    BuildLayer, Carriage, FallsBack, LayerBuilder, LayerEntry, LayerKind, ServerFiles,
};
pub use option::{Follows, Needs, OptionEntry, OptionKind, Options};
pub use registry::Registry;
pub(crate) use shared::Shared;
pub use socket_server::{SocketServer, SocketTrust};

/// What no stack needs: ten times the bounds of relation R6 (`docs/relations.md`), which are 40 packets for each message and
/// each 256 B of it, and 30 for each device in 5 s. A run that has more has diverged.
pub(crate) const MOST_PACKETS: PacketBound = PacketBound {
    per_segment: GENEROSITY * 40,
    segment: DataSize::from_bytes(256),
    per_device: GENEROSITY * 30,
    interval: Duration::from_secs(5),
    head_start: Duration::from_secs(120),
    devices: 1,
};

const GENEROSITY: u64 = 10;
