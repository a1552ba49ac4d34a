//! Workarounds for discovery messages that `dust_dds` misreads, does not report, or allocates memory for before reading
//! them.

use core::net::IpAddr;

use dust_dds::transport::types::Locator;

use crate::contact::Contact;
use crate::wire::{Destination, destination};

/// A parameter of a list (DDSI-RTPS 2.5 §9.6.3.2).
type ParameterId = u16;

const SENTINEL: ParameterId = 0x0001;
const LIVELINESS: ParameterId = 0x001b;
const DEADLINE: ParameterId = 0x0023;
const PARTITION: ParameterId = 0x0029;
const LIFESPAN: ParameterId = 0x002b;
const DEFAULT_LOCATOR: ParameterId = 0x0031;
const DISCOVERY_LOCATOR: ParameterId = 0x0032;
const DATA_REPRESENTATION: ParameterId = 0x0073;
const TYPE_INFORMATION: ParameterId = 0x0075;
const DOMAIN_TAG: ParameterId = 0x4014;

/// Reads numbers in the order of bytes of a list.
#[derive(Clone, Copy)]
struct Order {
    is_little: bool,
}

/// A list of parameters, with its encapsulation.
///
/// `dust_dds` takes the encapsulation for the first parameter; this does the same, so that both see the same list.
struct List<'a> {
    order: Order,
    bytes: &'a [u8],
}

/// Whether a parameter list announces no more elements than it has bytes for.
pub(crate) fn is_bounded(list: &[u8]) -> bool {
    // What is no list is not read.
    List::new(list).is_none_or(|list| {
        list.parameters().all(|(id, _, value)| match id {
            // A string has at least its length.
            PARTITION => list.order.counts(value, 4),
            DATA_REPRESENTATION => list.order.counts(value, 2),
            TYPE_INFORMATION => list.order.is_plain_type(value),
            // The end of a string is counted.
            DOMAIN_TAG => list.order.word(value, 0) != Some(0),
            _ => true,
        })
    })
}

/// Returns the positions of parameters that declare an infinite duration, which is also the default.
///
/// `dust_dds` does not know the infinite again when it has read it (it takes `0xffffffff` for a fraction of a second), so that deadlines
/// and liveliness that Fast DDS writes out never match ours.
pub(crate) fn infinite(list: &[u8]) -> Vec<usize> {
    let Some(list) = List::new(list) else {
        return Vec::new();
    };
    let is_infinite = |value, at| {
        let words = [at, at + 4].map(|at| list.order.word(value, at));
        words == [Some(0x7fff_ffff), Some(0xffff_ffff)]
    };
    let all = list.parameters().filter(|(id, _, value)| match *id {
        DEADLINE | LIFESPAN => is_infinite(*value, 0),
        // Of the kind that is automatic.
        LIVELINESS => list.order.word(value, 0) == Some(0) && is_infinite(*value, 4),
        _ => false,
    });
    all.map(|(_, place, _)| place).collect()
}

/// The kind of traffic that a participant receives at a locator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// User samples.
    Samples,
    /// Discovery of participants and endpoints.
    Discovery,
}

/// Returns the first locator of a participant for this kind of traffic.
pub(crate) fn address_of(list: &[u8], purpose: Purpose) -> Option<Contact> {
    let named = match purpose {
        Purpose::Samples => DEFAULT_LOCATOR,
        Purpose::Discovery => DISCOVERY_LOCATOR,
    };
    let mut all = locators(list).filter(|locator| locator.id == named);
    all.next().map(|locator| locator.leads_to)
}

/// Returns the positions of a participant's locators that have this address.
pub(crate) fn places_of(list: &[u8], address: IpAddr) -> Vec<usize> {
    let named = locators(list).filter(|locator| locator.leads_to.address.ip() == address);
    named.map(|locator| locator.place_of_address).collect()
}

/// Where one participant hears something.
struct NamedLocator {
    id: ParameterId,
    leads_to: Contact,
    /// Where the 16 B of its address begin in the list.
    place_of_address: usize,
}

