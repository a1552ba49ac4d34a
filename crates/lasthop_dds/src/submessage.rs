//! A parser of RTPS submessages, as far as lasthop must distinguish them (DDSI-RTPS 2.5 §9.4).

use core::ops::Range;

/// The ID of an entity in its participant: key and kind.
pub(crate) type EntityId = [u8; 4];

/// The GUID prefix of a participant.
pub(crate) type GuidPrefix = [u8; 12];

/// The GUID of an entity: the prefix of its participant and its entity ID.
pub(crate) type Guid = [u8; 16];

/// The length of an RTPS header: protocol, version, vendor and GUID prefix (§9.4.4).
pub(crate) const HEADER_LENGTH: usize = 20;

const SUBMESSAGE_HEADER: usize = 4;

const ACK_NACK: u8 = 0x06;
const HEARTBEAT: u8 = 0x07;
const GAP: u8 = 0x08;
const NACK_FRAG: u8 = 0x12;
const HEARTBEAT_FRAG: u8 = 0x13;
const DATA: u8 = 0x15;
const DATA_FRAG: u8 = 0x16;
const INFO_TIMESTAMP: u8 = 0x09;
const INFO_DESTINATION: u8 = 0x0e;
const INFO_REPLY: u8 = 0x0f;
const PAD: u8 = 0x01;

/// The flag of a sample that has parameters before its data (§9.4.5.3).
const HAS_INLINE_QOS: u8 = 2;

/// A submessage of an RTPS message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Submessage<'a> {
    kind: u8,
    flags: u8,
    /// Behind its header.
    body: &'a [u8],
    start: usize,
    end: usize,
}

/// The identity of a sample or fragment in a submessage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SampleName {
    /// The sequence number of the sample, from 1.
    pub(crate) number: i64,
    /// The fragment number, from 1; 1 for a whole sample.
    pub(crate) fragment: u32,
    /// Whether the submessage carries a fragment.
    pub(crate) is_part: bool,
    /// The offset of its bytes in the serialized sample.
    pub(crate) offset: usize,
}

/// The sequence numbers in a submessage, which must be in order for it to be valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    /// No numbers.
    None,
    /// The number of a sample.
    Sample(i64),
    /// Fragments of a sample: the first number, the count, the fragment size, and the sample size.
    Fragments {
        sample: i64,
        first: u32,
        count: u16,
        size: u16,
        of: u32,
    },
    /// The range of samples that a writer holds (HEARTBEAT).
    Available { first: i64, last: i64 },
    /// Samples that are irrelevant: from `first` up to `base`, and those of the set after it (GAP).
    Skipped { first: i64, base: i64, bits: u32 },
    /// Samples that a reader requests (ACKNACK).
    Wanted { base: i64, bits: u32 },
    /// Fragments that a reader requests (NACK_FRAG).
    WantedFragments { sample: i64, base: u32, bits: u32 },
}

/// Iterates over the submessages of a message, up to the first invalid one.
pub(crate) fn submessages(message: &[u8]) -> impl Iterator<Item = Submessage<'_>> {
    let mut at = HEADER_LENGTH;
    core::iter::from_fn(move || {
        let submessage = Submessage::read(message, at)?;
        at = submessage.end;
        Some(submessage)
    })
}

impl<'a> Submessage<'a> {
    fn read(message: &'a [u8], start: usize) -> Option<Self> {
        let head: &[u8; SUBMESSAGE_HEADER] = message.get(start..)?.first_chunk()?;
        let [kind, flags, a, b] = *head;
        let octets = usize::from(if flags & 1 == 1 {
            u16::from_le_bytes([a, b])
        } else {
            u16::from_be_bytes([a, b])
        });
        let end = match octets {
            // The last one may go up to the end (§9.4.5.1.3).
            0 if kind != PAD && kind != INFO_TIMESTAMP => message.len(),
            octets => start + SUBMESSAGE_HEADER + octets,
        };
        Some(Self {
            kind,
            flags,
            body: message.get(start + SUBMESSAGE_HEADER..end)?,
            start,
            end,
        })
    }

