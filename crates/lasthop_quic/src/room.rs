use core::cell::RefCell;

use crate::crypto::Noted;

/// Buffers for a datagram and its record. They are needed only while a datagram is processed, so all hosts of a thread
/// share them.
#[derive(Debug, Default)]
pub(crate) struct Room {
    pub(crate) notes: Noted,
    pub(crate) datagram: Vec<u8>,
}

thread_local! {
    static SHARED: RefCell<Room> = RefCell::default();
}

impl Room {
    /// Takes the shared buffers or gives them back.
    pub(crate) fn swap(&mut self) {
        SHARED.with_borrow_mut(|shared| core::mem::swap(shared, self));
    }
}
