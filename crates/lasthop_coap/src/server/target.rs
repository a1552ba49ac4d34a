use lasthop_contract::DeviceId;

use super::path::Path;
use crate::codec::{Content, option_number};
use crate::facts::device_of;
use crate::inbox::REGISTRATION;

/// What a request is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A device's resource.
    Device(DeviceId),
    /// The list of devices.
    Registration,
    /// The list of resources (RFC 6690).
    Discovery,
    /// Anything else, by its path.
    Resource(Path),
    /// A path that is no text.
    Nothing,
}

impl Target {
    pub(super) fn of(content: &Content, datagram: &[u8]) -> Self {
        if let Some(device) = content.facts.device() {
            Self::Device(device)
        } else if content.has_path(datagram, &[REGISTRATION]) {
            Self::Registration
        } else if content.has_path(datagram, &[".well-known", "core"]) {
            Self::Discovery
        } else {
            Path::of(content, datagram).map_or(Self::Nothing, Self::Resource)
        }
    }
}

/// The device that registers, by the argument `ep` (RFC 9176 section 5).
pub(super) fn registering_device(content: &Content, datagram: &[u8]) -> Option<DeviceId> {
    content
        .options(datagram)
        .filter(|(number, _)| *number == option_number::URI_QUERY)
        .find_map(|(_, argument)| device_of(argument.strip_prefix(b"ep=")?))
}
