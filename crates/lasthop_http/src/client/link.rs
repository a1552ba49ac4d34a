use http::{HeaderValue, Response};
use lasthop_contract::{ConnectionId, DeviceId, StreamId};

use super::config::HttpClientConfig;
use super::pending::Pending;
use crate::h1::{Answer, Http1Client};
use crate::wire::Wire;

/// A connection of the client, with what is under way on it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) id: ConnectionId,
    /// Whether it is for the inbox.
    pub(super) is_of_inbox: bool,
    /// What speaks on it, once it is established.
    protocol: Option<Http1Client>,
    under_way: Vec<Pending>,
}

/// What came of reading from a link.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Requests that were answered.
    pub(super) answered: Vec<(Pending, Response<Vec<u8>>)>,
    /// No further answer comes.
    pub(super) has_ended: bool,
}

impl Link {
    /// A link that is being opened.
    pub(super) fn opening(id: ConnectionId, is_of_inbox: bool) -> Self {
        Self {
            id,
            is_of_inbox,
            protocol: None,
            under_way: Vec::new(),
        }
    }

    /// It is established.
    pub(super) fn begin(&mut self, stream: StreamId) {
        self.protocol = Some(Http1Client::new(stream));
    }

    pub(super) fn is_opening(&self) -> bool {
        self.protocol.is_none()
    }

    /// Whether a request can go.
    pub(super) fn has_room(&self) -> bool {
        self.protocol.as_ref().is_some_and(Http1Client::has_room)
    }

    /// Whether a request that gets no answer was not served, as far as one can tell.
    pub(super) fn is_stale(&self) -> bool {
        self.protocol.as_ref().is_some_and(Http1Client::is_stale)
    }

    /// Sends a request, for which there is room.
    pub(super) fn send(
        &mut self,
        wire: &mut Wire<'_>,
        mut pending: Pending,
        config: &HttpClientConfig,
        device: DeviceId,
        bearer: Option<HeaderValue>,
    ) {
        let Some(protocol) = &mut self.protocol else {
            return;
        };
        pending.attempts += 1;
        let (request, purpose) = pending.request(config, device, bearer);
        protocol.request(wire, &request, purpose, config.is_chunked);
        self.under_way.push(pending);
    }

    /// Reads what has come.
    pub(super) fn receive(&mut self, wire: &mut Wire<'_>) -> Read {
        let mut read = Read::default();
        let Some(protocol) = &mut self.protocol else {
            return read;
        };
        loop {
            match protocol.receive(wire) {
                Answer::None => return read,
                Answer::Whole(response) => {
                    if let Some(pending) = self.under_way.pop() {
                        read.answered.push((pending, response));
                    }
                    if protocol.is_done() {
                        read.has_ended = true;
                        return read;
                    }
                }
                Answer::Ended => {
                    read.has_ended = true;
                    return read;
                }
            }
        }
    }

    pub(super) fn flush(&mut self, wire: &mut Wire<'_>) {
        if let Some(protocol) = &mut self.protocol {
            protocol.flush(wire);
        }
    }

    /// Sends no further request by it.
    pub(super) fn finish(&mut self, wire: &mut Wire<'_>) {
        if let Some(protocol) = &mut self.protocol {
            protocol.finish(wire);
        }
    }

    /// What is under way.
    pub(super) fn under_way(&self) -> &[Pending] {
        &self.under_way
    }

    /// Takes what is under way.
    pub(super) fn take_under_way(&mut self) -> Vec<Pending> {
        core::mem::take(&mut self.under_way)
    }
}
