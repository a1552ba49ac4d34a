use core::fmt::{self, Write};

use crate::codec::{Content, option_number};

/// A resource in the list of resources, with what is said of it (RFC 6690 section 2).
#[derive(Clone, Debug)]
pub(super) struct Link {
    target: String,
    attributes: &'static [(&'static str, &'static str)],
}

/// Which links a client wants: all that pass each of its arguments (RFC 6690 section 4.1).
pub(super) struct Filter<'a> {
    content: &'a Content,
    datagram: &'a [u8],
}

impl Link {
    pub(super) fn new(
        target: impl fmt::Display,
        attributes: &'static [(&'static str, &'static str)],
    ) -> Self {
        Self {
            target: target.to_string(),
            attributes,
        }
    }

    /// Links in link format (RFC 6690 section 2), those that pass.
    pub(super) fn list(links: impl IntoIterator<Item = Self>, filter: &Filter<'_>) -> String {
        let mut list = String::new();
        for link in links.into_iter().filter(|link| filter.passes(link)) {
            if !list.is_empty() {
                list.push(',');
            }
            write!(list, "{link}").expect("a string takes all that is written");
        }
        list
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.target)?;
        for (name, value) in self.attributes {
            if value.is_empty() {
                write!(f, ";{name}")?;
            } else {
                write!(f, ";{name}=\"{value}\"")?;
            }
        }
        Ok(())
    }
}

impl<'a> Filter<'a> {
    pub(super) const fn of(content: &'a Content, datagram: &'a [u8]) -> Self {
        Self { content, datagram }
    }

    fn passes(&self, link: &Link) -> bool {
        let options = self.content.options(self.datagram);
        let arguments = options.filter(|(number, _)| *number == option_number::URI_QUERY);
        arguments
            .map(|(_, argument)| argument)
            .all(|argument| passes(link, argument))
    }
}

/// Whether a link has what `name=value` asks for; `*` at the end stands for any end. What has no `=` is no filter.
fn passes(link: &Link, argument: &[u8]) -> bool {
    let Some(at) = argument.iter().position(|byte| *byte == b'=') else {
        return true;
    };
    let (name, pattern) = (&argument[..at], &argument[at + 1..]);
    let is_it = |value: &str| match pattern.strip_suffix(b"*") {
        Some(beginning) => value.as_bytes().starts_with(beginning),
        None => value.as_bytes() == pattern,
    };
    if name == b"href" {
        return is_it(&link.target);
    }
    let mut named = link
        .attributes
        .iter()
        .filter(|(known, _)| known.as_bytes() == name);
    // Relation types, resource types and interfaces are lists (RFC 6690 section 4.1).
    named.any(|(_, value)| value.split(' ').any(is_it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_picks_links_by_a_value_its_beginning_or_its_target() {
        let link = Link::new(
            "/a/b",
            &[("rt", "light lamp.dim"), ("if", "core.a"), ("obs", "")],
        );
        for argument in [
            "rt=light",
            "rt=lamp.dim",
            "rt=lamp*",
            "rt=*",
            "if=core.*",
            "href=/a/b",
            "href=/a*",
            "obs=",
            "obs",
        ] {
            assert!(passes(&link, argument.as_bytes()), "{argument}");
        }
        for argument in [
            "rt=lam",
            "rt=light lamp.dim",
            "rt=",
            "ct=40",
            "ct=*",
            "href=/a",
            "if=core",
            "rt=*light",
        ] {
            assert!(!passes(&link, argument.as_bytes()), "{argument}");
        }
    }
}
