use crate::spec::StackSpec;

/// What both ends agree on in the handshake of a secured stream (RFC 7301), by the names that IANA registers: HTTP tells its
/// versions apart so, and others leave it out.
pub(super) fn negotiated_protocols(stack: &StackSpec) -> Vec<Vec<u8>> {
    let version = stack.application.options.get("version");
    match (
        stack.application.name.as_str(),
        version.and_then(|it| it.as_str()),
    ) {
        ("http", Some("1.1")) => vec![b"http/1.1".to_vec()],
        // Where HTTP/3 falls back, too.
        ("http", _) => vec![b"h2".to_vec()],
        _ => Vec::new(),
    }
}

/// The same over QUIC, which never leaves it out (RFC 9001 section 8.1).
pub(super) fn negotiated_over_quic(stack: &StackSpec) -> Vec<u8> {
    match stack.application.name.as_str() {
        "http" => b"h3".to_vec(),
        name => name.as_bytes().to_vec(),
    }
}
