use core::ops::Range;

use lasthop_contract::IpView;

/// The two ends of a packet in either direction: addresses and ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conversation {
    ends: [Vec<u8>; 2],
}

impl Conversation {
    /// Returns the conversation of an IP packet with TCP or UDP, or `None` for other packets.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let view = IpView::read(bytes)?;
        let (from, to) = view.ports(bytes)?;
        let end =
            |address: Range<usize>, port: u16| [&bytes[address], &port.to_be_bytes()].concat();
        let mut ends = [
            end(view.source_range(), from),
            end(view.destination_range(), to),
        ];
        ends.sort();
        Some(Self { ends })
    }
}
