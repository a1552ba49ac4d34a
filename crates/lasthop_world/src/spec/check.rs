use lasthop_contract::{Direction, FlowId};
use lasthop_traffic::FlowKind;

use crate::addresses::Addresses;
use crate::medium::nat::Translators;

use super::{
    ArrivalSpec, ArrivingSpec, EngineSpec, FlowSpec, GroupSpec, HopSpec, PathSpec, PayloadSpec,
    PopulationSpec, RunSpec, ServerLayout, ServerSpec, SessionSpec, SpecError,
};

/// More devices than this are not simulated packet by packet.
const MAX_DEVICES: u32 = 100_000;

/// More devices than this, one after the other, have no number (24 bits).
const MAX_ARRIVALS: f64 = 8e6;
/// Messages at one moment, or readings in one message.
pub(super) const MAX_TOGETHER: u32 = 10_000;

/// A client may subscribe to so many topics at its broker.
const MAX_HEARD: u32 = 1000;

/// A message to all goes to so many devices.
const MAX_AUDIENCE: u32 = 1000;

/// More messages than this have no number (24 bits).
const MAX_MESSAGES: u64 = 16_000_000;

/// Larger payloads fit no datagram with its headers.
const MAX_PAYLOAD: u64 = 60_000;

/// The largest file.
pub(crate) const MAX_DOWNLOAD: u64 = 64_000_000;

impl RunSpec {
    /// Holds the parts against each other: every name that is used is there, and what it names can be.
    pub(super) fn check(&self) -> Result<(), SpecError> {
        for (name, path) in &self.paths {
            path.check(name)?;
        }
        for (place, server) in self.servers.iter().enumerate() {
            server.check(place, self)?;
        }
        self.check_software()?;
        self.check_devices()?;
        self.check_load()?;
        let staying: u64 = self.groups.iter().map(|it| u64::from(it.staying())).sum();
        demand(&[
            (
                staying <= u64::from(MAX_DEVICES),
                "groups",
                "have more than 100000 devices",
            ),
            (
                self.groups
                    .iter()
                    .filter(|it| it.arriving().is_some())
                    .count()
                    <= 1,
                "groups",
                "devices of one group alone come and go",
            ),
        ])?;
        for (place, group) in self.groups.iter().enumerate() {
            group.check(place, self)?;
        }
        self.check_shared_hops()?;
        for (place, flow) in self.flows.iter().enumerate() {
            flow.check(place, self)?;
        }
        self.check_established()?;
        self.check_events()?;
        self.check_faults()?;
        self.check_only()?;
        demand(&[(
            Translators::of(self).shared() <= Addresses::OPERATORS,
            "paths",
            "have more than 254 translators that several devices share",
        )])
    }

    /// Hops of one name that are one have the same settings on every path.
    fn check_shared_hops(&self) -> Result<(), SpecError> {
        let hops = || self.paths.values().flat_map(|path| &path.hops);
        for hop in hops() {
            let others = hops().filter(|other| other.name == hop.name);
            let mut differences = others.filter_map(|it| hop.medium.medium().differs(hop, it));
            if let Some(noun) = differences.next() {
                let problem = format!("{} is one {noun}, and has different settings", hop.name);
                return Err(SpecError::value("paths", problem));
            }
        }
        Ok(())
    }

    /// Checks established sessions. Settings of a path apply to all who share it.
    fn check_established(&self) -> Result<(), SpecError> {
        if self.established_at().is_none() {
            return Ok(());
        }
        // What servers begin goes by sessions that devices have opened.
        let is_established = |flow: &FlowSpec| {
            flow.session == SessionSpec::Established || flow.kind.origin() == Direction::Down
        };
        demand(&[
            (
                self.flows.iter().all(is_established),
                "flows",
                "have their sessions established beforehand, all or none",
            ),
            (
                self.groups.iter().all(|it| it.arriving().is_none()),
                "groups",
                "who comes and goes has no session beforehand",
            ),
            (
                self.engine == EngineSpec::Virtual,
                "engine",
                "sessions are established beforehand in virtual time alone",
            ),
        ])
    }

    pub(crate) fn server(&self, name: &str) -> Option<&ServerSpec> {
        self.servers.iter().find(|server| server.name == name)
    }
}

