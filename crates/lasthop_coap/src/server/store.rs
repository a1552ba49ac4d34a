use std::collections::BTreeMap;

use lasthop_contract::ConnectionId;

use super::links::Link;
use super::observer::Observer;
use super::path::Path;
use super::representation::Representation;
use crate::codec::Token;

/// Resources that anybody may set, read, remove and observe.
#[derive(Debug, Default)]
pub(super) struct ResourceStore {
    by_path: BTreeMap<Path, Resource>,
    /// The last change of any resource that was removed: no entity tag comes again.
    last_removed: u32,
}

#[derive(Debug)]
pub(super) struct Resource {
    pub(super) representation: Representation,
    pub(super) observers: Vec<Observer>,
}

/// How many resources there may be.
const MAX_RESOURCES: usize = 256;

/// How many clients may observe one.
const MAX_OBSERVERS: usize = 64;

impl ResourceStore {
    pub(super) fn get(&self, path: &Path) -> Option<&Resource> {
        self.by_path.get(path)
    }

    pub(super) fn get_mut(&mut self, path: &Path) -> Option<&mut Resource> {
        self.by_path.get_mut(path)
    }

    /// The resource of a path, made first where there is none; `None` when there are too many.
    pub(super) fn get_or_make(&mut self, path: &Path) -> Option<(&mut Resource, bool)> {
        let is_new = !self.by_path.contains_key(path);
        if is_new && self.by_path.len() >= MAX_RESOURCES {
            return None;
        }
        let after = self.last_removed;
        let resource = self.by_path.entry(path.clone());
        let resource = resource.or_insert_with(|| Resource {
            representation: Representation::after(after),
            observers: Vec::new(),
        });
        Some((resource, is_new))
    }

    pub(super) fn remove(&mut self, path: &Path) -> Option<Resource> {
        let removed = self.by_path.remove(path)?;
        self.last_removed = self.last_removed.max(removed.representation.version());
        Some(removed)
    }

    /// Ends an observation, whichever resource it is of.
    pub(super) fn end_observation(&mut self, key: (ConnectionId, Token)) {
        for resource in self.by_path.values_mut() {
            resource.observers.retain(|observer| observer.key() != key);
        }
    }

    /// Ends the observations of a client that is gone.
    pub(super) fn forget(&mut self, connection: ConnectionId) {
        for resource in self.by_path.values_mut() {
            resource
                .observers
                .retain(|observer| observer.connection != connection);
        }
    }

    /// All resources, for whoever asks which there are.
    pub(super) fn links(&self) -> impl Iterator<Item = Link> {
        let own = [
            Link::new("/d", &[("rt", "device")]),
            Link::new("/rd", &[("rt", "core.rd")]),
        ];
        let paths = self.by_path.keys();
        own.into_iter()
            .chain(paths.map(|path| Link::new(path, &[("obs", "")])))
    }
}

impl Resource {
    /// Adds an observer, or takes the place of the one with the same token; whether there was room.
    pub(super) fn observe(&mut self, observer: Observer) -> bool {
        self.observers.retain(|known| known.key() != observer.key());
        let has_room = self.observers.len() < MAX_OBSERVERS;
        if has_room {
            self.observers.push(observer);
        }
        has_room
    }

    pub(super) fn end_observation(&mut self, key: (ConnectionId, Token)) {
        self.observers.retain(|observer| observer.key() != key);
    }
}
