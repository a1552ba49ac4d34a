use crate::codec::{Content, Token, option_number};

/// Whether who asks has the representation with this entity tag already (RFC 7252 section 5.10.6.2).
pub(super) fn has_already(content: &Content, datagram: &[u8], etag: Token) -> bool {
    content
        .options(datagram)
        .any(|(number, value)| number == option_number::ETAG && value == etag.as_bytes())
}

/// Whether a request may be carried out on a resource with this entity tag, or on one that is not there (RFC 7252
/// §5.10.8).
pub(super) fn is_fulfilled(content: &Content, datagram: &[u8], etag: Option<Token>) -> bool {
    if !content.facts.is_conditional {
        return true;
    }
    let (mut names_tags, mut matches, mut excludes_any) = (false, false, false);
    for (number, value) in content.options(datagram) {
        match number {
            option_number::IF_MATCH => {
                names_tags = true;
                // An empty value stands for any state (RFC 7252 section 5.10.8.1).
                matches |= etag.is_some_and(|tag| value.is_empty() || value == tag.as_bytes());
            }
            option_number::IF_NONE_MATCH => excludes_any = true,
            _ => {}
        }
    }
    (!names_tags || matches) && !(excludes_any && etag.is_some())
}
