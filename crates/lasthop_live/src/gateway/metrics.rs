use std::rc::Rc;
use std::sync::Arc;

use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use lasthop_broker::Ticket;
use lasthop_gateway::{Asked, GatewayPort, Refused};
use lasthop_http::ServerLimits;
use lasthop_units::Instant;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};

use crate::containment::Failures;

use super::StoreMeasures;
use super::answering::{Answering, Answers};
use super::traffic_books::TrafficBooks;

/// A server of metrics for Prometheus.
pub(crate) type Metrics = Answering<Counted>;

/// The counters of a gateway for Prometheus: `GET /metrics`, in the text format of OpenMetrics 1.0. They contain no
/// device names and no payloads.
#[derive(Debug)]
pub(crate) struct Counted {
    pub(crate) gateway: GatewayPort,
    pub(crate) store: Arc<StoreMeasures>,
    pub(crate) traffic: Rc<TrafficBooks>,
    pub(crate) failures: Rc<Failures>,
}

impl Metrics {
    pub(crate) fn of(counted: Counted, limits: ServerLimits) -> Self {
        Self::new(counted, limits)
    }
}

impl Answers for Counted {
    fn ask(&mut self, _now: Instant, request: &Request<Vec<u8>>) -> Asked {
        Asked::Answer(self.answer(request))
    }

    /// None has to wait.
    fn next_answer(&mut self) -> Option<(Ticket, Response<Vec<u8>>)> {
        None
    }
}

impl Counted {
    fn answer(&self, request: &Request<Vec<u8>>) -> Response<Vec<u8>> {
        let mut answer = Response::new(Vec::new());
        if request.uri().path() != "/metrics" {
            *answer.status_mut() = StatusCode::NOT_FOUND;
        } else if *request.method() != Method::GET {
            *answer.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
            let allowed = HeaderValue::from_static("GET");
            answer.headers_mut().insert(ALLOW, allowed);
        } else if let Some(text) = self.text() {
            let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
            let kind = HeaderValue::from_static(kind);
            answer.headers_mut().insert(CONTENT_TYPE, kind);
            *answer.body_mut() = text.into_bytes();
        } else {
            *answer.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        }
        answer
    }

    fn register_by_reason(&self, registry: &mut Registry) {
        let counted = self.gateway.counters();
        let refused = Refused::ALL.iter().map(|it| it.name()).zip(counted.refused);
        let denied = [
            ("not_allowed", counted.not_allowed),
            ("limit", counted.limited),
        ];
        for (name, help, counts) in [
            (
                "refusals_by_reason",
                "Clients that were refused, by the reason",
                refused.collect(),
            ),
            (
                "denied_messages_by_reason",
                "Messages that were not taken, by the reason",
                denied.to_vec(),
            ),
        ] {
            let family = Family::<[(&str, &str); 1], Counter>::default();
            for (reason, count) in counts {
                family.get_or_create(&[("reason", reason)]).inc_by(count);
            }
            registry.register(name, help, family);
        }
    }

    fn register_store(&self, registry: &mut Registry) {
        registry.register_with_unit(
            "commit",
            "From the beginning of a transaction until its messages are on the disk",
            Unit::Seconds,
            self.store.commits.clone(),
        );
        registry.register(
            "waiting_messages",
            "Messages that wait to be written",
            ConstGauge::new(self.store.waiting()),
        );
        registry.register_with_unit(
            "waiting",
            "Memory that these messages take",
            Unit::Bytes,
            ConstGauge::new(self.store.waiting_size()),
        );
    }

    fn text(&self) -> Option<String> {
        let counted = self.gateway.counters();
        let mut registry = Registry::with_prefix("lasthop_gateway");
        for (name, help, count) in [
            ("admissions", "Tokens that were believed", counted.admitted),
            (
                "known_tokens",
                "Of these, those that had been verified before",
                counted.known_tokens,
            ),
            ("refusals", "Clients that were refused", counted.refusals()),
            (
                "kept_messages",
                "Messages that are on the disk",
                counted.kept,
            ),
            (
                "denied_messages",
                "Messages that were not allowed, too large or too many",
                counted.denied(),
            ),
            (
                "failed_messages",
                "Messages that could not be written",
                counted.failed,
            ),
            (
                "failed_connections",
                "Connections that were closed because lasthop failed",
                self.failures.count(),
            ),
        ] {
            registry.register(name, help, ConstCounter::new(count));
        }
        let devices = i64::try_from(self.gateway.device_count()).unwrap_or(i64::MAX);
        let devices = ConstGauge::new(devices);
        registry.register("devices", "Devices that are registered", devices);
        self.register_by_reason(&mut registry);
        self.register_store(&mut registry);
        self.traffic.register(&mut registry);
        let mut text = String::new();
        encode(&mut text, &registry).ok()?;
        Some(text)
    }
}
