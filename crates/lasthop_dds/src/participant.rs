//! A participant of `dust_dds`, from its creation to its end.

use std::sync::{Arc, Mutex};

use dust_dds::builtin_topics::SubscriptionBuiltinTopicData;
use dust_dds::dds_async::configuration::DustDdsConfigurationBuilder;
use dust_dds::dds_async::data_reader::DataReaderAsync;
use dust_dds::dds_async::domain_participant::DomainParticipantAsync;
use dust_dds::dds_async::domain_participant_factory::DomainParticipantFactoryAsync;
use dust_dds::dds_async::publisher::PublisherAsync;
use dust_dds::dds_async::subscriber::SubscriberAsync;
use dust_dds::infrastructure::error::{DdsError, DdsResult};
use dust_dds::infrastructure::listener::NO_LISTENER;
use dust_dds::infrastructure::qos::{DataReaderQos, DataWriterQos, QosKind};
use dust_dds::infrastructure::qos_policy::{
    DurabilityQosPolicy, DurabilityQosPolicyKind, HistoryQosPolicy, HistoryQosPolicyKind,
    ReliabilityQosPolicy, ReliabilityQosPolicyKind,
};
use dust_dds::infrastructure::sample_info::{
    ANY_INSTANCE_STATE, ANY_SAMPLE_STATE, ANY_VIEW_STATE, SampleStateKind,
};
use dust_dds::infrastructure::status::NO_STATUS;
use dust_dds::infrastructure::time::{Duration as DdsDuration, DurationKind};
use dust_dds::runtime::Spawner;
use dust_dds::transport::interface::TransportDataReceiver;
use lasthop_units::{Duration, Instant};

use crate::config::{DdsConfig, Durability, Reliability};
use crate::contact::Contact;
use crate::history::History;
use crate::ports::Ports;
use crate::runtime::{Executor, locked};
use crate::sample::{Message, TYPE_NAME};
use crate::submessage::{Guid, GuidPrefix};
use crate::wire::{Outbox, Outgoing, Place};
use crate::writer::Writer;

/// A running participant.
pub(crate) struct Participant {
    config: Arc<DdsConfig>,
    executor: Executor,
    outbox: Outbox,
    receiver: TransportDataReceiver,
    entities: Entities,
    prefix: GuidPrefix,
}

/// What it was made of.
#[derive(Clone)]
struct Entities {
    factory: Arc<DomainParticipantFactoryAsync<Place>>,
    participant: DomainParticipantAsync,
    publisher: PublisherAsync,
    subscriber: SubscriberAsync,
}

/// A reader of messages.
pub(crate) type Reader = DataReaderAsync<Message>;

/// A remote reader matched with a local writer.
pub(crate) struct MatchedReader {
    pub(crate) guid: Guid,
    pub(crate) is_reliable: bool,
}

/// A reader of discovered subscriptions.
pub(crate) type SubscriptionReader = DataReaderAsync<SubscriptionBuiltinTopicData>;

const ALONE: &str = "what needs nobody else is answered at once";
const DONE: &str = "what is asked of entities that are there is done";

impl Participant {
    /// Creates a participant that receives discovery at a contact. `identity` determines its GUID.
    pub(crate) fn new(
        now: Instant,
        config: Arc<DdsConfig>,
        (contact, ports): (Contact, Ports),
        identity: u64,
    ) -> Self {
        let mut executor = Executor::new(now);
        let outbox = Outbox::default();
        let receiver = Arc::new(Mutex::new(None));
        let place = Place {
            contact,
            ports,
            fragment_size: config.fragment_size,
            outbox: outbox.clone(),
            receiver: Arc::clone(&receiver),
        };
        let settings = DustDdsConfigurationBuilder::new()
            .participant_announcement_interval(core::time::Duration::from_nanos(
                config.announcement_interval.as_nanos(),
            ))
            .enable_type_information(config.has_type_information)
            .build()
            .expect("any interval and any switch will do");
        let [a, b, c, d, e, f, g, h] = identity.to_be_bytes();
        let factory = Arc::new(DomainParticipantFactoryAsync::new(
            executor.runtime(),
            [e, f, g, h],
            [a, b, c, d],
            place,
            settings,
        ));
        let entities = executor
            .answer(now, Entities::create(factory))
            .expect(ALONE);
        let entities = entities.expect("a participant of its own has room for them");
        let guid: [u8; 16] = entities.participant.get_instance_handle().into();
        let receiver = locked(&receiver).take().expect("it was created above");
        Self {
            config,
            executor,
            outbox,
            receiver,
            entities,
            prefix: *guid.first_chunk().expect("a GUID is longer"),
        }
    }

