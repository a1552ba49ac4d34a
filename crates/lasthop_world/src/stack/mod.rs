//! Stacks: an application on a list of layers. Each is one file, with its options and what builds it.

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
