use core::ops::Range;

use lasthop_contract::IpView;

/// The two ends that a packet goes between, whichever way: addresses and ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Conversation {
    ends: [Vec<u8>; 2],
}

impl Conversation {
    /// The conversation of an IP packet with TCP or UDP in it; `None` of any other.
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
