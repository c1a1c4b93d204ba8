import java.time.Duration;
import java.util.List;
import org.dunlin.DataReader;
import org.dunlin.DataWriter;
import org.dunlin.DomainParticipant;
import org.dunlin.SampleInfo;
import org.dunlin.WaitSet;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.Representation;

/**
 * A topic of the matrix, written or read. What has XCDR1 is written before anybody knows the writer, so its readers are
 * late joiners.
 */
final class Side<T> {
    static final Duration PATIENCE = Duration.ofSeconds(20);

    final boolean isLate;
    final String name;
    private final Kind<T> kind;
    private DataWriter<T> writer;
    private DataReader<T> reader;

    Side(String name, Kind<T> kind) {
        this.name = name;
        this.kind = kind;
        this.isLate = name.endsWith("1");
    }

    void openWriter(DomainParticipant on) {
        var qos = new DataWriterQos().representation(isLate ? Representation.XCDR1 : Representation.XCDR2).keepAll()
                .maxBlockingTime(PATIENCE).autodispose(false);
        if (isLate) {
            qos.transientLocal();
        }
        writer = on.createDataWriter(on.createTopic(name, kind.type), qos);
    }

    void openReader(DomainParticipant on, WaitSet waits) {
        var qos = new DataReaderQos().representations(isLate ? Representation.XCDR1 : Representation.XCDR2).reliable()
                .keepAll();
        if (isLate) {
            qos.transientLocal();
        }
        reader = on.createDataReader(on.createTopic(name, kind.type), qos);
        waits.attach(reader.createReadCondition(null));
    }

    void writeAll(String from) {
        for (int order = 0; order < Kind.SAMPLES; order++) {
            writer.write(kind.make(from, order));
        }
        for (int number = 0; kind.isKeyed() && number < Kind.INSTANCES; number += 2) {
            writer.dispose(kind.make(from, number));
        }
    }

    void unregisterAll(String from) {
        for (int number = 1; kind.isKeyed() && number < Kind.INSTANCES; number += 2) {
            writer.unregister(kind.make(from, number));
        }
    }

    void waitForMatched(int readers) {
        if (!writer.waitForMatched(readers, PATIENCE)) {
            throw new IllegalStateException(name + ": no " + readers + " readers match");
        }
    }

    void waitForAcknowledgments() {
        if (!writer.waitForAcknowledgments(PATIENCE)) {
            throw new IllegalStateException(name + ": not all is acknowledged");
        }
    }

    int lines() {
        return Kind.SAMPLES + (kind.isKeyed() ? Kind.INSTANCES : 0);
    }

    void takeAll(List<String> lines) {
        reader.takeEach((value, info) -> {
            if (info.validData) {
                lines.add(name + " " + kind.print(value));
            } else if (kind.isKeyed()) {
                boolean isDisposed = info.instanceState == SampleInfo.NOT_ALIVE_DISPOSED;
                lines.add(name + " " + kind.printKey(value) + (isDisposed ? " disposed" : " unregistered"));
            }
        });
    }
}
