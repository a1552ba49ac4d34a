use core::num::NonZeroU32;

use lasthop_contract::MessageId;

/// Messages of QoS 0 that a connection was given: when it breaks, nobody knows which of them arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unconfirmed {
    /// The first and the last; a flow has one connection at a time, and its messages are in order.
    range: Option<(MessageId, MessageId)>,
}

impl Unconfirmed {
    pub(crate) fn note(&mut self, id: MessageId) {
        let first = self.range.map_or(id, |(first, _)| first);
        self.range = Some((first, id));
    }

    /// All of them, in order.
    pub(crate) fn messages(self) -> impl Iterator<Item = MessageId> {
        self.range.into_iter().flat_map(|(first, last)| {
            let numbers = first.number.get()..=last.number.get();
            numbers.filter_map(move |number| {
                let number = NonZeroU32::new(number)?;
                let flow = first.flow;
                Some(MessageId { flow, number })
            })
        })
    }
}
