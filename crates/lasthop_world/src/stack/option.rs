use std::collections::BTreeMap;

use lasthop_units::Duration;
use serde_json::Value;

use crate::spec::{LayerSpec, SpecError, StackSpec};

/// An option of an application or a layer in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct OptionEntry {
    /// The name in stack notation, without the prefix of its layer.
    pub name: &'static str,
    /// A short description of the option.
    pub summary: &'static str,
    /// The kind of the option's values.
    pub kind: OptionKind,
    /// The default in stack notation; `None` if it can be absent or follows another option.
    pub default: Option<&'static str>,
    /// Another option of the layer that the default depends on.
    pub follows: Option<Follows>,
    /// The condition under which the option has an effect.
    pub needs: Option<Needs>,
    /// The credentials of both ends, for the option values that generate them.
    pub credentials: &'static [(&'static str, &'static str)],
}

/// The kind of values of an option, and its type in a run spec.
#[derive(Clone, Copy, Debug)]
pub enum OptionKind {
    /// One of these words: a string.
    Word(&'static [&'static str]),
    /// `on` or `off`: a boolean.
    Switch,
    /// A time above 0: an integer, in nanoseconds.
    Time,
    /// Whole seconds between these bounds, or none: an integer.
    Seconds(u64, u64),
    /// A size between these bounds: an integer, in bytes.
    Size(u64, u64),
    /// A whole number between these bounds: an integer.
    Count(u64, u64),
    /// A number between these bounds: a number.
    Number(f64, f64),
    /// A name: a string.
    Name,
}

/// A default that depends on another option.
#[derive(Clone, Copy, Debug)]
pub struct Follows {
    /// The other option of the same layer.
    pub option: &'static str,
    /// The default for each value of that option; empty if it is the same value.
    pub by: &'static [(&'static str, &'static str)],
}

/// A condition on another option of the same layer, or on the layers of the stack.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// The other option, or [`Needs::LAYERS`].
    pub option: &'static str,
    /// The values that make the option effective.
    pub values: &'static [&'static str],
    /// Whether the condition is inverted: the option is effective with none of the values.
    pub is_barred: bool,
}

/// The checked options of one application or layer in a run. All applicable options are present.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    layer: &'a LayerSpec,
}

impl Needs {
    /// The name for a condition on the layers of the stack instead of an option.
    pub const LAYERS: &'static str = "layers";
}

impl OptionEntry {
    /// Creates an option without a default.
    #[must_use]
    pub const fn new(name: &'static str, kind: OptionKind, summary: &'static str) -> Self {
        Self {
            name,
            summary,
            kind,
            default: None,
            follows: None,
            needs: None,
            credentials: &[],
        }
    }

    /// Sets the default.
    #[must_use]
    pub const fn default(mut self, written: &'static str) -> Self {
        self.default = Some(written);
        self
    }

    /// Sets another option whose value is the default of this one.
    #[must_use]
    pub const fn follows(mut self, option: &'static str) -> Self {
        self.follows = Some(Follows { option, by: &[] });
        self
    }

    /// Sets another option whose value selects the default of this one.
    #[must_use]
    pub const fn chosen_by(
        mut self,
        option: &'static str,
        by: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.follows = Some(Follows { option, by });
        self
    }

