// A participant made with Fast DDS, behind functions of C: discovery is unicast, a sample a device's number and its bytes.

#include <condition_variable>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/domain/DomainParticipantListener.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/transport/TCPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/config.h>
#include <fastrtps/utils/IPLocator.h>

using namespace eprosima::fastdds::dds;
using eprosima::fastdds::rtps::TCPv4TransportDescriptor;
using eprosima::fastdds::rtps::UDPv4TransportDescriptor;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::IPLocator;
using eprosima::fastrtps::rtps::Locator_t;
using eprosima::fastrtps::rtps::ReaderDiscoveryInfo;
using eprosima::fastrtps::rtps::SerializedPayload_t;

namespace {

constexpr uint32_t METATRAFFIC_PORT = 7410, USER_PORT = 7411;
// What a packet of 1,500 B carries over IPv6. Longer messages are not received either, and a fragment of ours takes 1,428 B.
constexpr uint32_t MESSAGE_BYTES = 1452;
constexpr int MOST_DEVICES = 2048;
constexpr uint32_t USUAL_BYTES = 1024;

// What reports and answers are, in plain CDR: the encapsulation, the key, the length, the payload.
struct Message {
    uint32_t device = 0;
    std::vector<uint8_t> payload;
};

class MessageType : public TopicDataType {
public:
    MessageType() {
        setName("Message");
        m_typeSize = USUAL_BYTES;
        m_isGetKeyDefined = true;
        auto_fill_type_object(false);
        auto_fill_type_information(false);
    }

    bool serialize(void* data, SerializedPayload_t* to) override {
        const auto& message = *static_cast<Message*>(data);
        const uint32_t length = message.payload.size();
        const uint8_t little_endian[] = {0, 1, 0, 0};
        std::memcpy(to->data, little_endian, 4);
        std::memcpy(to->data + 4, &message.device, 4);
        std::memcpy(to->data + 8, &length, 4);
        std::memcpy(to->data + 12, message.payload.data(), length);
        to->length = 12 + length;
        to->encapsulation = CDR_LE;
        return true;
    }

    bool deserialize(SerializedPayload_t* from, void* data) override {
        auto& message = *static_cast<Message*>(data);
        uint32_t length = 0;
        if (from->length < 12) return false;
        std::memcpy(&message.device, from->data + 4, 4);
        std::memcpy(&length, from->data + 8, 4);
        if (length > from->length - 12) return false;
        message.payload.assign(from->data + 12, from->data + 12 + length);
        return true;
    }

    std::function<uint32_t()> getSerializedSizeProvider(void* data) override {
        return [data] { return uint32_t(12 + static_cast<Message*>(data)->payload.size()); };
    }

    void* createData() override { return new Message; }

    void deleteData(void* data) override { delete static_cast<Message*>(data); }

    bool getKey(void* data, InstanceHandle_t* key, bool) override {
        const uint32_t device = static_cast<Message*>(data)->device;
        std::memset(key->value, 0, 16);
        for (int i = 0; i < 4; i++) key->value[i] = uint8_t(device >> (24 - 8 * i));
        return true;
    }
};

Locator_t locator(const std::string& address, uint32_t port) {
    Locator_t locator;
    IPLocator::setIPv4(locator, address);
    locator.port = port;
    return locator;
}

// Datagrams between the ports of the first participant of domain 0 (DDSI-RTPS 2.5 §9.6.2).
void give_udp(DomainParticipantQos& qos, const std::string& address, const char* server) {
    auto udp = std::make_shared<UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back(address);
    // Samples that it sends again leave together: what is larger than a packet our hosts cannot read.
    udp->maxMessageSize = MESSAGE_BYTES;
    qos.transport().user_transports.push_back(udp);
    auto& builtin = qos.wire_protocol().builtin;
    builtin.metatrafficUnicastLocatorList.push_back(locator(address, METATRAFFIC_PORT));
    qos.wire_protocol().default_unicast_locator_list.push_back(locator(address, USER_PORT));
    if (server) builtin.initialPeersList.push_back(locator(server, METATRAFFIC_PORT));
}

// One connection, which who looks for a participant opens to it; the ports of UDP are logical ones in it.
void give_tcp(DomainParticipantQos& qos, const std::string& address, const char* server, uint16_t port, bool nodelay) {
    auto tcp = std::make_shared<TCPv4TransportDescriptor>();
    tcp->interfaceWhiteList.push_back(address);
    tcp->enable_tcp_nodelay = nodelay;
    qos.transport().user_transports.push_back(tcp);
    if (!server) {
        tcp->add_listener_port(port);
        return;
    }
    Locator_t peer;
    peer.kind = LOCATOR_KIND_TCPv4;
    IPLocator::setIPv4(peer, server);
    IPLocator::setPhysicalPort(peer, port);
    IPLocator::setLogicalPort(peer, METATRAFFIC_PORT);
    qos.wire_protocol().builtin.initialPeersList.push_back(peer);
}

// Remembers the topics that others read, and wakes who waits when there is news.
class News : public DomainParticipantListener {
public:
    class Readable : public DataReaderListener {
    public:
        explicit Readable(News& news) : news_(news) {}
        void on_data_available(DataReader*) override { news_.tell(); }

