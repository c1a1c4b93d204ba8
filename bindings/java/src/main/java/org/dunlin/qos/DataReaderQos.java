package org.dunlin.qos;

import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.dunlin.internal.QosCodec;

/** The QoS of a reader. */
public final class DataReaderQos extends EndpointQos<DataReaderQos> {
    /** TIME_BASED_FILTER: samples of an instance come at most so often. */
    public Duration minimumSeparation;

    /** READER_DATA_LIFECYCLE: instances without writers are forgotten after so long. */
    public Duration autopurgeNoWriter;

    /** READER_DATA_LIFECYCLE: disposed instances are forgotten after so long. */
    public Duration autopurgeDisposed;

    /** Multicast groups on which it wants its samples. */
    public List<InetAddress> multicast = new ArrayList<>();

    /** DATA_REPRESENTATION: what it takes. */
    public Set<Representation> representations = EnumSet.noneOf(Representation.class);

    /** TYPE_CONSISTENCY_ENFORCEMENT. */
    public TypeConsistencyKind typeConsistency;

    /** TYPE_CONSISTENCY_ENFORCEMENT: the bounds of sequences do not count. */
    public boolean ignoreSequenceBounds;

    /** TYPE_CONSISTENCY_ENFORCEMENT: the bounds of strings do not count. */
    public boolean ignoreStringBounds;

    /** TYPE_CONSISTENCY_ENFORCEMENT: members are known by their ids alone. */
    public boolean ignoreMemberNames;

    /** TYPE_CONSISTENCY_ENFORCEMENT: a writer's type may lack nothing. */
    public boolean preventTypeWidening;

    /** TYPE_CONSISTENCY_ENFORCEMENT: no match before both types are known. */
    public boolean forceTypeValidation;

    /** ENTITY_NAME. */
    public String entityName = "";

    /** USER_DATA. */
    public byte[] userData = new byte[0];

    /** PROPERTY. */
    public List<Property> properties = new ArrayList<>();

    /** With the defaults of the standard. */
    public DataReaderQos() {
        QosCodec.defaults(this);
    }

    /**
     * With what another one has.
     *
     * @param from the other one
     */
    public DataReaderQos(DataReaderQos from) {
        assign(from);
        minimumSeparation = from.minimumSeparation;
        autopurgeNoWriter = from.autopurgeNoWriter;
        autopurgeDisposed = from.autopurgeDisposed;
        multicast = new ArrayList<>(from.multicast);
        representations = EnumSet.noneOf(Representation.class);
        representations.addAll(from.representations);
        typeConsistency = from.typeConsistency;
        ignoreSequenceBounds = from.ignoreSequenceBounds;
        ignoreStringBounds = from.ignoreStringBounds;
        ignoreMemberNames = from.ignoreMemberNames;
        preventTypeWidening = from.preventTypeWidening;
        forceTypeValidation = from.forceTypeValidation;
        entityName = from.entityName;
        userData = from.userData.clone();
        properties = new ArrayList<>(from.properties);
    }

    @Override
    DataReaderQos self() {
        return this;
    }

    /**
     * TIME_BASED_FILTER: samples of an instance come at most so often.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos minimumSeparation(Duration value) {
        this.minimumSeparation = value;
        return this;
    }

    /**
     * READER_DATA_LIFECYCLE: instances without writers are forgotten after so long.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos autopurgeNoWriter(Duration value) {
        this.autopurgeNoWriter = value;
        return this;
    }

    /**
     * READER_DATA_LIFECYCLE: disposed instances are forgotten after so long.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos autopurgeDisposed(Duration value) {
        this.autopurgeDisposed = value;
        return this;
    }

    /**
     * Multicast groups on which it wants its samples.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos multicast(InetAddress... value) {
        this.multicast = new ArrayList<>(List.of(value));
        return this;
    }

    /**
     * DATA_REPRESENTATION: what it takes.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos representations(Representation... value) {
        this.representations = EnumSet.copyOf(java.util.List.of(value));
        return this;
    }

    /**
     * TYPE_CONSISTENCY_ENFORCEMENT.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos typeConsistency(TypeConsistencyKind value) {
        this.typeConsistency = value;
        return this;
    }

    /**
     * TYPE_CONSISTENCY_ENFORCEMENT: the bounds of sequences do not count.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos ignoreSequenceBounds(boolean value) {
        this.ignoreSequenceBounds = value;
        return this;
    }

    /**
     * TYPE_CONSISTENCY_ENFORCEMENT: the bounds of strings do not count.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos ignoreStringBounds(boolean value) {
        this.ignoreStringBounds = value;
        return this;
    }

    /**
     * TYPE_CONSISTENCY_ENFORCEMENT: members are known by their ids alone.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos ignoreMemberNames(boolean value) {
        this.ignoreMemberNames = value;
        return this;
    }

    /**
     * TYPE_CONSISTENCY_ENFORCEMENT: a writer's type may lack nothing.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos preventTypeWidening(boolean value) {
        this.preventTypeWidening = value;
        return this;
    }

    /**
     * TYPE_CONSISTENCY_ENFORCEMENT: no match before both types are known.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos forceTypeValidation(boolean value) {
        this.forceTypeValidation = value;
        return this;
    }

    /**
     * ENTITY_NAME.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos entityName(String value) {
        this.entityName = value;
        return this;
    }

    /**
     * USER_DATA.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos userData(byte[] value) {
        this.userData = value.clone();
        return this;
    }

    /**
     * PROPERTY.
     *
     * @param value what it is from now on
     * @return this
     */
    public DataReaderQos properties(Property... value) {
        this.properties = new ArrayList<>(List.of(value));
        return this;
    }
}
