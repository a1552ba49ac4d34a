use std::collections::BTreeMap;

use lasthop_traffic::FlowKind;

use crate::medium::MediumSpec;

use super::{
    ArrivalSpec, ClientSpec, EnergySpec, EngineSpec, FORMAT, FlowSpec, GroupSpec, HopSpec,
    MeasureSpec, PathSpec, PayloadSpec, PopulationSpec, RunSpec, ScopeSpec, ServerLayout,
    ServerSpec, ServiceSpec, SessionSpec, StackSpec,
};

/// A run spec with one group, one server, one path and one flow, as in the short form of a study.
#[derive(Clone, Debug)]
pub struct ShortSpec {
    /// The seed of all random streams.
    pub seed: u64,
    /// The number of devices, or how they arrive.
    pub population: PopulationSpec,
    /// Whether devices share the server.
    pub layout: ServerLayout,
    /// The protocol stack.
    pub stack: StackSpec,
    /// The port of the server.
    pub port: u16,
    /// The direction and the destination of messages.
    pub kind: FlowKind,
    /// The payload of messages.
    pub payload: PayloadSpec,
    /// The arrival process.
    pub arrivals: ArrivalSpec,
    /// The maximum additional start delay of a device, in nanoseconds.
    pub spread_ns: u64,
    /// The duration of arrivals, in nanoseconds.
    pub duration_ns: u64,
    /// The lifetime of protocol sessions.
    pub session: SessionSpec,
    /// The media of the path: a link and optionally a NAT, or a network.
    pub hops: Vec<MediumSpec>,
    /// The energy settings, if energy is measured.
    pub energy: Option<EnergySpec>,
    /// The measurement settings.
    pub measure: MeasureSpec,
}

/// The names that the short form gives to what it has one of. Those of the hosts and the path begin random streams.
const DEVICE: &str = "device";
const SERVER: &str = "server";
const PATH: &str = "path";
const FLOW: &str = "traffic";

impl From<ShortSpec> for RunSpec {
    fn from(short: ShortSpec) -> Self {
        let hop = |medium: MediumSpec| HopSpec {
            name: PATH.into(),
            scope: match medium.medium().is_radio() {
                true => ScopeSpec::All,
                false => ScopeSpec::Own,
            },
            medium,
        };
        let (from, to) = match short.kind {
            FlowKind::Report | FlowKind::RoundTrip | FlowKind::Relay | FlowKind::RelayToAll => {
                (DEVICE, SERVER)
            }
            FlowKind::Command | FlowKind::Pull | FlowKind::Download => (SERVER, DEVICE),
        };
        Self {
            format: FORMAT,
            engine: EngineSpec::Virtual,
            seed: short.seed,
            stacks: BTreeMap::from([(DEVICE.into(), short.stack)]),
            paths: BTreeMap::from([(
                PATH.into(),
                PathSpec {
                    hops: short.hops.into_iter().map(hop).collect(),
                },
            )]),
            servers: vec![ServerSpec {
                name: SERVER.into(),
                layout: short.layout,
                services: vec![ServiceSpec {
                    stack: DEVICE.into(),
                    port: short.port,
                    at: None,
                }],
                forwards: None,
                service_time: None,
                device: None,
            }],
            groups: vec![GroupSpec {
                name: DEVICE.into(),
                population: short.population,
                weight: 1.0,
                strata: Vec::new(),
                path: PATH.into(),
                clients: vec![ClientSpec {
                    stack: DEVICE.into(),
                    server: SERVER.into(),
                }],
                energy: short.energy,
                tariff: None,
                device: None,
                only: None,
            }],
            flows: vec![FlowSpec {
                name: FLOW.into(),
                from: from.into(),
                to: to.into(),
                client: 0,
                kind: short.kind,
                payload: short.payload,
                arrivals: short.arrivals,
                burst: 1,
                start_ns: 0,
                spread_ns: short.spread_ns,
                duration_ns: short.duration_ns,
                session: short.session,
                batch: 1,
                within_ns: None,
                share: 1.0,
                resource: None,
            }],
            events: Vec::new(),
            faults: Vec::new(),
            credentials: None,
            given: None,
            measure: short.measure,
        }
    }
}
