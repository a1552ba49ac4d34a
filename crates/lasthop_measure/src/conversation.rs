use core::ops::Range;

/// The two ends that a packet goes between, whichever way: addresses and ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conversation {
    ends: [Vec<u8>; 2],
}

impl Conversation {
    /// The conversation of an IP packet with TCP or UDP in it; `None` of any other.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let (source, destination, ports) = match bytes.first()? >> 4 {
            4 => (12..16, 16..20, 20),
            6 => (8..24, 24..40, 40),
            _ => return None,
        };
        let end = |address: Range<usize>, port: usize| {
            Some([bytes.get(address)?, bytes.get(port..port + 2)?].concat())
        };
        let mut ends = [end(source, ports)?, end(destination, ports + 2)?];
        ends.sort();
        Some(Self { ends })
    }
}
