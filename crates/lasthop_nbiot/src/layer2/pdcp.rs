use super::bearer::Bearer;

/// The size of an RLC SDU: a message or a packet after PDCP (TS 36.323).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SduSize {
    /// The overhead of PDCP: its header, and the MAC-I on SRB1.
    pub pdcp_bytes: u16,
    /// The size of an RRC message, without the packet inside its NAS message.
    pub signalling_bytes: u16,
    /// The size of a packet, with or without header compression.
    pub packet_bytes: u16,
}

/// The maximum size of a PDCP SDU in NB-IoT (TS 36.323 section 4.3.1).
pub const PDCP_LARGEST_SDU_BYTES: u16 = 1600;

impl Bearer {
    /// Returns the overhead of PDCP on a bearer (TS 36.323 section 6.2).
    ///
    /// SRB1 has a header of 1 byte and a MAC-I of 4. The data bearer has a header with a 7-bit sequence number. SRB1bis
    /// and SRB0 have no PDCP.
    #[must_use]
    pub const fn pdcp_bytes(self) -> u16 {
        match self {
            Self::Srb0 | Self::Srb1bis => 0,
            Self::Srb1 => 5,
            Self::Drb => 1,
        }
    }

    /// Returns the size of the RLC SDU of a message, a packet, or a message around a packet on this bearer.
    #[must_use]
    pub const fn sdu(self, signalling_bytes: u16, packet_bytes: u16) -> SduSize {
        SduSize {
            pdcp_bytes: self.pdcp_bytes(),
            signalling_bytes,
            packet_bytes,
        }
    }
}

impl SduSize {
    /// Returns the total number of bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.pdcp_bytes as u32 + self.signalling_bytes as u32 + self.packet_bytes as u32
    }
}