impl PathSpec {
    pub(crate) fn check(&self, name: &str) -> Result<(), SpecError> {
        let hops = format!("paths.{name}.hops");
        let is_radio = |hop: &HopSpec| hop.medium.medium().is_radio();
        demand(&[
            (!self.hops.is_empty(), &hops, "a path has at least one hop"),
            (
                !self.hops.iter().skip(1).any(is_radio),
                &hops,
                "a radio network is the first hop of its devices",
            ),
        ])?;
        for (place, hop) in self.hops.iter().enumerate() {
            let field = format!("{hops}[{place}]");
            let before = self.hops[..place].iter();
            let translators = before.filter(|hop| hop.medium.medium().translates());
            demand(&[(
                translators.map(|it| it.scope).max() <= Some(hop.scope),
                &format!("{field}.scope"),
                "behind a translator with one address for many devices nobody has a hop of his own",
            )])?;
            hop.medium.medium().check(hop, &field)?;
        }
        Ok(())
    }
}

impl ServerSpec {
    fn check(&self, place: usize, spec: &RunSpec) -> Result<(), SpecError> {
        let field = format!("servers[{place}]");
        let is_first =
            |name: &str| spec.servers.iter().position(|it| it.name == name) == Some(place);
        if let Some(forwards) = &self.forwards {
            forwards.check(&field, self, spec)?;
        }
        demand(&[
            (is_first(&self.name), &field, "stands there twice"),
            (
                self.service_time.is_none() || spec.engine != EngineSpec::Load,
                &format!("{field}.service_time"),
                "a server that is somewhere else takes its own time",
            ),
            (
                spec.group(&self.name)
                    .is_none_or(|group| spec.gateway_of(group) == Some(self)),
                &field,
                "a group has the same name",
            ),
        ])?;
        for (number, service) in self.services.iter().enumerate() {
            let field = format!("{field}.services[{number}]");
            let before = &self.services[..number];
            let same_port = before.iter().any(|other| {
                let transport = |name: &str| {
                    let layers = spec.stacks.get(name).map(|stack| &stack.layers)?;
                    Some(&layers.iter().rev().nth(1)?.name)
                };
                other.port == service.port && transport(&other.stack) == transport(&service.stack)
            });
            demand(&[
                (
                    spec.stacks.contains_key(&service.stack),
                    &field,
                    "names no stack",
                ),
                (!same_port, &field, "the port is taken by another service"),
            ])?;
        }
        Ok(())
    }
}

impl GroupSpec {
    /// Returns the number of devices that are present from start to end.
    #[must_use]
    pub fn staying(&self) -> u32 {
        match self.population {
            PopulationSpec::Staying { devices } => devices,
            PopulationSpec::Arriving(_) => 0,
        }
    }

    /// Returns the arrivals of devices, or `None` if devices do not arrive during the run.
    #[must_use]
    pub fn arriving(&self) -> Option<&ArrivingSpec> {
        match &self.population {
            PopulationSpec::Staying { .. } => None,
            PopulationSpec::Arriving(arriving) => Some(arriving),
        }
    }

    /// Whether its devices have a client of this server.
    pub(crate) fn talks_to(&self, server: &str) -> bool {
        self.clients.iter().any(|client| client.server == server)
    }

    fn check(&self, place: usize, spec: &RunSpec) -> Result<(), SpecError> {
        let field = format!("groups[{place}]");
        let is_first = spec.groups.iter().position(|it| it.name == self.name) == Some(place);
        let strata: u64 = self.strata.iter().map(|it| u64::from(it.devices)).sum();
        demand(&[
            (is_first, &field, "stands there twice"),
            (self.weight > 0.0, &field, "the weight must be above 0"),
            (
                self.strata.is_empty() || strata == u64::from(self.staying()),
                &field,
                "the strata do not have as many devices as the group",
            ),
            (
                spec.paths.contains_key(&self.path),
                &field,
                "its path is not there",
            ),
            (!self.clients.is_empty(), &field, "a device has a client"),
            (
                self.arriving().is_none() || self.clients.len() == 1,
                &field,
                "devices that come and go have one client",
            ),
        ])?;
        for (number, client) in self.clients.iter().enumerate() {
            let field = format!("{field}.clients[{number}]");
            let server = spec.server(&client.server);
            let is_first = self.clients.iter().position(|it| it == client) == Some(number);
            let serves =
                |server: &ServerSpec| server.services.iter().any(|it| it.stack == client.stack);
            demand(&[
                (is_first, &field, "stands there twice"),
                (
                    spec.stacks.contains_key(&client.stack),
                    &field,
                    "its stack is not there",
                ),
                (server.is_some(), &field, "its server is not there"),
                (
                    server.is_some_and(serves),
                    &field,
                    "the server does not listen with this stack",
                ),
                (
                    self.arriving().is_none()
                        || server.is_some_and(|it| it.layout == ServerLayout::PerDevice),
                    "server",
                    "devices that come and go have a server each: per_device",
                ),
            ])?;
        }
        let Some(arriving) = self.arriving() else {
            return Ok(());
        };
        let network = spec.paths[&self.path].network();
        let rate = arriving.per_second_per_cell;
        let cells = f64::from(spec.paths[&self.path].cells());
        let per_second = "population.arriving.per_second_per_cell";
        demand(&[
            (
                (0.0..=1e6).contains(&rate),
                per_second,
                "must be from 0 to 1000000",
            ),
            (
                rate * cells * (arriving.until_ns as f64 / 1e9) <= MAX_ARRIVALS,
                per_second,
                "gives more than 8000000 devices",
            ),
            (
                arriving.give_up_ns > 0,
                "population.arriving.give_up_ns",
                "must be above 0",
            ),
            (
                network.is_some() && spec.paths[&self.path].hops.len() == 1,
                "population.arriving",
                "needs a path that devices can come to: nbiot alone",
            ),
        ])
    }
}

