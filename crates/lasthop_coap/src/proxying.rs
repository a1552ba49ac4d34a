use std::rc::Rc;

use lasthop_cache::{Cache, Freshness, Seen, UpstreamReport, UpstreamRequest, UpstreamState};
use lasthop_contract::ConnectionId;
use lasthop_units::{Duration, Instant};

use crate::context::Context;
use crate::endpoint::{DEFAULT_MAX_AGE, Endpoint, Role};
use crate::registration::{Registration, get};
use crate::{CoapRequest, CoapResponse, RequestEvent, RequestId};

/// The requests of a proxy's client for named resources, shared by all downstream clients (RFC 7641 section 5).
#[derive(Debug)]
pub(crate) struct Proxying {
    cache: Cache,
    /// Whether the server can be asked.
    is_connected: bool,
    observed: Vec<Observed>,
    /// Requests for what nobody observes.
    asked: Vec<(RequestId, Rc<str>)>,
}

#[derive(Debug)]
struct Observed {
    name: Rc<str>,
    registration: Registration,
}

impl Proxying {
    /// Creates the client and sets its cache to use observations.
    pub(crate) fn new(cache: Cache) -> Self {
        cache.can_observe();
        Self {
            cache,
            is_connected: false,
            observed: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// Sends the requests that the cache has asked for since, if the server is reachable.
    pub(crate) fn carry_out(
        &mut self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        connection: ConnectionId,
    ) {
        while self.is_connected
            && let Some(wish) = self.cache.next_upstream_request()
        {
            match wish {
                UpstreamRequest::Ask {
                    name,
                    observes: false,
                } => {
                    let request = endpoint.request(cx, connection, named(&name), Role::Content);
                    self.asked.push((request, name));
                }
                UpstreamRequest::Ask { name, .. } => self.register(cx, endpoint, connection, name),
                UpstreamRequest::End(name) => {
                    let mut ended = self.observed.extract_if(.., |it| it.name == name);
                    if let Some(Registration::Observing(request)) =
                        ended.next().map(|it| it.registration)
                    {
                        endpoint.cancel(cx, request);
                    }
                }
            }
        }
    }

    fn register(
        &mut self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        connection: ConnectionId,
        name: Rc<str>,
    ) {
        let place = self.observed.iter().position(|it| it.name == name);
        let place = place.unwrap_or_else(|| {
            self.observed.push(Observed {
                name,
                registration: Registration::Waiting,
            });
            self.observed.len() - 1
        });
        let observed = &mut self.observed[place];
        if let Registration::Observing(request) = observed.registration {
            endpoint.register_again(cx, request);
        } else {
            observed.registration = Registration::Waiting;
            observed.ask(cx, endpoint, connection);
        }
    }

    /// Handles a reachable server: observations are registered from now on.
    pub(crate) fn observe(
        &mut self,
        cx: &mut Context<'_>,
        endpoint: &mut Endpoint,
        connection: ConnectionId,
    ) {
        self.is_connected = true;
        for observed in &mut self.observed {
            observed.ask(cx, endpoint, connection);
        }
    }

    /// Processes the outcome of a request and updates the cache.
    ///
    /// # Errors
    /// The event of another request.
    pub(crate) fn take(&mut self, now: Instant, event: RequestEvent) -> Result<(), RequestEvent> {
        let request = event.request();
        let asked = self.asked.iter().position(|(its, _)| *its == request);
        let mut observed = self.observed.iter();
        let observed = observed.position(|it| it.registration.is_by(request));
        let name = match (asked, observed) {
            (Some(place), _) => self.asked.swap_remove(place).1,
            (None, Some(place)) => Rc::clone(&self.observed[place].name),
            (None, None) => return Err(event),
        };
        let report = match event {
            RequestEvent::Response(response) => UpstreamReport {
                was_to_observe: observed.is_some(),
                is_observed: observed.is_some()
                    && response.code.is_success()
                    && response.observe.is_some(),
                state: state_of(&response),
            },
            RequestEvent::Failed { .. } => UpstreamReport {
                state: UpstreamState::Nothing(None),
                was_to_observe: observed.is_some(),
                is_observed: false,
            },
        };
        if let Some(place) = observed {
            match &report.state {
                UpstreamState::Nothing(_) => self.observed[place].registration.fail(now),
                _ if report.is_observed => {}
                // It is no observation any more.
                _ => {
                    self.observed.swap_remove(place);
                }
            }
        }
        self.cache.report(now, &name, report);
        Ok(())
    }

    /// Ends all observations because the connection is closed. Outcomes of requests were reported before.
    pub(crate) fn lapse(&mut self) {
        self.is_connected = false;
        for observed in &mut self.observed {
            observed.registration = Registration::Waiting;
        }
    }

    /// Handles a power failure of the host.
    pub(crate) fn crash(&mut self) {
        self.is_connected = false;
        self.observed.clear();
        self.asked.clear();
    }

    /// Returns when the next observation must be registered again.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        let again = self.observed.iter();
        again.filter_map(|it| it.registration.next_deadline()).min()
    }
}

impl Observed {
    fn ask(&mut self, cx: &mut Context<'_>, endpoint: &mut Endpoint, connection: ConnectionId) {
        let name = &self.name;
        self.registration
            .ask(cx, endpoint, connection, || named(name));
    }
}

/// Asks for a resource by its name: the path, and the arguments behind `?`.
fn named(name: &str) -> CoapRequest {
    let (path, query) = name.split_once('?').unwrap_or((name, ""));
    let arguments = query.split('&').filter(|argument| !argument.is_empty());
    CoapRequest {
        query: arguments.map(str::to_owned).collect(),
        ..get(path)
    }
}

fn state_of(response: &CoapResponse) -> UpstreamState {
    if !response.code.is_success() {
        return UpstreamState::Refused(response.code.0);
    }
    let lifetime = Duration::from_secs(response.max_age.unwrap_or(DEFAULT_MAX_AGE).into());
    UpstreamState::State(Seen {
        payload: response.payload[..].into(),
        format: response.content_format,
        freshness: Freshness {
            lifetime: Some(lifetime),
            age: Duration::ZERO,
            tag: response.tag,
        },
    })
}
