//! A writer and the messages that wait for room in its history.

use core::future::poll_fn;
use core::task::{Poll, Waker};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use dust_dds::dds_async::data_writer::DataWriterAsync;
use lasthop_contract::MessageId;

use crate::history::History;
use crate::runtime::locked;
use crate::sample::Message;
use crate::submessage::EntityId;

/// A writer of messages with its queue.
pub(crate) struct Writer {
    pub(crate) entity: EntityId,
    pub(crate) history: History,
    pub(crate) handle: DataWriterAsync<Message>,
    queue: Arc<Mutex<Queue>>,
    /// How many may wait.
    most: usize,
}

/// Messages on their way into a writer, and what became of those that it was given.
#[derive(Default)]
struct Queue {
    waiting: VecDeque<(MessageId, Message)>,
    done: Vec<Written>,
    waker: Option<Waker>,
}

/// The outcome of a message.
pub(crate) struct Written {
    pub(crate) id: MessageId,
    /// The payload size in bytes.
    pub(crate) length: usize,
    /// Whether the writer accepted the message; otherwise its history was full for too long.
    pub(crate) is_taken: bool,
}

impl Writer {
    pub(crate) fn new(handle: DataWriterAsync<Message>, history: History, most: usize) -> Self {
        let guid: &[u8; 16] = &handle.get_instance_handle().into();
        let [.., a, b, c, kind] = *guid;
        Self {
            entity: [a, b, c, kind],
            history,
            handle,
            queue: Arc::default(),
            most,
        }
    }

    /// Returns the task that passes queued messages to the writer one by one.
    pub(crate) fn write_all(&self) -> impl Future<Output = ()> + Send + use<> {
        let (queue, handle) = (Arc::clone(&self.queue), self.handle.clone());
        async move {
            loop {
                let (id, message) = next(&queue).await;
                let length = message.payload.len();
                let is_taken = handle.write(message, None).await.is_ok();
                locked(&queue).done.push(Written {
                    id,
                    length,
                    is_taken,
                });
            }
        }
    }

    /// Queues a message. Returns whether there was room.
    pub(crate) fn offer(&self, id: MessageId, message: Message) -> bool {
        let mut queue = locked(&self.queue);
        if queue.waiting.len() >= self.most {
            return false;
        }
        queue.waiting.push_back((id, message));
        let waker = queue.waker.take();
        drop(queue);
        waker.into_iter().for_each(Waker::wake);
        true
    }

    /// Returns the outcomes of messages since the last call.
    pub(crate) fn done(&self) -> Vec<Written> {
        core::mem::take(&mut locked(&self.queue).done)
    }
}

async fn next(queue: &Mutex<Queue>) -> (MessageId, Message) {
    poll_fn(|context| {
        let mut queue = locked(queue);
        match queue.waiting.pop_front() {
            Some(message) => Poll::Ready(message),
            None => {
                queue.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    })
    .await
}
