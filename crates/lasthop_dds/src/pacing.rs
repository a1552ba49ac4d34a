//! Delays of responses: to heartbeats (DDSI-RTPS 2.5 §8.4.10.1) and to requests of readers (§8.4.7.1).
//!
//! `dust_dds` answers at once. So what it is to answer later is given to it later, and of what says the same only the newest:
//! many heartbeats have one answer, and what a reader asks for twice is sent once.

use std::borrow::Cow;
use std::collections::BTreeMap;

use lasthop_contract::ConnectionId;
use lasthop_units::{Duration, Instant};

use crate::config::DdsConfig;
use crate::submessage::{
    EntityId, Guid, GuidPrefix, HEADER_LENGTH, Numbers, Submessage, alone, guid, is_builtin,
    sender, submessages,
};

/// Messages that are read later.
#[derive(Debug, Default)]
pub(crate) struct Pacing {
    heartbeats: BTreeMap<(Guid, EntityId), Held>,
    /// By who asks, the writer, and the sample where fragments of one are asked for.
    requests: BTreeMap<(Guid, EntityId, Option<i64>), Held>,
}

/// A message with one submessage.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    due: Instant,
    pub(crate) connection: ConnectionId,
    pub(crate) message: Vec<u8>,
}

impl Pacing {
    /// Stores the submessages whose response must be delayed, and returns the others.
    pub(crate) fn hold<'a>(
        &mut self,
        (now, config): (Instant, &DdsConfig),
        connection: ConnectionId,
        message: &'a [u8],
    ) -> Cow<'a, [u8]> {
        let delays = [config.heartbeat_response_delay, config.nack_response_delay];
        if delays == [Duration::ZERO; 2] {
            return Cow::Borrowed(message);
        }
        let mut rest = message[..HEADER_LENGTH.min(message.len())].to_vec();
        for part in submessages(message) {
            let later = |delay: Duration| Held {
                due: now + delay,
                connection,
                message: alone(message, &part),
            };
            if !self.takes(message, &part, delays, later) {
                rest.extend(&message[part.place()]);
            }
        }
        Cow::Owned(rest)
    }

    fn takes(
        &mut self,
        message: &[u8],
        part: &Submessage<'_>,
        [heartbeat, request]: [Duration; 2],
        later: impl Fn(Duration) -> Held,
    ) -> bool {
        let writer = part.writer().filter(|writer| !is_builtin(*writer));
        let (Some(from), Some(writer), Some(reader)) = (sender(message), writer, part.reader())
        else {
            return false;
        };
        match part.numbers() {
            Some(Numbers::Available { .. }) if heartbeat > Duration::ZERO => {
                let held = self.heartbeats.entry((guid(from, writer), reader));
                let new = later(heartbeat);
                held.and_modify(|held| held.message.clone_from(&new.message))
                    .or_insert(new);
                true
            }
            Some(numbers @ (Numbers::Wanted { .. } | Numbers::WantedFragments { .. }))
                if request > Duration::ZERO =>
            {
                let sample = match numbers {
                    Numbers::WantedFragments { sample, .. } => Some(sample),
                    _ => None,
                };
                let key = (guid(from, reader), writer, sample);
                if !part.asks_for_some() {
                    self.requests.remove(&key);
                    return false;
                }
                let new = later(request);
                let held = self.requests.entry(key);
                held.and_modify(|held| held.message.clone_from(&new.message))
                    .or_insert(new);
                true
            }
            _ => false,
        }
    }

    /// Returns the messages to read now.
    pub(crate) fn due(&mut self, now: Instant) -> Vec<Held> {
        let heartbeats = self.heartbeats.extract_if(.., |_, held| held.due <= now);
        let requests = self.requests.extract_if(.., |_, held| held.due <= now);
        let heartbeats = heartbeats.map(|(_, held)| held);
        heartbeats.chain(requests.map(|(_, held)| held)).collect()
    }

    /// Returns when the next message is to be read.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let held = self.heartbeats.values().chain(self.requests.values());
        held.map(|held| held.due).min()
    }

    /// Removes a participant that has ended.
    pub(crate) fn forget(&mut self, participant: GuidPrefix) {
        let is_of_it = |it: &Guid| it.starts_with(&participant);
        self.heartbeats.retain(|(writer, _), _| !is_of_it(writer));
        self.requests.retain(|(reader, ..), _| !is_of_it(reader));
    }
}