    /// Returns the range of its bytes in the message.
    pub(crate) const fn place(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the writer's entity ID, or `None` for an interpreter submessage.
    pub(crate) fn writer(&self) -> Option<EntityId> {
        let at = match self.kind {
            DATA | DATA_FRAG => 8,
            ACK_NACK | HEARTBEAT | GAP | NACK_FRAG | HEARTBEAT_FRAG => 4,
            _ => return None,
        };
        self.body.get(at..)?.first_chunk().copied()
    }

    /// Returns the reader's entity ID (0 for all readers), or `None` for an interpreter submessage.
    pub(crate) fn reader(&self) -> Option<EntityId> {
        let at = match self.kind {
            DATA | DATA_FRAG => 4,
            ACK_NACK | HEARTBEAT | GAP | NACK_FRAG | HEARTBEAT_FRAG => 0,
            _ => return None,
        };
        self.body.get(at..)?.first_chunk().copied()
    }

    /// Whether the submessage is an INFO_REPLY, which `dust_dds` does not read.
    pub(crate) const fn is_info_reply(&self) -> bool {
        self.kind == INFO_REPLY
    }

    /// Whether the submessage carries a sample.
    pub(crate) const fn is_data(&self) -> bool {
        matches!(self.kind, DATA | DATA_FRAG)
    }

    /// Whether the submessage carries a fragment of a sample.
    pub(crate) const fn is_fragment(&self) -> bool {
        self.kind == DATA_FRAG
    }

    /// Returns the identity of the carried sample.
    pub(crate) fn sample(&self) -> Option<SampleName> {
        let number = match self.kind {
            DATA | DATA_FRAG => self.number(12)?,
            _ => return None,
        };
        let fragment = match self.kind {
            DATA_FRAG => self.word(20)?,
            _ => 1,
        };
        let size = match self.kind {
            DATA_FRAG => usize::from(self.half(26)?),
            _ => 0,
        };
        let offset = size * (fragment.max(1) - 1) as usize;
        Some(SampleName {
            number,
            fragment,
            is_part: self.is_fragment(),
            offset,
        })
    }

    /// Returns the sequence numbers (§9.4.5), or `None` if the submessage is too short.
    pub(crate) fn numbers(&self) -> Option<Numbers> {
        Some(match self.kind {
            DATA => Numbers::Sample(self.number(12)?),
            DATA_FRAG => Numbers::Fragments {
                sample: self.number(12)?,
                first: self.word(20)?,
                count: self.half(24)?,
                size: self.half(26)?,
                of: self.word(28)?,
            },
            HEARTBEAT => Numbers::Available {
                first: self.number(8)?,
                last: self.number(16)?,
            },
            GAP => Numbers::Skipped {
                first: self.number(8)?,
                base: self.number(16)?,
                bits: self.word(24)?,
            },
            ACK_NACK => Numbers::Wanted {
                base: self.number(8)?,
                bits: self.word(16)?,
            },
            NACK_FRAG => Numbers::WantedFragments {
                sample: self.number(8)?,
                base: self.word(16)?,
                bits: self.word(20)?,
            },
            _ => Numbers::None,
        })
    }

    /// Whether the submessage requests a sample or fragments.
    pub(crate) fn asks_for_some(&self) -> bool {
        let set = match self.kind {
            ACK_NACK => 20,
            NACK_FRAG => 24,
            _ => return false,
        };
        let bits = self.word(set - 4).unwrap_or(0);
        (0..bits).any(|bit| {
            let word = self.word(set + 4 * (bit as usize / 32));
            word.is_some_and(|word| word & (1 << (31 - bit % 32)) != 0)
        })
    }

    /// Returns where the serialized sample begins, or the end of the submessage without a sample.
    pub(crate) fn sample_start(&self) -> usize {
        const HAS_DATA: u8 = 4 | 8;
        let has_sample = match self.kind {
            DATA => self.flags & HAS_DATA != 0,
            kind => kind == DATA_FRAG,
        };
        let start = has_sample.then(|| {
            // The offset counts from behind itself.
            let fixed = 4 + usize::from(self.half(2)?);
            let parameters = match self.flags & HAS_INLINE_QOS {
                0 => 0,
                _ => self.parameters(fixed, |_, _| ())?,
            };
            Some(self.start + SUBMESSAGE_HEADER + fixed + parameters)
        });
        start.flatten().unwrap_or(self.end).min(self.end)
    }

    /// Whether the sample disposes of or unregisters its instance (§9.6.4.9).
    pub(crate) fn is_end_of_instance(&self) -> bool {
        const STATUS_INFO: u16 = 0x71;
        const IS_OVER: u8 = 1 | 2;
        if self.kind != DATA || self.flags & HAS_INLINE_QOS == 0 {
            return false;
        }
        let Some(start) = self.half(2).map(|offset| 4 + usize::from(offset)) else {
            return false;
        };
        let mut status = None;
        let end = self.parameters(start, |kind, place| {
            if kind == STATUS_INFO {
                // Always in big endian.
                status = self.body.get(place.start + 3).copied();
            }
        });
        end.is_some() && status.is_some_and(|status| status & IS_OVER != 0)
    }

    /// How long a list of parameters is (§9.4.2.11). `note` is told of each, and where its value is.
    fn parameters(&self, start: usize, mut note: impl FnMut(u16, Range<usize>)) -> Option<usize> {
        const SENTINEL: u16 = 1;
        let mut at = start;
        loop {
            let (kind, length) = (self.half(at)?, self.half(at + 2)?);
            at += 4;
            if kind == SENTINEL {
                return Some(at - start);
            }
            let value = at..at + usize::from(length);
            at = value.end;
            note(kind, value);
        }
    }

    /// A sequence number: its upper half first, in either order of bytes (§9.4.2.5).
    fn number(&self, at: usize) -> Option<i64> {
        let (high, low) = (self.word(at)?, self.word(at + 4)?);
        Some((u64::from(high) << 32 | u64::from(low)) as i64)
    }

    fn word(&self, at: usize) -> Option<u32> {
        let bytes = *self.body.get(at..)?.first_chunk()?;
        Some(if self.flags & 1 == 1 {
            u32::from_le_bytes(bytes)
        } else {
            u32::from_be_bytes(bytes)
        })
    }

    fn half(&self, at: usize) -> Option<u16> {
        let bytes = *self.body.get(at..)?.first_chunk()?;
        Some(if self.flags & 1 == 1 {
            u16::from_le_bytes(bytes)
        } else {
            u16::from_be_bytes(bytes)
        })
    }
}

/// Returns a message with one submessage of another message, and with the interpreter submessages before it
/// (destination and time stamp).
pub(crate) fn alone(message: &[u8], part: &Submessage<'_>) -> Vec<u8> {
    let mut alone = message[..HEADER_LENGTH].to_vec();
    let before = submessages(message).take_while(|it| it.place().end <= part.place().start);
    for note in before.filter(|it| it.writer().is_none()) {
        alone.extend(&message[note.place()]);
    }
    alone.extend(&message[part.place()]);
    alone
}

/// The state of a reader in an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Acknowledgement {
    pub(crate) reader: Guid,
    pub(crate) writer: EntityId,
    /// The reader has all samples below this number.
    pub(crate) below: i64,
    /// Whether the reader demands a heartbeat: the final flag is not set (§8.3.8.1).
    pub(crate) asks: bool,
}