impl FlowSpec {
    /// Returns the end of the flow that is a group.
    #[must_use]
    pub fn group(&self) -> &str {
        match self.kind {
            FlowKind::Command | FlowKind::Pull | FlowKind::Download => &self.to,
            FlowKind::Report | FlowKind::RoundTrip | FlowKind::Relay | FlowKind::RelayToAll => {
                &self.from
            }
        }
    }

    /// Returns the other end of the flow: a server, or the group that receives relayed messages.
    #[must_use]
    pub fn other_end(&self) -> &str {
        match self.kind {
            FlowKind::Command | FlowKind::Pull | FlowKind::Download => &self.from,
            FlowKind::Report | FlowKind::RoundTrip | FlowKind::Relay | FlowKind::RelayToAll => {
                &self.to
            }
        }
    }

    /// Checks the receiving group of a relayed flow against the sending one.
    fn check_hearers(
        &self,
        field: &str,
        (group, server): (&GroupSpec, &str),
        spec: &RunSpec,
    ) -> Result<(), SpecError> {
        let Some(hearers) = spec.group(&self.to) else {
            return Err(SpecError::value(field, "the group that hears is not there"));
        };
        let (heard, audience) = match self.kind {
            FlowKind::RelayToAll => (group.staying(), hearers.staying()),
            _ => (group.staying().div_ceil(hearers.staying().max(1)), 1),
        };
        demand(&[
            (
                hearers.name != group.name,
                field,
                "those who hear are of another group",
            ),
            (
                group.arriving().is_none() && hearers.staying() > 0,
                field,
                "those who speak and those who hear are there from the start to the end",
            ),
            (
                spec.server(server)
                    .is_some_and(|it| it.layout == ServerLayout::Shared),
                field,
                "those who speak and those who hear share the server: shared",
            ),
            (
                spec.hearing(self, server).is_some(),
                field,
                "those who hear are no clients of the server, nor of a proxy before it",
            ),
            (
                heard <= MAX_HEARD,
                field,
                "a device hears more than 1000 others",
            ),
            (
                audience <= MAX_AUDIENCE,
                field,
                "a message is for more than 1000 devices",
            ),
            (
                self.messages_at_most().saturating_mul(audience.into()) <= MAX_MESSAGES,
                "traffic.duration_ns",
                "gives the messages of a device more than 16000000 arrivals",
            ),
        ])
    }

    /// The gap between two arrivals, of random ones on average.
    fn gap_ns(&self) -> u64 {
        match self.arrivals {
            ArrivalSpec::Periodic { every_ns } => every_ns,
            ArrivalSpec::Poisson { mean_ns } => mean_ns,
            ArrivalSpec::Paused { pause_ns, .. } => pause_ns,
            ArrivalSpec::Once => self.duration_ns.max(1),
        }
    }

    /// Whether a closed loop can be one.
    fn is_fit_for_its_pause(&self) -> bool {
        match self.arrivals {
            ArrivalSpec::Paused {
                give_up_ns,
                messages,
                ..
            } => {
                self.burst == 1
                    && self.batch == 1
                    && give_up_ns > 0
                    && messages != Some(0)
                    && self.kind != FlowKind::Command
            }
            _ => true,
        }
    }

