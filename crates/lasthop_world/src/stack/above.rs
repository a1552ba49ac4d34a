use lasthop_cache::{Back, Cache, Front};
use lasthop_contract::{Application, DeviceId, FlowId};
use lasthop_traffic::{
    Gateway, Inlet, Origin, Outlet, PayloadTemplate, Reaction, Renewal, Renewing, Traffic,
};

/// What stands on a protocol: the traffic that is sent by it.
pub enum Above {
    /// Schedules, where this end makes messages, and what it does with those that arrive.
    Schedules(Option<Origin>, Reaction),
    /// One message of this flow, with which a device comes.
    OneReport(PayloadTemplate, FlowId),
    /// All that, by a session that is made anew; whether the protocol acknowledges messages.
    BySessions(Box<Self>, DeviceId, Renewal, bool),
    /// A gateway, which takes what comes.
    TakenBy(Gateway),
    /// A gateway, which passes on what it has, from the device of this number.
    PassedOnBy(Gateway, DeviceId),
    /// A caching proxy, of which this is the service of this number.
    ReadThrough(Cache, usize),
    /// A caching proxy, which fetches what it has not.
    FetchedBy(Cache),
    /// Nothing: the application is used by itself.
    Nothing,
}

impl Above {
    /// Puts it on a protocol.
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
