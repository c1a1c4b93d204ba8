// The benchmark's peer on eProsima Fast DDS, over UDP, or with BENCH_TCP in the environment over TCP: no shared memory, no data sharing.
//
// Set up for speed: large socket buffers, and heartbeats often enough for a full history not to wait for them.
#include "bench.h"
#include "benchPubSubTypes.h"
#include "peer.h"

#include <fastdds/dds/core/condition/WaitSet.hpp>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <cstdlib>
#include <fastdds/rtps/transport/shared_mem/SharedMemTransportDescriptor.h>
#include <fastdds/rtps/transport/TCPv4TransportDescriptor.h>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/utils/IPLocator.h>
#include <memory>

using namespace eprosima::fastdds::dds;
using eprosima::fastdds::rtps::SharedMemTransportDescriptor;
using eprosima::fastdds::rtps::TCPv4TransportDescriptor;
using eprosima::fastdds::rtps::UDPv4TransportDescriptor;
using eprosima::fastrtps::rtps::IPLocator;
using eprosima::fastrtps::rtps::Locator_t;
using eprosima::fastrtps::Duration_t;
using eprosima::fastrtps::types::ReturnCode_t;

namespace {

const uint32_t buffer_size = 8u << 20;
const uint32_t segment_size = 64u << 20;
const uint32_t largest_message = 16u << 20;

// Where the side that answers listens by TCP.
const uint16_t tcp_port = 5100;

const peer_options* options;
DomainParticipant* participant;
DataWriter* writer;
DataReader* reader;
WaitSet waits;
bench::Sample sample;

void take_all()
{
    static bench::Sample taken;
    SampleInfo info;
    while (reader->take_next_sample(&taken, &info) == ReturnCode_t::RETCODE_OK)
        if (info.valid_data)
            peer_received(taken.seq(), &taken);
}

struct Listener : DataReaderListener {
    void on_data_available(DataReader*) override { take_all(); }
} listener;

template <typename Entity>
Entity* checked(const char* what, Entity* entity)
{
    if (entity == nullptr)
        peer_fail(what, 1);
    return entity;
}

// Without delay or checksums; the side that begins calls the other one.
void use_tcp(DomainParticipantQos& qos)
{
    auto tcp = std::make_shared<TCPv4TransportDescriptor>();
    tcp->interfaceWhiteList.push_back("127.0.0.1");
    tcp->sendBufferSize = buffer_size;
    tcp->receiveBufferSize = buffer_size;
    tcp->enable_tcp_nodelay = true;
    tcp->calculate_crc = false;
    tcp->check_crc = false;
    if (options->role == PEER_PONG || options->role == PEER_RECEIVE) {
        tcp->add_listener_port(tcp_port);
    } else {
        Locator_t there;
        there.kind = LOCATOR_KIND_TCPv4;
        IPLocator::setIPv4(there, "127.0.0.1");
        IPLocator::setPhysicalPort(there, tcp_port);
        qos.wire_protocol().builtin.initialPeersList.push_back(there);
    }
    qos.transport().user_transports.push_back(tcp);
}

// Samples of all lengths in one piece.
void use_memory(DomainParticipantQos& qos)
{
    auto memory = std::make_shared<SharedMemTransportDescriptor>();
    memory->segment_size(segment_size);
    memory->max_message_size(largest_message);
    qos.transport().user_transports.push_back(memory);
}

DomainParticipantQos participant_qos()
{
    DomainParticipantQos qos = PARTICIPANT_QOS_DEFAULT;
    qos.transport().use_builtin_transports = false;
    if (std::getenv("BENCH_SHM") != nullptr) {
        use_memory(qos);
        return qos;
    }
    if (std::getenv("BENCH_TCP") != nullptr) {
        use_tcp(qos);
        return qos;
    }
    auto udp = std::make_shared<UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back("127.0.0.1");
    udp->sendBufferSize = buffer_size;
    udp->receiveBufferSize = buffer_size;
    qos.transport().user_transports.push_back(udp);
    return qos;
}

template <typename Qos>
void set_common(Qos& qos)
{
    qos.reliability().kind = options->reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    qos.durability().kind = VOLATILE_DURABILITY_QOS;
    qos.history().kind = peer_keeps_all(options) ? KEEP_ALL_HISTORY_QOS : KEEP_LAST_HISTORY_QOS;
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    qos.data_sharing().off();
}

void open_writer(Topic* topic)
{
    DataWriterQos qos = DATAWRITER_QOS_DEFAULT;
    set_common(qos);
    qos.reliability().max_blocking_time = Duration_t(10, 0);
    qos.reliable_writer_qos().times.heartbeatPeriod = Duration_t(0, 20 * 1000 * 1000);
    writer = checked("writer", participant->create_publisher(PUBLISHER_QOS_DEFAULT)->create_datawriter(topic, qos));
}

void open_reader(Topic* topic)
{
    DataReaderQos qos = DATAREADER_QOS_DEFAULT;
    set_common(qos);
    DataReaderListener* heard = options->waitset ? nullptr : &listener;
    const StatusMask mask = options->waitset ? StatusMask::none() : StatusMask::data_available();
    reader = checked("reader",
        participant->create_subscriber(SUBSCRIBER_QOS_DEFAULT)->create_datareader(topic, qos, heard, mask));
    if (options->waitset) {
        reader->get_statuscondition().set_enabled_statuses(StatusMask::data_available());
        waits.attach_condition(reader->get_statuscondition());
    }
}

Topic* topic_named(const TypeSupport& type, const char* name)
{
    return checked("topic", participant->create_topic(name, type.get_type_name(), TOPIC_QOS_DEFAULT));
}

void write_one(const bench::Sample& what)
{
    if (!writer->write(const_cast<bench::Sample*>(&what)))
        peer_fail("write", 1);
}

} // namespace

void vendor_open(const peer_options* given)
{
    const char* name;
    options = given;
    sample.data().resize(options->size - PEER_OVERHEAD);
    participant = checked("participant",
        DomainParticipantFactory::get_instance()->create_participant(0, participant_qos()));
    TypeSupport type(new bench::SamplePubSubType());
    type.register_type(participant);
    if (peer_reads(options, &name))
        open_reader(topic_named(type, name));
    if (peer_writes(options, &name))
        open_writer(topic_named(type, name));
}

bool vendor_matched()
{
    PublicationMatchedStatus out;
    SubscriptionMatchedStatus in;
    const int32_t readers = static_cast<int32_t>(options->readers);
    out.current_count = readers;
    in.current_count = 1;
    if (writer != nullptr)
        writer->get_publication_matched_status(out);
    if (reader != nullptr)
        reader->get_subscription_matched_status(in);
    return out.current_count >= readers && in.current_count > 0;
}

void vendor_write(uint64_t seq)
{
    sample.seq(seq);
    write_one(sample);
}

void vendor_echo(const void* received)
{
    write_one(*static_cast<const bench::Sample*>(received));
}

void vendor_wait(unsigned milliseconds)
{
    ConditionSeq active;
    if (waits.wait(active, Duration_t(0, milliseconds * 1000000u)) == ReturnCode_t::RETCODE_OK)
        take_all();
}

void vendor_close()
{
    participant->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(participant);
}

void vendor_finish()
{
    if (options->reliable && writer->wait_for_acknowledgments(Duration_t(20, 0)) != ReturnCode_t::RETCODE_OK)
        peer_fail("acknowledgements", 1);
}
