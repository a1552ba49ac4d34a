//! Bearer tokens in the `Authorization` field (RFC 6750 section 2.1).

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};

const SCHEME: &str = "Bearer ";

/// Returns the field value for a token of visible text.
pub(crate) fn bearer(token: &str) -> HeaderValue {
    let value = [SCHEME, token].concat();
    HeaderValue::from_str(&value).expect("a token is visible text")
}

/// Returns the token that a request presents.
pub(crate) fn shown_token(fields: &HeaderMap) -> Option<&[u8]> {
    let value = fields.get(AUTHORIZATION)?;
    value.as_bytes().strip_prefix(SCHEME.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_where_it_was_put() {
        let mut fields = HeaderMap::new();
        assert_eq!(shown_token(&fields), None);
        fields.insert(AUTHORIZATION, bearer("a.b.c"));
        assert_eq!(shown_token(&fields), Some(&b"a.b.c"[..]));
        for other in ["Bearer", "Basic YTpi", "a.b.c"] {
            fields.insert(AUTHORIZATION, HeaderValue::from_static(other));
            assert_eq!(shown_token(&fields), None, "{other}");
        }
    }
}
