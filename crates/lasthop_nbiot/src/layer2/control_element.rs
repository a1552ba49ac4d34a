/// A MAC control element (TS 36.321 section 6.1.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlElement {
    /// Data volume and power headroom in Msg3, before the SDU and without a subheader (6.1.3.10). The value is that of
    /// [`data_volume_index`](super::data_volume_index).
    DataVolumeAndPowerHeadroom(u8),
    /// A short buffer status report (TS 36.321 section 6.1.3.1); NB-IoT has one logical channel group.
    ///
    /// The index is that of [`buffer_size_index`](super::buffer_size_index). Index 0 is release assistance if that is
    /// on (Release 14).
    BufferStatus(u8),
    /// Channel quality report and access stratum release assistance information (Release 16, 6.1.3.19).
    QualityReportAndReleaseAssistance,
    /// C-RNTI: the identity of a connected device in its Msg3 (TS 36.321 section 6.1.3.2).
    CellRadioNetworkIdentity,
    /// The contention resolution identity in Msg4, which repeats the Msg3 that it answers (6.1.3.4).
    ContentionResolutionIdentity,
}

impl ControlElement {
    /// Returns the size without the subheader, in bytes.
    #[must_use]
    pub const fn body_bytes(self) -> u16 {
        match self {
            Self::DataVolumeAndPowerHeadroom(_)
            | Self::BufferStatus(_)
            | Self::QualityReportAndReleaseAssistance => 1,
            Self::CellRadioNetworkIdentity => 2,
            Self::ContentionResolutionIdentity => 6,
        }
    }

    /// Returns the size of the subheader, in bytes.
    #[must_use]
    pub const fn subheader_bytes(self) -> u16 {
        match self {
            Self::DataVolumeAndPowerHeadroom(_) => 0,
            _ => super::mac_subheader::SUBHEADER_BYTES,
        }
    }
}
