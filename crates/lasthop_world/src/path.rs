//! Builds the paths of a run hop by hop, for all media.

mod aimed;
mod lone;

use std::collections::{BTreeMap, BTreeSet};

use core::net::IpAddr;

use lasthop_contract::{Clock, Direction, HostInput, InterfaceId, Link, Mtu, PathId, Port};
use lasthop_engine::{HostId, LinkId, Simulation};
use lasthop_link::Junction;
use lasthop_measure::Meter;
use smallvec::SmallVec;

use crate::hosts::DeviceNumber;
use crate::medium::nat::OnPath;
use crate::medium::nbiot::{Member, NamedNetwork};
use crate::medium::place::HopEnd;
use crate::medium::{Ground, JoiningDevice, Links, Media};
use crate::spec::{GroupSpec, HopSpec, RunSpec, SpecError};
use crate::stack::Registry;
use crate::watch::Watch;
use aimed::aim;
pub use lone::{LonePath, Translated};

/// Lays the paths of a run, hop by hop.
pub(crate) struct Hops<'a> {
    spec: &'a RunSpec,
    registry: &'a Registry,
    media: Media<'a>,
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

impl<C: Clock> Links for Simulation<C, Watch> {
    fn add(&mut self, link: Box<dyn Link>) -> LinkId {
        self.add_link(link)
    }

    fn meter(&mut self) -> &mut Meter {
        &mut self.observer_mut().meter
    }
}

impl<'a> Hops<'a> {
    /// No hop yet but the networks of the run.
    pub(crate) fn new(
        spec: &'a RunSpec,
        registry: &'a Registry,
        networks: Vec<NamedNetwork<'a>>,
        simulation: &mut Simulation<impl Clock, Watch>,
    ) -> Self {
        let mut media = Media::new(spec);
        media.nbiot.lay(networks, simulation);
        Self {
            spec,
            registry,
            media,
            links: BTreeMap::new(),
        }
    }

    /// What media keep of the run.
    pub(crate) fn media(&self) -> &Media<'a> {
        &self.media
    }

    /// The same, to be told something.
    pub(crate) fn media_mut(&mut self) -> &mut Media<'a> {
        &mut self.media
    }

    /// The links of a hop of a path, where events may happen in the run.
    pub(crate) fn links_of(&self, path: &'a str, place: usize) -> Vec<LinkId> {
        let hop = &self.spec.paths[path].hops[place];
        if let Some(standing) = hop.medium.medium().standing(hop, &self.media) {
            return vec![standing];
        }
        let links = self.links.get(&(path, place)).into_iter().flatten();
        links.copied().collect()
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
        let comer = JoiningDevice {
            on: OnPath {
                group,
                path,
                device: device.in_run,
                paths_before: ends.paths_before,
            },
            in_group: device.in_group,
            radios_before: ends.radios_before,
        };
        for (place, hop) in self.spec.paths[path].hops.iter().enumerate() {
            let mut ground = Ground {
                spec: self.spec,
                registry: self.registry,
                media: &mut self.media,
                links: &mut *simulation,
            };
            let taken = hop.medium.medium().admit(hop, comer, &mut ground)?;
            let (near, far) = (taken.near, taken.far);
            member = member.or(taken.member);
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
}

/// Attaches the servers of a device to the end of its path, with a junction for several.
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
    let mut said = hops.filter_map(|hop| hop.medium.medium().mtu_bytes());
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