fn locators(list: &[u8]) -> impl Iterator<Item = NamedLocator> + '_ {
    const PARAMETER_HEADER: usize = 4;
    const BEFORE_ADDRESS: usize = 8;
    let all = List::new(list).into_iter();
    let all = all.flat_map(|list| list.parameters().map(move |it| (list.order, it)));
    let all = all.filter(|(_, (id, ..))| matches!(*id, DEFAULT_LOCATOR | DISCOVERY_LOCATOR));
    all.filter_map(|(order, (id, place, value))| {
        let (kind, port) = (order.word(value, 0)?, order.word(value, 4)?);
        let address = *value.get(BEFORE_ADDRESS..)?.first_chunk()?;
        match destination(&Locator::new(kind as i32, port, address))? {
            Destination::One(leads_to) => Some(NamedLocator {
                id,
                leads_to,
                place_of_address: place + PARAMETER_HEADER + BEFORE_ADDRESS,
            }),
            Destination::Participants => None,
        }
    })
}

impl<'a> List<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let is_little = match bytes.get(1)? {
            2 => false,
            3 => true,
            _ => return None,
        };
        let order = Order { is_little };
        Some(Self { order, bytes })
    }

    /// Each with its place, at which its name stands.
    fn parameters(&self) -> impl Iterator<Item = (ParameterId, usize, &'a [u8])> + use<'a> {
        let (order, bytes, mut at) = (self.order, self.bytes, 0);
        core::iter::from_fn(move || {
            let (id, length) = (order.half(bytes, at)?, order.half(bytes, at + 2)?);
            let (place, start) = (at, at + 4);
            at = start + usize::from(length);
            let value = bytes.get(start..at)?;
            (id != SENTINEL).then_some((id, place, value))
        })
    }
}

impl Order {
    /// Whether a sequence has the bytes of its elements, each of which takes so many at least.
    fn counts(self, value: &[u8], least: usize) -> bool {
        let Some(count) = self.word(value, 0) else {
            return true;
        };
        (count as usize).saturating_mul(least) <= value.len() - 4
    }

    /// Whether it describes a type that depends on no other, twice: by the minimal and by the complete hash
    /// (DDS-XTypes 1.3 §7.6.3.2.1). `dust_dds` writes a member with the length that its value begins with (length code 5),
    /// Cyclone DDS with one of its own (4).
    fn is_plain_type(self, value: &[u8]) -> bool {
        const MINIMAL: (u32, u8) = (0x1001, 0xf1);
        const COMPLETE: (u32, u8) = (0x1002, 0xf2);
        const MEMBER: usize = 36;
        let Some(length) = self.word(value, 0) else {
            return true;
        };
        let mut at = 4;
        for (member, kind) in [MINIMAL, COMPLETE] {
            let header = self.word(value, at);
            at += 4;
            if header == Some(4 << 28 | member) {
                if self.word(value, at) != Some(MEMBER as u32 + 4) {
                    return false;
                }
                at += 4;
            } else if header != Some(5 << 28 | member) {
                return false;
            }
            let words = [0, 4, 28, 32, 36].map(|offset| self.word(value, at + offset));
            // Of the member and of the hash with its size; no dependents: their number, their bytes, how many follow.
            let expected = [MEMBER as u32, 20, 0, 4, 0].map(Some);
            if words != expected || value.get(at + 8) != Some(&kind) {
                return false;
            }
            at += 4 + MEMBER;
        }
        at == value.len() && length as usize == at - 4
    }

