/// Finds the first message in the bytes of a stream; `None` while too little is there to tell.
pub type MessageBoundary = fn(&[u8]) -> Option<FirstMessage>;

/// The first message in the bytes of a stream, of which not all has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstMessage {
    /// How long it is, at least one byte.
    pub length: usize,
    /// Whether it carries something for the application, and is no word of the protocol alone.
    pub is_for_application: bool,
}
