use lasthop_contract::{Application, FlowId};
use lasthop_traffic::{Origin, PayloadTemplate, Reaction, Traffic};

/// What stands on a protocol: the traffic that is sent by it.
pub enum Above {
    /// Schedules, where this end makes messages, and what it does with those that arrive.
    Schedules(Option<Origin>, Reaction),
    /// One message of this flow, with which a device comes.
    OneReport(PayloadTemplate, FlowId),
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
            Self::Nothing => Box::new(protocol),
        }
    }
}
