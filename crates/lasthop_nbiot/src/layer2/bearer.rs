/// A radio bearer and its logical channel (TS 36.331 section 4.2.2; SRB1bis: TS 36.331 section 5.3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bearer {
    /// SRB0: signalling on the common control channel, in RLC transparent mode.
    Srb0,
    /// SRB1bis: signalling before security is activated, by RLC AM without PDCP.
    Srb1bis,
    /// SRB1: signalling with security, by RLC AM and PDCP.
    Srb1,
    /// The data radio bearer: user data by RLC AM and PDCP.
    Drb,
}

impl Bearer {
    /// Whether the bearer carries RRC messages instead of packets.
    #[must_use]
    pub const fn is_signalling(self) -> bool {
        !matches!(self, Self::Drb)
    }
}
