//! What others say of themselves and their endpoints, as far as `dust_dds` takes memory for it before it reads it.

/// A parameter of a list (DDSI-RTPS 2.5 §9.6.3.2).
type ParameterId = u16;

const SENTINEL: ParameterId = 0x0001;
const PARTITION: ParameterId = 0x0029;
const DATA_REPRESENTATION: ParameterId = 0x0073;
const TYPE_INFORMATION: ParameterId = 0x0075;
const DOMAIN_TAG: ParameterId = 0x4014;

/// Reads numbers in the order of bytes of a list.
#[derive(Clone, Copy)]
struct Order {
    is_little: bool,
}

/// Whether a list of parameters, with its encapsulation, names no more things than it has bytes for.
///
/// `dust_dds` takes the encapsulation for the first parameter; this does the same, so that both see the same list.
pub(crate) fn is_bounded(list: &[u8]) -> bool {
    let order = match list.get(1) {
        Some(2) => Order { is_little: false },
        Some(3) => Order { is_little: true },
        // It is not read.
        _ => return true,
    };
    let mut rest = list;
    while let (Some(id), Some(length)) = (order.half(rest, 0), order.half(rest, 2)) {
        let value = rest.get(4..4 + usize::from(length));
        let Some(value) = value.filter(|_| id != SENTINEL) else {
            break;
        };
        let is_well = match id {
            // A string has at least its length.
            PARTITION => order.counts(value, 4),
            DATA_REPRESENTATION => order.counts(value, 2),
            TYPE_INFORMATION => order.is_plain_type(value),
            // The end of a string is counted.
            DOMAIN_TAG => order.word(value, 0) != Some(0),
            _ => true,
        };
        if !is_well {
            return false;
        }
        rest = &rest[4 + value.len()..];
    }
    true
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