/// Returns the acknowledgements in a message for the writers of a participant.
pub(crate) fn acknowledgements(
    message: &[u8],
    to: GuidPrefix,
) -> impl Iterator<Item = Acknowledgement> + '_ {
    const IS_FINAL: u8 = 2;
    let all = parts_for(message, to).filter(|part| part.kind == ACK_NACK);
    all.filter_map(move |submessage| {
        Some(Acknowledgement {
            reader: guid(sender(message)?, submessage.reader()?),
            writer: submessage.writer()?,
            below: submessage.number(8)?,
            asks: submessage.flags & IS_FINAL == 0,
        })
    })
}

/// Returns the writers of a participant that a reader's message is for, with the latest sample that the reader knows
/// of.
pub(crate) fn heard_of(
    message: &[u8],
    to: GuidPrefix,
) -> impl Iterator<Item = (EntityId, i64)> + '_ {
    parts_for(message, to).filter_map(|part| {
        let latest = match part.numbers()? {
            Numbers::Wanted { base, bits } => base - 1 + i64::from(bits),
            Numbers::WantedFragments { sample, .. } => sample,
            _ => return None,
        };
        Some((part.writer()?, latest))
    })
}

/// The parts of a message that are for a participant.
fn parts_for(message: &[u8], to: GuidPrefix) -> impl Iterator<Item = Submessage<'_>> {
    let mut is_for_us = true;
    submessages(message).filter(move |part| {
        if part.kind == INFO_DESTINATION {
            let prefix = part.body.first_chunk().copied();
            is_for_us = prefix == Some(to) || prefix == Some([0; 12]);
        }
        is_for_us
    })
}

