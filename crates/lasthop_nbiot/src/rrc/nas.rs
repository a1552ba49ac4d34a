/// A NAS message inside a message of RRC (TS 24.301).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nas {
    /// SERVICE REQUEST: asks for a data bearer.
    ServiceRequest,
    /// CONTROL PLANE SERVICE REQUEST with the first packet in an ESM DATA TRANSPORT.
    ControlPlaneServiceRequest,
    /// A protected ESM DATA TRANSPORT with a packet.
    DataTransport,
    /// The same with release assistance information.
    DataTransportWithReleaseAssistance,
}

impl Nas {
    /// Whether there is a packet in it.
    #[must_use]
    pub const fn carries_packet(self) -> bool {
        !matches!(self, Self::ServiceRequest)
    }

    /// Its bytes around a packet of `packet_bytes`, where it carries one.
    ///
    /// CONTROL PLANE SERVICE REQUEST: security 6, EMM 3, container 3, ESM 5, release assistance 1.
    #[must_use]
    pub const fn bytes(self, packet_bytes: u16) -> u16 {
        match self {
            Self::ServiceRequest => 4,
            Self::ControlPlaneServiceRequest => 18 + packet_bytes,
            Self::DataTransport => 11 + packet_bytes,
            Self::DataTransportWithReleaseAssistance => 12 + packet_bytes,
        }
    }
}
