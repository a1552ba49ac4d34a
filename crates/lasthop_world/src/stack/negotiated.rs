use crate::spec::StackSpec;

/// What both ends agree on in the handshake of a secured stream (RFC 7301), by the names that IANA registers: HTTP tells its
/// versions apart so, and others leave it out.
pub(super) fn negotiated_protocols(stack: &StackSpec) -> Vec<Vec<u8>> {
    let version = stack.application.options.get("version");
    match (
        stack.application.name.as_str(),
        version.and_then(|it| it.as_str()),
    ) {
        ("http", Some("2")) => vec![b"h2".to_vec()],
        ("http", _) => vec![b"http/1.1".to_vec()],
        _ => Vec::new(),
    }
}