/// Returns the destination participant of a message, if it has one.
pub(crate) fn addressee(message: &[u8]) -> Option<GuidPrefix> {
    let mut named = submessages(message).filter(|part| part.kind == INFO_DESTINATION);
    named.next()?.body.first_chunk().copied()
}

/// The samples that a message of a reader requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// The first number that the reader lacks.
    pub(crate) base: i64,
    bits: u32,
    /// Where the set of numbers begins in the message, which counts from the base.
    place: usize,
    is_little_endian: bool,
    /// Who reads, and who writes.
    entities: [EntityId; 2],
}

/// Returns the user samples that a message to one participant requests, and their writer.
pub(crate) fn wanted(message: &[u8]) -> Option<(Guid, Wanted)> {
    let mut to = None;
    submessages(message).find_map(|part| {
        if part.kind == INFO_DESTINATION {
            to = part.body.first_chunk().copied();
        }
        let Some(Numbers::Wanted { base, bits }) = part.numbers() else {
            return None;
        };
        let writer = part.writer().filter(|writer| !is_builtin(*writer))?;
        let wanted = Wanted {
            base,
            bits,
            place: part.start + SUBMESSAGE_HEADER + 20,
            is_little_endian: part.flags & 1 == 1,
            entities: [part.reader()?, writer],
        };
        Some((guid(to?, writer), wanted))
    })
}

impl Wanted {
    /// Whether a number is within the range of the set, requested or not.
    pub(crate) fn covers(&self, number: i64) -> bool {
        number
            .checked_sub(self.base)
            .is_some_and(|bit| (0..i64::from(self.bits.max(1))).contains(&bit))
    }

    /// Whether the set contains a number.
    pub(crate) fn contains(&self, message: &[u8], number: i64) -> bool {
        let place = self.place_of(number);
        place.is_some_and(|(at, bit)| message.get(at).is_some_and(|byte| byte & bit != 0))
    }

    /// Removes a number from the set.
    pub(crate) fn clear(&self, message: &mut [u8], number: i64) {
        if let Some((at, bit)) = self.place_of(number)
            && let Some(byte) = message.get_mut(at)
        {
            *byte &= !bit;
        }
    }

