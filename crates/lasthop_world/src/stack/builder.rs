use core::num::NonZeroU32;

use lasthop_contract::{Application, Transport};
use lasthop_device::Secures;
use lasthop_traffic::Renewal;
use lasthop_transport::{Fallback, FallbackPolicy, Local, PeerLimit};
use lasthop_units::Duration;

use super::device_end::Reads;
use super::layer::{FallsBack, LayerKind, ServerFiles};
use super::{
    Above, ApplicationBuilder, Below, ClientEnd, HostEnd, LayerBuilder, Options, Registry,
    ServerEnd, SocketServer,
};
use crate::spec::{LayerSpec, SessionSpec, SpecError, StackSpec, UserCredentials};

/// A builder of both ends of a stack.
pub struct StackBuilder {
    application: Box<dyn ApplicationBuilder>,
    /// From the lowest up.
    layers: Vec<Box<dyn LayerBuilder>>,
    /// The layers of a client that the first lead nowhere, and when it takes them.
    fallback: Option<(Vec<Box<dyn LayerBuilder>>, FallbackPolicy)>,
    ip_version: u8,
    port: u16,
    own_port: u16,
    has_topics: bool,
    /// Whether secured datagrams carry it, whose sessions no application knows of.
    is_over_dtls: bool,
}

