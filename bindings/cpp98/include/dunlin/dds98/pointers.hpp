// The names that pointers to entities have in the mapping of IDL to C++.
#ifndef DUNLIN_DDS98_POINTERS_HPP
#define DUNLIN_DDS98_POINTERS_HPP

#include "dunlin/dds98/entity.hpp"
#include "dunlin/dds98/var.hpp"

namespace DDS {

class GuardCondition;
class WaitSet;

typedef Entity *Entity_ptr;
typedef EntityVar<Entity> Entity_var;
typedef DomainParticipantFactory *DomainParticipantFactory_ptr;
typedef EntityVar<DomainParticipantFactory> DomainParticipantFactory_var;
typedef DomainParticipant *DomainParticipant_ptr;
typedef EntityVar<DomainParticipant> DomainParticipant_var;
typedef TopicDescription *TopicDescription_ptr;
typedef EntityVar<TopicDescription> TopicDescription_var;
typedef Topic *Topic_ptr;
typedef EntityVar<Topic> Topic_var;
typedef ContentFilteredTopic *ContentFilteredTopic_ptr;
typedef EntityVar<ContentFilteredTopic> ContentFilteredTopic_var;
typedef Publisher *Publisher_ptr;
typedef EntityVar<Publisher> Publisher_var;
typedef DataWriter *DataWriter_ptr;
typedef EntityVar<DataWriter> DataWriter_var;
typedef Subscriber *Subscriber_ptr;
typedef EntityVar<Subscriber> Subscriber_var;
typedef DataReader *DataReader_ptr;
typedef EntityVar<DataReader> DataReader_var;
typedef Condition *Condition_ptr;
typedef EntityVar<Condition> Condition_var;
typedef GuardCondition *GuardCondition_ptr;
typedef EntityVar<GuardCondition> GuardCondition_var;
typedef StatusCondition *StatusCondition_ptr;
typedef EntityVar<StatusCondition> StatusCondition_var;
typedef ReadCondition *ReadCondition_ptr;
typedef EntityVar<ReadCondition> ReadCondition_var;
typedef QueryCondition *QueryCondition_ptr;
typedef EntityVar<QueryCondition> QueryCondition_var;
typedef WaitSet *WaitSet_ptr;
typedef EntityVar<WaitSet> WaitSet_var;
typedef TopicListener *TopicListener_ptr;
typedef EntityVar<TopicListener> TopicListener_var;
typedef DataWriterListener *DataWriterListener_ptr;
typedef EntityVar<DataWriterListener> DataWriterListener_var;
typedef PublisherListener *PublisherListener_ptr;
typedef EntityVar<PublisherListener> PublisherListener_var;
typedef DataReaderListener *DataReaderListener_ptr;
typedef EntityVar<DataReaderListener> DataReaderListener_var;
typedef SubscriberListener *SubscriberListener_ptr;
typedef EntityVar<SubscriberListener> SubscriberListener_var;
typedef DomainParticipantListener *DomainParticipantListener_ptr;
typedef EntityVar<DomainParticipantListener> DomainParticipantListener_var;

} // namespace DDS

#endif
