use super::bearer::Bearer;

/// The size of an SDU of RLC: what PDCP makes of a message or a packet (TS 36.323).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SduSize {
    /// What PDCP added: its header, and the MAC-I on SRB1.
    pub pdcp_bytes: u16,
    /// A message of RRC, without the packet inside its NAS message.
    pub signalling_bytes: u16,
    /// A packet, its header compressed or not.
    pub packet_bytes: u16,
}

/// The largest SDU of PDCP in NB-IoT (TS 36.323 4.3.1).
pub const PDCP_LARGEST_SDU_BYTES: u16 = 1600;

impl Bearer {
    /// The bytes that PDCP adds to an SDU (TS 36.323 6.2): on SRB1 a header of 1 and the MAC-I of 4, on the data bearer
    /// a header with a 7-bit sequence number; PDCP is left out on SRB1bis, and SRB0 has none.
    #[must_use]
    pub const fn pdcp_bytes(self) -> u16 {
        match self {
            Self::Srb0 | Self::Srb1bis => 0,
            Self::Srb1 => 5,
            Self::Drb => 1,
        }
    }

    /// The SDU of RLC that a message or a packet, or a message around a packet, becomes on this bearer.
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
    /// All its bytes.
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.pdcp_bytes as u32 + self.signalling_bytes as u32 + self.packet_bytes as u32
    }
}
