use lasthop_contract::FlowId;

use crate::codec::{Content, option_number};
use crate::facts::flow_of;
use crate::inbox::REGISTRATION;

/// What a request is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A device's resource.
    Device(FlowId),
    /// The list of devices.
    Registration,
    /// The list of resources (RFC 6690).
    Discovery,
    /// Anything else, by its path.
    Resource(String),
    /// A path that is no text.
    Nothing,
}

impl Target {
    pub(super) fn of(content: &Content, datagram: &[u8]) -> Self {
        if let Some(flow) = content.facts.device() {
            Self::Device(flow)
        } else if content.has_path(datagram, &[REGISTRATION]) {
            Self::Registration
        } else if content.has_path(datagram, &[".well-known", "core"]) {
            Self::Discovery
        } else {
            Self::other(content, datagram)
        }
    }

    fn other(content: &Content, datagram: &[u8]) -> Self {
        let segments: Result<Vec<&str>, _> = content.path(datagram).map(str::from_utf8).collect();
        segments.map_or(Self::Nothing, |segments| Self::Resource(segments.join("/")))
    }
}

/// The device that registers, by the argument `ep` (RFC 9176 §5).
pub(super) fn registering_flow(content: &Content, datagram: &[u8]) -> Option<FlowId> {
    content
        .options(datagram)
        .filter(|(number, _)| *number == option_number::URI_QUERY)
        .find_map(|(_, argument)| flow_of(argument.strip_prefix(b"ep=")?))
}
