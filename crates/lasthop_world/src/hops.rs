use core::net::IpAddr;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use lasthop_contract::{Clock, Direction, HostInput, InterfaceId, Link, Mtu, PathId, Port};
use lasthop_engine::{HostId, LinkId, Simulation};
use lasthop_link::{ConfigError, DuplexLink, Junction, LinkConfig, Nat, NatConfig, SharedLink};
use smallvec::SmallVec;

use crate::addresses::Outside;
use crate::aimed::aim;
use crate::hosts::DeviceNumber;
use crate::network_hop::{Member, NamedNetwork, NetworkHop};
use crate::registered_link::LinkPlace;
use crate::spec::{GroupSpec, HopSpec, MediumSpec, NatSpec, RunSpec, ScopeSpec, SpecError, nanos};
use crate::stack::Registry;
use crate::translators::{OnPath, Translators, sharing};
use crate::watch::Watch;
use crate::wlan_cells::WlanCells;

/// Lays the paths of a run, hop by hop.
pub(crate) struct Hops<'a> {
    spec: &'a RunSpec,
    registry: &'a Registry,
    shared: BTreeMap<(Shared, &'a str, &'a str), SharedHop>,
    translators: Translators<'a>,
    networks: Vec<NetworkHop<'a>>,
    cells: WlanCells<'a>,
    /// The links of hops to which something may happen, by path and place in it.
    links: BTreeMap<(&'a str, usize), BTreeSet<LinkId>>,
}

/// A path that is to be laid: between which hosts, of which the device may come to it later.
#[derive(Clone, Copy)]
pub(crate) struct Ends<'s> {
    pub(crate) device: Option<HostId>,
    /// That of each client of the device.
    pub(crate) servers: &'s [FarHost],
    /// How many paths the device has already.
    pub(crate) paths_before: u32,
    /// How many of them have a radio.
    pub(crate) radios_before: u32,
}

/// A host at the far end of a path.
#[derive(Clone, Copy)]
pub(crate) struct FarHost {
    pub(crate) host: HostId,
    pub(crate) address: IpAddr,
}

/// A path of a device.
pub(crate) struct LaidPath {
    /// Where the device is attached, or would be.
    pub(crate) near: HopEnd,
    /// The interface at the other end, of the server of each client.
    pub(crate) interfaces: SmallVec<[InterfaceId; 1]>,
    /// Its place in the network, where it has one.
    pub(crate) member: Option<Member>,
}

impl LaidPath {
    /// Where the device's radio is, where the path has one.
    pub(crate) fn radio(&self) -> Option<HopEnd> {
        self.member.map(|_| self.near)
    }
}

/// A hop that several devices use. Each is a member with two ports: one towards the device, one towards the server.
struct SharedHop {
    link: LinkId,
    members: u32,
}

/// What devices may share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shared {
    Link,
    Translator,
}

/// One end of a hop.
pub(crate) type HopEnd = (LinkId, Port);

