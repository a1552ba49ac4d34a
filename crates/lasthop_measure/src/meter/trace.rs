use core::iter;

use lasthop_contract::{CacheOutcome, Direction, MessageEvent, MessageId, Packet, Trigger};
use lasthop_engine::HostId;
use lasthop_units::{DataSize, Instant};

use super::Meter;

/// The time line of one message, where it was asked for.
impl Meter {
    pub(super) fn trace(
        &mut self,
        now: Instant,
        place: &'static str,
        messages: impl Iterator<Item = MessageId>,
        what: impl FnOnce() -> String,
    ) {
        if let Some(timeline) = &mut self.timeline
            && timeline.concerns(messages)
        {
            timeline.add(now, place, what());
        }
    }

    pub(super) fn trace_packet(
        &mut self,
        now: Instant,
        place: &'static str,
        packet: &Packet,
        what: &str,
        trigger: Option<Trigger>,
    ) {
        if let Some(timeline) = &mut self.timeline
            && timeline.concerns_packet(packet)
        {
            timeline.add_packet(now, place, packet, what, trigger);
        }
    }

    fn is_gateway(&self, host: HostId) -> bool {
        self.gateways.contains(&host)
    }

    /// Returns the name of a host at this end of a path.
    pub(super) fn place_of(&self, host: HostId, side: Direction) -> &'static str {
        match side {
            _ if self.is_gateway(host) => "gateway",
            Direction::Up => "device",
            Direction::Down => "server",
        }
    }

    pub(super) fn trace_event(&mut self, now: Instant, place: &'static str, event: &MessageEvent) {
        let Some(timeline) = &mut self.timeline else {
            return;
        };
        let Some(id) = event.message() else { return };
        if !timeline.concerns(iter::once(id)) {
            return;
        }
        match *event {
            MessageEvent::Taken { .. } => timeline.add(now, place, "is to be passed on".into()),
            MessageEvent::Bundled {
                bundle,
                payload_bytes,
                ..
            } => {
                let number = bundle.number;
                timeline.follow(bundle);
                let what = format!(
                    "goes on in message {number} of the gateway, of {}",
                    DataSize::from_bytes(payload_bytes.into())
                );
                timeline.add(now, place, what);
            }
            MessageEvent::Cached { by, age_ms, .. } => {
                timeline.add(now, place, words_of(by, age_ms));
            }
            MessageEvent::Intended { payload, .. } => {
                timeline.add(now, place, format!("is due, {payload} of payload"));
            }
            MessageEvent::Transmitted {
                attempt,
                last,
                trigger,
                ..
            } => {
                let because = trigger.map_or_else(String::new, |trigger| format!(" ({trigger})"));
                let note = if last { ", the last attempt" } else { "" };
                let what = format!("attempt {attempt} leaves the application{because}{note}");
                timeline.add_attempt(now, place, what, trigger);
            }
            MessageEvent::Delivered { .. } => timeline.add_end(now, place, "is delivered".into()),
            MessageEvent::Acknowledged { .. } => timeline.add(now, place, "is acknowledged".into()),
            MessageEvent::Failed { reason, .. } => {
                timeline.add_end(now, place, format!("is given up: {}", reason.name()));
            }
            MessageEvent::TrafficStarted { .. }
            | MessageEvent::TrafficEnded { .. }
            | MessageEvent::Session(_) => {}
        }
    }
}

/// Describes how a proxy answered.
fn words_of(by: CacheOutcome, age_ms: u32) -> String {
    let how = match by {
        CacheOutcome::Hit => "is given from the cache",
        CacheOutcome::Miss => "is given as fetched for it",
        CacheOutcome::Validated => "is given from the cache, still valid as the server says",
        CacheOutcome::Collapsed => "is given as fetched for another",
        CacheOutcome::Stale => "is given from the cache, fresh no longer: the server is silent",
        CacheOutcome::Failed => return "is refused: the server is silent".into(),
        CacheOutcome::Written => return "has been written at the server".into(),
    };
    format!("{how}, {age_ms} ms old")
}

pub(super) const fn path_of(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "path up",
        Direction::Down => "path down",
    }
}

pub(super) const fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
    }
}
