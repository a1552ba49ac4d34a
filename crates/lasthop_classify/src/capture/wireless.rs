//! Data frames of IEEE 802.11, with and without a radiotap header.

use core::ops::Range;

/// The address and control fields below every data frame: frame control, duration, three addresses, sequence.
const HEADER: usize = 24;
const FOURTH_ADDRESS: usize = 6;
const QOS_CONTROL: usize = 2;
const HT_CONTROL: usize = 4;
const FRAME_CHECK: usize = 4;

/// Bits of the second byte of frame control.
const TO_AND_FROM_AP: u8 = 0x03;
const MORE_FRAGMENTS: u8 = 0x04;
const PROTECTED: u8 = 0x40;
const HAS_HT_CONTROL: u8 = 0x80;

/// Bits of the flags of radiotap.
const HAS_FRAME_CHECK: u8 = 0x10;
const IS_PADDED: u8 = 0x20;
const IS_BROKEN: u8 = 0x40;

/// Returns the position of a data frame's payload, which begins with LLC. Returns `None` for other frames, encrypted
/// frames, fragments and aggregates.
pub(super) fn payload(bytes: &[u8]) -> Option<Range<usize>> {
    frame(bytes, 0, 0)
}

/// Returns the position of the payload after a radiotap header.
pub(super) fn payload_behind_radiotap(bytes: &[u8]) -> Option<Range<usize>> {
    let length = usize::from(u16::from_le_bytes(*bytes.get(2..)?.first_chunk()?));
    let mut at = 4;
    let first = word(bytes, at)?;
    // Further words of what is present.
    let mut present = first;
    while present >> 31 == 1 {
        at += 4;
        present = word(bytes, at)?;
    }
    at += 4;
    if first & 1 == 1 {
        // The time, at a multiple of its size.
        at = at.next_multiple_of(8) + 8;
    }
    let flags = if first & 2 == 2 { *bytes.get(at)? } else { 0 };
    if flags & IS_BROKEN != 0 {
        return None;
    }
    frame(bytes, length, flags)
}

fn frame(bytes: &[u8], start: usize, flags: u8) -> Option<Range<usize>> {
    let header = bytes.get(start..)?;
    let (kind, control) = (*header.first()?, *header.get(1)?);
    // Version 0, type 2: data; a subtype of bit 2 has none.
    let is_data = kind & 0x0f == 0x08 && kind & 0x40 == 0;
    let is_fragment = control & MORE_FRAGMENTS != 0 || header.get(22)? & 0x0f != 0;
    if !is_data || control & PROTECTED != 0 || is_fragment {
        return None;
    }
    let mut length = HEADER;
    if control & TO_AND_FROM_AP == TO_AND_FROM_AP {
        length += FOURTH_ADDRESS;
    }
    if kind & 0x80 != 0 {
        let is_aggregate = header.get(length)? & 0x80 != 0;
        if is_aggregate {
            return None;
        }
        length += QOS_CONTROL;
        if control & HAS_HT_CONTROL != 0 {
            length += HT_CONTROL;
        }
    }
    if flags & IS_PADDED != 0 {
        length = length.next_multiple_of(4);
    }
    let behind = if flags & HAS_FRAME_CHECK != 0 {
        FRAME_CHECK
    } else {
        0
    };
    let end = bytes.len().checked_sub(behind)?;
    (start + length <= end).then_some(start + length..end)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}
