use core::cell::RefCell;

use crate::crypto::Noted;

/// Room for a datagram and for what is noted of it. Between two datagrams nobody needs it, so the hosts of a thread share it.
#[derive(Debug, Default)]
pub(crate) struct Room {
    pub(crate) notes: Noted,
    pub(crate) datagram: Vec<u8>,
}

thread_local! {
    static SHARED: RefCell<Room> = RefCell::default();
}

impl Room {
    /// Takes the shared room, or gives it back.
    pub(crate) fn swap(&mut self) {
        SHARED.with_borrow_mut(|shared| core::mem::swap(shared, self));
    }
}
