use crate::codec::Token;
use crate::context::Purpose;

/// Notifications that wait for a slow peer. Only the newest of each observation is kept (RFC 7641 section 1.3).
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

    /// Queues a notification in place of an older notification of the same observation. Returns the purpose of the
    /// older one.
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

    /// Removes the notification of an observation, because a newer one was sent.
    pub(super) fn drop_of(&mut self, token: Token) {
        self.held.retain(|one| one.token != token);
    }

    /// Removes and returns the first notification.
    pub(super) fn take(&mut self) -> Option<Notification> {
        if self.held.is_empty() {
            self.held = Vec::new();
            return None;
        }
        Some(self.held.remove(0))
    }
}