impl<'a> Hops<'a> {
    /// No hop yet but the networks of the run.
    pub(crate) fn new(
        spec: &'a RunSpec,
        registry: &'a Registry,
        networks: Vec<NamedNetwork<'a>>,
        simulation: &mut Simulation<impl Clock, Watch>,
    ) -> Self {
        let mut hop = |named: NamedNetwork<'a>| {
            let link = simulation.add_link(named.1.link());
            NetworkHop::new(named, link)
        };
        let networks = networks.into_iter().map(&mut hop).collect();
        Self {
            spec,
            registry,
            shared: BTreeMap::new(),
            translators: Translators::of(spec),
            networks,
            cells: WlanCells::default(),
            links: BTreeMap::new(),
        }
    }

    /// The radio networks.
    pub(crate) fn networks(&self) -> &[NetworkHop<'a>] {
        &self.networks
    }

    /// The WLAN cells.
    pub(crate) fn cells(&self) -> &WlanCells<'a> {
        &self.cells
    }

    /// The network of a member, to be told something.
    pub(crate) fn network_of(&mut self, member: Member) -> &mut NetworkHop<'a> {
        &mut self.networks[member.network]
    }

    /// The links of a hop of a path, where events may happen in the run.
    pub(crate) fn links_of(&self, path: &'a str, place: usize) -> Vec<LinkId> {
        let hop = &self.spec.paths[path].hops[place];
        let mut networks = self.networks.iter();
        if let MediumSpec::Nbiot(_) = hop.medium {
            // It is there before anybody is in it.
            let network = networks.find(|network| network.name == hop.name);
            return network.map(NetworkHop::link).into_iter().collect();
        }
        let links = self.links.get(&(path, place)).into_iter().flatten();
        links.copied().collect()
    }

    /// Which addresses translators have.
    pub(crate) fn translators(&self) -> &Translators<'a> {
        &self.translators
    }

    /// Lays a path between a device and its server.
    pub(crate) fn lay(
        &mut self,
        group: &'a GroupSpec,
        path: &'a str,
        device: DeviceNumber,
        ends: Ends<'_>,
        simulation: &mut Simulation<impl Clock, Watch>,
    ) -> Result<LaidPath, SpecError> {
        let mut laid: Option<(HopEnd, HopEnd)> = None;
        let mut member = None;
        for (place, hop) in self.spec.paths[path].hops.iter().enumerate() {
            let (near, far) = match &hop.medium {
                MediumSpec::Nbiot(_) => {
                    let mut networks = self.networks.iter();
                    let of_name = networks.position(|network| network.name == hop.name);
                    let number = of_name.expect("a run with its path has it");
                    let network = &mut self.networks[number];
                    let taken = Member {
                        network: number,
                        place: network.take(),
                    };
                    member = Some(taken);
                    let (radio, core) = network.ends_of(taken.place);
                    // Strata are of the path that a group begins on.
                    if path == group.path
                        && let Some(loss) = coupling_loss_db(group, device.in_group)
                    {
                        network.network.state_coupling_loss(radio.1, loss);
                    }
                    let meter = &mut simulation.observer_mut().meter;
                    let explained = meter.timeline().map(|line| line.message().flow.device());
                    if explained == Some(lasthop_contract::DeviceId(device.in_run)) {
                        network.network.watch_next(radio.1);
                    }
                    let mut groups = self.spec.groups.iter();
                    let place = groups.position(|it| it.name == group.name);
                    let place = (place.expect("a group of the spec"), device.in_group);
                    meter.attach_radio(radio, place, ends.radios_before > 0);
                    (radio, core)
                }
                MediumSpec::Nat(nat) => {
                    let of = OnPath {
                        group,
                        path,
                        device: device.in_run,
                        paths_before: ends.paths_before,
                    };
                    self.translator(hop, nat, of, simulation)?
                }
                MediumSpec::Wlan(wlan) => {
                    let of = (group.name.as_str(), device.in_run);
                    let seed = self.spec.seed;
                    self.cells.station((hop, wlan), seed, of, simulation)
                }
                MediumSpec::Link(link) => {
                    let make = |place: &LinkPlace| Ok(link_of(hop.scope, link, place));
                    self.link(hop, (&group.name, device.in_run), make, simulation)?
                }
                MediumSpec::Registered(link) => {
                    let registry = self.registry;
                    let make = |place: &LinkPlace| registry.build_link(link, place);
                    self.link(hop, (&group.name, device.in_run), make, simulation)?
                }
            };
            if !self.spec.events.is_empty() {
                self.links.entry((path, place)).or_default().insert(near.0);
            }
            laid = match (laid, ends.device) {
                (None, host) => {
                    if let Some(host) = host {
                        let id = self.spec.path_id(path);
                        let interface = simulation.attach_on(id, host, near, Direction::Up);
                        let hops = &self.spec.paths[path].hops;
                        if let Some(mtu) = mtu_of(hops.iter()) {
                            simulation.tell(host, HostInput::InterfaceMtu { interface, mtu });
                        }
                    }
                    Some((near, far))
                }
                (Some((first, before)), _) => {
                    simulation.join(before, near);
                    Some((first, far))
                }
            };
        }
        let (near, far) = laid.expect("a path has a hop");
        let far = aim(self.spec, group, path, device, far, simulation);
        let interfaces = attach(self.spec.path_id(path), ends.servers, far, simulation);
        let hops = &self.spec.paths[path].hops;
        if let Some(mtu) = mtu_of(hops.iter().rev()) {
            for (server, interface) in ends.servers.iter().zip(&interfaces) {
                let told = HostInput::InterfaceMtu {
                    interface: *interface,
                    mtu,
                };
                simulation.tell(server.host, told);
            }
        }
        Ok(LaidPath {
            near,
            interfaces,
            member,
        })
    }

    /// A device's own link, by its group's name and its number, or its place at one that it shares.
    fn link(
        &mut self,
        hop: &'a HopSpec,
        device: (&'a str, u32),
        make: impl FnOnce(&LinkPlace) -> Result<Box<dyn Link>, SpecError>,
        simulation: &mut Simulation<impl Clock, Watch>,
    ) -> Result<(HopEnd, HopEnd), SpecError> {
        let place = LinkPlace::of(hop, self.spec.seed, device);
        let make = || Ok(simulation.add_link(make(&place)?));
        if hop.scope == ScopeSpec::Own {
            return Ok(ends_of(make()?, 0));
        }
        let of = sharing(hop, device.0);
        self.member_of((Shared::Link, hop.name.as_str(), of), make)
    }

    /// A device's own translator, or its place at one that it shares.
    fn translator(
        &mut self,
        hop: &'a HopSpec,
        nat: &NatSpec,
        of: OnPath<'a>,
        simulation: &mut Simulation<impl Clock, Watch>,
    ) -> Result<(HopEnd, HopEnd), SpecError> {
        let outside = self.translators.outside(hop, of);
        let mut make = || Ok(simulation.add_link(translator_of(nat, outside)?));
        if hop.scope == ScopeSpec::Own {
            return Ok(ends_of(make()?, 0));
        }
        let name = (
            Shared::Translator,
            hop.name.as_str(),
            sharing(hop, &of.group.name),
        );
        self.member_of(name, make)
    }

    /// The next place at a hop that is shared; the first makes it.
    fn member_of(
        &mut self,
        name: (Shared, &'a str, &'a str),
        make: impl FnOnce() -> Result<LinkId, SpecError>,
    ) -> Result<(HopEnd, HopEnd), SpecError> {
        let shared = match self.shared.entry(name) {
            Entry::Occupied(shared) => shared.into_mut(),
            Entry::Vacant(place) => place.insert(SharedHop {
                link: make()?,
                members: 0,
            }),
        };
        let member = shared.members;
        shared.members += 1;
        Ok(ends_of(shared.link, member))
    }
}