/// The end of a connection for which a layer is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The end that opens the connection.
    Client,
    /// The end that accepts the connection.
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
        let falls_back = layers.iter().find_map(|layer| layer.falls_back());
        let fallback = falls_back.map(|it| fallback(registry, stack, ip_version, it));
        let options = Options::checked("stack", Some(stack), &stack.application, known.options)?;
        let build = known.build.ok_or_else(|| unknown(&stack.application))?;
        Ok(Self {
            application: build(stack, options),
            layers,
            fallback: fallback.transpose()?,
            ip_version,
            port: known.port_on(below.iter().copied()),
            own_port: known.port,
            has_topics: known.has_topics,
            is_over_dtls: below.contains(&"dtls"),
        })
    }

    /// Makes both ends present the user's credentials instead of generated ones.
    pub fn show(&mut self, given: &UserCredentials) {
        let below = self.fallback.iter_mut().flat_map(|(layers, _)| layers);
        for layer in self.layers.iter_mut().chain(below) {
            layer.show(given);
        }
    }

    /// Prepares clients for an external server.
    ///
    /// # Errors
    /// When they cannot, in words.
    pub fn meet(&mut self, server: &SocketServer<'_>) -> Result<(), String> {
        if self.fallback.is_some() {
            return Err("a client has one kind of socket, and falls back to no other".to_owned());
        }
        self.layers.iter_mut().try_for_each(|it| it.meet(server))
    }

    /// Returns the server's credential files in a run with this seed, if a layer presents credentials.
    #[must_use]
    pub fn server_files(&self, seed: u64) -> Option<ServerFiles> {
        self.layers
            .iter()
            .find_map(|layer| layer.server_files(seed))
    }

    /// Returns the IP version, 4 or 6.
    #[must_use]
    pub fn ip_version(&self) -> u8 {
        self.ip_version
    }

    /// Returns the default port of the stack's servers.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where the application of a server listens, whatever it stands on. A host leads what comes at another port to it.
    pub(crate) fn own_port(&self) -> u16 {
        self.own_port
    }

    /// Whether a server relays publications of devices to subscribers.
    #[must_use]
    pub fn has_topics(&self) -> bool {
        self.has_topics
    }

    /// Returns the application builder.
    #[must_use]
    pub fn application(&self) -> &dyn ApplicationBuilder {
        &*self.application
    }

    /// Builds the layers of a device, for this transport of its host.
    #[must_use]
    pub fn client_transport(
        &self,
        host: &HostEnd<'_>,
        place: impl Into<Local>,
    ) -> Box<dyn Transport> {
        self.transport(host, Role::Client, place.into(), None)
    }

    /// The layers of a device above a socket, which stands for the lowest one.
    pub(crate) fn over_socket(
        &self,
        host: &HostEnd<'_>,
        socket: Box<dyn Transport>,
    ) -> Box<dyn Transport> {
        self.over(socket, &self.layers, host, Role::Client)
    }

    /// Whether something stands between a socket and the application.
    pub(crate) fn has_layers_over_sockets(&self) -> bool {
        self.layers.len() > 1
    }

    /// By what both ends know each other, where they do.
    pub(crate) fn secures(&self) -> Option<Secures> {
        self.layers.iter().find_map(|layer| layer.secures())
    }

    /// Builds the layers of a server, for this transport of its host.
    #[must_use]
    pub fn server_transport(
        &self,
        host: &HostEnd<'_>,
        place: impl Into<Local>,
    ) -> Box<dyn Transport> {
        let limit = self.application.peer_limit();
        self.transport(host, Role::Server, place.into(), limit)
    }

    /// Builds the client application of a device with its traffic.
    #[must_use]
    pub fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        let renewal = match end.session {
            SessionSpec::Keep | SessionSpec::Established => None,
            SessionSpec::PerMessage => Some(Renewal::Messages(NonZeroU32::MIN)),
            SessionSpec::Per(most) => NonZeroU32::new(most).map(Renewal::Messages),
            SessionSpec::ForNs(nanos) => Some(Renewal::Time(Duration::from_nanos(nanos))),
        };
        let above = match renewal {
            Some(renewal) if self.is_over_dtls => {
                let acknowledges = self.application.acknowledges();
                Above::BySessions(Box::new(above), end.device, renewal, acknowledges)
            }
            _ => above,
        };
        self.application.client(end, above)
    }

    /// Builds the server application with its traffic.
    #[must_use]
    pub fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        self.application.server(end, above)
    }

    /// Returns the port of the fallback layers, if there are any.
    #[must_use]
    pub fn fallback_port(&self) -> Option<u16> {
        self.fallback.as_ref().map(|(_, policy)| policy.port)
    }

    fn transport(
        &self,
        host: &HostEnd<'_>,
        role: Role,
        place: Local,
        limit: Option<PeerLimit>,
    ) -> Box<dyn Transport> {
        let Some((others, policy)) = &self.fallback else {
            return self.build(&self.layers, host, role, Below::Ip(place, limit));
        };
        let first = self.build(&self.layers, host, role, Below::Ip(place.clone(), limit));
        let second = self.build(others, host, role, Below::Ip(place, limit));
        Box::new(Fallback::new(first, second, *policy))
    }

    /// Builds layers on top of what is below.
    fn build(
        &self,
        layers: &[Box<dyn LayerBuilder>],
        host: &HostEnd<'_>,
        role: Role,
        below: Below,
    ) -> Box<dyn Transport> {
        let Some(lowest) = layers.first() else {
            unreachable!("the registry has no stack without a transport");
        };
        self.over(lowest.build(host, role, below), layers, host, role)
    }

    /// Builds layers on an existing lowest layer, which uses the resources of the device.
    fn over(
        &self,
        lowest: Box<dyn Transport>,
        layers: &[Box<dyn LayerBuilder>],
        host: &HostEnd<'_>,
        role: Role,
    ) -> Box<dyn Transport> {
        let mut transport = lowest;
        for (place, layer) in layers.iter().enumerate() {
            if place > 0 {
                transport = layer.build(host, role, Below::Transport(transport));
            }
            if let Some(device) = host.device {
                transport = match layer.secures() {
                    // Its task computes the keys.
                    Some(secures) => device.secured(transport, secures),
                    None => transport,
                };
                if place == 0 {
                    transport =
                        device.transport(transport, self.reads(layers.get(1).map(|it| &**it)));
                }
            }
        }
        transport
    }

    /// Returns how data is read from the lowest layer, below this one or the application.
    fn reads(&self, above: Option<&dyn LayerBuilder>) -> Reads {
        match above {
            // No layer loses what it stands on: only an application throws messages away.
            Some(above) => Reads::Records(above.boundary()),
            None => Reads::Messages(self.application.boundary()),
        }
    }
}

/// Returns the fallback layers of a stack, with default options.
fn fallback(
    registry: &Registry,
    stack: &StackSpec,
    ip_version: u8,
    falls_back: FallsBack,
) -> Result<(Vec<Box<dyn LayerBuilder>>, FallbackPolicy), SpecError> {
    let layers = format!("{}/{}", stack.application.name, falls_back.layers);
    let other = registry.stack(&layers, &[("ip.version", &ip_version.to_string())])?;
    let builder = StackBuilder::new(registry, &other)?;
    let policy = FallbackPolicy {
        after: falls_back.after,
        races: falls_back.races,
        remembered: falls_back.remembered,
        port: builder.port,
    };
    Ok((builder.layers, policy))
}

impl Below {
    /// Returns the addresses and ports of the transport and its peer limit, for a layer on IP.
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

    /// Returns the transport below, for a layer on a transport.
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