    /// The byte of a number in the message, and its bit there (§9.4.2.6): the first one is the highest bit of the first word.
    fn place_of(&self, number: i64) -> Option<(usize, u8)> {
        let bit = number.checked_sub(self.base)?;
        (0..i64::from(self.bits)).contains(&bit).then_some(())?;
        let (word, bit) = (bit as usize / 32, 31 - bit as usize % 32);
        let byte = match self.is_little_endian {
            true => bit / 8,
            false => 3 - bit / 8,
        };
        Some((self.place + 4 * word + byte, 1 << (bit % 8)))
    }

    /// Returns a submessage that requests fragments of a sample, from the first to the last missing one (§9.4.5.13).
    /// `missing` must be sorted and not empty.
    pub(crate) fn for_fragments(&self, sample: i64, missing: &[u32], count: i32) -> Vec<u8> {
        let (base, last) = (missing[0], missing[missing.len() - 1]);
        let bits = last - base + 1;
        let mut words = vec![0_u32; bits.div_ceil(32) as usize];
        for fragment in missing {
            let bit = fragment - base;
            words[bit as usize / 32] |= 1 << (31 - bit % 32);
        }
        let length = 4 + 4 + 8 + 4 + 4 + 4 * words.len() + 4;
        let [low, high] = (length as u16).to_le_bytes();
        let numbers = [(sample >> 32) as u32, sample as u32, base, bits];
        let numbers = numbers.into_iter().chain(words);
        let numbers = numbers.chain([count as u32]).flat_map(u32::to_le_bytes);
        [NACK_FRAG, 1, low, high]
            .into_iter()
            .chain(self.entities.concat())
            .chain(numbers)
            .collect()
    }
}

/// Returns the samples of which an outgoing message requests fragments, with the position of each request's count
/// (§9.4.5.13).
pub(crate) fn wanted_fragments(message: &[u8]) -> Vec<(i64, usize)> {
    let all = submessages(message).filter_map(|part| match part.numbers()? {
        Numbers::WantedFragments { sample, .. } if !is_builtin(part.writer()?) => {
            Some((sample, part.end - 4))
        }
        _ => None,
    });
    all.collect()
}

/// Sets the count of an outgoing fragment request. A writer ignores requests whose count does not grow (§8.3.8.10).
pub(crate) fn count_wanted_fragments(message: &mut [u8], place: usize, count: i32) {
    message[place..place + 4].copy_from_slice(&count.to_le_bytes());
}

/// Returns the heartbeats of a message to one participant: the writer, the reader, and the position of the count
/// (§9.4.5.7).
pub(crate) fn heartbeat_counts(message: &[u8]) -> Vec<((EntityId, Guid), usize)> {
    let mut to = None;
    let counts = submessages(message).filter_map(|part| {
        if part.kind == INFO_DESTINATION {
            to = part.body.first_chunk().copied();
        }
        let reader = part.reader().filter(|_| part.kind == HEARTBEAT)?;
        let pair = (part.writer()?, guid(to?, reader));
        Some((pair, part.start + SUBMESSAGE_HEADER + 24))
    });
    counts.collect()
}

/// Returns the participant that sent a message (§9.4.4).
pub(crate) fn sender(message: &[u8]) -> Option<GuidPrefix> {
    message.get(8..)?.first_chunk().copied()
}

/// Returns the vendor ID of a message (§9.4.4).
pub(crate) fn vendor(message: &[u8]) -> Option<[u8; 2]> {
    message.get(6..)?.first_chunk().copied()
}

/// Returns the GUID of an entity.
pub(crate) fn guid(prefix: GuidPrefix, entity: EntityId) -> Guid {
    let mut guid = [0; 16];
    guid[..12].copy_from_slice(&prefix);
    guid[12..].copy_from_slice(&entity);
    guid
}

/// Whether an entity is a built-in one for discovery or liveliness (§9.3.1.2).
pub(crate) const fn is_builtin(entity: EntityId) -> bool {
    entity[3] & 0xc0 == 0xc0
}
