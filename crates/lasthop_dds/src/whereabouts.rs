//! The current addresses of participants, which can change after discovery.
//!
//! A participant that moves announces itself again with other locators (SPDP, DDSI-RTPS 2.5 §8.5.3). `dust_dds` names the
//! locators that it was made with for ever, and goes on sending to those that another's endpoints were matched by.

use core::net::IpAddr;
use core::ops::Range;
use std::collections::BTreeMap;

use lasthop_units::Instant;

use crate::contact::{Contact, bytes_of};
use crate::discovery::{Purpose, address_of, places_of};
use crate::peers::LEASE;
use crate::submessage::{EntityId, GuidPrefix, Submessage, addressee, guid, sender, submessages};

/// The locators that participants announce, and the participants that have ended.
#[derive(Debug, Default)]
pub(crate) struct Whereabouts {
    participants: BTreeMap<GuidPrefix, Heard>,
    /// Participants that have ended, and when: what is still on its way from them is not read.
    ended: BTreeMap<GuidPrefix, Instant>,
    /// When those are forgotten that were not heard for a lease.
    next_look: Instant,
}

/// The changes that a datagram announces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// A locator at which no participant receives discovery any more.
    pub(crate) left: Option<Contact>,
    /// A participant that has ended, possibly without an announcement because another one took its place.
    pub(crate) ended: Option<GuidPrefix>,
}

#[derive(Debug)]
struct Heard {
    last: Instant,
    now: Announced,
    before: Vec<Announced>,
}

/// The locators that a participant announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Announced {
    pub(crate) samples: Contact,
    pub(crate) discovery: Option<Contact>,
}

/// The built-in writer that announces participants (§9.3.1.3).
pub(crate) const PARTICIPANT_WRITER: EntityId = [0, 1, 0, 0xc2];

/// Of one participant. The first stays longest: by that its endpoints were matched.
const MOST_BEFORE: usize = 16;

impl Whereabouts {
    /// Whether a datagram comes from a participant that has ended.
    pub(crate) fn is_of_the_past(&self, datagram: &[u8]) -> bool {
        sender(datagram).is_some_and(|it| self.ended.contains_key(&it))
    }

    /// Records the locators or the end of a participant, if a datagram announces them.
    pub(crate) fn hear(&mut self, now: Instant, datagram: &[u8]) -> Change {
        if says_goodbye(datagram) {
            return self.end(now, sender(datagram));
        }
        let Some((participant, announced)) = announced(datagram) else {
            return Change::default();
        };
        if self.next_look <= now {
            self.participants
                .retain(|_, heard| now - heard.last < LEASE);
            self.ended.retain(|_, ended| now - *ended < LEASE);
            self.next_look = now + LEASE;
        }
        // A port has one participant: one that comes up there has taken the place of another, which was not to say good-bye.
        let mut others = self.participants.iter();
        let replaced = others
            .find(|(it, heard)| **it != participant && heard.now.samples == announced.samples);
        let replaced = replaced.map(|(it, _)| *it);
        let left = self.note(now, participant, announced);
        Change {
            left,
            ..self.end(now, replaced)
        }
    }

    fn end(&mut self, now: Instant, participant: Option<GuidPrefix>) -> Change {
        let heard = participant.and_then(|it| self.participants.remove(&it));
        self.ended.extend(participant.map(|it| (it, now)));
        Change {
            left: heard.and_then(|heard| heard.now.discovery),
            ended: participant,
        }
    }

    /// Notes where a participant is; where it no longer hears of discovery.
    fn note(
        &mut self,
        now: Instant,
        participant: GuidPrefix,
        announced: Announced,
    ) -> Option<Contact> {
        let heard = self.participants.entry(participant).or_insert(Heard {
            last: now,
            now: announced,
            before: Vec::new(),
        });
        heard.last = now;
        let left = core::mem::replace(&mut heard.now, announced);
        if left == announced {
            return None;
        }
        heard.before.retain(|before| *before != left);
        if heard.before.len() == MOST_BEFORE {
            heard.before.remove(1);
        }
        heard.before.push(left);
        left.discovery.filter(|it| Some(*it) != announced.discovery)
    }

    /// Returns the current destination of a datagram for a participant at an address.
    pub(crate) fn now(&self, datagram: &[u8], address: Contact) -> Contact {
        let heard = addressee(datagram).and_then(|it| self.participants.get(&it));
        let moved = heard.and_then(|heard| {
            heard.before.iter().find_map(|before| {
                if before.samples == address {
                    Some(heard.now.samples)
                } else if before.discovery == Some(address) {
                    heard.now.discovery
                } else {
                    None
                }
            })
        });
        moved.unwrap_or(address)
    }
}

/// Whether a participant says that it ends (DDSI-RTPS 2.5 §8.5.3.3.2).
fn says_goodbye(datagram: &[u8]) -> bool {
    submessages(datagram)
        .any(|part| part.writer() == Some(PARTICIPANT_WRITER) && part.is_end_of_instance())
}

/// Returns the message with which a participant would have announced its end.
pub(crate) fn goodbye_of(participant: GuidPrefix) -> Vec<u8> {
    const PARTICIPANT: EntityId = [0, 0, 1, 0xc1];
    let key = guid(participant, PARTICIPANT);
    [
        &b"RTPS\x02\x04\x01\x14"[..],
        &participant,
        // DATA in little endian, with inline QoS that begins 16 B behind, of nobody in particular, the first one.
        &[0x15, 3, 52, 0, 0, 0, 16, 0, 0, 0, 0, 0],
        &PARTICIPANT_WRITER,
        &[0, 0, 0, 0, 1, 0, 0, 0],
        // The hash of its key; that it is disposed of and unregistered; the end of the list.
        &[0x70, 0, 16, 0],
        &key,
        &[0x71, 0, 4, 0, 0, 0, 0, 3],
        &[1, 0, 0, 0],
    ]
    .concat()
}

/// Returns the locators that the sender of a datagram announces, if there are any.
pub(crate) fn announced(datagram: &[u8]) -> Option<(GuidPrefix, Announced)> {
    let place = announcements(datagram).next()?;
    let list = &datagram[place];
    let announced = Announced {
        samples: address_of(list, Purpose::Samples)?,
        discovery: address_of(list, Purpose::Discovery),
    };
    Some((sender(datagram)?, announced))
}

/// Replaces the address in outgoing announcements by another one of the same IP version.
pub(crate) fn correct(message: &mut [u8], (made_with, now): (IpAddr, IpAddr)) {
    if made_with == now {
        return;
    }
    let lists: Vec<Range<usize>> = announcements(message).collect();
    for list in lists {
        let list = &mut message[list];
        for place in places_of(list, made_with) {
            list[place..][..16].copy_from_slice(&bytes_of(now));
        }
    }
}

/// Where the lists of parameters are by which participants announce themselves; of one in fragments, what is in the first.
fn announcements(datagram: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_one = |part: &Submessage<'_>| {
        let begins = part.sample().is_some_and(|sample| sample.fragment == 1);
        begins && part.writer() == Some(PARTICIPANT_WRITER)
    };
    let all = submessages(datagram).filter(is_one);
    all.map(|part| part.sample_start()..part.place().end)
}