    /// Returns the GUID prefix.
    pub(crate) const fn prefix(&self) -> GuidPrefix {
        self.prefix
    }

    /// Creates a writer of a topic.
    pub(crate) fn add_writer(&mut self, now: Instant, topic: &str) -> Writer {
        let (entities, topic) = (self.entities.clone(), topic.to_owned());
        let qos = self.config.writer_qos();
        let handle = self.ask(now, async move {
            let topic = entities.topic(&topic).await?;
            let publisher = &entities.publisher;
            publisher
                .create_datawriter::<Message>(
                    &topic,
                    QosKind::Specific(qos),
                    NO_LISTENER,
                    NO_STATUS,
                )
                .await
        });
        let history = History::new(&self.config);
        let writer = Writer::new(handle, history, self.config.history_depth as usize);
        self.executor.runtime().spawn(writer.write_all());
        self.executor.run(now);
        writer
    }

    /// Creates a reader of a topic.
    pub(crate) fn add_reader(&mut self, now: Instant, topic: &str) -> Reader {
        let (entities, topic) = (self.entities.clone(), topic.to_owned());
        let qos = self.config.reader_qos();
        self.ask(now, async move {
            let topic = entities.topic(&topic).await?;
            let subscriber = &entities.subscriber;
            subscriber
                .create_datareader::<Message>(
                    &topic,
                    QosKind::Specific(qos),
                    NO_LISTENER,
                    NO_STATUS,
                )
                .await
        })
    }

    /// Returns the reader of discovered subscriptions.
    pub(crate) fn subscriptions(&mut self, now: Instant) -> SubscriptionReader {
        let participant = self.entities.participant.clone();
        let reader = self.ask(now, async move {
            let subscriber = participant.get_builtin_subscriber();
            subscriber.lookup_datareader("DCPSSubscription").await
        });
        reader.expect("every participant has it")
    }

    /// Processes a datagram that arrived.
    pub(crate) fn receive(&mut self, now: Instant, datagram: &[u8]) {
        let (receiver, datagram) = (self.receiver.clone(), datagram.to_vec());
        let taken = async move { receiver.receive_message(datagram).await };
        self.executor.answer(now, taken).expect(ALONE);
    }

    /// Processes expired timers and runnable tasks.
    pub(crate) fn run(&mut self, now: Instant) {
        self.executor.run(now);
    }

    /// Returns when the next timer expires.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.executor.next_deadline()
    }

    /// Queues a datagram in addition to those of the participant.
    pub(crate) fn send(&self, outgoing: Outgoing) {
        self.outbox.push(outgoing);
    }

    /// Returns the datagrams to send.
    pub(crate) fn take_outgoing(&self) -> Vec<Outgoing> {
        self.outbox.take()
    }

    /// Returns the messages of a reader, each once.
    pub(crate) fn take_messages(&mut self, now: Instant, reader: &Reader) -> Vec<Message> {
        let reader = reader.clone();
        let taken = self.executor.answer(now, async move {
            reader
                .take(
                    i32::MAX,
                    ANY_SAMPLE_STATE,
                    ANY_VIEW_STATE,
                    ANY_INSTANCE_STATE,
                )
                .await
        });
        let samples = some(taken.expect(ALONE)).into_iter();
        samples.filter_map(|sample| sample.data).collect()
    }

    /// Returns the topics to which others have subscribed since the last call.
    pub(crate) fn take_subscribed(
        &mut self,
        now: Instant,
        reader: &SubscriptionReader,
    ) -> Vec<String> {
        const NEW: &[SampleStateKind] = &[SampleStateKind::NotRead];
        let reader = reader.clone();
        // Nothing can be taken from the built-in readers: they keep the last of each endpoint.
        let read = self.executor.answer(now, async move {
            reader
                .read(i32::MAX, NEW, ANY_VIEW_STATE, ANY_INSTANCE_STATE)
                .await
        });
        let all = some(read.expect(ALONE)).into_iter();
        let all = all.filter_map(|sample| sample.data);
        all.map(|of| of.topic_name().to_owned()).collect()
    }

    /// Returns the readers matched with a writer.
    pub(crate) fn readers_of(&mut self, now: Instant, writer: &Writer) -> Vec<MatchedReader> {
        let writer = writer.handle.clone();
        self.ask(now, async move {
            let mut readers = Vec::new();
            for handle in writer.get_matched_subscriptions().await? {
                let data = writer.get_matched_subscription_data(handle).await?;
                readers.push(MatchedReader {
                    guid: handle.into(),
                    is_reliable: data.reliability().kind == ReliabilityQosPolicyKind::Reliable,
                });
            }
            Ok(readers)
        })
    }

    /// Whether any writer is matched with a reader.
    pub(crate) fn is_written(&mut self, now: Instant, reader: &Reader) -> bool {
        let reader = reader.clone();
        let status = self.ask(now, async move {
            reader.get_subscription_matched_status().await
        });
        status.current_count > 0
    }

    /// Announces the participant at once.
    pub(crate) fn announce(&mut self, now: Instant) {
        let participant = self.entities.participant.clone();
        self.ask(
            now,
            async move { participant.set_qos(QosKind::Default).await },
        );
    }

    /// Deletes the participant. Its last datagrams announce the end.
    pub(crate) fn leave(&mut self, now: Instant) {
        let Entities {
            factory,
            participant,
            ..
        } = self.entities.clone();
        // Whatever it cannot say any more is left to its lease.
        let _ = self.executor.answer(now, async move {
            participant.delete_contained_entities().await?;
            factory.delete_participant(&participant).await
        });
    }

    fn ask<T: 'static>(
        &mut self,
        now: Instant,
        request: impl Future<Output = DdsResult<T>> + 'static,
    ) -> T {
        let answer = self.executor.answer(now, request).expect(ALONE);
        answer.expect(DONE)
    }
}

