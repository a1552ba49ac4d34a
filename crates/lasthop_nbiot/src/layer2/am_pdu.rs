/// A data PDU of RLC AM, or a segment of one: its data range and header size (TS 36.322 sections 6.2.1.4 and 6.2.1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmPdu {
    /// The sequence number, not reduced to 10 bits. Numbers in use are at most 512 apart.
    pub sn: u32,
    /// The start of this segment's data in the data field of the whole PDU.
    pub from: u16,
    /// The number of SDU bytes in this segment, at least 1.
    pub data_bytes: u16,
    /// Whether this segment reaches the end of the data field of the whole PDU.
    pub last: bool,
    /// The size of the header in bytes: fixed part, segment offset, length indicators.
    pub header_bytes: u16,
    /// The number of data bytes that are PDCP headers.
    pub pdcp_bytes: u16,
    /// The number of data bytes that belong to packets; the rest is signalling.
    pub packet_bytes: u16,
    /// Whether the PDU polls for a STATUS PDU.
    pub poll: bool,
    /// Whether these bytes were sent before.
    pub retransmission: bool,
}

/// The size of the fixed header part of an AMD PDU (TS 36.322 section 6.2.1.4).
pub const AM_HEADER_BYTES: u16 = 2;

/// The size of the fixed header part of an AMD PDU segment, including the segment offset (TS 36.322 section 6.2.1.5).
pub const AM_SEGMENT_HEADER_BYTES: u16 = 4;

/// The maximum number of unacknowledged sequence numbers (AM_Window_Size, TS 36.322 section 7.2).
pub const AM_WINDOW: u32 = 512;

impl AmPdu {
    /// Returns the number of header and data bytes.
    #[must_use]
    pub const fn bytes(&self) -> u16 {
        self.header_bytes + self.data_bytes
    }

    /// Returns the end (exclusive) of this segment's data in the data field of the whole PDU.
    #[must_use]
    pub const fn to(&self) -> u16 {
        self.from + self.data_bytes
    }
}

/// What `count` length indicators take: 12 bits each, filled up to whole bytes (TS 36.322 section 6.2.1.4).
pub(super) const fn length_indicator_bytes(count: u32) -> u32 {
    (count * 12).div_ceil(8)
}
