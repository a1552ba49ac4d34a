use std::cell::Cell;
use std::rc::Rc;

/// A flag by which a core that several applications share wakes the other applications.
///
/// The core holds one copy and raises it, the host holds another: it asks all its applications once before it waits. While
/// nobody raises it, applications that were told nothing are asked nothing.
#[derive(Clone, Debug, Default)]
pub struct WakeFlag {
    is_raised: Rc<Cell<bool>>,
}

impl WakeFlag {
    /// Creates a flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Wakes every application of the host.
    pub fn raise(&self) {
        self.is_raised.set(true);
    }

    /// Clears the flag and returns whether it was set.
    #[must_use]
    pub fn take(&self) -> bool {
        self.is_raised.replace(false)
    }
}
