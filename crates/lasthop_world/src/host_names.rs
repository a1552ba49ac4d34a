use lasthop_measure::CapturedHost;

use crate::plan::numbers_of_groups;
use crate::{GroupSpec, RunSpec, ServerLayout, ServerSpec};

impl RunSpec {
    /// Returns the host with a name, or `None` if there is none: `meters-3` is the fourth device of the group `meters`,
    /// or the fourth to arrive.
    ///
    /// `head_end-0` is the server `head_end`, or the server of the first device if each has its own.
    #[must_use]
    pub fn host_named(&self, name: &str) -> Option<CapturedHost> {
        let (name, number) = name.rsplit_once('-')?;
        let number: u32 = number.parse().ok()?;
        let groups = self.groups.iter().zip(numbers_of_groups(self));
        for (group, numbers) in groups {
            if group.name == name {
                let in_run = numbers.start.checked_add(number)?;
                return numbers
                    .contains(&in_run)
                    .then_some(CapturedHost::Device(in_run));
            }
        }
        self.server_named(name, number)
    }

    fn server_named(&self, name: &str, number: u32) -> Option<CapturedHost> {
        let place = self.servers.iter().position(|server| server.name == name)?;
        let server = &self.servers[place];
        let comes = |group: &GroupSpec| group.arriving().is_some() && group.talks_to(name);
        if server.layout == ServerLayout::PerDevice && self.groups.iter().any(comes) {
            let staying: u32 = self.groups.iter().map(GroupSpec::staying).sum();
            return staying.checked_add(number).map(CapturedHost::Server);
        }
        let before = self.servers[..place].iter();
        let first: u32 = before.map(|server| self.how_many(server)).sum();
        (number < self.how_many(server)).then_some(CapturedHost::Server(first + number))
    }

    /// How many hosts a server is for the devices that stay; one that offers nothing is nowhere.
    pub(crate) fn how_many(&self, server: &ServerSpec) -> u32 {
        let users = self.groups.iter().filter(|it| it.talks_to(&server.name));
        match server.layout {
            _ if server.services.is_empty() => 0,
            ServerLayout::Shared => 1,
            ServerLayout::PerDevice => users.map(GroupSpec::staying).sum(),
        }
    }
}
