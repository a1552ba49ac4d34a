use thiserror::Error;

/// A topic filter, with or without a shared subscription group (MQTT 5 §4.7 and §4.8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicFilter<'a> {
    text: &'a str,
    group: Option<&'a str>,
    filter: &'a str,
}

/// The maximum number of levels of a filter, as in mosquitto 2.0 (`TOPIC_HIERARCHY_LIMIT`). It limits the depth of the
/// tree.
pub const MAX_LEVELS: usize = 200;

/// The text is not a valid topic filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no topic filter")]
pub struct FilterError;

const SHARED: &str = "$share/";

impl<'a> TopicFilter<'a> {
    /// Parses a filter.
    ///
    /// `+` and `#` must be alone in their level, `#` in the last one. `$share/group/filter` names a group without
    /// wildcards.
    ///
    /// # Errors
    /// When the text is no filter, or has more than [`MAX_LEVELS`] levels.
    pub fn parse(text: &'a str) -> Result<Self, FilterError> {
        let (group, filter) = match text.strip_prefix(SHARED) {
            Some(rest) => {
                let (group, filter) = rest.split_once('/').ok_or(FilterError)?;
                (Some(group), filter)
            }
            None => (None, text),
        };
        let group_is_valid =
            group.is_none_or(|group| !group.is_empty() && !group.contains(['+', '#']));
        if group_is_valid && is_filter(filter) {
            Ok(Self {
                text,
                group,
                filter,
            })
        } else {
            Err(FilterError)
        }
    }

    /// Whether the filter has no wildcard and no group, so that it matches a single topic.
    #[must_use]
    pub fn is_one_topic(&self) -> bool {
        self.group.is_none() && !self.filter.contains(['+', '#'])
    }

    /// Returns the text of the filter.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the group of a shared subscription.
    #[must_use]
    pub const fn group(&self) -> Option<&'a str> {
        self.group
    }

    /// Returns the filter without its group.
    #[must_use]
    pub const fn filter(&self) -> &'a str {
        self.filter
    }

    /// Whether a topic name matches. A wildcard in the first level does not match a name that begins with `$`
    /// (MQTT-4.7.2-1).
    #[must_use]
    pub fn matches(&self, topic: &str) -> bool {
        let mut names = topic.split('/');
        for (depth, level) in self.filter.split('/').enumerate() {
            let is_reserved = depth == 0 && topic.starts_with('$');
            match (level, names.next()) {
                ("#", _) => return !is_reserved,
                ("+", Some(_)) if !is_reserved => {}
                (level, Some(name)) if level == name => {}
                _ => return false,
            }
        }
        names.next().is_none()
    }

    /// Returns the prefix that all matching topic names have.
    pub(crate) fn literal_prefix(&self) -> &'a str {
        let end = self.filter.find(['+', '#']).unwrap_or(self.filter.len());
        // `a/#` matches `a` as well.
        self.filter[..end]
            .strip_suffix('/')
            .unwrap_or(&self.filter[..end])
    }
}

/// Whether the text is a valid topic name: not empty, without wildcards and U+0000 (MQTT 5 §4.7.3).
#[must_use]
pub fn is_topic_name(text: &str) -> bool {
    !text.is_empty() && !text.bytes().any(|byte| matches!(byte, b'+' | b'#' | 0))
}

fn is_filter(filter: &str) -> bool {
    if filter.is_empty() || filter.contains('\0') {
        return false;
    }
    let mut levels = filter.split('/').peekable();
    let mut count = 0;
    while let Some(level) = levels.next() {
        count += 1;
        let is_level = match level {
            "+" => true,
            "#" => levels.peek().is_none(),
            name => !name.contains(['+', '#']),
        };
        if !is_level {
            return false;
        }
    }
    count <= MAX_LEVELS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_without_wildcards_is_its_own_prefix() {
        for (filter, prefix) in [
            ("a/b", "a/b"),
            ("a/#", "a"),
            ("a/+/c", "a"),
            ("#", ""),
            ("a/b+", ""),
        ] {
            let parsed = TopicFilter::parse(filter);
            match parsed {
                Ok(parsed) => assert_eq!(parsed.literal_prefix(), prefix, "{filter}"),
                Err(FilterError) => assert_eq!(filter, "a/b+"),
            }
        }
    }
}
