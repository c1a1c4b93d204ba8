// The interop peer on eProsima Fast DDS.
#include "interop.h"
#include "interopPubSubTypes.h"
#include "interopTypeObject.h"
#include "peer.h"

#include <cstring>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/ContentFilteredTopic.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <map>
#include <memory>
#include <string>

using namespace eprosima::fastdds::dds;
using eprosima::fastdds::rtps::UDPv4TransportDescriptor;
using eprosima::fastrtps::Duration_t;
using eprosima::fastrtps::types::ReturnCode_t;

namespace {

const peer_options* options;
DomainParticipant* participant;
DataWriter* writer;
DataReader* reader;

// Fast DDS gives no key with the end of an instance, only the handle it had while it was alive.
std::map<InstanceHandle_t, std::string> names;

int failed(const char* what, const ReturnCode_t& code)
{
    return peer_error(PEER_FAILED, (std::string(what) + ": code " + std::to_string(code())).c_str());
}

// UDP on loopback only: no shared memory, no data sharing.
DomainParticipantQos participant_qos()
{
    auto udp = std::make_shared<UDPv4TransportDescriptor>();
    udp->interfaceWhiteList.push_back("127.0.0.1");
    DomainParticipantQos qos = PARTICIPANT_QOS_DEFAULT;
    qos.transport().use_builtin_transports = false;
    qos.transport().user_transports.push_back(udp);
    return qos;
}

Duration_t milliseconds(uint32_t ms)
{
    return Duration_t(static_cast<int32_t>(ms / 1000), (ms % 1000) * 1000000u);
}

// What writers and readers set alike. Unbounded types need a history that grows with its samples.
template <typename Qos>
void set_common(Qos& qos)
{
    qos.reliability().kind = options->reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
    qos.durability().kind = options->transient_local ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
    qos.history().kind = options->depth ? KEEP_LAST_HISTORY_QOS : KEEP_ALL_HISTORY_QOS;
    qos.history().depth = options->depth ? options->depth : 1;
    qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
    qos.data_sharing().off();
    if (options->deadline_ms != 0)
        qos.deadline().period = milliseconds(options->deadline_ms);
    if (options->strength >= 0)
        qos.ownership().kind = EXCLUSIVE_OWNERSHIP_QOS;
}

TypeSupport type_support()
{
    switch (options->type) {
    case PEER_KEYED: return TypeSupport(new interop::KeyedPubSubType());
    case PEER_BIG: return TypeSupport(new interop::BigPubSubType());
    case PEER_APPENDABLE: return TypeSupport(new interop::AppendablePubSubType());
    default: return TypeSupport(new interop::PlainPubSubType());
    }
}

void open_writer(Topic* topic)
{
    DataWriterQos qos = DATAWRITER_QOS_DEFAULT;
    set_common(qos);
    qos.reliability().max_blocking_time = Duration_t(5, 0);
    // The default of 3 s between heartbeats makes every repair of a lost datagram take seconds.
    qos.reliable_writer_qos().times.heartbeatPeriod = milliseconds(100);
    qos.representation().m_value.push_back(XCDR_DATA_REPRESENTATION);
    qos.writer_data_lifecycle().autodispose_unregistered_instances = false;
    if (options->lifespan_ms != 0)
        qos.lifespan().duration = milliseconds(options->lifespan_ms);
    if (options->strength >= 0)
        qos.ownership_strength().value = static_cast<uint32_t>(options->strength);
    PublisherQos group = PUBLISHER_QOS_DEFAULT;
    if (options->partition != nullptr)
        group.partition().push_back(options->partition);
    writer = participant->create_publisher(group)->create_datawriter(topic, qos);
}

// Filters are judged over a description of the type. It is for this process alone: nothing of it is announced.
void describe_type(TypeSupport& type)
{
    type->auto_fill_type_object(false);
    type->auto_fill_type_information(false);
    registerinteropTypes();
}

TopicDescription* wanted_part(Topic* topic)
{
    if (options->filter == nullptr)
        return topic;
    return participant->create_contentfilteredtopic("Part", topic, options->filter, {});
}

void open_reader(Topic* topic)
{
    TopicDescription* const part = wanted_part(topic);
    if (part == nullptr)
        return;
    DataReaderQos qos = DATAREADER_QOS_DEFAULT;
    set_common(qos);
    qos.type_consistency().representation.m_value.push_back(XCDR_DATA_REPRESENTATION);
    SubscriberQos group = SUBSCRIBER_QOS_DEFAULT;
    if (options->partition != nullptr)
        group.partition().push_back(options->partition);
    reader = participant->create_subscriber(group)->create_datareader(part, qos);
}

template <typename Sample>
void fill_data(Sample& sample, int32_t seq, const uint8_t* data, uint32_t size)
{
    sample.seq(seq);
    sample.data().assign(data, data + size);
}

bool write_sample(void* sample)
{
    return writer->write(sample);
}

void fill_members(interop::Appendable& sample, int32_t seq)
{
    char label[32];
    peer_label(seq, label);
    sample.value(peer_value(seq));
    sample.label(label);
    sample.nested().a(peer_nested_a(seq));
    sample.nested().b(peer_nested_b(seq));
    for (uint32_t i = 0; i < peer_numbers(seq); i++)
        sample.numbers().push_back(peer_number(seq, i));
}

bool members_good(const interop::Appendable& sample)
{
    char label[32];
    const int32_t seq = sample.seq();
    peer_label(seq, label);
    bool good = sample.value() == peer_value(seq) && sample.label() == label &&
                sample.nested().a() == peer_nested_a(seq) && sample.nested().b() == peer_nested_b(seq) &&
                sample.numbers().size() == peer_numbers(seq);
    for (uint32_t i = 0; good && i < sample.numbers().size(); i++)
        good = sample.numbers()[i] == peer_number(seq, i);
    return good;
}

peer_sample neutral(const SampleInfo& info)
{
    peer_sample out{};
    out.valid = info.valid_data;
    out.state = info.instance_state == ALIVE_INSTANCE_STATE                ? PEER_ALIVE
                : info.instance_state == NOT_ALIVE_DISPOSED_INSTANCE_STATE ? PEER_DISPOSED
                                                                           : PEER_NO_WRITERS;
    out.fields_good = true;
    return out;
}

template <typename Sample>
void set_data(peer_sample& out, const Sample& sample)
{
    out.seq = sample.seq();
    out.data = sample.data().data();
    out.size = sample.data().size();
}

void set_own(peer_sample&, const SampleInfo&, const interop::Plain&) {}
void set_own(peer_sample&, const SampleInfo&, const interop::Big&) {}

void set_own(peer_sample& out, const SampleInfo& info, const interop::Keyed& sample)
{
    if (info.valid_data)
        names[info.instance_handle] = sample.name().c_str();
    const auto name = names.find(info.instance_handle);
    strncpy(out.name, name == names.end() ? "unknown" : name->second.c_str(), 64);
}

void set_own(peer_sample& out, const SampleInfo&, const interop::Appendable& sample)
{
    out.fields_good = members_good(sample);
}

template <typename Sample>
int take_all(peer_sink* sink, void* context)
{
    for (;;) {
        Sample sample;
        SampleInfo info;
        const ReturnCode_t code = reader->take_next_sample(&sample, &info);
        if (code == ReturnCode_t::RETCODE_NO_DATA)
            return PEER_OK;
        if (code != ReturnCode_t::RETCODE_OK)
            return failed("take", code);
        peer_sample out = neutral(info);
        set_data(out, sample);
        set_own(out, info, sample);
        sink(context, &out);
    }
}

} // namespace

