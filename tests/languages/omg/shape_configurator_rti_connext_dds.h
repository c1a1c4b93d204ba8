// What the shapes program of the OMG's interoperability suite asks of an implementation of the
// classic C++ API beside the API. It includes a header of this name.
#ifndef DUNLIN_OMG_SHAPE_CONFIGURATOR_H
#define DUNLIN_OMG_SHAPE_CONFIGURATOR_H

#include "shapeSupport.hpp"
#include <cstdio>

#define LISTENER_STATUS_MASK_ALL (DDS::STATUS_MASK_ALL)
#define STRING_IN .in()
#define STRING_ASSIGN(to, from) (to) = (from)

inline void StringSeq_push(DDS::StringSeq &to, const char *text) { to.push_back(text); }

inline const char *get_qos_policy_name(DDS::QosPolicyId_t policy) {
    return DDS::qos_policy_name(policy);
}

inline bool configure_dp_qos(DDS::DomainParticipantQos &) { return true; }

// Fragments have the size that suits the way to the reader.
inline bool configure_datafrag_size(DDS::DomainParticipantQos &, size_t size) {
    if (size > 0) {
        std::fprintf(stderr, "fragments of %u bytes are not possible\n", static_cast<unsigned>(size));
    }
    return size == 0;
}

inline void configure_participant_announcements_period(DDS::DomainParticipantQos &,
                                                       unsigned microseconds) {
    if (microseconds > 0) {
        std::fprintf(stderr, "the period of announcements is not a QoS\n");
    }
}

inline void configure_large_data(DDS::DataWriterQos &) {}
// A writer that ends disposes its instances, by the default of the standard (DDS 1.4 2.2.2.4.1.6). The
// suite expects that they only lose their writer.
inline void config_dw_qos(DDS::DataWriterQos &qos) {
    qos.writer_data_lifecycle.autodispose_unregistered_instances = false;
}
inline void config_dr_qos(DDS::DataReaderQos &) {}

inline DDS::ULong DDS_UInt8Seq_get_length(const DDS::OctetSeq *octets) { return octets->length(); }
inline bool DDS_UInt8Seq_ensure_length(DDS::OctetSeq *octets, DDS::ULong length, DDS::ULong room) {
    return octets->ensure_length(length, room);
}
inline DDS::Octet *DDS_UInt8Seq_get_reference(DDS::OctetSeq *octets, DDS::ULong at) {
    return octets->get_reference(at);
}

#endif
