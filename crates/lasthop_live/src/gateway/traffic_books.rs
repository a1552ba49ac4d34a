use std::cell::{Cell, RefCell};
use std::rc::Rc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use crate::Tally;

/// What each service of a server has sent and received, and how many connections it has.
#[derive(Debug, Default)]
pub(crate) struct TrafficBooks {
    services: RefCell<Vec<ServiceTraffic>>,
}

/// Bytes that passed the sockets of a service: with what secures them, and without what the kernel puts around.
#[derive(Debug, Default)]
pub(crate) struct Traffic {
    /// Those that came.
    pub(crate) received: Cell<u64>,
    /// Those that the kernel, or the queue to it, has taken.
    pub(crate) sent: Cell<u64>,
}

#[derive(Debug)]
struct ServiceTraffic {
    protocol: &'static str,
    traffic: Rc<Traffic>,
    connections: Option<Connections>,
}

/// What counts the connections of a service.
#[derive(Debug)]
pub(crate) enum Connections {
    /// Those of the kernel.
    Kernel(Rc<Tally>),
    /// Our own, of which so many are open.
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
    /// What the sockets of one more service note.
    pub(crate) fn open(&self, protocol: &'static str) -> Rc<Traffic> {
        let traffic = Rc::<Traffic>::default();
        self.services.borrow_mut().push(ServiceTraffic {
            protocol,
            traffic: Rc::clone(&traffic),
            connections: None,
        });
        traffic
    }

    /// By what the connections of the service are counted that was opened last.
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
