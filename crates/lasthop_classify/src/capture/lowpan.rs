//! IPv6 over IEEE 802.15.4: 6LoWPAN (RFC 4944), with the headers of RFC 6282.

use std::collections::VecDeque;

use lasthop_units::{Duration, Instant};

use super::ieee802154::{DataFrame, LinkAddress};
use super::iphc::{Length, expand};

/// Reassembles IPv6 packets from 6LoWPAN frames.
#[derive(Debug, Default)]
pub(crate) struct Lowpan {
    /// Packets that are not whole, in the order of their first frames.
    sets: VecDeque<FragmentSet>,
    /// Frames of packets that did not become whole.
    lost: u64,
}

/// The result of processing a frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unpacked {
    /// The frame holds no supported IPv6.
    NotIp,
    /// Further fragments of the packet are missing.
    Waits,
    /// The packet is complete: its captured bytes and its length.
    Packet(Vec<u8>, usize),
}

#[derive(Debug)]
struct FragmentSet {
    key: Key,
    begun: Instant,
    frames: u64,
    packet: Vec<u8>,
    /// Which units of 8 bytes are there.
    has: Vec<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    source: LinkAddress,
    destination: LinkAddress,
    size: usize,
    tag: u16,
}

/// A part of a packet that is not compressed any more.
struct Part<'a> {
    offset: usize,
    bytes: &'a [u8],
}

/// Fragments count in units of so many bytes.
const UNIT: usize = 8;

/// As long as a receiver may wait (RFC 4944 section 5.3).
const LIFETIME: Duration = Duration::from_secs(60);
const MOST: usize = 256;

/// Kinds of headers by their first byte (RFC 4944 section 5.1).
const UNCOMPRESSED: u8 = 0x41;
const BROADCAST: u8 = 0x50;

impl Lowpan {
    /// Processes a frame.
    pub(crate) fn take(&mut self, now: Instant, frame: &DataFrame<'_>) -> Unpacked {
        self.forget(now);
        self.read(now, frame).unwrap_or(Unpacked::NotIp)
    }

    /// Drops incomplete packets. Returns the number of all frames of packets that never became complete.
    pub(crate) fn finish(&mut self) -> u64 {
        while let Some(set) = self.sets.pop_front() {
            self.lost += set.frames;
        }
        self.lost
    }

    fn read(&mut self, now: Instant, frame: &DataFrame<'_>) -> Option<Unpacked> {
        let (mut source, mut destination) = (frame.source, frame.destination);
        let mut rest = frame.payload;
        if rest.first()? >> 6 == 0b10 {
            (source, destination, rest) = behind_mesh(rest)?;
        }
        if *rest.first()? == BROADCAST {
            rest = rest.get(2..)?;
        }
        match *rest.first()? {
            UNCOMPRESSED => {
                let packet = rest[1..].to_vec();
                let length = packet.len() + frame.missing;
                Some(Unpacked::Packet(packet, length))
            }
            head if head >> 5 == 0b011 => {
                let missing = Length::Missing(frame.missing);
                let expanded = expand(rest, source, destination, missing)?;
                Some(Unpacked::Packet(expanded.packet, expanded.length))
            }
            head if head >> 3 == 0b11000 || head >> 3 == 0b11100 => {
                let word = |at: usize| Some(u16::from_be_bytes(*rest.get(at..)?.first_chunk()?));
                let key = Key {
                    source,
                    destination,
                    size: usize::from(word(0)? & 0x07ff),
                    tag: word(2)?,
                };
                let is_first = head >> 3 == 0b11000;
                if !is_first {
                    let offset = usize::from(*rest.get(4)?) * UNIT;
                    let bytes = &rest[5..];
                    return self.add(now, key, Part { offset, bytes });
                }
                let rest = &rest[4..];
                let expanded = match *rest.first()? {
                    UNCOMPRESSED => rest[1..].to_vec(),
                    _ => expand(rest, source, destination, Length::Whole(key.size))?.packet,
                };
                self.add(
                    now,
                    key,
                    Part {
                        offset: 0,
                        bytes: &expanded,
                    },
                )
            }
            _ => None,
        }
    }

    fn add(&mut self, now: Instant, key: Key, part: Part<'_>) -> Option<Unpacked> {
        let end = part.offset + part.bytes.len();
        let is_last = end == key.size;
        if end > key.size || (!is_last && !part.bytes.len().is_multiple_of(UNIT)) {
            return None;
        }
        let place = match self.sets.iter().position(|set| set.key == key) {
            Some(place) => place,
            None => {
                self.sets.push_back(FragmentSet {
                    key,
                    begun: now,
                    frames: 0,
                    packet: vec![0; key.size],
                    has: vec![false; key.size.div_ceil(UNIT)],
                });
                self.sets.len() - 1
            }
        };
        let set = &mut self.sets[place];
        set.frames += 1;
        set.packet[part.offset..end].copy_from_slice(part.bytes);
        set.has[part.offset / UNIT..end.div_ceil(UNIT)].fill(true);
        if set.has.iter().all(|has| *has) {
            let set = self.sets.remove(place)?;
            return Some(Unpacked::Packet(set.packet, key.size));
        }
        Some(Unpacked::Waits)
    }

    fn forget(&mut self, now: Instant) {
        while let Some(set) = self.sets.front()
            && (self.sets.len() > MOST || now >= set.begun + LIFETIME)
        {
            self.lost += set.frames;
            self.sets.pop_front();
        }
    }
}

/// The ends of the whole way, and what follows, behind a header of mesh routing (RFC 4944 section 5.2).
fn behind_mesh(bytes: &[u8]) -> Option<(LinkAddress, LinkAddress, &[u8])> {
    const IS_SHORT: [u8; 2] = [0x20, 0x10];
    const HOPS: u8 = 0x0f;
    let head = *bytes.first()?;
    // More hops than four bits hold have a byte of their own.
    let mut rest = bytes.get(if head & HOPS == HOPS { 2 } else { 1 }..)?;
    let mut ends = [LinkAddress::Elided; 2];
    for (end, is_short) in ends.iter_mut().zip(IS_SHORT) {
        if head & is_short != 0 {
            let (address, behind) = rest.split_first_chunk()?;
            (*end, rest) = (LinkAddress::Short(*address), behind);
        } else {
            let (address, behind) = rest.split_first_chunk()?;
            (*end, rest) = (LinkAddress::Extended(*address), behind);
        }
    }
    let [source, destination] = ends;
    Some((source, destination, rest))
}