/// What was read: that nothing is there is an error to `dust_dds`.
fn some<T>(read: DdsResult<Vec<T>>) -> Vec<T> {
    match read {
        Err(DdsError::NoData) => Vec::new(),
        read => read.expect(DONE),
    }
}

impl Entities {
    async fn create(factory: Arc<DomainParticipantFactoryAsync<Place>>) -> DdsResult<Self> {
        const DOMAIN: i32 = 0;
        let participant = factory
            .create_participant(DOMAIN, QosKind::Default, NO_LISTENER, NO_STATUS)
            .await?;
        let publisher = participant
            .create_publisher(QosKind::Default, NO_LISTENER, NO_STATUS)
            .await?;
        let subscriber = participant
            .create_subscriber(QosKind::Default, NO_LISTENER, NO_STATUS)
            .await?;
        Ok(Self {
            factory,
            participant,
            publisher,
            subscriber,
        })
    }

    async fn topic(&self, name: &str) -> DdsResult<dust_dds::dds_async::topic::TopicAsync> {
        self.participant
            .create_topic::<Message>(name, TYPE_NAME, QosKind::Default, NO_LISTENER, NO_STATUS)
            .await
    }
}

impl DdsConfig {
    fn writer_qos(&self) -> DataWriterQos {
        DataWriterQos {
            reliability: self.reliability_qos(),
            durability: self.durability_qos(),
            history: HistoryQosPolicy {
                kind: HistoryQosPolicyKind::KeepLast(self.depth()),
            },
            ..DataWriterQos::default()
        }
    }

    /// What is read is taken at once, so that no depth is needed.
    fn reader_qos(&self) -> DataReaderQos {
        DataReaderQos {
            reliability: self.reliability_qos(),
            durability: self.durability_qos(),
            history: HistoryQosPolicy {
                kind: HistoryQosPolicyKind::KeepAll,
            },
            ..DataReaderQos::default()
        }
    }

    fn reliability_qos(&self) -> ReliabilityQosPolicy {
        ReliabilityQosPolicy {
            kind: match self.reliability {
                Reliability::BestEffort => ReliabilityQosPolicyKind::BestEffort,
                Reliability::Reliable => ReliabilityQosPolicyKind::Reliable,
            },
            max_blocking_time: DurationKind::Finite(dds_duration(self.max_blocking_time)),
        }
    }

    fn durability_qos(&self) -> DurabilityQosPolicy {
        DurabilityQosPolicy {
            kind: match self.durability {
                Durability::Volatile => DurabilityQosPolicyKind::Volatile,
                Durability::TransientLocal => DurabilityQosPolicyKind::TransientLocal,
            },
        }
    }
}

fn dds_duration(span: Duration) -> DdsDuration {
    let nanos = span.as_nanos();
    let seconds = i32::try_from(nanos / 1_000_000_000).unwrap_or(i32::MAX);
    DdsDuration::new(seconds, (nanos % 1_000_000_000) as u32)
}
