use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A protocol stack with its settings: an application and its layers, from the top down.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackSpec {
    /// The application protocol that carries messages.
    pub application: LayerSpec,
    /// The layers below the application, down to IP.
    pub layers: Vec<LayerSpec>,
    /// The external software that runs as the server; absent for lasthop's own server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub software: Option<String>,
    /// The external software that runs as the client; absent for lasthop's own client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
}

/// An application or a layer: its name in the catalogue, and all its options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayerSpec {
    /// The name in the catalogue.
    pub name: String,
    /// The options by name, in the unit of each option's kind ([`OptionKind`](crate::OptionKind)).
    pub options: BTreeMap<String, Value>,
}

impl StackSpec {
    /// Returns the layer with this name, if the stack has it.
    #[must_use]
    pub fn layer(&self, name: &str) -> Option<&LayerSpec> {
        self.layers.iter().find(|layer| layer.name == name)
    }

    /// Returns the layer with this name for changes, if the stack has it.
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
    /// Returns the layer with an option set to this value.
    #[must_use]
    pub fn with(mut self, option: &str, value: impl Into<Value>) -> Self {
        self.options.insert(option.to_owned(), value.into());
        self
    }
}
