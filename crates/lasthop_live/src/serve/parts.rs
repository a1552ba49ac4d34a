use std::rc::Rc;

use lasthop_contract::{Application, Transport};

use crate::containment::{
    ContainedApplication, ContainedTransport, Failures, Layer, Peers, Sockets, Turn,
};
use crate::gateway::Traffic;

/// Sockets, and the layers that stand on them.
pub(super) struct Stack {
    top: Box<dyn Transport>,
    /// The service above it and whose turn it is, where a panic is contained.
    contained: Option<(&'static str, Rc<Turn>)>,
}

impl Stack {
    /// One that nobody outside has a connection with.
    pub(super) fn bare(top: Box<dyn Transport>) -> Self {
        let contained = None;
        Self { top, contained }
    }

    /// Sockets below a service of this name, whose panics end a connection each.
    pub(super) fn of(
        name: &'static str,
        sockets: impl Peers + 'static,
        failures: &Rc<Failures>,
        traffic: &Rc<Traffic>,
    ) -> Self {
        let turn = Turn::of(name);
        let stack = Self {
            top: Box::new(Sockets::new(sockets, &turn, failures, traffic)),
            contained: Some((name, turn)),
        };
        #[cfg(test)]
        let stack = stack.under("brittle", crate::containment::Brittle::new);
        stack
    }

    /// Puts a layer of this name on top.
    pub(super) fn under<T: Transport + 'static>(
        self,
        name: &'static str,
        layer: impl FnOnce(Box<dyn Transport>) -> T,
    ) -> Self {
        let layer = layer(self.top);
        let top: Box<dyn Transport> = match &self.contained {
            Some((_, turn)) => Box::new(Layer::new(name, layer, turn)),
            None => Box::new(layer),
        };
        Self { top, ..self }
    }
}

/// An application, and what its clients come by.
pub(super) struct Parts {
    pub(super) application: Box<dyn Application>,
    pub(super) stacks: Vec<Stack>,
    pub(super) is_mqtt: bool,
    pub(super) is_bridge: bool,
}

impl Parts {
    pub(super) fn of(stack: Stack, application: Box<dyn Application>) -> Self {
        Self {
            application,
            stacks: vec![stack],
            is_mqtt: false,
            is_bridge: false,
        }
    }

    /// The application and its transports, whose panics end a connection each.
    pub(super) fn contained(self) -> (Box<dyn Application>, Vec<Box<dyn Transport>>) {
        let (mut application, mut turns) = (self.application, Vec::new());
        let mut named = "";
        let stacks = self.stacks.into_iter();
        let transports = stacks.map(|stack| -> Box<dyn Transport> {
            let Some((name, turn)) = stack.contained else {
                return stack.top;
            };
            let transport = ContainedTransport::new(name, stack.top, &turn);
            named = name;
            turns.push(turn);
            Box::new(transport)
        });
        let transports = transports.collect();
        if !turns.is_empty() {
            application = Box::new(ContainedApplication::new(named, application, turns));
        }
        (application, transports)
    }
}
