use smallvec::SmallVec;

/// Received messages of QoS 2 that wait for their PUBREL before they are delivered once (MQTT 5 §4.3.3).
#[derive(Clone, Debug)]
pub(crate) struct Unreleased<M> {
    messages: SmallVec<[(u16, M); 1]>,
}

impl<M> Unreleased<M> {
    pub(crate) fn new() -> Self {
        Self {
            messages: SmallVec::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.messages.len()
    }

    pub(crate) fn contains(&self, packet_id: u16) -> bool {
        self.messages.iter().any(|(known, _)| *known == packet_id)
    }

    pub(crate) fn add(&mut self, packet_id: u16, message: M) {
        self.messages.push((packet_id, message));
    }

    pub(crate) fn release(&mut self, packet_id: u16) -> Option<M> {
        let place = self
            .messages
            .iter()
            .position(|(known, _)| *known == packet_id)?;
        let (_, message) = self.messages.remove(place);
        if self.messages.is_empty() {
            self.messages = SmallVec::new();
        }
        Some(message)
    }
}
