package org.dunlin;

import java.time.Instant;
import org.dunlin.internal.Memory;
import org.dunlin.internal.Structs;
import org.dunlin.internal.Times;

/** What DDS says about a sample. One object serves for all samples that are taken into it. */
public final class SampleInfo implements Cloneable {
    /** {@link #sampleState}: the sample was read before. */
    public static final int READ = 1;
    /** {@link #sampleState}: the sample was not read before. */
    public static final int NOT_READ = 2;
    /** {@link #viewState}: the instance is new to the reader. */
    public static final int NEW = 1;
    /** {@link #viewState}: the instance is not new to the reader. */
    public static final int NOT_NEW = 2;
    /** {@link #instanceState}: the instance lives. */
    public static final int ALIVE = 1;
    /** {@link #instanceState}: a writer disposed the instance. */
    public static final int NOT_ALIVE_DISPOSED = 2;
    /** {@link #instanceState}: no writer writes the instance any more. */
    public static final int NOT_ALIVE_NO_WRITERS = 4;

    private static final int VALID = Structs.SAMPLE_INFO.at("valid_data");
    private static final int SAMPLE_STATE = Structs.SAMPLE_INFO.at("sample_state");
    private static final int INSTANCE = Structs.SAMPLE_INFO.at("instance");
    private static final int PUBLICATION = Structs.SAMPLE_INFO.at("publication");

    /** Whether there is a sample; else it is a change of the instance alone, and a value has its key only. */
    public boolean validData;
    /** {@link #READ} or {@link #NOT_READ}. */
    public int sampleState;
    /** {@link #NEW} or {@link #NOT_NEW}. */
    public int viewState;
    /** {@link #ALIVE}, {@link #NOT_ALIVE_DISPOSED} or {@link #NOT_ALIVE_NO_WRITERS}. */
    public int instanceState;
    /** When it was written, in nanoseconds since 1970; {@link Long#MIN_VALUE} if its writer did not say. */
    public long sourceTimestamp;
    /** Its number among the changes of its writer. */
    public long sequence;
    /** How often the instance had come back from being disposed. */
    public int disposedGenerationCount;
    /** How often it had come back from having no writers. */
    public int noWritersGenerationCount;
    /** How many samples of the instance follow in this call. */
    public int sampleRank;
    /** Generations between this one and the last of the instance in this call. */
    public int generationRank;
    /** Generations between this one and the newest of the instance in the reader. */
    public int absoluteGenerationRank;
    private long instanceHigh;
    private long instanceLow;
    private long publicationHigh;
    private long publicationLow;

    /** An empty one, to be taken into. */
    public SampleInfo() {
    }

    /** {@return its instance} */
    public InstanceHandle instance() {
        return new InstanceHandle(instanceHigh, instanceLow);
    }

    /** {@return its writer} */
    public InstanceHandle publication() {
        return new InstanceHandle(publicationHigh, publicationLow);
    }

    /** {@return when it was written; null if its writer did not say} */
    public Instant sourceTime() {
        return sourceTimestamp == Long.MIN_VALUE ? null : Times.instant(sourceTimestamp);
    }

    @Override
    public SampleInfo clone() {
        try {
            return (SampleInfo) super.clone();
        } catch (CloneNotSupportedException error) {
            throw new IllegalStateException(error);
        }
    }

    void get(long at) {
        sourceTimestamp = Memory.getLong(at);
        sequence = Memory.getLong(at + 8);
        instanceHigh = InstanceHandle.big(Memory.getLong(at + INSTANCE));
        instanceLow = InstanceHandle.big(Memory.getLong(at + INSTANCE + 8));
        publicationHigh = InstanceHandle.big(Memory.getLong(at + PUBLICATION));
        publicationLow = InstanceHandle.big(Memory.getLong(at + PUBLICATION + 8));
        sampleState = Memory.getInt(at + SAMPLE_STATE);
        viewState = Memory.getInt(at + SAMPLE_STATE + 4);
        instanceState = Memory.getInt(at + SAMPLE_STATE + 8);
        disposedGenerationCount = Memory.getInt(at + SAMPLE_STATE + 12);
        noWritersGenerationCount = Memory.getInt(at + SAMPLE_STATE + 16);
        sampleRank = Memory.getInt(at + SAMPLE_STATE + 20);
        generationRank = Memory.getInt(at + SAMPLE_STATE + 24);
        absoluteGenerationRank = Memory.getInt(at + SAMPLE_STATE + 28);
        validData = Memory.getByte(at + VALID) != 0;
    }
}
