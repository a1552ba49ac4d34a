use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::MessageId;
use lasthop_units::{DataSize, Duration, Instant};

/// Messages that a gateway has bundled. Each event of a bundle applies to all messages in it.
#[derive(Debug, Default)]
pub(crate) struct Bundles {
    known: BTreeMap<MessageId, Bundle>,
    /// When each was made, in order.
    made: VecDeque<(Instant, MessageId)>,
}

#[derive(Debug)]
struct Bundle {
    messages: Vec<MessageId>,
    /// Bytes of its payload that were not yet sent.
    unsent: u32,
}

/// Of a bundle nothing is heard any more after so long.
const LONGEST_LIFE: Duration = Duration::from_secs(24 * 3600);

impl Bundles {
    /// Records that a message is in a bundle of this size.
    pub(crate) fn put(
        &mut self,
        now: Instant,
        message: MessageId,
        (bundle, payload): (MessageId, DataSize),
    ) {
        let made = &mut self.made;
        while let Some((_, old)) = made.pop_front_if(|(at, _)| *at + LONGEST_LIFE < now) {
            self.known.remove(&old);
        }
        let bundle = self.known.entry(bundle).or_insert_with(|| {
            made.push_back((now, bundle));
            Bundle {
                messages: Vec::new(),
                unsent: payload.as_bytes() as u32,
            }
        });
        bundle.messages.push(message);
    }

    /// Returns the messages in a bundle, or `None` for a message that is not a bundle.
    pub(crate) fn messages_in(&self, bundle: MessageId) -> Option<Vec<MessageId>> {
        self.known
            .get(&bundle)
            .map(|bundle| bundle.messages.clone())
    }

    /// Records sent bytes of a bundle. Returns how many of them were sent for the first time, or `None` for a message
    /// that is not a bundle.
    pub(crate) fn add_first_copy(&mut self, bundle: MessageId, length: u32) -> Option<u32> {
        let bundle = self.known.get_mut(&bundle)?;
        let new = bundle.unsent.min(length);
        bundle.unsent -= new;
        Some(new)
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use lasthop_contract::FlowId;

    use super::*;

    const fn id(flow: u32) -> MessageId {
        MessageId {
            flow: FlowId(flow),
            number: NonZeroU32::MIN,
        }
    }

    #[test]
    fn a_bundle_is_known_for_a_day_and_its_bytes_are_new_once() {
        let mut bundles = Bundles::default();
        let (start, size) = (Instant::ZERO, DataSize::from_bytes(100));
        bundles.put(start, id(1), (id(9), size));
        bundles.put(start, id(2), (id(9), size));
        assert_eq!(bundles.messages_in(id(9)), Some(vec![id(1), id(2)]));
        assert_eq!(bundles.messages_in(id(1)), None);
        let copies = [70, 70, 70].map(|length| bundles.add_first_copy(id(9), length));
        assert_eq!(copies, [Some(70), Some(30), Some(0)]);
        let later = start + LONGEST_LIFE + Duration::from_nanos(1);
        bundles.put(later, id(3), (id(8), size));
        assert_eq!(bundles.messages_in(id(9)), None);
        assert_eq!(bundles.add_first_copy(id(9), 1), None);
    }
}
