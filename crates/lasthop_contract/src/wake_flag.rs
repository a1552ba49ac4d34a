use std::cell::Cell;
use std::rc::Rc;

/// Says that a core which several applications of a host share has something for another of them.
///
/// The core holds one copy and raises it, the host holds another: it asks all its applications once before it waits. While
/// nobody raises it, applications that were told nothing are asked nothing.
#[derive(Clone, Debug, Default)]
pub struct WakeFlag {
    is_raised: Rc<Cell<bool>>,
}

impl WakeFlag {
    /// A flag that is down.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Has every application of the host asked what it has to do.
    pub fn raise(&self) {
        self.is_raised.set(true);
    }

    /// Takes the flag down; whether it was up.
    #[must_use]
    pub fn take(&self) -> bool {
        self.is_raised.replace(false)
    }
}
