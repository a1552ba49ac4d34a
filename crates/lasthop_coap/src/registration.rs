use lasthop_contract::ConnectionId;
use lasthop_units::{Duration, Instant};

use crate::codec::{Code, MessageType};
use crate::context::Context;
use crate::endpoint::{Endpoint, Role};
use crate::{CoapRequest, RequestId};

/// A permanent observation: it is registered again when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registration {
    /// Not registered, because the server is not reachable.
    Waiting,
    /// The registration failed and is repeated at this instant.
    Retrying(Instant),
    /// Registered, or the registration is in progress.
    Observing(RequestId),
}

/// How long after an observation that failed the next one is asked for.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl Registration {
    /// Registers the observation by a confirmable request, if no registration is active and the retry delay has passed.
    pub(crate) fn ask(
        &mut self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        connection: ConnectionId,
        request: impl FnOnce() -> CoapRequest,
    ) {
        let is_due = match self {
            Self::Waiting => true,
            Self::Retrying(at) => *at <= cx.now,
            Self::Observing(_) => false,
        };
        if is_due {
            let request = CoapRequest {
                observe: true,
                ..request()
            };
            let request = endpoint.request(cx, connection, request, Role::SessionSetUp);
            *self = Self::Observing(request);
        }
    }

    /// Whether a request belongs to the observation.
    pub(crate) fn is_by(self, request: RequestId) -> bool {
        self == Self::Observing(request)
    }

    /// Handles the failure or the end of the observation.
    pub(crate) fn fail(&mut self, now: Instant) {
        self.wait(now);
    }

    /// Schedules the next registration a little after this instant.
    pub(crate) fn wait(&mut self, until: Instant) {
        *self = Self::Retrying(until + RETRY_DELAY);
    }

    /// Returns when the observation must be registered again.
    pub(crate) const fn next_deadline(self) -> Option<Instant> {
        match self {
            Self::Retrying(at) => Some(at),
            Self::Waiting | Self::Observing(_) => None,
        }
    }
}

/// Returns a GET request for a path.
pub(crate) fn get(path: &str) -> CoapRequest {
    CoapRequest::new(MessageType::Confirmable, Code::GET, path)
}
