use std::cell::{Cell, RefCell};
use std::rc::Rc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use crate::Tally;

/// The bytes sent and received by each service of a server, and the number of its connections.
#[derive(Debug, Default)]
pub(crate) struct TrafficBooks {
    services: RefCell<Vec<ServiceTraffic>>,
}

/// The bytes through the sockets of a service, with those of TLS and without kernel headers.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    /// Bytes received.
    pub(crate) received: Cell<u64>,
    /// Bytes that the kernel or its send queue has accepted.
    pub(crate) sent: Cell<u64>,
}

#[derive(Debug)]
struct ServiceTraffic {
    protocol: &'static str,
    traffic: Rc<Traffic>,
    connections: Option<Connections>,
}

/// The counter of a service's connections.
#[derive(Debug)]
pub(crate) enum Connections {
    /// The counters of kernel sockets.
    Kernel(Rc<Tally>),
    /// The number of open connections of lasthop's own transport.
    Own(Rc<Cell<usize>>),
}

type ByProtocol<M> = Family<[(&'static str, &'static str); 1], M>;

impl Traffic {
    pub(crate) fn note_received(&self, bytes: usize) {
        self.received.set(self.received.get() + bytes as u64);
    }

    pub(crate) fn note_sent(&self, bytes: usize) {
        self.sent.set(self.sent.get() + bytes as u64);
    }
}

impl TrafficBooks {
    /// Adds a service. Returns the counters for its sockets.
    pub(crate) fn open(&self, protocol: &'static str) -> Rc<Traffic> {
        let traffic = Rc::<Traffic>::default();
        self.services.borrow_mut().push(ServiceTraffic {
            protocol,
            traffic: Rc::clone(&traffic),
            connections: None,
        });
        traffic
    }

    /// Sets the connection counter of the service that was added last.
    pub(crate) fn count_by(&self, connections: Connections) {
        if let Some(last) = self.services.borrow_mut().last_mut() {
            last.connections = Some(connections);
        }
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        let connections = ByProtocol::<Gauge>::default();
        let turned_away = ByProtocol::<Counter>::default();
        let received = ByProtocol::<Counter>::default();
        let sent = ByProtocol::<Counter>::default();
        for service in &*self.services.borrow() {
            let labels = [("protocol", service.protocol)];
            let open = match &service.connections {
                Some(Connections::Kernel(tally)) => {
                    let refused = tally.refused.get();
                    turned_away.get_or_create(&labels).inc_by(refused);
                    Some(tally.open.get())
                }
                Some(Connections::Own(open)) => Some(open.get()),
                None => None,
            };
            if let Some(open) = open {
                let open = i64::try_from(open).unwrap_or(i64::MAX);
                connections.get_or_create(&labels).set(open);
            }
            let traffic = &service.traffic;
            received
                .get_or_create(&labels)
                .inc_by(traffic.received.get());
            sent.get_or_create(&labels).inc_by(traffic.sent.get());
        }
        registry.register("connections", "Connections that are open", connections);
        registry.register(
            "connections_turned_away",
            "Connections of TCP that were closed at once, because there were as many as there may be",
            turned_away,
        );
        let help = "Bytes that came by the sockets, with what secures them";
        registry.register_with_unit("received", help, Unit::Bytes, received);
        let help = "Bytes that went by the sockets, with what secures them";
        registry.register_with_unit("sent", help, Unit::Bytes, sent);
    }
}
