use core::ops::AddAssign;

/// The bytes of a transport block by cause. They add up to its size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Composition {
    /// RRC messages with the NAS messages inside them, without user packets inside these.
    pub signalling_bytes: u32,
    /// User packets, sent for the first time.
    pub payload_bytes: u32,
    /// SDU bytes that RLC retransmits, PDCP headers included.
    pub retransmitted_bytes: u32,
    /// STATUS PDUs of RLC.
    pub rlc_status_bytes: u32,
    /// MAC control elements with their subheaders.
    pub control_element_bytes: u32,
    /// Headers of MAC, RLC and PDCP, without retransmitted PDCP headers.
    pub header_bytes: u32,
    /// Padding with its subheader.
    pub padding_bytes: u32,
}

impl Composition {
    /// Returns the total number of bytes.
    #[must_use]
    pub const fn total_bytes(&self) -> u32 {
        self.signalling_bytes
            + self.payload_bytes
            + self.retransmitted_bytes
            + self.rlc_status_bytes
            + self.control_element_bytes
            + self.header_bytes
            + self.padding_bytes
    }
}

impl AddAssign for Composition {
    fn add_assign(&mut self, other: Self) {
        self.signalling_bytes += other.signalling_bytes;
        self.payload_bytes += other.payload_bytes;
        self.retransmitted_bytes += other.retransmitted_bytes;
        self.rlc_status_bytes += other.rlc_status_bytes;
        self.control_element_bytes += other.control_element_bytes;
        self.header_bytes += other.header_bytes;
        self.padding_bytes += other.padding_bytes;
    }
}
