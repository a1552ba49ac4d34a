use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::Value;

/// A JSON object with unique member names (RFC 7515 section 4, RFC 7519 section 4).
#[derive(Debug)]
pub(crate) struct JsonObject {
    members: Vec<(String, Value)>,
}

impl JsonObject {
    /// Parses an object with nothing after it, or returns `None`. `serde_json` limits the depth.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Returns the value of a member, if it exists.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        let mut members = self.members.iter();
        members
            .find(|(known, _)| known == name)
            .map(|(_, value)| value)
    }

    /// Whether the object has any of these members.
    pub(crate) fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.get(name).is_some())
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = JsonObject;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JsonObject, A::Error> {
        let mut members: Vec<(String, Value)> = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Value>()? {
            if members.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom("a name stands twice"));
            }
            members.push((name, value));
        }
        Ok(JsonObject { members })
    }
}
