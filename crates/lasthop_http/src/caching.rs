use http::header::{AGE, CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName, HeaderValue};
use lasthop_cache::{Freshness, Reply};
use lasthop_contract::MessageId;
use lasthop_contract::message_text::message_id;
use lasthop_units::Duration;

use crate::wire_text::written;

/// The request field with the message ID, for requests whose path only names a resource. Caches ignore this field, and
/// many servers log it.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Adds the freshness fields to a response: lifetime, age and entity tag (RFC 9111 sections 5.1, 5.2, RFC 9110 section
/// 8.8.3).
pub(crate) fn say(fields: &mut HeaderMap, freshness: &Freshness) {
    if let Some(lifetime) = freshness.lifetime {
        insert(
            fields,
            CACHE_CONTROL,
            &format!("max-age={}", seconds(lifetime)),
        );
    }
    if freshness.age > Duration::ZERO {
        insert(fields, AGE, &seconds(freshness.age).to_string());
    }
    if let Some(tag) = freshness.tag {
        insert(fields, ETAG, &entity_tag(tag));
    }
}

/// Adds the entity tag of a cached state to a request (RFC 9110 section 13.1.2).
pub(crate) fn ask_for_another(fields: &mut HeaderMap, tag: u32) {
    insert(fields, IF_NONE_MATCH, &entity_tag(tag));
}

/// Adds the message ID to a request.
pub(crate) fn name(fields: &mut HeaderMap, message: MessageId) {
    insert(fields, REQUEST_ID, &written(message));
}

/// Returns the message ID of a request.
pub(crate) fn named(fields: &HeaderMap) -> Option<MessageId> {
    message_id(fields.get(REQUEST_ID)?.as_bytes())
}

/// Returns the entity tag of the state that the client already has.
pub(crate) fn had_already(fields: &HeaderMap) -> Option<u32> {
    tag_of(fields.get(IF_NONE_MATCH)?)
}

/// Returns the caching information of a response. A response without any is not stored, because heuristic lifetimes
/// (RFC 9111 section 4.2.2) are not used.
pub(crate) fn reply_of(fields: &HeaderMap, is_unchanged: bool) -> Reply {
    let directives = fields.get_all(CACHE_CONTROL).iter();
    let directives = directives.filter_map(|value| value.to_str().ok());
    let mut lifetime = None;
    let mut is_barred = false;
    for directive in directives.flat_map(|value| value.split(',')) {
        let directive = directive.trim().to_ascii_lowercase();
        match directive.split_once('=') {
            Some(("max-age", seconds)) if lifetime.is_none() => {
                lifetime = seconds.trim_matches('"').parse().ok();
            }
            None if directive == "no-store" || directive == "private" => is_barred = true,
            None if directive == "no-cache" => lifetime = Some(0),
            _ => {}
        }
    }
    let age = fields.get(AGE).and_then(|age| age.to_str().ok());
    let age = age.and_then(|age| age.trim().parse().ok()).unwrap_or(0);
    let tag = fields.get(ETAG).and_then(tag_of);
    let of_seconds = |seconds: u32| Duration::from_secs(seconds.into());
    Reply {
        freshness: Freshness {
            lifetime: lifetime.filter(|_| !is_barred).map(of_seconds),
            age: of_seconds(age),
            tag: tag.filter(|_| !is_barred),
        },
        is_unchanged,
        counts_delay: true,
    }
}

fn insert(fields: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        fields.insert(name, value);
    }
}

fn seconds(time: Duration) -> u64 {
    time.as_nanos() / 1_000_000_000
}

fn entity_tag(tag: u32) -> String {
    format!("\"{tag:08x}\"")
}

fn tag_of(value: &HeaderValue) -> Option<u32> {
    let text = value.to_str().ok()?.trim().strip_prefix('"')?;
    u32::from_str_radix(text.strip_suffix('"')?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(all: &[(HeaderName, &str)]) -> HeaderMap {
        let mut fields = HeaderMap::new();
        for (name, value) in all {
            fields.append(name, HeaderValue::from_str(value).unwrap());
        }
        fields
    }

    #[test]
    fn what_is_said_is_read_again() {
        let freshness = Freshness {
            lifetime: Some(Duration::from_secs(30)),
            age: Duration::from_millis(7_900),
            tag: Some(0x2a),
        };
        let mut said = HeaderMap::new();
        say(&mut said, &freshness);
        // An age is told in whole seconds, and never as more than it is.
        assert_eq!(said[AGE], "7");
        let read = reply_of(&said, false).freshness;
        assert_eq!(read.lifetime, freshness.lifetime);
        assert_eq!(read.age, Duration::from_secs(7));
        assert_eq!(read.tag, freshness.tag);
        let mut asked = HeaderMap::new();
        ask_for_another(&mut asked, 0x2a);
        assert_eq!(had_already(&asked), Some(0x2a));
    }

    #[test]
    fn an_answer_without_a_lifetime_or_that_is_not_to_be_kept_has_none() {
        for (value, lifetime) in [
            ("max-age=5", Some(5)),
            ("public, Max-Age=\"5\"", Some(5)),
            ("max-age=5, max-age=9", Some(5)),
            ("max-age=0", Some(0)),
            ("no-cache", Some(0)),
            ("no-store, max-age=5", None),
            ("private, max-age=5", None),
            ("max-age=-1", None),
            ("max-age=", None),
            ("", None),
        ] {
            let read = reply_of(&fields(&[(CACHE_CONTROL, value)]), false).freshness;
            let expected = lifetime.map(Duration::from_secs);
            assert_eq!(read.lifetime, expected, "{value}");
        }
        assert_eq!(reply_of(&HeaderMap::new(), false).freshness.lifetime, None);
    }
}
