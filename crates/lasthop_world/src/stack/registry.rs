use super::{ApplicationEntry, LayerEntry, StackBuilder};
use super::{application, layer};
use crate::medium::LinkEntry;
use crate::spec::{SpecError, StackSpec};

/// The available applications, layers and links.
///
/// An entry of your own is added, or replaces the built-in one with the same name.
///
/// ```
/// use lasthop_world::{ApplicationEntry, Registry};
/// let standard = Registry::standard();
/// let mqtt = *standard.application("mqtt").expect("the project has it");
/// let registry = standard.with_application(ApplicationEntry { name: "own_mqtt", ..mqtt });
/// let stack = registry.stack("own_mqtt/tcp", &[("qos", "1"), ("tcp.congestion", "reno")])?;
/// assert_eq!(stack.application.options["qos"], "1");
/// # Ok::<(), lasthop_world::SpecError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    pub(super) applications: Vec<ApplicationEntry>,
    pub(super) layers: Vec<LayerEntry>,
    pub(super) links: Vec<LinkEntry>,
}

impl Registry {
    /// Returns the registry of built-in applications, layers and links.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            applications: application::ALL.to_vec(),
            layers: layer::ALL.to_vec(),
            links: Vec::new(),
        }
    }

    /// Adds an application, or replaces the one with its name.
    #[must_use]
    pub fn with_application(mut self, entry: ApplicationEntry) -> Self {
        match self
            .applications
            .iter_mut()
            .find(|it| it.name == entry.name)
        {
            Some(known) => *known = entry,
            None => self.applications.push(entry),
        }
        self
    }

    /// Adds a layer, or replaces the one with its name. Applications and layers that need its carriage can use it.
    #[must_use]
    pub fn with_layer(mut self, entry: LayerEntry) -> Self {
        match self.layers.iter_mut().find(|it| it.name == entry.name) {
            Some(known) => *known = entry,
            None => self.layers.push(entry),
        }
        self
    }

    /// Adds a link, or replaces the one with its name.
    #[must_use]
    pub fn with_link(mut self, entry: LinkEntry) -> Self {
        self.links.retain(|it| it.name != entry.name);
        self.links.push(entry);
        self
    }

    /// Returns the application with this name, if it exists.
    #[must_use]
    pub fn application(&self, name: &str) -> Option<&ApplicationEntry> {
        self.applications.iter().find(|entry| entry.name == name)
    }

    /// Returns the layer with this name, if it exists.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<&LayerEntry> {
        self.layers.iter().find(|entry| entry.name == name)
    }

    /// Returns the link with this name, if it exists.
    #[must_use]
    pub fn link(&self, name: &str) -> Option<&LinkEntry> {
        self.links.iter().find(|entry| entry.name == name)
    }

    /// Returns the builder of both ends of a stack.
    ///
    /// # Errors
    /// When a layer is unknown or not built, when it cannot stand where it is, or an option is wrong.
    pub fn builder(&self, stack: &StackSpec) -> Result<StackBuilder, SpecError> {
        StackBuilder::new(self, stack)
    }
}
