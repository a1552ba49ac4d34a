use std::sync::Arc;

use crate::{Message, Publication};

/// A publication that becomes a message to be kept only when the first who has to keep it comes.
#[derive(Debug)]
pub struct SharedPublication<'a> {
    publication: &'a Publication<'a>,
    message: Option<Arc<Message>>,
}

impl<'a> SharedPublication<'a> {
    /// That of what nobody keeps yet.
    #[must_use]
    pub const fn new(publication: &'a Publication<'a>) -> Self {
        Self {
            publication,
            message: None,
        }
    }

    /// That of a message which is kept already.
    #[must_use]
    pub fn of(publication: &'a Publication<'a>, message: &Arc<Message>) -> Self {
        Self {
            publication,
            message: Some(Arc::clone(message)),
        }
    }

    /// What is published.
    #[must_use]
    pub const fn publication(&self) -> &'a Publication<'a> {
        self.publication
    }

    /// The message, made now where there is none.
    pub fn message(&mut self) -> Arc<Message> {
        let publication = self.publication;
        let made = self
            .message
            .get_or_insert_with(|| Arc::new(Message::from(publication)));
        Arc::clone(made)
    }
}
