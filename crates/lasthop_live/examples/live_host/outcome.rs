use std::cell::Cell;
use std::rc::Rc;

/// Whether an application has done what it was started for; it and the pump share this.
#[derive(Clone)]
pub(crate) struct Outcome {
    is_awaited: bool,
    is_done: Rc<Cell<bool>>,
}

impl Outcome {
    /// Of a client, which ends by itself.
    pub(crate) fn awaited() -> Self {
        Self {
            is_awaited: true,
            is_done: Rc::default(),
        }
    }

    /// Of a server, which runs until it is ended.
    pub(crate) fn never() -> Self {
        Self {
            is_awaited: false,
            is_done: Rc::default(),
        }
    }

    pub(crate) fn set_done(&self) {
        self.is_done.set(true);
    }

    /// What tells the run that it is done.
    pub(crate) fn done(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.is_done)
    }

    pub(crate) fn is_done(&self) -> bool {
        self.is_done.get()
    }

    pub(crate) fn is_awaited(&self) -> bool {
        self.is_awaited
    }
}
