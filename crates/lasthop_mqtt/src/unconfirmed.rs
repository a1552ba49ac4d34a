use core::num::NonZeroU32;

use lasthop_contract::{FlowId, MessageId};
use smallvec::SmallVec;

/// Messages of QoS 0 that were written to a connection. If it breaks, their arrival is unknown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unconfirmed {
    /// Of each flow the first and the last: it has one connection at a time, and its messages are in order.
    ranges: SmallVec<[Range; 1]>,
}

#[derive(Clone, Copy, Debug)]
struct Range {
    flow: FlowId,
    first: NonZeroU32,
    last: NonZeroU32,
}

impl Unconfirmed {
    pub(crate) fn note(&mut self, id: MessageId) {
        let MessageId { flow, number } = id;
        match self.ranges.iter_mut().find(|range| range.flow == flow) {
            Some(range) => range.last = number,
            None => self.ranges.push(Range {
                flow,
                first: number,
                last: number,
            }),
        }
    }

    /// Iterates over all messages, in order within each flow.
    pub(crate) fn messages(self) -> impl Iterator<Item = MessageId> {
        self.ranges
            .into_iter()
            .flat_map(|Range { flow, first, last }| {
                let numbers = first.get()..=last.get();
                numbers.filter_map(move |number| {
                    let number = NonZeroU32::new(number)?;
                    Some(MessageId { flow, number })
                })
            })
    }
}
