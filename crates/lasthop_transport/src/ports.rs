use lasthop_contract::ListenError;

/// The local ports of a protocol on a host: those that are listened at, and the next one that a client gets.
#[derive(Debug)]
pub(crate) struct Ports {
    /// A slice, because most hosts listen at one port or none and there are many hosts.
    listening: Box<[u16]>,
    next: u16,
}

/// The first of the ports that clients use (RFC 6335 §6).
const FIRST_EPHEMERAL: u16 = 49_152;

impl Ports {
    pub(crate) fn new() -> Self {
        Self {
            listening: Box::default(),
            next: FIRST_EPHEMERAL,
        }
    }

    /// Accepts at a port from now on.
    pub(crate) fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        if self.is_listening(port) {
            return Err(ListenError(port));
        }
        self.listening = self.listening.iter().copied().chain([port]).collect();
        Ok(())
    }

    pub(crate) fn is_listening(&self, port: u16) -> bool {
        self.listening.contains(&port)
    }

    /// The next port in turn that nobody listens at and that is not taken.
    pub(crate) fn take_free(&mut self, is_taken: impl Fn(u16) -> bool) -> Option<u16> {
        (FIRST_EPHEMERAL..=u16::MAX).find_map(|_| {
            let port = self.next;
            self.next = port.checked_add(1).unwrap_or(FIRST_EPHEMERAL);
            (!self.is_listening(port) && !is_taken(port)).then_some(port)
        })
    }
}
