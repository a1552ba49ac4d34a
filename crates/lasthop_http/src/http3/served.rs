use http::Response;
use lasthop_contract::{Cause, Outbox, Provenance, StreamId};
use lasthop_units::Instant;

use super::channels::Channels;
use super::exchange::Incoming;
use super::frames::{DATA, frame_head};
use super::message::lines_of_response;
use crate::http2::answer_head;
use crate::limits::ServerLimits;
use crate::wire::Wire;

/// A request and its answer.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) outbox: Outbox,
    pub(super) part: Part,
}

#[derive(Debug)]
pub(super) enum Part {
    /// It comes. So much of its body had come when its time began anew, and then it is over.
    Reading(Incoming, usize, Instant),
    /// It waits for its answer.
    Asked,
    /// It was answered before it had come whole; the rest is read and not looked at, for a while.
    Refused(Instant),
    /// Its answer waits to be written.
    Answered,
}

impl Exchange {
    /// How much of a body waits for the rest of it.
    pub(super) fn body_size(&self) -> usize {
        match &self.part {
            Part::Reading(request, ..) => request.body.len(),
            Part::Asked | Part::Refused(_) | Part::Answered => 0,
        }
    }

    /// Writes the answer, or as much of it as there is room for.
    pub(super) fn write(
        &mut self,
        wire: &mut Wire<'_>,
        channels: &mut Channels,
        limits: &ServerLimits,
        response: &Response<Vec<u8>>,
        head: Provenance,
        parts: &[(usize, Provenance)],
    ) {
        let outbox = &mut self.outbox;
        let answer = answer_head(wire.now, limits, response);
        let status = answer.status();
        let lines = lines_of_response(status.as_str(), answer.headers(), head);
        channels.write_head(wire, outbox, head, &lines);
        if !response.body().is_empty() {
            let framing = parts.first().map_or(head, |(_, first)| Provenance {
                cause: match first.cause {
                    Cause::Payload => Cause::Header,
                    other => other,
                },
                ..*first
            });
            let frame = frame_head(DATA, response.body().len());
            let mut pieces = vec![(&frame[..], framing)];
            let mut rest = &response.body()[..];
            for (length, provenance) in parts {
                let (part, behind) = rest.split_at((*length).min(rest.len()));
                pieces.push((part, *provenance));
                rest = behind;
            }
            pieces.push((rest, framing));
            wire.write(outbox, &pieces);
        }
        wire.finish(outbox);
    }

    pub(super) fn is_blocked(&self) -> bool {
        matches!(&self.part, Part::Reading(request, ..) if request.is_blocked())
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.part, Part::Answered) && self.outbox.is_empty()
    }
}

/// Reads what has come and lets it go; whether nothing more comes.
pub(super) fn drain(wire: &mut Wire<'_>, stream: StreamId) -> bool {
    loop {
        let mut bytes = Vec::new();
        if wire.read(stream, &mut bytes, 1 << 16) {
            return true;
        }
        if bytes.len() < 1 << 16 {
            return false;
        }
    }
}
