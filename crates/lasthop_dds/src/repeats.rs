//! Suppression of repeated discovery over TCP.
//!
//! A reader of `dust_dds` drops discovery samples that come out of order, and asks for all of them again by each heartbeat.
//! Each sample brings a heartbeat. Over TCP no copy is lost, so that copies would beget copies until a connection is full.

use std::collections::BTreeMap;

use lasthop_units::{Duration, Instant};

use crate::contact::Contact;
use crate::submessage::{EntityId, is_builtin, submessages};
use crate::wire::{Destination, Outgoing};

/// The discovery samples that left recently.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    left: BTreeMap<Sample, Instant>,
    next_look: Instant,
}

/// A sample or fragment for one participant: the receiver, the writer, the number and the fragment.
type Sample = (Contact, EntityId, i64, u32);

/// TCP delivers meanwhile, unless the connection is lost.
const SUPPRESSION: Duration = Duration::from_secs(1);

impl Repeats {
    /// Whether a message brings only discovery that left to the same participant less than a second ago.
    pub(crate) fn has_just_left(&mut self, now: Instant, outgoing: &Outgoing) -> bool {
        let Destination::One(to) = outgoing.to else {
            return false;
        };
        if self.next_look <= now {
            self.left.retain(|_, left| now - *left < SUPPRESSION);
            self.next_look = now + SUPPRESSION;
        }
        let samples = submessages(&outgoing.bytes).filter_map(|part| {
            let writer = part.writer().filter(|writer| is_builtin(*writer))?;
            let name = part.sample()?;
            Some((to, writer, name.number, name.fragment))
        });
        let samples: Vec<Sample> = samples.collect();
        let is_recent = |sample| {
            let left = self.left.get(sample);
            left.is_some_and(|left| now - *left < SUPPRESSION)
        };
        if !samples.is_empty() && samples.iter().all(is_recent) {
            return true;
        }
        self.left.extend(samples.into_iter().map(|it| (it, now)));
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DISCOVERY: EntityId = [0, 0, 2, 0xc2];
    const USER: EntityId = [0, 0, 0, 2];

    /// A message with a sample of a writer.
    fn message(port: u16, writer: EntityId, number: u8) -> Outgoing {
        let head = [&b"RTPS\x02\x04\x01\x14"[..], &[3; 12]].concat();
        let data = [
            &[0x15, 5, 24, 0, 0, 0, 16, 0, 0, 0, 0, 0][..],
            &writer,
            &[0, 0, 0, 0, number, 0, 0, 0],
            &[0, 1, 0, 0],
        ];
        let address = "10.0.0.3:4711".parse().unwrap();
        Outgoing {
            to: Destination::One(Contact::tcp(address, port)),
            bytes: [head, data.concat()].concat(),
        }
    }

    fn at(millis: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(millis)
    }

    #[test]
    fn a_discovery_sample_leaves_once_a_second_to_each_participant() {
        let mut repeats = Repeats::default();
        let first = message(7410, DISCOVERY, 1);
        assert!(!repeats.has_just_left(at(0), &first));
        assert!(repeats.has_just_left(at(1), &first));
        assert!(!repeats.has_just_left(at(1), &message(7410, DISCOVERY, 2)));
        assert!(!repeats.has_just_left(at(1), &message(7412, DISCOVERY, 1)));
        assert!(repeats.has_just_left(at(999), &first));
        assert!(!repeats.has_just_left(at(1000), &first));
        assert!(repeats.has_just_left(at(1999), &first));
    }

    #[test]
    fn samples_of_users_and_other_messages_leave_as_they_are() {
        let mut repeats = Repeats::default();
        let heartbeat = Outgoing {
            bytes: [
                &message(7410, DISCOVERY, 1).bytes[..20],
                &[7, 1, 28, 0],
                &[0; 28],
            ]
            .concat(),
            ..message(7410, DISCOVERY, 1)
        };
        let all = Outgoing {
            to: Destination::Participants,
            ..message(7410, DISCOVERY, 1)
        };
        for outgoing in [&message(7411, USER, 1), &heartbeat, &all] {
            for _ in 0..3 {
                assert!(!repeats.has_just_left(at(0), outgoing));
            }
        }
    }
}
