use serde_json::{Value, json};

use super::{ApplicationEntry, LayerEntry, LayerKind, OptionEntry, OptionKind, Registry};

/// Short names of an application with its lower layers.
const ALIASES: &[(&str, &str, &[&str])] = &[("https", "http", &["tls", "tcp"])];

/// What a layer stands on where the notation leaves it out.
const IMPLIED: &[(&str, &[&str])] = &[
    ("quic", &["quic", "udp"]),
    ("tls", &["tls", "tcp"]),
    ("dtls", &["dtls", "udp"]),
    ("ws", &["ws", "tcp"]),
];

impl Registry {
    /// Everything that the notation of stacks, help, schema and docs are made of.
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
            "applications": self.applications.iter().map(application).collect::<Vec<_>>(),
            "layers": self.layers.iter().map(layer).collect::<Vec<_>>(),
            "aliases": map(ALIASES.iter().map(|(name, of, over)| (*name, json!([of, over]))).collect()),
            "implied": map(IMPLIED.iter().map(|(name, over)| (*name, json!(over))).collect()),
        })
    }
}

fn application(entry: &ApplicationEntry) -> Value {
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "over": entry.over,
        "built": entry.built,
        "port": entry.port,
        "has_topics": entry.has_topics,
        "options": entry.options.iter().map(option).collect::<Vec<_>>(),
    })
}

fn layer(entry: &LayerEntry) -> Value {
    json!({
        "name": entry.name,
        "summary": entry.summary,
        "built": !matches!(entry.kind, LayerKind::Planned),
        "options": entry.options.iter().map(option).collect::<Vec<_>>(),
    })
}

fn option(entry: &OptionEntry) -> Value {
    let (kind, minimum, maximum) = match entry.kind {
        OptionKind::Word(_) => ("word", None, None),
        OptionKind::Switch => ("switch", None, None),
        OptionKind::Time => ("time", None, None),
        OptionKind::Seconds(least, most) => ("seconds", Some(json!(least)), Some(json!(most))),
        OptionKind::Size(most) => ("size", Some(json!(0)), Some(json!(most))),
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
        "needs": entry.needs.map(|it| json!({"option": it.option, "values": it.values})),
        "credentials": pairs(entry.credentials),
    })
}
