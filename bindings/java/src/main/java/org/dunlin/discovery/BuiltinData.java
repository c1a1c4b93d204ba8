package org.dunlin.discovery;

import java.util.List;
import org.dunlin.InstanceHandle;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.Property;

/**
 * What others say of a participant, a topic, a writer or a reader.
 *
 * @param topic what it is about
 * @param key the GUID; of a topic a number that its name and type have
 * @param participant of a writer or reader: the GUID of its participant
 * @param name the name of the topic; of a participant its ENTITY_NAME
 * @param typeName the name of the topic's type
 * @param userData USER_DATA
 * @param topicData TOPIC_DATA
 * @param properties of a participant: PROPERTY, and what its product tells of itself
 * @param writerQos of a writer: its QoS, as far as others are told; else null
 * @param readerQos of a reader: its QoS, as far as others are told; else null
 * @param vendor of a participant: whose product it is, by the number of the OMG
 */
public record BuiltinData(BuiltinTopic topic, InstanceHandle key, InstanceHandle participant, String name,
        String typeName, byte[] userData, byte[] topicData, List<Property> properties, DataWriterQos writerQos,
        DataReaderQos readerQos, int vendor) {
}
