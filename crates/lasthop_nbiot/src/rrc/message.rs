/// An RRC message of NB-IoT (TS 36.331 section 6.7.2).
///
/// Sizes are those of ASN.1 encodings of plausible content; an operator's may differ by a few bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Message {
    /// RRCConnectionRequest-NB.
    ConnectionRequest,
    /// RRCConnectionSetup-NB with explicit settings of RLC, MAC and the physical layer.
    ConnectionSetup,
    /// RRCConnectionSetupComplete-NB without S-TMSI, carrying a NAS message.
    ConnectionSetupComplete,
    /// RRCConnectionResumeRequest-NB.
    ConnectionResumeRequest,
    /// RRCConnectionResume-NB with settings of MAC and the physical layer.
    ConnectionResume,
    /// RRCConnectionResumeComplete-NB.
    ConnectionResumeComplete,
    /// SecurityModeCommand.
    SecurityModeCommand,
    /// SecurityModeComplete.
    SecurityModeComplete,
    /// RRCConnectionReconfiguration-NB that sets up SRB1 and one data bearer.
    ConnectionReconfiguration,
    /// RRCConnectionReconfigurationComplete-NB.
    ConnectionReconfigurationComplete,
    /// ULInformationTransfer-NB, carrying a NAS message.
    UplinkInformationTransfer,
    /// DLInformationTransfer-NB, carrying a NAS message.
    DownlinkInformationTransfer,
    /// RRCConnectionRelease-NB.
    ConnectionRelease,
    /// RRCConnectionRelease-NB that suspends the connection, with a resume identity.
    ConnectionSuspend,
    /// RRCConnectionReject-NB with a wait time.
    ConnectionReject,
    /// RRCConnectionReestablishmentRequest-NB.
    ConnectionReestablishmentRequest,
    /// RRCConnectionReestablishment-NB with settings of MAC and the physical layer.
    ConnectionReestablishment,
    /// RRCConnectionReestablishmentComplete-NB.
    ConnectionReestablishmentComplete,
    /// RRCEarlyDataRequest-NB, carrying a NAS message (Release 15).
    EarlyDataRequest,
    /// RRCEarlyDataComplete-NB, which can carry a NAS message (Release 15).
    EarlyDataComplete,
}

impl Message {
    /// Returns the name of the message in TS 36.331.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ConnectionRequest => "RRCConnectionRequest-NB",
            Self::ConnectionSetup => "RRCConnectionSetup-NB",
            Self::ConnectionSetupComplete => "RRCConnectionSetupComplete-NB",
            Self::ConnectionResumeRequest => "RRCConnectionResumeRequest-NB",
            Self::ConnectionResume => "RRCConnectionResume-NB",
            Self::ConnectionResumeComplete => "RRCConnectionResumeComplete-NB",
            Self::SecurityModeCommand => "SecurityModeCommand",
            Self::SecurityModeComplete => "SecurityModeComplete",
            Self::ConnectionReconfiguration => "RRCConnectionReconfiguration-NB",
            Self::ConnectionReconfigurationComplete => "RRCConnectionReconfigurationComplete-NB",
            Self::UplinkInformationTransfer => "ULInformationTransfer-NB",
            Self::DownlinkInformationTransfer => "DLInformationTransfer-NB",
            Self::ConnectionRelease => "RRCConnectionRelease-NB",
            Self::ConnectionSuspend => "RRCConnectionRelease-NB with suspension",
            Self::ConnectionReject => "RRCConnectionReject-NB",
            Self::ConnectionReestablishmentRequest => "RRCConnectionReestablishmentRequest-NB",
            Self::ConnectionReestablishment => "RRCConnectionReestablishment-NB",
            Self::ConnectionReestablishmentComplete => "RRCConnectionReestablishmentComplete-NB",
            Self::EarlyDataRequest => "RRCEarlyDataRequest-NB",
            Self::EarlyDataComplete => "RRCEarlyDataComplete-NB",
        }
    }

    /// Returns the size of the message in bytes. It includes the NAS message of `nas_bytes` that it carries (0 for
    /// none).
    #[must_use]
    pub const fn bytes(self, nas_bytes: u16) -> u16 {
        self.own_bytes(nas_bytes > 0) + nas_bytes + length_extension(nas_bytes)
    }

    const fn own_bytes(self, with_nas: bool) -> u16 {
        match self {
            Self::ConnectionRequest
            | Self::ConnectionResumeRequest
            | Self::ConnectionReestablishmentRequest => 9,
            Self::ConnectionSetup => 14,
            Self::ConnectionSetupComplete => 4,
            Self::ConnectionResume | Self::ConnectionReestablishment => 12,
            Self::ConnectionReestablishmentComplete
            | Self::ConnectionResumeComplete
            | Self::SecurityModeComplete
            | Self::ConnectionReconfigurationComplete
            | Self::UplinkInformationTransfer
            | Self::ConnectionRelease => 2,
            Self::ConnectionReject
            | Self::SecurityModeCommand
            | Self::DownlinkInformationTransfer => 3,
            Self::ConnectionReconfiguration => 18,
            Self::ConnectionSuspend => 7,
            Self::EarlyDataRequest => 8,
            Self::EarlyDataComplete => {
                if with_nas {
                    3
                } else {
                    2
                }
            }
        }
    }
}

/// A NAS message of 128 bytes or more has a length of two bytes (PER, X.691 11.9).
const fn length_extension(nas_bytes: u16) -> u16 {
    if nas_bytes >= 128 { 1 } else { 0 }
}
