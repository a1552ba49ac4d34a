use lasthop_contract::ConnectionId;
use lasthop_units::{Duration, Instant};

use crate::codec::{Code, MessageType};
use crate::context::Context;
use crate::endpoint::{Endpoint, Role};
use crate::{CoapRequest, RequestId};

/// An observation that is to be there always: what ends is asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Registration {
    /// Nothing is asked for; it will be when the server can be reached.
    Waiting,
    /// It was asked for in vain, and will be again at this instant.
    Retrying(Instant),
    /// It is asked for, or goes on.
    Observing(RequestId),
}

/// How long after an observation that failed the next one is asked for.
const RETRY_DELAY: Duration = Duration::from_secs(1);

impl Registration {
    /// Asks for the observation if there is none and its time has come; always by a confirmable request.
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

    /// Whether a request is that of the observation.
    pub(crate) fn is_by(self, request: RequestId) -> bool {
        self == Self::Observing(request)
    }

    /// It was asked for in vain, or was ended.
    pub(crate) fn fail(&mut self, now: Instant) {
        self.wait(now);
    }

    /// It is asked for again a little after this instant.
    pub(crate) fn wait(&mut self, until: Instant) {
        *self = Self::Retrying(until + RETRY_DELAY);
    }

    /// When it is to be asked for again.
    pub(crate) const fn next_deadline(self) -> Option<Instant> {
        match self {
            Self::Retrying(at) => Some(at),
            Self::Waiting | Self::Observing(_) => None,
        }
    }
}

/// Asks for the resource of a path.
pub(crate) fn get(path: &str) -> CoapRequest {
    CoapRequest::new(MessageType::Confirmable, Code::GET, path)
}