    fn half(self, bytes: &[u8], at: usize) -> Option<u16> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(match self.is_little {
            true => u16::from_le_bytes(bytes),
            false => u16::from_be_bytes(bytes),
        })
    }

    fn word(self, bytes: &[u8], at: usize) -> Option<u32> {
        let bytes = *bytes.get(at..)?.first_chunk()?;
        Some(match self.is_little {
            true => u32::from_le_bytes(bytes),
            false => u32::from_be_bytes(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A list of one parameter whose value is these words.
    fn list(id: ParameterId, words: &[u32]) -> Vec<u8> {
        let [low, high] = id.to_le_bytes();
        let value: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let head = [0, 3, 0, 0, low, high, value.len() as u8, 0];
        [&head[..], &value, &[1, 0, 0, 0]].concat()
    }

    /// A description as `dust_dds` writes it, with so many dependents in its first half.
    fn of_dust_dds(dependents: u32) -> Vec<u32> {
        let half = |member, kind, dependents| {
            let hash = [kind, 2, 3, 4];
            let head = [5_u32 << 28 | member, 36, 20];
            [&head[..], &hash, &[65, 0, 4, dependents]].concat()
        };
        [
            vec![88],
            half(0x1001, 0xf1, dependents),
            half(0x1002, 0xf2, 0),
        ]
        .concat()
    }

    /// As Cyclone DDS 11.0.1 writes it.
    fn of_cyclone() -> Vec<u32> {
        let half = |member, kind| {
            let head = [4_u32 << 28 | member, 40, 36, 20];
            [&head[..], &[kind, 2, 3, 4, 0, 0, 4, 0]].concat()
        };
        [vec![96], half(0x1001, 0xf1), half(0x1002, 0xf2)].concat()
    }

    #[test]
    fn a_sequence_has_the_bytes_of_its_elements() {
        assert!(is_bounded(&list(PARTITION, &[1, 2, 0x0061])));
        assert!(!is_bounded(&list(PARTITION, &[3, 2, 0x0061])));
        assert!(!is_bounded(&list(PARTITION, &[0xfe00_0000, 2, 0x0061])));
        assert!(is_bounded(&list(DATA_REPRESENTATION, &[2, 0])));
        assert!(!is_bounded(&list(DATA_REPRESENTATION, &[3, 0])));
    }

    #[test]
    fn a_string_has_its_end() {
        assert!(is_bounded(&list(DOMAIN_TAG, &[1, 0])));
        assert!(!is_bounded(&list(DOMAIN_TAG, &[0, 0])));
    }

    #[test]
    fn a_type_that_is_described_depends_on_no_other() {
        assert!(is_bounded(&list(TYPE_INFORMATION, &of_dust_dds(0))));
        assert!(is_bounded(&list(TYPE_INFORMATION, &of_cyclone())));
        assert!(!is_bounded(&list(TYPE_INFORMATION, &of_dust_dds(1 << 31))));
        for words in [of_dust_dds(0), of_cyclone()] {
            assert!(!is_bounded(&list(TYPE_INFORMATION, &words[1..])));
            assert!(!is_bounded(&list(TYPE_INFORMATION, &words[..9])));
        }
    }

    #[test]
    fn what_is_infinite_need_not_be_said() {
        let ever = [0x7fff_ffff, 0xffff_ffff];
        assert_eq!(infinite(&list(DEADLINE, &ever)), [4]);
        assert_eq!(infinite(&list(LIVELINESS, &[0, ever[0], ever[1]])), [4]);
        assert_eq!(infinite(&list(LIFESPAN, &ever)), [4]);
        for (id, words) in [(DEADLINE, [1, 0]), (DOMAIN_TAG, ever)] {
            assert!(infinite(&list(id, &words)).is_empty());
        }
        assert!(infinite(&list(LIVELINESS, &[1, ever[0], ever[1]])).is_empty());
    }

    #[test]
    fn what_is_behind_the_first_parameter_is_read_too() {
        let harmless = list(0x0005, &[2, 0x0061]);
        let harmful = list(PARTITION, &[0xfe00_0000]);
        let both = [&harmless[..harmless.len() - 4], &harmful[4..]].concat();
        assert!(is_bounded(&harmless));
        assert!(!is_bounded(&both));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let whole = list(TYPE_INFORMATION, &of_dust_dds(0));
        for end in 0..whole.len() {
            let _ = is_bounded(&whole[..end]);
        }
    }
}
