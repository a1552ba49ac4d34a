use std::sync::Arc;

use crate::{Message, Publication};

/// A publication that is converted to a kept message when the first subscriber needs one.
#[derive(Debug)]
pub struct SharedPublication<'a> {
    publication: &'a Publication<'a>,
    message: Option<Arc<Message>>,
}

impl<'a> SharedPublication<'a> {
    /// Creates a shared publication from one that is not kept yet.
    #[must_use]
    pub const fn new(publication: &'a Publication<'a>) -> Self {
        Self {
            publication,
            message: None,
        }
    }

    /// Creates a shared publication from a kept message.
    #[must_use]
    pub fn of(publication: &'a Publication<'a>, message: &Arc<Message>) -> Self {
        Self {
            publication,
            message: Some(Arc::clone(message)),
        }
    }

    /// Returns the publication.
    #[must_use]
    pub const fn publication(&self) -> &'a Publication<'a> {
        self.publication
    }

    /// Returns the kept message and creates it if necessary.
    pub fn message(&mut self) -> Arc<Message> {
        let publication = self.publication;
        let made = self
            .message
            .get_or_insert_with(|| Arc::new(Message::from(publication)));
        Arc::clone(made)
    }
}
