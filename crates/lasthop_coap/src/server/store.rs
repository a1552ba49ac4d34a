use core::mem;
use std::collections::BTreeMap;

use lasthop_contract::{ConnectionId, TimerQueue};
use lasthop_units::Instant;

use super::example::{Behaviour, Example};
use super::links::Link;
use super::observer::Observer;
use super::path::Path;
use crate::codec::Token;
use crate::representation::Representation;

/// Resources that anybody may set, read, remove and observe.
#[derive(Debug, Default)]
pub(super) struct ResourceStore {
    by_path: BTreeMap<Path, Resource>,
    /// The last change of any resource that was removed: no entity tag comes again.
    last_removed: u32,
    /// What is offered from the start, and what becomes of it by itself.
    example: Option<Box<Offered>>,
}

#[derive(Debug)]
struct Offered {
    resources: &'static [Behaviour],
    /// When a resource that is observed changes, by its place among them.
    changes: TimerQueue<u16>,
    /// Which of them are to change.
    is_changing: Vec<bool>,
}

#[derive(Debug)]
pub(super) struct Resource {
    pub(super) representation: Representation,
    pub(super) observers: Vec<Observer>,
    /// The format that observers were given first, the same for all of them.
    observed_format: Option<u16>,
    pub(super) behaviour: Option<&'static Behaviour>,
}

/// The maximum number of resources.
pub const MAX_RESOURCES: usize = 256;

/// The maximum number of observers of a resource.
pub const MAX_OBSERVERS: usize = 1_024;

impl ResourceStore {
    /// A store that offers something from the start.
    pub(super) fn with_example(example: Example) -> Self {
        let resources = example.resources();
        let mut by_path = BTreeMap::new();
        for behaviour in resources {
            let mut representation = Representation::default();
            representation.set(behaviour.body_after(0), Some(behaviour.format));
            let resource = Resource {
                representation,
                observers: Vec::new(),
                observed_format: None,
                behaviour: Some(behaviour),
            };
            by_path.insert(Path::named(behaviour.path), resource);
        }
        let offered = Offered {
            resources,
            changes: TimerQueue::new(),
            is_changing: vec![false; resources.len()],
        };
        Self {
            by_path,
            example: Some(Box::new(offered)),
            ..Self::default()
        }
    }

    /// When something changes by itself.
    #[inline]
    pub(super) fn next_change(&self) -> Option<Instant> {
        self.example.as_ref()?.changes.next_deadline()
    }

    /// How many other resources a client observes.
    pub(super) fn others_observed_by(&self, key: (ConnectionId, Token)) -> usize {
        let observers = self
            .by_path
            .values()
            .flat_map(|resource| &resource.observers);
        observers
            .filter(|observer| observer.is_another_of(key))
            .count()
    }

    /// Sees to it that a resource changes when its time comes, now that it is observed.
    pub(super) fn await_change(&mut self, now: Instant, path: &Path) {
        let (Some(offered), Some(resource)) = (&mut self.example, self.by_path.get(path)) else {
            return;
        };
        let Some(behaviour) = resource.behaviour else {
            return;
        };
        let place = offered
            .resources
            .iter()
            .position(|offered| offered.path == behaviour.path);
        if let (Some(place), Some(change)) = (place, behaviour.change)
            && !offered.is_changing[place]
        {
            offered.is_changing[place] = true;
            offered.changes.arm(now + change.every, place as u16);
        }
    }

    /// The next resource whose time has come, if anybody observes it still.
    pub(super) fn pop_change(&mut self, now: Instant) -> Option<Path> {
        loop {
            let offered = self.example.as_mut()?;
            let place = usize::from(offered.changes.pop_due(now)?);
            offered.is_changing[place] = false;
            let path = Path::named(offered.resources[place].path);
            if self
                .by_path
                .get(&path)
                .is_some_and(|resource| !resource.observers.is_empty())
            {
                self.await_change(now, &path);
                return Some(path);
            }
        }
    }

    /// What a resource does beside being set and read.
    pub(super) fn behaviour(&self, path: &Path) -> Option<&'static Behaviour> {
        self.by_path.get(path)?.behaviour
    }

    /// A path below this one where there is no resource yet.
    pub(super) fn free_child(&self, path: &Path) -> Option<Path> {
        (1..=MAX_RESOURCES)
            .map(|number| path.child(&number.to_string()))
            .find(|child| !self.by_path.contains_key(child))
    }

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
            observed_format: None,
            behaviour: None,
        });
        Some((resource, is_new))
    }

    /// Takes a resource out, and returns who observed it. One that is offered from the start is offered anew.
    pub(super) fn remove(&mut self, path: &Path) -> Vec<Observer> {
        if let Some(resource) = self.by_path.get_mut(path)
            && let Some(behaviour) = resource.behaviour
        {
            let first = behaviour.body_after(0);
            resource.representation.set(first, Some(behaviour.format));
            return mem::take(&mut resource.observers);
        }
        let Some(removed) = self.by_path.remove(path) else {
            return Vec::new();
        };
        self.last_removed = self.last_removed.max(removed.representation.version());
        removed.observers
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
        let resources = self.by_path.iter();
        own.into_iter().chain(resources.map(|(path, resource)| {
            let attributes = resource.behaviour.map(|behaviour| behaviour.attributes);
            Link::new(path, attributes.unwrap_or(&[("obs", "")]))
        }))
    }
}

impl Resource {
    /// Adds an observer, or takes the place of the one with the same token; whether there was room.
    pub(super) fn observe(&mut self, observer: Observer) -> bool {
        self.observers.retain(|known| known.key() != observer.key());
        let has_room = self.observers.len() < MAX_OBSERVERS;
        if has_room {
            self.observed_format = self.representation.content_format;
            self.observers.push(observer);
        }
        has_room
    }

    /// Takes the observers out if the resource no longer has the format that they were given first.
    pub(super) fn take_observers_of_other_format(&mut self) -> Vec<Observer> {
        if self.observed_format == self.representation.content_format {
            return Vec::new();
        }
        mem::take(&mut self.observers)
    }

    pub(super) fn end_observation(&mut self, key: (ConnectionId, Token)) {
        self.observers.retain(|observer| observer.key() != key);
    }
}
