// A participant made with Fast DDS: ADDRESS RELIABILITY [SERVER COUNT SIZE].
//
// With a server it is a device: it sends so many messages of so many bytes to `reports` as device 1, awaits as many on `device/1`,
// and tells each that comes, a JSON object a line. Else it sends every report back to device 1, until it is ended.

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>

using namespace eprosima::fastdds::dds;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::IPLocator;
using eprosima::fastrtps::rtps::Locator_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;

namespace {

constexpr uint32_t DEVICE = 1;
constexpr uint32_t METATRAFFIC_PORT = 7410, USER_PORT = 7411;
constexpr int DEPTH = 1000;
constexpr uint32_t MESSAGE_BYTES = 1400;
constexpr auto PAUSE = std::chrono::milliseconds(20);
constexpr auto PATIENCE = std::chrono::seconds(60);

// What reports and answers are, in plain CDR: the encapsulation, the key, the length, the payload.
struct Message {
    uint32_t device = DEVICE;
    std::vector<uint8_t> payload;
};

class MessageType : public TopicDataType {
public:
    MessageType() {
        setName("Message");
        m_typeSize = 65000;
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

void say(const std::string& line) {
    std::puts(line.c_str());
    std::fflush(stdout);
}

class Participant {
public:
    Participant(const std::string& address, const std::string& reliability, const char* server) {
        DomainParticipantQos qos;
        qos.transport().use_builtin_transports = false;
        auto udp = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>();
        udp->interfaceWhiteList.push_back(address);
        // Samples that it sends again leave together: what is larger than a packet our hosts cannot read.
        udp->maxMessageSize = MESSAGE_BYTES;
        qos.transport().user_transports.push_back(udp);
        auto& builtin = qos.wire_protocol().builtin;
        builtin.metatrafficUnicastLocatorList.push_back(locator(address, METATRAFFIC_PORT));
        qos.wire_protocol().default_unicast_locator_list.push_back(locator(address, USER_PORT));
        if (server) builtin.initialPeersList.push_back(locator(server, METATRAFFIC_PORT));
        participant_ = DomainParticipantFactory::get_instance()->create_participant(0, qos);
        TypeSupport(new MessageType).register_type(participant_);
        auto* reports = participant_->create_topic("reports", "Message", TOPIC_QOS_DEFAULT);
        auto* own = participant_->create_topic("device/1", "Message", TOPIC_QOS_DEFAULT);
        const auto kind = reliability == "reliable" ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
        DataWriterQos to;
        to.reliability().kind = kind;
        to.durability().kind = VOLATILE_DURABILITY_QOS;
        to.history().depth = DEPTH;
        DataReaderQos from;
        from.reliability().kind = kind;
        from.history().depth = DEPTH;
        auto* publisher = participant_->create_publisher(PUBLISHER_QOS_DEFAULT);
        auto* subscriber = participant_->create_subscriber(SUBSCRIBER_QOS_DEFAULT);
        writer_ = publisher->create_datawriter(server ? reports : own, to);
        reader_ = subscriber->create_datareader(server ? own : reports, from);
    }

    bool has_matched() {
        PublicationMatchedStatus heard;
        SubscriptionMatchedStatus hears;
        writer_->get_publication_matched_status(heard);
        reader_->get_subscription_matched_status(hears);
        return heard.current_count > 0 && hears.current_count > 0;
    }

    void write(Message& message) { writer_->write(&message); }

    std::vector<Message> take() {
        std::vector<Message> all;
        Message message;
        SampleInfo info;
        while (reader_->take_next_sample(&message, &info) == ReturnCode_t::RETCODE_OK) {
            if (info.valid_data) all.push_back(message);
        }
        return all;
    }

private:
    DomainParticipant* participant_;
    DataWriter* writer_;
    DataReader* reader_;
};

[[noreturn]] void serve(Participant& participant) {
    for (;;) {
        for (auto& message : participant.take()) participant.write(message);
        std::this_thread::sleep_for(PAUSE / 10);
    }
}

int send(Participant& participant, int count, size_t size) {
    const auto end = std::chrono::steady_clock::now() + PATIENCE;
    const auto is_late = [&] { return std::chrono::steady_clock::now() > end; };
    while (!participant.has_matched() && !is_late()) std::this_thread::sleep_for(PAUSE);
    say("{\"ready\": true}");
    // Until the other has matched as well, who would miss what is sent best-effort.
    std::this_thread::sleep_for(std::chrono::seconds(1));
    int received = 0;
    for (int number = 1; received < count && !is_late(); number++) {
        if (number <= count) {
            Message message;
            char id[16];
            // Of flow 1: four characters of the base64url alphabet, and four of the number of the message.
            std::snprintf(id, sizeof id, "AAAB%04d", number);
            message.payload.assign(size, '.');
            std::memcpy(message.payload.data(), id, 8);
            participant.write(message);
        }
        std::this_thread::sleep_for(PAUSE);
        for (const auto& message : participant.take()) {
            received++;
            const std::string id(message.payload.begin(), message.payload.begin() + 8);
            say("{\"received\": \"" + id + "\", \"bytes\": " + std::to_string(message.payload.size()) + "}");
        }
    }
    return received < count;
}

}  // namespace

int main(int, char** words) {
    const char* server = words[3];
    Participant participant(words[1], words[2], server);
    if (!server) serve(participant);
    return send(participant, std::atoi(words[4]), std::atoi(words[5]));
}
