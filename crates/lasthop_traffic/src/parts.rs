//! Downloads in parts, for protocols that carry messages but no files. Each part has the ID of its message, its offset,
//! and the total length.

use lasthop_contract::MessageId;
use lasthop_contract::message_text::{ID_LENGTH, write_id};

/// The usual size of a part, as of AWS IoT's file delivery over MQTT on small devices.
const PART: usize = 4096;

/// Into how many parts a download is cut at most: several of them wait in the queue of a broker (mosquitto: 1,000 messages).
const MOST_PARTS: usize = 256;

/// What stands before the bytes of a part: the id, and two numbers of 32 bits.
const HEAD: usize = ID_LENGTH + 8;

/// How many parts a download of so many bytes has.
pub(crate) fn part_count(bytes: usize) -> u32 {
    bytes.div_ceil(part_size(bytes)) as u32
}

/// The parts of a download.
pub(crate) fn parts(id: MessageId, whole: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let size = part_size(whole.len());
    let length = whole.len() as u32;
    let cut = whole.chunks(size).enumerate();
    cut.map(move |(place, bytes)| {
        let mut part = Vec::with_capacity(HEAD + bytes.len());
        let mut name = [0; ID_LENGTH];
        write_id(id.flow, id.number.get(), &mut name);
        part.extend_from_slice(&name);
        part.extend_from_slice(&((place * size) as u32).to_be_bytes());
        part.extend_from_slice(&length.to_be_bytes());
        part.extend_from_slice(bytes);
        part
    })
}

fn part_size(bytes: usize) -> usize {
    PART.max(bytes.div_ceil(MOST_PARTS))
}

/// What has come of a download.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// Where each part that has come begins and ends, in order; neighbours are one.
    spans: Vec<(usize, usize)>,
}

impl Assembly {
    /// Takes a part of a download of so many bytes; whether all of them are there.
    pub(crate) fn add(&mut self, part: &[u8], size: usize) -> bool {
        if let Some((begin, end)) = span_of(part, size) {
            self.spans.push((begin, end));
            self.spans.sort_unstable();
            self.spans.dedup_by(|next, before| {
                let joins = next.0 <= before.1;
                if joins {
                    before.1 = before.1.max(next.1);
                }
                joins
            });
        }
        self.spans == [(0, size)]
    }
}

/// Where the bytes of a part begin and end; `None` of what is no part of a download of this size.
fn span_of(part: &[u8], size: usize) -> Option<(usize, usize)> {
    let (begin, rest) = part.get(ID_LENGTH..)?.split_first_chunk::<4>()?;
    let (length, bytes) = rest.split_first_chunk::<4>()?;
    let begin = u32::from_be_bytes(*begin) as usize;
    let end = begin.checked_add(bytes.len())?;
    let is_one = u32::from_be_bytes(*length) as usize == size && begin < end && end <= size;
    is_one.then_some((begin, end))
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use lasthop_contract::FlowId;

    use super::*;

    const ID: MessageId = MessageId {
        flow: FlowId(7),
        number: NonZeroU32::MIN,
    };

    #[test]
    fn it_is_whole_with_its_last_part_in_whatever_order_and_however_often_they_come() {
        for size in [8, 4095, 4096, 4097, 300_000, 1_000_000, 64_000_000] {
            let whole = vec![5; size];
            let mut cut: Vec<_> = parts(ID, &whole).collect();
            assert_eq!(cut.len(), part_count(size) as usize);
            assert!(cut.len() <= MOST_PARTS);
            assert_eq!(
                cut.iter().map(|part| part.len() - HEAD).sum::<usize>(),
                size
            );
            cut.reverse();
            let mut assembly = Assembly::default();
            let (last, others) = cut.split_last().expect("there is one");
            for part in others.iter().chain(others) {
                assert!(!assembly.add(part, size));
            }
            assert!(assembly.add(last, size), "{size}");
        }
    }

    #[test]
    fn what_is_no_part_of_it_changes_nothing() {
        let cut: Vec<_> = parts(ID, &[5; 100]).collect();
        let mut assembly = Assembly::default();
        let longer = [&*cut[0], b"x"].concat();
        for other in [&b""[..], &cut[0][..HEAD], &cut[0][..HEAD - 1], &longer] {
            assert!(!assembly.add(other, 100));
        }
        assert!(!assembly.add(&cut[0], 101), "of another download");
        assert!(assembly.add(&cut[0], 100));
    }
}
