/// Finds the first message in a stream; `None` if more bytes are needed.
pub type MessageBoundary = fn(&[u8]) -> Option<FirstMessage>;

/// The first message in a stream, which can be incomplete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstMessage {
    /// The length of the message, at least one byte.
    pub length: usize,
    /// Whether the message carries data for the application.
    pub is_for_application: bool,
}