int vendor_open(const peer_options* given)
{
    options = given;
    if (options->xcdr == 2)
        return peer_error(PEER_UNSUPPORTED, "Fast DDS 2.9 has only XCDR1");
    if (options->time_filter_ms != 0)
        return peer_error(PEER_UNSUPPORTED, "Fast DDS 2.9 has no time-based filter");
    if (options->type == PEER_MUTABLE)
        return peer_error(PEER_UNSUPPORTED, "Fast DDS 2.9 writes mutable types as plain CDR");
    participant = DomainParticipantFactory::get_instance()->create_participant(options->domain, participant_qos());
    if (participant == nullptr)
        return peer_error(PEER_FAILED, "participant");
    TypeSupport type = type_support();
    describe_type(type);
    type.register_type(participant);
    Topic* topic = participant->create_topic(options->topic, type.get_type_name(), TOPIC_QOS_DEFAULT);
    if (topic == nullptr)
        return peer_error(PEER_FAILED, "topic");
    options->publisher ? open_writer(topic) : open_reader(topic);
    return writer != nullptr || reader != nullptr ? PEER_OK : peer_error(PEER_FAILED, "endpoint");
}

void vendor_close()
{
    if (participant == nullptr)
        return;
    participant->delete_contained_entities();
    DomainParticipantFactory::get_instance()->delete_participant(participant);
}

