use core::iter;

use serde_json::{Value, json};

use super::{ApplicationEntry, LayerEntry, LayerKind, OptionEntry, OptionKind, Registry};
use crate::medium::LinkEntry;

/// Short names of an application with its lower layers.
const ALIASES: &[(&str, &str, &[&str])] = &[("https", "http", &["tls", "tcp"])];

impl Registry {
    /// Returns all applications, layers and options as JSON. Notation, help, schema and docs are made from it.
    #[must_use]
    pub fn catalogue(&self) -> Value {
        let map = |pairs: Vec<(&str, Value)>| -> Value {
            pairs
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        json!({
            "applications": self.applications.iter().map(|it| self.application_entry(it)).collect::<Vec<_>>(),
            "layers": self.layers.iter().map(layer_entry).collect::<Vec<_>>(),
            "links": self.links.iter().map(link_entry).collect::<Vec<_>>(),
            "aliases": map(ALIASES.iter().map(|(name, of, over)| (*name, json!([of, over]))).collect()),
            "implied": map(self.layers.iter().filter_map(|it| self.implied_entry(it)).collect()),
        })
    }

    fn application_entry(&self, entry: &ApplicationEntry) -> Value {
        json!({
            "name": entry.name,
            "summary": entry.summary,
            "over": self.ways(entry.over),
            "built": self.ways_to_run(entry),
            "ports": self.ports(entry),
            "has_topics": entry.has_topics,
            "options": entry.options.iter().map(option_entry).collect::<Vec<_>>(),
        })
    }

    /// Returns the default ports of an application, by the layers below it.
    fn ports(&self, entry: &ApplicationEntry) -> Value {
        let ways = self.ways(entry.over).into_iter();
        let port = |way: Vec<&str>| (way.join("/"), entry.port_on(way.into_iter()).into());
        Value::Object(ways.map(port).collect())
    }

    /// Returns the layer that stack notation implies below this one, this one first.
    fn implied_entry(&self, entry: &LayerEntry) -> Option<(&'static str, Value)> {
        let usual = self.ways(entry.over).into_iter().next()?;
        let whole: Vec<&str> = iter::once(entry.name).chain(usual).collect();
        (whole.len() > 1).then(|| (entry.name, json!(whole)))
    }
}

fn layer_entry(entry: &LayerEntry) -> Value {
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "built": !matches!(entry.kind, LayerKind::Planned),
        "options": entry.options.iter().map(option_entry).collect::<Vec<_>>(),
    })
}

fn link_entry(entry: &LinkEntry) -> Value {
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "options": entry.options.iter().map(option_entry).collect::<Vec<_>>(),
    })
}

fn option_entry(entry: &OptionEntry) -> Value {
    let (kind, minimum, maximum) = match entry.kind {
        OptionKind::Word(_) => ("word", None, None),
        OptionKind::Switch => ("switch", None, None),
        OptionKind::Time => ("time", None, None),
        OptionKind::Seconds(least, most) => ("seconds", Some(json!(least)), Some(json!(most))),
        OptionKind::Size(least, most) => ("size", Some(json!(least)), Some(json!(most))),
        OptionKind::Count(least, most) => ("count", Some(json!(least)), Some(json!(most))),
        OptionKind::Number(least, most) => ("number", Some(json!(least)), Some(json!(most))),
        OptionKind::Name => ("name", None, None),
    };
    let words: &[&str] = match entry.kind {
        OptionKind::Word(words) => words,
        _ => &[],
    };
    let pairs = |pairs: &[(&str, &str)]| -> Value {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Value::from(*value)))
            .collect::<serde_json::Map<_, _>>()
            .into()
    };
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "kind": kind,
        "words": words,
        "minimum": minimum,
        "maximum": maximum,
        "default": entry.default,
        "follows": entry.follows.map(|it| json!({"option": it.option, "by": pairs(it.by)})),
        "needs": entry.needs.map(|it| {
            json!({"option": it.option, "values": it.values, "is_barred": it.is_barred})
        }),
        "credentials": pairs(entry.credentials),
    })
}
