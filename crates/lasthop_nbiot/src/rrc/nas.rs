/// A NAS message inside an RRC message (TS 24.301).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nas {
    /// SERVICE REQUEST: asks for a data bearer.
    ServiceRequest,
    /// CONTROL PLANE SERVICE REQUEST with the first packet in an ESM DATA TRANSPORT.
    ControlPlaneServiceRequest,
    /// A protected ESM DATA TRANSPORT with a user packet.
    DataTransport,
    /// A protected ESM DATA TRANSPORT with a user packet and release assistance information.
    DataTransportWithReleaseAssistance,
    /// A protected ATTACH REQUEST with a PDN CONNECTIVITY REQUEST.
    AttachRequest,
    /// AUTHENTICATION REQUEST.
    AuthenticationRequest,
    /// AUTHENTICATION RESPONSE.
    AuthenticationResponse,
    /// The NAS message SECURITY MODE COMMAND.
    SecurityModeCommand,
    /// The NAS message SECURITY MODE COMPLETE.
    SecurityModeComplete,
    /// ATTACH ACCEPT with a new GUTI and an ACTIVATE DEFAULT EPS BEARER CONTEXT REQUEST.
    AttachAccept,
    /// ATTACH COMPLETE with the answer to the default bearer request.
    AttachComplete,
    /// A protected TRACKING AREA UPDATE REQUEST for periodic updating.
    TrackingAreaUpdateRequest,
    /// A protected TRACKING AREA UPDATE ACCEPT without a new GUTI, so that no TRACKING AREA UPDATE COMPLETE follows.
    TrackingAreaUpdateAccept,
}

impl Nas {
    /// Returns the name of the message in TS 24.301.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ServiceRequest => "SERVICE REQUEST",
            Self::ControlPlaneServiceRequest => "CONTROL PLANE SERVICE REQUEST",
            Self::DataTransport => "ESM DATA TRANSPORT",
            Self::DataTransportWithReleaseAssistance => {
                "ESM DATA TRANSPORT with release assistance"
            }
            Self::AttachRequest => "ATTACH REQUEST",
            Self::AuthenticationRequest => "AUTHENTICATION REQUEST",
            Self::AuthenticationResponse => "AUTHENTICATION RESPONSE",
            Self::SecurityModeCommand => "SECURITY MODE COMMAND",
            Self::SecurityModeComplete => "SECURITY MODE COMPLETE",
            Self::AttachAccept => "ATTACH ACCEPT",
            Self::AttachComplete => "ATTACH COMPLETE",
            Self::TrackingAreaUpdateRequest => "TRACKING AREA UPDATE REQUEST",
            Self::TrackingAreaUpdateAccept => "TRACKING AREA UPDATE ACCEPT",
        }
    }

    /// Whether the message carries a user packet.
    #[must_use]
    pub const fn carries_packet(self) -> bool {
        matches!(
            self,
            Self::ControlPlaneServiceRequest
                | Self::DataTransport
                | Self::DataTransportWithReleaseAssistance
        )
    }

    /// Returns the size of the message in bytes. It includes the packet of `packet_bytes` if the message carries one.
    ///
    /// CONTROL PLANE SERVICE REQUEST: security 6, EMM 3, container 3, ESM 5, release assistance 1. TRACKING AREA UPDATE
    /// REQUEST (8.2.29): security 6, EMM 3, old GUTI 12, last visited TAI 6, EPS bearer context status 4, additional
    /// update type 1, T3324 3, T3412 3. TRACKING AREA UPDATE ACCEPT (8.2.26): security 6, EMM 3, EPS bearer context
    /// status 4, T3412 and its extension 5, T3324 3, features of the network 3.
    ///
    /// ATTACH REQUEST (8.2.4): security 6, EMM 3, old GUTI 12, capability 6, container 2 around ESM 5, additional update
    /// type 1, T3324 3, T3412 3. AUTHENTICATION REQUEST (8.2.7): EMM 3, RAND 16, AUTN 17. AUTHENTICATION RESPONSE (8.2.8):
    /// EMM 2, RES 9. SECURITY MODE COMMAND (8.2.20): security 6, EMM 2, algorithms 1, key set 1, capabilities 5. SECURITY
    /// MODE COMPLETE (8.2.21): security 6, EMM 2. ATTACH ACCEPT (8.2.1): security 6, EMM 3, T3412 1, TAI list 7, container 2
    /// around ESM 3, QoS 2, name of the access point 10 and address 6, GUTI 13, T3324 3, T3412 3, features of the network 3.
    /// ATTACH COMPLETE (8.2.2): security 6, EMM 2, container 2 around ESM 3.
    #[must_use]
    pub const fn bytes(self, packet_bytes: u16) -> u16 {
        match self {
            Self::ServiceRequest => 4,
            Self::ControlPlaneServiceRequest => 18 + packet_bytes,
            Self::DataTransport => 11 + packet_bytes,
            Self::DataTransportWithReleaseAssistance => 12 + packet_bytes,
            Self::AttachRequest => 41,
            Self::AuthenticationRequest => 36,
            Self::AuthenticationResponse => 11,
            Self::SecurityModeCommand => 15,
            Self::SecurityModeComplete => 8,
            Self::AttachAccept => 62,
            Self::AttachComplete => 13,
            Self::TrackingAreaUpdateRequest => 38,
            Self::TrackingAreaUpdateAccept => 24,
        }
    }
}
