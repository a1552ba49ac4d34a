//! Heartbeats that tell a writer's first sample to readers of other DDS implementations before they receive it.
//!
//! RTPS has no handshake by which a reader learns that. A volatile reader of Cyclone DDS begins behind the last sample of the
//! first heartbeat that it gets, and acknowledges all up to there: what was lost before never comes. So it asks for a
//! heartbeat, by ACKNACKs that demand an answer (DDSI-RTPS 2.5 §8.3.8.1), which `dust_dds` does not give as long as
//! it has no sample. Readers of `dust_dds` itself begin at the first number, and ask for nothing.
//!
//! Fast DDS greets a writer for liveliness at every participant, also where none is announced, each 70 ms until there is
//! a heartbeat of it. `dust_dds` has no such writer; it is said that nothing was written.

use std::collections::BTreeMap;

use dust_dds::rtps_messages::overall_structure::RtpsMessageWrite;
use dust_dds::rtps_messages::submessages::heartbeat::HeartbeatSubmessage;
use dust_dds::rtps_messages::submessages::info_destination::InfoDestinationSubmessage;
use dust_dds::transport::types::EntityId as DustEntityId;
use lasthop_units::{Duration, Instant};

use crate::submessage::{Acknowledgement, EntityId, Guid, GuidPrefix, heartbeat_counts, vendor};
use crate::whereabouts::{Announced, announced};
use crate::wire::{Destination, Outgoing};

/// Participants of other implementations, and which of their readers know the first sample of a writer.
#[derive(Debug, Default)]
pub(crate) struct Introductions {
    others: BTreeMap<GuidPrefix, Announced>,
    begun: BTreeMap<Pair, Introduction>,
}

#[derive(Debug)]
struct Introduction {
    /// How many heartbeats were sent: those of `dust_dds` are counted on from there.
    told: i32,
    /// When the next one is; `None` when the reader knows.
    next: Option<Instant>,
}

/// A local writer and a remote reader.
pub(crate) type Pair = (EntityId, Guid);

/// As `dust_dds` repeats the heartbeats of a writer that has samples.
const HEARTBEAT_PERIOD: Duration = Duration::from_millis(200);

/// The maker of `dust_dds`.
const S2E: [u8; 2] = [1, 20];

/// By whom participants say that their writers are alive (§8.4.13).
const LIVELINESS_WRITER: EntityId = [0, 2, 0, 0xc2];

impl Introductions {
    /// Records the vendor of a remote participant, if a datagram tells it.
    pub(crate) fn hear(&mut self, datagram: &[u8]) {
        if vendor(datagram) != Some(S2E)
            && let Some((prefix, announced)) = announced(datagram)
        {
            self.others.insert(prefix, announced);
        }
    }

    /// Removes a participant that has ended.
    pub(crate) fn forget(&mut self, participant: GuidPrefix) {
        self.others.remove(&participant);
        self.begun
            .retain(|(_, reader), _| !reader.starts_with(&participant));
    }

    /// Whether a matched reader knows the first sample of a writer. If not, it receives heartbeats from now on.
    pub(crate) fn have_met(&mut self, now: Instant, (writer, reader): Pair) -> bool {
        let is_other = reader
            .first_chunk()
            .is_some_and(|it| self.others.contains_key(it));
        if !is_other {
            return true;
        }
        let introduction = self.begun.entry((writer, reader));
        let introduction = introduction.or_insert(Introduction {
            told: 0,
            next: Some(now),
        });
        introduction.next.is_none()
    }

    /// Processes an acknowledgement. Returns whether it shows that the reader knows the first sample.
    pub(crate) fn acknowledge(&mut self, told: &Acknowledgement) -> bool {
        let introduction = self.begun.get_mut(&(told.writer, told.reader));
        let introduction = introduction.filter(|it| it.told > 0 && !told.asks);
        introduction.is_some_and(|it| it.next.take().is_some())
    }

    /// Returns an empty heartbeat of the liveliness writer for a reader that requests it.
    pub(crate) fn liveliness(&self, told: &Acknowledgement, from: GuidPrefix) -> Option<Outgoing> {
        let asks = told.asks && told.writer == LIVELINESS_WRITER;
        let other = self.others.get(told.reader.first_chunk()?);
        let to = other.filter(|_| asks)?.discovery?;
        Some(Outgoing {
            to: Destination::One(to),
            bytes: heartbeat((told.writer, told.reader), from, Asks::Nothing, 1),
        })
    }

