use lasthop_contract::{Application, Transport};
use lasthop_transport::{Local, PeerLimit};

use super::layer::LayerKind;
use super::{
    Above, ApplicationBuilder, Below, ClientEnd, HostEnd, LayerBuilder, Options, Registry,
    ServerEnd,
};
use crate::spec::{LayerSpec, SpecError, StackSpec};

/// Builds both ends of a stack.
pub struct StackBuilder {
    application: Box<dyn ApplicationBuilder>,
    /// From the lowest up.
    layers: Vec<Box<dyn LayerBuilder>>,
    ip_version: u8,
    port: u16,
    own_port: u16,
    has_topics: bool,
}

/// Which end of a connection a layer is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The end that opens it.
    Client,
    /// The end that accepts it.
    Server,
}

impl StackBuilder {
    pub(super) fn new(registry: &Registry, stack: &StackSpec) -> Result<Self, SpecError> {
        let known = registry
            .application(&stack.application.name)
            .ok_or_else(|| unknown(&stack.application))?;
        let below: Vec<&str> = stack.layers.iter().map(|it| it.name.as_str()).collect();
        let Some((&"ip", below)) = below.split_last() else {
            return Err(SpecError::value("stack", "the lowest layer is ip"));
        };
        let ways = registry.ways_to_run(known);
        if !ways.iter().any(|way| way == below) {
            let ways: Vec<String> = ways.iter().map(|way| way.join("/")).collect();
            let problem = format!(
                "{} does not run over {}, but over {}",
                known.name,
                below.join("/"),
                ways.join(" or ")
            );
            return Err(SpecError::value("stack", problem));
        }
        let mut ip_version = 4;
        let mut layers = Vec::new();
        for layer in stack.layers.iter().rev() {
            let entry = registry.layer(&layer.name).ok_or_else(|| unknown(layer))?;
            let options = Options::checked("stack", Some(stack), layer, entry.options)?;
            match entry.kind {
                LayerKind::Network => {
                    ip_version = if options.word("version") == "6" { 6 } else { 4 };
                }
                LayerKind::Transport(build) => layers.push(build(stack, options)),
                LayerKind::Planned => return Err(unknown(layer)),
            }
        }
        let options = Options::checked("stack", Some(stack), &stack.application, known.options)?;
        let build = known.build.ok_or_else(|| unknown(&stack.application))?;
        Ok(Self {
            application: build(stack, options),
            layers,
            ip_version,
            port: known.port_on(below.iter().copied()),
            own_port: known.port,
            has_topics: known.has_topics,
        })
    }

    /// The version of IP, 4 or 6.
    #[must_use]
    pub fn ip_version(&self) -> u8 {
        self.ip_version
    }

    /// Where its servers listen, unless they are told otherwise.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where the application of a server listens, whatever it stands on. A host leads what comes at another port to it.
    pub(crate) fn own_port(&self) -> u16 {
        self.own_port
    }

    /// Whether a server passes on what a device publishes to the devices that subscribe.
    #[must_use]
    pub fn has_topics(&self) -> bool {
        self.has_topics
    }

    /// What builds the application.
    #[must_use]
    pub fn application(&self) -> &dyn ApplicationBuilder {
        &*self.application
    }

    /// The layers of a device, at this place in its host.
    #[must_use]
    pub fn client_transport(
        &self,
        host: &HostEnd<'_>,
        place: impl Into<Local>,
    ) -> Box<dyn Transport> {
        self.transport(host, Role::Client, Below::Ip(place.into(), None))
    }

    /// The layers of a server, at this place in its host.
    #[must_use]
    pub fn server_transport(
        &self,
        host: &HostEnd<'_>,
        place: impl Into<Local>,
    ) -> Box<dyn Transport> {
        let limit = self.application.peer_limit();
        self.transport(host, Role::Server, Below::Ip(place.into(), limit))
    }

    /// The protocol of a device, with what stands on it.
    #[must_use]
    pub fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        self.application.client(end, above)
    }

    /// The protocol of a server, with what stands on it.
    #[must_use]
    pub fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        self.application.server(end, above)
    }

    fn transport(&self, host: &HostEnd<'_>, role: Role, mut below: Below) -> Box<dyn Transport> {
        for layer in &self.layers {
            below = Below::Transport(layer.build(host, role, below));
        }
        match below {
            Below::Transport(transport) => transport,
            Below::Ip(..) => unreachable!("the registry has no stack without a transport"),
        }
    }
}

impl Below {
    /// The place in the host and its limit, for a layer that stands on IP.
    ///
    /// # Panics
    /// Where something else is below: the registry has no such stack.
    #[must_use]
    pub fn into_ip(self) -> (Local, Option<PeerLimit>) {
        match self {
            Self::Ip(place, limit) => (place, limit),
            Self::Transport(_) => panic!("this layer stands on ip"),
        }
    }

    /// The transport below, for a layer that stands on one.
    ///
    /// # Panics
    /// Where IP is below: the registry has no such stack.
    #[must_use]
    pub fn into_transport(self) -> Box<dyn Transport> {
        match self {
            Self::Transport(transport) => transport,
            Self::Ip(..) => panic!("this layer stands on a transport"),
        }
    }
}

fn unknown(layer: &LayerSpec) -> SpecError {
    let problem = format!("{} is not built", layer.name);
    SpecError::value("stack", problem)
}
