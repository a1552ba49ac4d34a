use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A protocol stack with its settings: an application and its layers, from the top down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackSpec {
    /// The protocol that carries messages.
    pub application: LayerSpec,
    /// The layers, down to IP.
    pub layers: Vec<LayerSpec>,
    /// The real software that serves it; absent for lasthop's own server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software: Option<String>,
    /// The real software of the devices; absent for lasthop's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// An application or a layer by its name in the catalogue, with every option that applies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerSpec {
    /// The name in the catalogue.
    pub name: String,
    /// The options by name, in the unit of each option's kind ([`OptionKind`](crate::OptionKind)).
    pub options: BTreeMap<String, Value>,
}

impl StackSpec {
    /// The layer of this name, where the stack has it.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<&LayerSpec> {
        self.layers.iter().find(|layer| layer.name == name)
    }

    /// The layer of this name, to be changed.
    pub fn layer_mut(&mut self, name: &str) -> Option<&mut LayerSpec> {
        self.layers.iter_mut().find(|layer| layer.name == name)
    }

    /// Returns all names from the application down, for example `mqtt/tcp/ip`.
    #[must_use]
    pub fn path(&self) -> String {
        let layers = self.layers.iter().map(|layer| layer.name.as_str());
        let names: Vec<&str> = core::iter::once(self.application.name.as_str())
            .chain(layers)
            .collect();
        names.join("/")
    }
}

impl LayerSpec {
    /// Sets an option to this value.
    #[must_use]
    pub fn with(mut self, option: &str, value: impl Into<Value>) -> Self {
        self.options.insert(option.to_owned(), value.into());
        self
    }
}