    /// Returns the number of messages of a device; for random arrivals, the mean.
    fn messages_at_most(&self) -> u64 {
        let most = match self.arrivals {
            ArrivalSpec::Paused { messages, .. } => messages.map_or(u64::MAX, u64::from),
            _ => u64::MAX,
        };
        (self.duration_ns / self.gap_ns().max(1))
            .saturating_mul(self.burst.into())
            .min(most)
    }

    fn check(&self, place: usize, spec: &RunSpec) -> Result<(), SpecError> {
        let field = format!("flows[{place}]");
        let Some(group) = spec.group(self.group()) else {
            return Err(SpecError::value(field, "its group is not there"));
        };
        let Some(client) = group.clients.get(self.client) else {
            return Err(SpecError::value(field, "the group has no such client"));
        };
        let comes_with_message = self.arrivals == ArrivalSpec::Once;
        let bytes = match &self.payload {
            PayloadSpec::Text { bytes } => *bytes,
            PayloadSpec::Json { fields, bytes } => bytes.unwrap_or(fields.len() as u64),
            PayloadSpec::Encoded { bytes, .. } => *bytes,
        };
        let most = match self.kind {
            FlowKind::Download => MAX_DOWNLOAD,
            _ => MAX_PAYLOAD,
        };
        demand(&[
            (
                self.kind.is_relayed() || client.server == self.other_end(),
                field.as_str(),
                "the group's client talks to another server",
            ),
            (
                spec.flows_of(group)
                    .filter(|it| it.name == self.name)
                    .count()
                    == 1,
                &field,
                "another flow of the group has the same name",
            ),
            (
                spec.flows_of(group)
                    .all(|it| it.client != self.client || it.session == self.session),
                &field,
                "flows by one client have one session",
            ),
            (
                spec.flows_of(group).count() <= usize::from(FlowId::PER_DEVICE),
                &field,
                "a group has at most 9 flows",
            ),
            (
                group.arriving().is_none() || spec.flows_of(group).count() == 1,
                &field,
                "devices that come and go have one flow",
            ),
            (
                self.gap_ns() > 0,
                "traffic.arrivals",
                "the gap must be above 0",
            ),
            (
                self.is_fit_for_its_pause(),
                "traffic.arrivals",
                "a closed loop has single messages, some of them, a time to give up above 0, and is not for a command",
            ),
            (
                (1..=MAX_TOGETHER).contains(&self.burst),
                "traffic.burst",
                "must be from 1 to 10000",
            ),
            (
                self.messages_at_most() <= MAX_MESSAGES,
                "traffic.duration_ns",
                "gives a device more than 16000000 messages",
            ),
            (
                bytes.saturating_mul(self.batch.into()) <= most,
                "traffic.payload",
                &format!("is above {most} B"),
            ),
            (
                (1..=MAX_TOGETHER).contains(&self.batch),
                "traffic.batch",
                "must be from 1 to 10000",
            ),
            (
                self.batch == 1 || self.burst == 1,
                "traffic.batch",
                "what comes in bursts is not bundled",
            ),
            (
                self.within_ns != Some(0),
                "traffic.within_ns",
                "the time for the delivery of a message is above 0",
            ),
            (
                self.share > 0.0 && self.share <= 1.0,
                "traffic.share",
                "must be above 0 and at most 1",
            ),
        ])?;
        if self.kind.is_relayed() {
            self.check_hearers(&field, (group, &client.server), spec)?;
        }
        if group.arriving().is_none() {
            return demand(&[(
                !comes_with_message,
                "traffic.arrivals",
                "devices that stay need a schedule; only those that arrive come with one message",
            )]);
        }
        demand(&[
            (
                comes_with_message && self.burst == 1 && self.batch == 1 && self.share >= 1.0,
                "traffic.arrivals",
                "devices that come and go have one message each: once, all of them, in bursts and batches of 1",
            ),
            (
                self.start_ns == 0 && self.spread_ns == 0,
                "traffic.start_ns",
                "the message of a device that comes is due at once: start and spread are 0",
            ),
            (
                matches!(self.kind, FlowKind::Report | FlowKind::RoundTrip),
                "traffic.kind",
                "devices that come and go have something to say: report or round_trip",
            ),
        ])
    }
}

/// Each of these must be so.
pub(crate) fn demand(demands: &[(bool, &str, &str)]) -> Result<(), SpecError> {
    match demands.iter().find(|(is_so, ..)| !is_so) {
        Some((_, field, problem)) => Err(SpecError::value(*field, problem)),
        None => Ok(()),
    }
}