    /// Makes the option effective only if another option has one of these values.
    #[must_use]
    pub const fn needs(mut self, option: &'static str, values: &'static [&'static str]) -> Self {
        self.needs = Some(Needs {
            option,
            values,
            is_barred: false,
        });
        self
    }

    /// Makes the option ineffective if another option has one of these values.
    #[must_use]
    pub const fn unless(mut self, option: &'static str, values: &'static [&'static str]) -> Self {
        self.needs = Some(Needs {
            option,
            values,
            is_barred: true,
        });
        self
    }

    /// Declares the option values that generate credentials.
    #[must_use]
    pub const fn credentials(
        mut self,
        credentials: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.credentials = credentials;
        self
    }

    /// Whether it means something in a stack, beside these options of its layer.
    fn applies(&self, stack: Option<&StackSpec>, options: &BTreeMap<String, Value>) -> bool {
        let Some(needs) = self.needs else { return true };
        if needs.option == Needs::LAYERS {
            let has = |name: &&str| stack.is_some_and(|stack| stack.layer(name).is_some());
            return needs.values.iter().any(has);
        }
        let value = options.get(needs.option);
        let has = |wanted: &&str| match value {
            Some(Value::String(word)) => word == wanted,
            Some(Value::Bool(is_on)) => *wanted == if *is_on { "on" } else { "off" },
            _ => false,
        };
        needs.values.iter().any(has) != needs.is_barred
    }

    /// Returns what is wrong with a value of the option.
    fn fault(&self, value: &Value) -> Option<String> {
        let between = |least: u64, most: u64| {
            let is_between = value
                .as_u64()
                .is_some_and(|it| (least..=most).contains(&it));
            (!is_between).then(|| format!("must be a whole number from {least} to {most}"))
        };
        match self.kind {
            OptionKind::Word(words) => {
                let is_word = value.as_str().is_some_and(|word| words.contains(&word));
                (!is_word).then(|| format!("must be one of {}", words.join(", ")))
            }
            OptionKind::Switch => (!value.is_boolean()).then(|| "must be true or false".into()),
            OptionKind::Time => between(1, u64::MAX),
            OptionKind::Seconds(least, most) => match value.as_u64() {
                Some(0) => None,
                _ => between(least, most),
            },
            OptionKind::Size(least, most) => between(least, most),
            OptionKind::Count(least, most) => between(least, most),
            OptionKind::Number(least, most) => {
                let is_between = value
                    .as_f64()
                    .is_some_and(|it| (least..=most).contains(&it));
                (!is_between).then(|| format!("must be a number from {least} to {most}"))
            }
            OptionKind::Name => (!value.is_string()).then(|| "must be a name".into()),
        }
    }
}

impl<'a> Options<'a> {
    /// The options of a layer of a stack, or of a link, held against their entries: every one that applies and has a
    /// default is there, and no other is. Complaints begin with the place.
    pub(crate) fn checked(
        within: &str,
        stack: Option<&StackSpec>,
        layer: &'a LayerSpec,
        entries: &[OptionEntry],
    ) -> Result<Self, SpecError> {
        let place = |option: &str| format!("{within}.{}.{option}", layer.name);
        let known = |name: &String| entries.iter().any(|entry| entry.name == name);
        if let Some(unknown) = layer.options.keys().find(|name| !known(name)) {
            return Err(SpecError::value(place(unknown), "there is no such option"));
        }
        for entry in entries {
            let has_default = entry.default.is_some() || entry.follows.is_some();
            let applies = entry.applies(stack, &layer.options);
            let problem = match layer.options.get(entry.name) {
                Some(_) if !applies => Some("means nothing here".to_owned()),
                Some(value) => entry.fault(value),
                None if applies && has_default => Some("is missing".to_owned()),
                None => None,
            };
            if let Some(problem) = problem {
                return Err(SpecError::value(place(entry.name), problem));
            }
        }
        Ok(Self { layer })
    }

    /// Whether an option applies.
    #[must_use]
    pub fn has(self, name: &str) -> bool {
        self.layer.options.contains_key(name)
    }

    /// Returns the value of a word or name; empty if the option does not apply.
    #[must_use]
    pub fn word(self, name: &str) -> &'a str {
        self.value(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the value of a switch; `false` if the option does not apply.
    #[must_use]
    pub fn switch(self, name: &str) -> bool {
        self.value(name)
            .and_then(Value::as_bool)
            .unwrap_or_default()
    }

    /// Returns the value of a time; 0 if the option does not apply.
    #[must_use]
    pub fn time(self, name: &str) -> Duration {
        Duration::from_nanos(self.integer(name))
    }

    /// Returns the value of a count, a size in bytes, or seconds; 0 if the option does not apply.
    #[must_use]
    pub fn integer(self, name: &str) -> u64 {
        self.value(name).and_then(Value::as_u64).unwrap_or_default()
    }

    /// Returns the value of a small count, whose upper limit is in the catalogue; 0 if the option does not apply.
    #[must_use]
    pub fn small(self, name: &str) -> u16 {
        u16::try_from(self.integer(name)).unwrap_or(u16::MAX)
    }

    /// Returns the value of a number; 0 if the option does not apply.
    #[must_use]
    pub fn number(self, name: &str) -> f64 {
        self.value(name).and_then(Value::as_f64).unwrap_or_default()
    }

    fn value(self, name: &str) -> Option<&'a Value> {
        self.layer.options.get(name)
    }
}