    /// Returns when the next heartbeat is due.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.begun.values().filter_map(|it| it.next).min()
    }

    /// Returns the heartbeats that are due. A writer with samples sends its own.
    pub(crate) fn due(
        &mut self,
        now: Instant,
        from: GuidPrefix,
        is_new: impl Fn(EntityId) -> bool,
    ) -> Vec<Outgoing> {
        let mut due = Vec::new();
        for (pair, introduction) in &mut self.begun {
            let to = pair.1.first_chunk().and_then(|it| self.others.get(it));
            let (Some(next), Some(to)) = (introduction.next, to) else {
                continue;
            };
            if !is_new(pair.0) {
                introduction.next = None;
            } else if next <= now {
                introduction.next = Some(now + HEARTBEAT_PERIOD);
                introduction.told += 1;
                due.push(Outgoing {
                    to: Destination::One(to.samples),
                    bytes: heartbeat(*pair, from, Asks::AnAnswer, 0),
                });
            }
        }
        due
    }

    /// Renumbers the heartbeats of `dust_dds` after the additional ones. Readers ignore heartbeats whose count does not
    /// grow (§8.3.8.6).
    pub(crate) fn count_on(&self, message: &mut [u8]) {
        for (pair, place) in heartbeat_counts(message) {
            let told = self.begun.get(&pair).map_or(0, |it| it.told);
            if let Some(count) = message.get_mut(place..).and_then(<[u8]>::first_chunk_mut) {
                // They are ours, so that their order of bytes is known.
                *count = i32::from_le_bytes(*count).wrapping_add(told).to_le_bytes();
            }
        }
    }
}

/// What a heartbeat asks its reader for (§8.3.8.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    AnAnswer,
    Nothing,
}

/// That a writer has no sample yet, with a count; `0` is yet to be counted.
fn heartbeat((writer, reader): Pair, from: GuidPrefix, asks: Asks, count: i32) -> Vec<u8> {
    const LENGTH: usize = 20 + 16 + 32;
    let [prefix @ .., a, b, c, kind] = reader;
    let (reader, writer) = (entity([a, b, c, kind]), entity(writer));
    let destination = InfoDestinationSubmessage::new(prefix);
    let is_final = asks == Asks::Nothing;
    let heartbeat = HeartbeatSubmessage::new(is_final, false, reader, writer, 1, 0, count);
    let mut buffer = [0; LENGTH];
    let message =
        RtpsMessageWrite::from_submessages(&mut buffer, &[&destination, &heartbeat], from);
    message.buffer().to_vec()
}