void vendor_matched(int32_t* current, int32_t* total)
{
    if (writer != nullptr) {
        PublicationMatchedStatus status;
        writer->get_publication_matched_status(status);
        *current = status.current_count;
        *total = status.total_count;
    } else {
        SubscriptionMatchedStatus status;
        reader->get_subscription_matched_status(status);
        *current = status.current_count;
        *total = status.total_count;
    }
}

void vendor_incompatible(int32_t* total, int32_t* policy_id)
{
    IncompatibleQosStatus status;
    if (writer != nullptr)
        writer->get_offered_incompatible_qos_status(status);
    else
        reader->get_requested_incompatible_qos_status(status);
    *total = static_cast<int32_t>(status.total_count);
    *policy_id = static_cast<int32_t>(status.last_policy_id);
}

void vendor_deadline_missed(int32_t* total)
{
    if (writer != nullptr) {
        OfferedDeadlineMissedStatus status;
        writer->get_offered_deadline_missed_status(status);
        *total = static_cast<int32_t>(status.total_count);
    } else {
        RequestedDeadlineMissedStatus status;
        reader->get_requested_deadline_missed_status(status);
        *total = static_cast<int32_t>(status.total_count);
    }
}

template <typename Sample, typename Members>
static int write_as(int32_t seq, const uint8_t* data, uint32_t size, Members members)
{
    Sample sample;
    fill_data(sample, seq, data, size);
    members(sample);
    return write_sample(&sample) ? PEER_OK : peer_error(PEER_FAILED, "write");
}

int vendor_write(int32_t seq, const char* name, uint8_t* data, uint32_t size)
{
    switch (options->type) {
    case PEER_KEYED: return write_as<interop::Keyed>(seq, data, size, [&](interop::Keyed& s) { s.name(name); });
    case PEER_BIG: return write_as<interop::Big>(seq, data, size, [](interop::Big&) {});
    case PEER_APPENDABLE:
        return write_as<interop::Appendable>(seq, data, size, [&](interop::Appendable& s) { fill_members(s, seq); });
    default: return write_as<interop::Plain>(seq, data, size, [](interop::Plain&) {});
    }
}

int vendor_dispose(const char* name)
{
    interop::Keyed key;
    key.name(name);
    const ReturnCode_t code = writer->dispose(&key, eprosima::fastrtps::rtps::c_InstanceHandle_Unknown);
    return code == ReturnCode_t::RETCODE_OK ? PEER_OK : failed("dispose", code);
}

int vendor_unregister(const char* name)
{
    interop::Keyed key;
    key.name(name);
    const ReturnCode_t code = writer->unregister_instance(&key, eprosima::fastrtps::rtps::c_InstanceHandle_Unknown);
    return code == ReturnCode_t::RETCODE_OK ? PEER_OK : failed("unregister", code);
}

bool vendor_acknowledged()
{
    return writer->wait_for_acknowledgments(Duration_t(0, 1000000)) == ReturnCode_t::RETCODE_OK;
}

int vendor_take(peer_sink* sink, void* context)
{
    switch (options->type) {
    case PEER_KEYED: return take_all<interop::Keyed>(sink, context);
    case PEER_BIG: return take_all<interop::Big>(sink, context);
    case PEER_APPENDABLE: return take_all<interop::Appendable>(sink, context);
    default: return take_all<interop::Plain>(sink, context);
    }
}