/// Attaches the servers of a device to the far end of its path; by a junction where there are several.
fn attach(
    path: PathId,
    servers: &[FarHost],
    far: HopEnd,
    simulation: &mut Simulation<impl Clock, Watch>,
) -> SmallVec<[InterfaceId; 1]> {
    let mut hosts: SmallVec<[FarHost; 1]> = SmallVec::new();
    for server in servers {
        if hosts.iter().all(|known| known.host != server.host) {
            hosts.push(*server);
        }
    }
    let interfaces: SmallVec<[InterfaceId; 1]> = if let [only] = &hosts[..] {
        SmallVec::from_elem(
            simulation.attach_on(path, only.host, far, Direction::Down),
            1,
        )
    } else {
        let addresses = hosts.iter().map(|server| server.address).collect();
        let junction = simulation.add_link(Box::new(Junction::new(addresses)));
        simulation.join(far, (junction, Port(0)));
        let ports = hosts.iter().zip(1..);
        ports
            .map(|(server, port)| {
                let end = (junction, Port(port));
                simulation.attach_on(path, server.host, end, Direction::Down)
            })
            .collect()
    };
    let of = |server: &FarHost| hosts.iter().position(|known| known.host == server.host);
    servers
        .iter()
        .filter_map(|server| Some(interfaces[of(server)?]))
        .collect()
}

/// How large the packets of a host may be both ways, whose path has these hops from there on; `None` where all is as on
/// Ethernet. Its interface takes what the nearest hop does which says so.
pub(crate) fn mtu_of<'h>(hops: impl Iterator<Item = &'h HopSpec>) -> Option<Mtu> {
    let mut said = hops.filter_map(|hop| match &hop.medium {
        MediumSpec::Link(link) => {
            let sides = [link.up.mtu, link.down.mtu].into_iter().flatten();
            sides.map(|mtu| mtu.largest.as_bytes()).min()
        }
        _ => None,
    });
    let nearest = said.next()?;
    let least = said.fold(nearest, u64::min);
    let bytes = |of: u64| u16::try_from(of).unwrap_or(u16::MAX);
    let mtu = Mtu {
        interface_bytes: bytes(nearest),
        path_bytes: bytes(least),
    };
    (mtu != ETHERNET).then_some(mtu)
}

/// Where all hops are Ethernet (RFC 894).
pub(crate) const ETHERNET: Mtu = Mtu {
    interface_bytes: 1500,
    path_bytes: 1500,
};

/// At which coupling loss a device is, where its group says so.
fn coupling_loss_db(group: &GroupSpec, number: u32) -> Option<f64> {
    let mut before = 0;
    let mut strata = group.strata.iter();
    let stratum = strata.find(|stratum| {
        before += stratum.devices;
        number < before
    })?;
    Some(stratum.coupling_loss_db)
}

pub(crate) fn ends_of(link: LinkId, member: u32) -> (HopEnd, HopEnd) {
    ((link, Port(2 * member)), (link, Port(2 * member + 1)))
}

/// The link of a hop at its place. Where devices share it, each has two ports.
pub(crate) fn link_of(scope: ScopeSpec, link: &LinkConfig, place: &LinkPlace) -> Box<dyn Link> {
    let link = DuplexLink::new(link, place.seed, &place.name);
    match scope {
        ScopeSpec::Own => Box::new(link),
        ScopeSpec::Group | ScopeSpec::All => Box::new(SharedLink::new(link)),
    }
}

/// The translator of a hop, with these addresses outside.
pub(crate) fn translator_of(nat: &NatSpec, outside: Outside) -> Result<Box<dyn Link>, SpecError> {
    let config = nat_config(nat, outside).map_err(|error| SpecError::value("path", error))?;
    Ok(Box::new(Nat::new(config)))
}

fn nat_config(nat: &NatSpec, outside: Outside) -> Result<NatConfig, ConfigError> {
    let udp_timeout = nanos(nat.udp_timeout_ns);
    let rebind_every = nat.rebind_every_ns.map(nanos);
    let config = NatConfig::new(outside.ipv4, outside.ipv6, udp_timeout, rebind_every)?;
    config
        .with_tcp_timeout(nanos(nat.tcp_timeout_ns))
        .with_ports(nat.ports)
}
