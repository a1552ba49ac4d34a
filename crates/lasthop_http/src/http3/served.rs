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

/// A request and its response at the server.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) outbox: Outbox,
    pub(super) part: Part,
}

#[derive(Debug)]
pub(super) enum Part {
    /// The request is being received, with the body size and the start of its current timeout.
    Reading(Incoming, usize, Instant),
    /// The request waits for its response.
    Asked,
    /// The request was answered before it was complete. Its remaining bytes are discarded until this deadline.
    Refused(Instant),
    /// The response is being written.
    Answered,
}

impl Exchange {
    /// Returns the received bytes of an incomplete body.
    pub(super) fn body_size(&self) -> usize {
        match &self.part {
            Part::Reading(request, ..) => request.body.len(),
            Part::Asked | Part::Refused(_) | Part::Answered => 0,
        }
    }

    /// Writes the response, or as much of it as fits.
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

/// Discards received bytes. Returns whether the stream has ended.
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
