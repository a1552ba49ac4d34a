use std::collections::BTreeMap;

use serde_json::Value;

use super::{Needs, OptionEntry, OptionKind, Registry};
use crate::medium::MediumSpec;
use crate::spec::{LayerSpec, SpecError, StackSpec};

impl Registry {
    /// Returns the stack with these layers (`mqtt/tcp`) and options (`("qos", "0")`, `("tcp.nodelay", "off")`), with
    /// every default written out.
    ///
    /// Values are written as in the notation of stacks.
    ///
    /// ```
    /// use lasthop_world::Registry;
    /// let stack = Registry::standard().stack("mqtt/tcp", &[("qos", "0"), ("tcp.profile", "larmo_2019")])?;
    /// assert_eq!(stack.path(), "mqtt/tcp/ip");
    /// assert_eq!(stack.application.options["keep_alive"], 60);
    /// assert_eq!(stack.layers[0].options["congestion"], "reno");
    /// # Ok::<(), lasthop_world::SpecError>(())
    /// ```
    ///
    /// # Errors
    /// When a layer, an option or a value does not exist.
    pub fn stack(&self, layers: &str, options: &[(&str, &str)]) -> Result<StackSpec, SpecError> {
        let mut names = layers.split('/');
        let application = names.next().unwrap_or_default();
        let unknown = |name: &str| SpecError::value("stack", format!("there is no {name}"));
        let entry = self
            .application(application)
            .ok_or_else(|| unknown(application))?;
        let layer = |name: &str| LayerSpec {
            name: name.to_owned(),
            options: BTreeMap::new(),
        };
        let mut stack = StackSpec {
            application: layer(application),
            layers: names.chain(["ip"]).map(layer).collect(),
            software: None,
            client: None,
        };
        let given = |layer: &str| -> BTreeMap<String, String> {
            let of_layer = options.iter().filter_map(|(name, value)| {
                let name = match name.split_once('.') {
                    Some((prefix, name)) => (prefix == layer).then_some(name)?,
                    None => (layer == application).then_some(*name)?,
                };
                Some((name.to_owned(), (*value).to_owned()))
            });
            of_layer.collect()
        };
        stack.application.options = resolve(Some(&stack), entry.options, given(application))?;
        for place in 0..stack.layers.len() {
            let name = stack.layers[place].name.clone();
            let entry = self.layer(&name).ok_or_else(|| unknown(&name))?;
            stack.layers[place].options = resolve(Some(&stack), entry.options, given(&name))?;
        }
        // Says what else is wrong.
        self.builder(&stack)?;
        Ok(stack)
    }

    /// Returns the medium of an extension's link, with every default of its options written out.
    ///
    /// # Errors
    /// When the link, an option or a value does not exist.
    pub fn medium(&self, link: &str, options: &[(&str, &str)]) -> Result<MediumSpec, SpecError> {
        let unknown = || SpecError::value("paths", format!("there is no link {link}"));
        let entry = self.link(link).ok_or_else(unknown)?;
        let given = options.iter().copied();
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(MediumSpec::Registered(LayerSpec {
            name: link.to_owned(),
            options: resolve(None, entry.options, given.collect())?,
        }))
    }
}

/// Every option of a layer that applies.
fn resolve(
    stack: Option<&StackSpec>,
    entries: &[OptionEntry],
    mut given: BTreeMap<String, String>,
) -> Result<BTreeMap<String, Value>, SpecError> {
    let within = if stack.is_some() { "stack" } else { "paths" };
    let mut written: BTreeMap<&str, String> = BTreeMap::new();
    for entry in entries {
        let own = given.remove(entry.name);
        if own.is_none() && !applies(entry, stack, &written) {
            continue;
        }
        if let Some(text) = own.or_else(|| default_of(entry, &written)) {
            written.insert(entry.name, text);
        }
    }
    if let Some(unknown) = given.keys().next() {
        let problem = format!("there is no option {unknown}");
        return Err(SpecError::value(within, problem));
    }
    let value = |(name, text): (&str, String)| {
        let mut entries = entries.iter();
        let entry = entries.find(|entry| entry.name == name)?;
        Some((name.to_owned(), read(entry.kind, &text)?))
    };
    let count = written.len();
    let options: BTreeMap<String, Value> = written.into_iter().filter_map(value).collect();
    if options.len() < count {
        return Err(SpecError::value(within, "a value is not readable"));
    }
    Ok(options)
}

fn applies(
    entry: &OptionEntry,
    stack: Option<&StackSpec>,
    written: &BTreeMap<&str, String>,
) -> bool {
    let Some(needs) = entry.needs else {
        return true;
    };
    let has = |wanted: &&str| match needs.option {
        Needs::LAYERS => stack.is_some_and(|stack| stack.layer(wanted).is_some()),
        other => written.get(other).is_some_and(|value| value == wanted),
    };
    needs.values.iter().any(has) != needs.is_barred
}

fn default_of(entry: &OptionEntry, written: &BTreeMap<&str, String>) -> Option<String> {
    let Some(follows) = entry.follows else {
        return entry.default.map(str::to_owned);
    };
    let followed = written.get(follows.option)?;
    if follows.by.is_empty() {
        return Some(followed.clone());
    }
    let mut by = follows.by.iter();
    by.find(|(value, _)| value == followed)
        .map(|(_, default)| (*default).to_owned())
}

/// A value as a run spec has it.
fn read(kind: OptionKind, text: &str) -> Option<Value> {
    let amount = |units: &[(&str, u64)]| {
        let mut units = units.iter();
        let (unit, factor) = units.find(|(unit, _)| text.ends_with(unit))?;
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*factor)
    };
    Some(match kind {
        OptionKind::Word(_) | OptionKind::Name => text.into(),
        OptionKind::Switch => match text {
            "on" => true.into(),
            "off" => false.into(),
            _ => return None,
        },
        OptionKind::Time => amount(&[
            ("ms", 1_000_000),
            ("min", 60_000_000_000),
            ("h", 3_600_000_000_000),
            ("s", 1_000_000_000),
        ])?
        .into(),
        OptionKind::Seconds(..) => amount(&[("min", 60), ("s", 1)])?.into(),
        OptionKind::Size(..) => amount(&[("kB", 1000), ("B", 1)])?.into(),
        OptionKind::Count(..) => text.parse::<u64>().ok()?.into(),
        OptionKind::Number(..) => text.parse::<f64>().ok()?.into(),
    })
}
