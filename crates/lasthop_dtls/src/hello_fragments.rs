//! First messages of clients of DTLS 1.3 that come in several fragments, as those with a share of ML-KEM do. The cookie of DTLS
//! 1.3 is of the whole message, so something has to be held before a client has shown its address (RFC 9147 section 5.1).

use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::ConnectionId;

use crate::hello::{DTLS_1_2, Fragment, fragments, handshake_record_of};

/// Holds what came of them, within fixed bounds: the oldest makes room.
#[derive(Debug, Default)]
pub(crate) struct HelloFragments {
    partial: VecDeque<(ConnectionId, Partial)>,
}

#[derive(Debug)]
struct Partial {
    message_number: u16,
    length: usize,
    /// By their places.
    fragments: BTreeMap<usize, Vec<u8>>,
    record_number: u64,
}

/// So many clients are waited for.
const MOST: usize = 64;
/// No longer message is put together.
const MOST_BYTES: usize = 4096;
/// Nor one of more fragments.
const MOST_FRAGMENTS: usize = 32;

impl HelloFragments {
    /// Takes a datagram of fragments; returns the whole message in one record, once all of it is there.
    pub(crate) fn take(&mut self, flow: ConnectionId, datagram: &[u8]) -> Option<Vec<u8>> {
        for fragment in fragments(datagram) {
            if let Some(whole) = self.add(flow, &fragment) {
                return Some(whole);
            }
        }
        None
    }

    fn add(&mut self, flow: ConnectionId, fragment: &Fragment<'_>) -> Option<Vec<u8>> {
        if fragment.length > MOST_BYTES {
            return None;
        }
        let place = self.partial.iter().position(|(of, _)| *of == flow);
        let known = place.and_then(|place| self.partial.remove(place));
        let known = known.map(|(_, partial)| partial).filter(|partial| {
            (partial.message_number, partial.length) == (fragment.message_number, fragment.length)
        });
        let mut partial = known.unwrap_or_else(|| Partial::of(fragment));
        partial.record_number = partial.record_number.max(fragment.record_number);
        partial
            .fragments
            .insert(fragment.place, fragment.bytes.to_vec());
        if let Some(whole) = partial.whole() {
            return Some(whole);
        }
        if partial.fragments.len() <= MOST_FRAGMENTS {
            self.partial.push_back((flow, partial));
        }
        None
    }

    /// Whether something of a client is held.
    pub(crate) fn holds(&self, flow: ConnectionId) -> bool {
        self.partial.iter().any(|(of, _)| *of == flow)
    }

    /// Forgets the oldest one, where there are too many.
    pub(crate) fn forget_oldest(&mut self) -> Option<ConnectionId> {
        let oldest = (self.partial.len() > MOST).then(|| self.partial.pop_front());
        oldest.flatten().map(|(flow, _)| flow)
    }
}

impl Partial {
    const fn of(fragment: &Fragment<'_>) -> Self {
        Self {
            message_number: fragment.message_number,
            length: fragment.length,
            fragments: BTreeMap::new(),
            record_number: 0,
        }
    }

    /// The message in one record, if nothing is missing. Fragments may overlap (RFC 9147 section 5.5).
    fn whole(&self) -> Option<Vec<u8>> {
        let mut body: Vec<u8> = Vec::new();
        for (&place, bytes) in &self.fragments {
            let known = body.len().checked_sub(place)?;
            body.extend(bytes.get(known..).unwrap_or_default());
        }
        (body.len() == self.length)
            .then(|| handshake_record_of(DTLS_1_2, self.record_number, self.message_number, &body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hello::Hello;

    const fn from(number: u64) -> ConnectionId {
        ConnectionId(number)
    }

    /// A record with a part of a message of 200 B, each of which has the number of its place.
    fn part(number: u8, start: u8, end: u8) -> Vec<u8> {
        let mut record = vec![
            22,
            0xfe,
            0xfd,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            number,
            0,
            12 + end - start,
        ];
        record.extend([1, 0, 0, 200, 0, 0, 0, 0, start, 0, 0, end - start]);
        record.extend(start..end);
        record
    }

    fn body(record: &[u8]) -> &[u8] {
        &record[25..]
    }

    #[test]
    fn fragments_come_in_any_order_twice_and_overlapping() {
        let mut held = HelloFragments::default();
        assert_eq!(held.take(from(1), &part(2, 100, 200)), None);
        assert_eq!(held.take(from(2), &part(0, 0, 50)), None);
        assert_eq!(held.take(from(1), &part(2, 100, 200)), None);
        assert_eq!(held.take(from(1), &part(0, 0, 50)), None);
        let whole = held.take(from(1), &part(1, 40, 110)).expect("all of it");
        assert_eq!(body(&whole), (0..200).collect::<Vec<u8>>());
        let hello = Hello::read(&whole).expect("one record");
        assert!(hello.is_whole);
        assert_eq!(hello.record_number, 2);
        assert_eq!(held.partial.len(), 1);
    }

    #[test]
    fn several_records_may_share_a_datagram() {
        let datagram = [part(0, 0, 100), part(1, 100, 200)].concat();
        let whole = HelloFragments::default().take(from(1), &datagram);
        assert_eq!(body(&whole.expect("all of it")).len(), 200);
    }

    #[test]
    fn another_message_of_a_client_replaces_the_one_before() {
        let mut held = HelloFragments::default();
        held.take(from(1), &part(0, 0, 100));
        let mut second = part(1, 100, 200);
        second[18] = 1;
        assert_eq!(held.take(from(1), &second), None);
        assert_eq!(held.take(from(1), &part(0, 0, 100)), None);
    }

    #[test]
    fn what_is_held_is_bounded() {
        let mut held = HelloFragments::default();
        let most = MOST as u64;
        for number in 0..1_000 {
            held.take(from(number), &part(0, 0, 100));
            let oldest = held.forget_oldest();
            assert_eq!(oldest, number.checked_sub(most).map(ConnectionId));
        }
        assert_eq!(held.partial.len(), MOST);
        assert!(held.holds(from(999)) && !held.holds(from(0)));
        for place in 0..40 {
            held.take(from(2_000), &part(place, 100 + place, 101 + place));
        }
        let most = held.partial.iter().map(|(_, it)| it.fragments.len()).max();
        assert!(most <= Some(MOST_FRAGMENTS));
        let mut long = part(0, 0, 100);
        long[14..17].copy_from_slice(&[0, 0x40, 0]);
        assert_eq!(held.take(from(3_000), &long), None);
        assert!(held.partial.iter().all(|(of, _)| *of != from(3_000)));
    }
}
