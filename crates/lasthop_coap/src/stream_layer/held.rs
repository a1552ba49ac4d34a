use crate::codec::Token;
use crate::context::Purpose;

/// Notifications for a peer that reads too little, the newest of each observation: only that has to reach it (RFC 7641 section 1.3).
#[derive(Debug, Default)]
pub(super) struct HeldNotifications {
    held: Vec<Notification>,
}

/// A notification that is not written yet.
#[derive(Debug)]
pub(super) struct Notification {
    pub(super) token: Token,
    pub(super) head: Vec<u8>,
    pub(super) payload: Vec<u8>,
    pub(super) purpose: Purpose,
}

impl HeldNotifications {
    pub(super) fn has(&self, token: Token) -> bool {
        self.held.iter().any(|one| one.token == token)
    }

    pub(super) fn count(&self) -> usize {
        self.held.len()
    }

    /// Holds a notification, in the place of an older one of its observation: the purpose of that.
    pub(super) fn hold(&mut self, notification: Notification) -> Option<Purpose> {
        let token = notification.token;
        match self.held.iter_mut().find(|one| one.token == token) {
            Some(older) => Some(core::mem::replace(older, notification).purpose),
            None => {
                self.held.push(notification);
                None
            }
        }
    }

    /// Drops that of an observation of which the peer is told something newer.
    pub(super) fn drop_of(&mut self, token: Token) {
        self.held.retain(|one| one.token != token);
    }

    /// Takes the first out.
    pub(super) fn take(&mut self) -> Option<Notification> {
        if self.held.is_empty() {
            self.held = Vec::new();
            return None;
        }
        Some(self.held.remove(0))
    }
}