    private:
        News& news_;
    };

    Readable readable{*this};

    void on_subscriber_discovery(DomainParticipant*, ReaderDiscoveryInfo&& found) override {
        if (found.status != ReaderDiscoveryInfo::DISCOVERED_READER) return;
        std::lock_guard lock(mutex_);
        topics_.push_back(found.info.topicName().to_string());
        is_news_ = true;
        condition_.notify_all();
    }

    void tell() {
        std::lock_guard lock(mutex_);
        is_news_ = true;
        condition_.notify_all();
    }

    void wait() {
        std::unique_lock lock(mutex_);
        condition_.wait(lock, [this] { return is_news_; });
        is_news_ = false;
    }

    bool take_topic(std::string& topic) {
        std::lock_guard lock(mutex_);
        if (topics_.empty()) return false;
        topic = topics_.front();
        topics_.pop_front();
        return true;
    }

private:
    std::mutex mutex_;
    std::condition_variable condition_;
    std::deque<std::string> topics_;
    bool is_news_ = false;
};

// Where a participant is, and the one that it looks for; without a port of TCP they speak by datagrams.
struct Place {
    const char* address;
    const char* server;
    uint16_t tcp_port;
    bool nodelay;
};

struct Participant {
    News news;
    DomainParticipant* participant;
    Publisher* publisher;
    Subscriber* subscriber;
    DataWriterQos to;
    DataReaderQos from;

    Participant(const Place& place, bool reliable, bool durable, int depth) {
        DomainParticipantQos qos;
        qos.transport().use_builtin_transports = false;
        if (place.tcp_port) give_tcp(qos, place.address, place.server, place.tcp_port, place.nodelay);
        else give_udp(qos, place.address, place.server);
        participant = DomainParticipantFactory::get_instance()->create_participant(0, qos, &news, StatusMask::none());
        TypeSupport(new MessageType).register_type(participant);
        publisher = participant->create_publisher(PUBLISHER_QOS_DEFAULT);
        subscriber = participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
        give(to, reliable, durable, depth);
        give(from, reliable, durable, depth);
        to.reliability().max_blocking_time = {0, 100'000'000};
    }

    template <typename Qos>
    static void give(Qos& qos, bool reliable, bool durable, int depth) {
        qos.reliability().kind = reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
        qos.durability().kind = durable ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
        qos.history().depth = depth;
        qos.resource_limits().max_instances = MOST_DEVICES;
        qos.resource_limits().max_samples_per_instance = depth;
        qos.resource_limits().max_samples = MOST_DEVICES * depth;
        qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    }

    Topic* topic(const char* name) {
        auto* known = static_cast<Topic*>(participant->lookup_topicdescription(name));
        return known ? known : participant->create_topic(name, "Message", TOPIC_QOS_DEFAULT);
    }
};

}  // namespace

extern "C" {

const char* fastdds_version() { return FASTRTPS_VERSION_STR; }

Participant* fastdds_participant(const Place* place, bool reliable, bool durable, int depth) {
    return new Participant(*place, reliable, durable, depth);
}

DataWriter* fastdds_writer(Participant* participant, const char* topic) {
    return participant->publisher->create_datawriter(participant->topic(topic), participant->to);
}

DataReader* fastdds_reader(Participant* participant, const char* topic) {
    auto& news = participant->news;
    return participant->subscriber->create_datareader(
        participant->topic(topic), participant->from, &news.readable, StatusMask::data_available());
}

bool fastdds_is_read(DataWriter* writer) {
    PublicationMatchedStatus status;
    writer->get_publication_matched_status(status);
    return status.current_count > 0;
}

bool fastdds_is_written(DataReader* reader) {
    SubscriptionMatchedStatus status;
    reader->get_subscription_matched_status(status);
    return status.current_count > 0;
}

bool fastdds_write(DataWriter* writer, uint32_t device, const uint8_t* payload, size_t length) {
    Message message{device, {payload, payload + length}};
    return writer->write(&message);
}

// Waits until a sample has come or somebody has begun to read.
void fastdds_wait(Participant* participant) { participant->news.wait(); }

// Gives the length of the next topic that somebody reads, and writes it there; -1 where there is none.
long fastdds_take_topic(Participant* participant, char* to, size_t room) {
    std::string topic;
    if (!participant->news.take_topic(topic)) return -1;
    std::memcpy(to, topic.data(), std::min(room, topic.size()));
    return long(topic.size());
}

// Gives the length of the next sample, and writes its device and payload there; -1 where there is none.
long fastdds_take(DataReader* reader, uint32_t* device, uint8_t* to, size_t room) {
    Message message;
    SampleInfo info;
    while (reader->take_next_sample(&message, &info) == ReturnCode_t::RETCODE_OK) {
        if (!info.valid_data) continue;
        *device = message.device;
        std::memcpy(to, message.payload.data(), std::min(room, message.payload.size()));
        return long(message.payload.size());
    }
    return -1;
}
}
