/// The header fields and data of a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) ports: (u16, u16),
    pub(crate) seq: u32,
    pub(crate) ack: u32,
    pub(crate) has_syn: bool,
    pub(crate) has_ack: bool,
    pub(crate) has_fin: bool,
    pub(crate) has_rst: bool,
    /// The header length with options.
    pub(crate) header: usize,
    /// The captured part of the data.
    pub(crate) kept: &'a [u8],
    /// The original length of the data.
    pub(crate) length: usize,
}

const HEADER: usize = 20;
/// Up to the flags: what short snap lengths leave of a header.
const UP_TO_FLAGS: usize = 14;

impl<'a> Segment<'a> {
    /// Parses a captured segment of this length. Returns `None` if its header is missing or invalid.
    pub(crate) fn read(kept: &'a [u8], length: usize) -> Option<Self> {
        let head: &[u8; UP_TO_FLAGS] = kept.first_chunk()?;
        let half = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
        let word = |at: usize| u32::from(half(at)) << 16 | u32::from(half(at + 2));
        let header = usize::from(head[12] >> 4) * 4;
        if header < HEADER || header > length {
            return None;
        }
        let flags = head[13];
        Some(Self {
            ports: (half(0), half(2)),
            seq: word(4),
            ack: word(8),
            has_fin: flags & 1 != 0,
            has_syn: flags & 2 != 0,
            has_rst: flags & 4 != 0,
            has_ack: flags & 16 != 0,
            header,
            kept: kept.get(header..).unwrap_or_default(),
            length: length - header,
        })
    }
}