const fn entity([a, b, c, kind]: EntityId) -> DustEntityId {
    DustEntityId::new([a, b, c], kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Contact;
    use crate::submessage::acknowledgements;
    use crate::whereabouts::PARTICIPANT_WRITER;

    const WRITER: EntityId = [0, 0, 0, 2];
    const US: GuidPrefix = [9; 12];
    const OTHER: GuidPrefix = [7; 12];

    fn message(vendor: [u8; 2], part: &[u8]) -> Vec<u8> {
        [b"RTPS\x02\x05", &vendor[..], &OTHER, part].concat()
    }

    /// An announcement that names 10.0.0.3, port 7411, as the place for samples, and 7410 for discovery.
    fn announcement(vendor: [u8; 2]) -> Vec<u8> {
        let sample = [
            &[0, 3, 0, 0, 0x31, 0, 24, 0, 1, 0, 0, 0, 0xf3, 0x1c, 0, 0][..],
            &[0; 12],
            &[10, 0, 0, 3],
            &[0x32, 0, 24, 0, 1, 0, 0, 0, 0xf2, 0x1c, 0, 0],
            &[0; 12],
            &[10, 0, 0, 3, 1, 0, 0, 0],
        ]
        .concat();
        let head = [
            &[0x15, 5, 84, 0, 0, 0, 16, 0, 0, 1, 0, 0xc7][..],
            &PARTICIPANT_WRITER,
            &[0, 0, 0, 0, 1, 0, 0, 0],
        ];
        message(vendor, &[&head.concat()[..], &sample].concat())
    }

    /// What a reader says that has nothing yet.
    fn acknowledgement(flags: u8) -> Acknowledgement {
        acknowledgement_to(WRITER, flags)
    }

    fn acknowledgement_to(writer: EntityId, flags: u8) -> Acknowledgement {
        let head = [0x06, flags, 24, 0, 0, 0, 1, 7];
        let body = [
            &writer[..],
            &[0, 0, 0, 0, 1, 0, 0, 0],
            &[0; 4],
            &[1, 0, 0, 0],
        ];
        let datagram = message([1, 16], &[&head[..], &body.concat()].concat());
        acknowledgements(&datagram, US).next().unwrap()
    }

    fn pair() -> Pair {
        (WRITER, acknowledgement(1).reader)
    }

    fn at(millis: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(millis)
    }

    fn with_another() -> Introductions {
        let mut introductions = Introductions::default();
        introductions.hear(&announcement([1, 16]));
        introductions
    }

    #[test]
    fn a_reader_of_another_make_is_told_that_there_is_nothing_yet() {
        let mut introductions = with_another();
        assert!(!introductions.have_met(at(0), pair()));
        let told = introductions.due(at(0), US, |_| true);
        let place = Contact::udp("10.0.0.3:7411".parse().unwrap());
        assert_eq!(told[0].to, Destination::One(place));
        // First 1, last 0, and an answer of the reader is asked for.
        let heartbeat = [
            &[0x07, 1, 28, 0, 0, 0, 1, 7][..],
            &WRITER,
            &[0, 0, 0, 0, 1, 0, 0, 0],
            &[0; 12],
        ];
        assert_eq!(told[0].bytes[8..20], US);
        assert_eq!(told[0].bytes[24..36], OTHER);
        assert_eq!(told[0].bytes[36..], heartbeat.concat());
    }

    #[test]
    fn it_is_told_until_it_says_that_it_knows() {
        let (asks, knows) = (acknowledgement(1), acknowledgement(3));
        let mut introductions = with_another();
        assert!(!introductions.acknowledge(&knows));
        assert!(!introductions.have_met(at(0), pair()));
        for millis in [0, 200, 400] {
            assert_eq!(introductions.due(at(millis), US, |_| true).len(), 1);
            assert!(introductions.due(at(millis + 199), US, |_| true).is_empty());
            assert!(!introductions.acknowledge(&asks));
            assert!(!introductions.have_met(at(millis), pair()));
        }
        assert!(introductions.acknowledge(&knows) && !introductions.acknowledge(&knows));
        assert!(introductions.have_met(at(500), pair()));
        assert_eq!(introductions.next_deadline(), None);
    }

    #[test]
    fn a_writer_that_has_samples_tells_of_itself() {
        let mut introductions = with_another();
        assert!(!introductions.have_met(at(0), pair()));
        assert!(introductions.due(at(0), US, |_| false).is_empty());
        assert!(introductions.have_met(at(0), pair()));
    }

    #[test]
    fn heartbeats_behind_it_are_counted_on() {
        let mut introductions = with_another();
        introductions.have_met(at(0), pair());
        for (millis, count) in [(0, 1), (200, 2), (400, 3)] {
            let mut told = introductions.due(at(millis), US, |_| true).remove(0);
            introductions.count_on(&mut told.bytes);
            assert_eq!(told.bytes[64..], [count, 0, 0, 0]);
        }
        let mut first_of_dust_dds = heartbeat(pair(), US, Asks::AnAnswer, 0);
        first_of_dust_dds[64] = 1;
        introductions.count_on(&mut first_of_dust_dds);
        assert_eq!(first_of_dust_dds[64..], [4, 0, 0, 0]);
    }

    #[test]
    fn who_greets_the_writer_for_liveliness_hears_once_that_it_has_written_nothing() {
        let introductions = with_another();
        let (asks, knows) = (1, 3);
        let told = |flags| acknowledgement_to(LIVELINESS_WRITER, flags);
        let answer = introductions.liveliness(&told(asks), US).unwrap();
        let place = Contact::udp("10.0.0.3:7410".parse().unwrap());
        assert_eq!(answer.to, Destination::One(place));
        // Final; first 1, last 0, and a count above that of none.
        let heartbeat = [
            &[0x07, 3, 28, 0, 0, 0, 1, 7][..],
            &LIVELINESS_WRITER,
            &[0, 0, 0, 0, 1, 0, 0, 0],
            &[0; 8],
            &[1, 0, 0, 0],
        ];
        assert_eq!(answer.bytes[36..], heartbeat.concat());
        assert!(introductions.liveliness(&told(knows), US).is_none());
        assert!(
            introductions
                .liveliness(&acknowledgement(asks), US)
                .is_none()
        );
        let nobody = Introductions::default();
        assert!(nobody.liveliness(&told(asks), US).is_none());
    }

    #[test]
    fn readers_of_our_make_need_no_introduction() {
        let mut introductions = Introductions::default();
        introductions.hear(&announcement(S2E));
        assert!(introductions.have_met(at(0), pair()));
        assert_eq!(introductions.next_deadline(), None);
    }
}
