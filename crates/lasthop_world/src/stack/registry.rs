use super::{ApplicationEntry, LayerEntry, StackBuilder};
use super::{application, layer};
use crate::spec::{SpecError, StackSpec};

/// The applications and layers that stacks are made of. An own one is added beside those of the project.
///
/// ```
/// use lasthop_world::Registry;
/// let registry = Registry::standard();
/// assert!(registry.application("mqtt").is_some());
/// ```
#[derive(Clone, Debug)]
pub struct Registry {
    pub(super) applications: Vec<ApplicationEntry>,
    pub(super) layers: Vec<LayerEntry>,
}

impl Registry {
    /// What the project has.
    #[must_use]
    pub fn standard() -> Self {
        Self {
            applications: application::ALL.to_vec(),
            layers: layer::ALL.to_vec(),
        }
    }

    /// Adds an application.
    #[must_use]
    pub fn with_application(mut self, entry: ApplicationEntry) -> Self {
        self.applications.push(entry);
        self
    }

    /// Adds a layer.
    #[must_use]
    pub fn with_layer(mut self, entry: LayerEntry) -> Self {
        self.layers.push(entry);
        self
    }

    /// The application of this name.
    #[must_use]
    pub fn application(&self, name: &str) -> Option<&ApplicationEntry> {
        self.applications.iter().find(|entry| entry.name == name)
    }

    /// The layer of this name.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<&LayerEntry> {
        self.layers.iter().find(|entry| entry.name == name)
    }

    /// What builds both ends of a stack.
    ///
    /// # Errors
    /// When a layer is unknown or not built, when it cannot stand where it is, or an option is wrong.
    pub fn builder(&self, stack: &StackSpec) -> Result<StackBuilder, SpecError> {
        StackBuilder::new(self, stack)
    }
}
