/// A radio bearer and its logical channel (TS 36.331 section 4.2.2; SRB1bis: TS 36.331 section 5.3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bearer {
    /// Signalling on the common control channel, in RLC transparent mode.
    Srb0,
    /// Signalling before security is on: RLC AM without PDCP.
    Srb1bis,
    /// Signalling with security: RLC AM and PDCP.
    Srb1,
    /// User data: RLC AM and PDCP.
    Drb,
}

impl Bearer {
    /// Whether it carries messages of RRC rather than packets.
    #[must_use]
    pub const fn is_signalling(self) -> bool {
        !matches!(self, Self::Drb)
    }
}
