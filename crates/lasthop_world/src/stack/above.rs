use lasthop_cache::{Back, Cache, Front};
use lasthop_contract::{Application, DeviceId, FlowId};
use lasthop_traffic::{
    Gateway, Inlet, Origin, Outlet, PayloadTemplate, Reaction, Renewal, Renewing, Traffic,
};

/// The traffic on top of a protocol.
pub enum Above {
    /// Schedules, if this end sends messages, and the reaction to received messages.
    Schedules(Option<Origin>, Reaction),
    /// A single message of this flow, which an arriving device sends.
    OneReport(PayloadTemplate, FlowId),
    /// Traffic over renewed sessions, and whether the protocol acknowledges messages.
    BySessions(Box<Self>, DeviceId, Renewal, bool),
    /// The downstream side of a gateway, which receives messages.
    TakenBy(Gateway),
    /// The upstream side of a gateway, which forwards messages. The gateway runs on the device with this ID.
    PassedOnBy(Gateway, DeviceId),
    /// The downstream side of a caching proxy, with the number of this service.
    ReadThrough(Cache, usize),
    /// The upstream side of a caching proxy, which fetches missing representations.
    FetchedBy(Cache),
    /// No traffic: the application is used directly.
    Nothing,
}

impl Above {
    /// Wraps a protocol with this traffic.
    #[must_use]
    pub fn over(self, protocol: impl Application + 'static) -> Box<dyn Application> {
        match self {
            Self::Schedules(origin, reaction) => Box::new(Traffic::new(protocol, origin, reaction)),
            Self::OneReport(payload, flow) => {
                Box::new(Traffic::of_one_report(protocol, payload, flow))
            }
            Self::BySessions(above, device, renewal, acknowledges) => {
                let protocol: Box<dyn Application> = Box::new(protocol);
                above.over(Renewing::new(protocol, device, renewal, acknowledges))
            }
            Self::TakenBy(gateway) => Box::new(Inlet::new(protocol, gateway)),
            Self::PassedOnBy(gateway, device) => Box::new(Outlet::new(protocol, gateway, device)),
            Self::ReadThrough(cache, number) => Box::new(Front::new(protocol, cache, number)),
            Self::FetchedBy(cache) => Box::new(Back::new(protocol, cache)),
            Self::Nothing => Box::new(protocol),
        }
    }
}
