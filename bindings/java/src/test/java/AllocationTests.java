import com.sun.management.ThreadMXBean;
import flock.Film;
import flock.Picture;
import flock.PictureView;
import flock.Position;
import flock.Song;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.dunlin.DomainParticipant;
import org.dunlin.GuardCondition;
import org.dunlin.SampleInfo;
import org.dunlin.WaitSet;
import org.dunlin.qos.DataReaderQos;

/** Samples take no bytes of the heap once all is as large as it becomes. */
final class AllocationTests {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocationTests() {
    }

    public static void writingAndTakingAllocateNothing() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            var writer = participant.createDataWriter(topic);
            var position = new Position(1, 2, 3);
            var info = new SampleInfo();
            nothing(() -> {
                writer.write(position);
                Check.that(reader.takeNext(position, info));
            });
        }
    }

    public static void textsAndSequencesAllocateNothing() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Songs", Song.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            var writer = participant.createDataWriter(topic);
            var sent = SampleTests.song();
            var taken = new Song();
            nothing(() -> {
                writer.write(sent);
                Check.that(reader.takeNext(taken, null));
            });
        }
    }

    public static void manyOctetsAllocateNothing() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Films", Film.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            var writer = participant.createDataWriter(topic);
            var taken = OctetsTests.film(63_000, 10);
            nothing(() -> {
                // It writes what it took.
                writer.write(taken);
                Check.that(reader.takeNext(taken, null));
            });
            Check.that(taken.frames.isShared());
            taken.frames.clear();
        }
    }

    public static void loansAndSamplesInPlaceAllocateNothing() {
        try (var pair = InPlaceTests.Pair.of(Picture.TYPE)) {
            var written = new PictureView();
            var taken = new PictureView();
            int[] count = new int[1];
            nothing(() -> {
                try (var loan = pair.writer().loanWith(written)) {
                    loan.value().number(++count[0]);
                    loan.write();
                }
                boolean isThere = false;
                while (!isThere) {
                    try (var samples = pair.reader().takeInPlace()) {
                        for (int i = 0; i < samples.size(); i++) {
                            Check.that(samples.view(i, taken).number() == count[0] && samples.isInPlace(i));
                            isThere = true;
                        }
                    }
                }
            });
        }
    }

    public static void batchesAllocateNothing() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable().keepAll());
            var writer = participant.createDataWriter(topic);
            var position = new Position(1, 2, 3);
            nothing(() -> {
                for (int i = 0; i < 5; i++) {
                    writer.write(position);
                }
                try (var batch = reader.take()) {
                    Check.equal(batch.size(), 5);
                    for (int i = 0; i < batch.size(); i++) {
                        Check.that(batch.get(i).info.validData);
                    }
                }
            });
        }
    }

    public static void listenersAllocateNothing() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var taken = new Position();
            var info = new SampleInfo();
            participant.createDataReader(topic, new DataReaderQos().reliable(), of -> {
                while (of.takeNext(taken, info)) {
                    Check.that(info.validData);
                }
            });
            var writer = participant.createDataWriter(topic);
            var position = new Position(1, 2, 3);
            // The listener is called in the thread that writes.
            nothing(() -> writer.write(position));
        }
    }

    public static void waitingAllocatesNothing() {
        try (var bell = new GuardCondition(); var waits = new WaitSet()) {
            waits.attach(bell);
            nothing(() -> {
                bell.set(true);
                Check.that(waits.await(20, TimeUnit.SECONDS));
                bell.set(false);
                Check.that(!waits.await(0, TimeUnit.SECONDS));
            });
        }
    }

    /** Until everything is compiled a little is allocated. */
    private static void nothing(Runnable one) {
        long id = Thread.currentThread().threadId();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 40 && least > 0; round++) {
            long before = THREADS.getThreadAllocatedBytes(id);
            for (int i = 0; i < 500; i++) {
                one.run();
            }
            least = Math.min(least, THREADS.getThreadAllocatedBytes(id) - before);
        }
        Check.equal(least, 0L);
    }
}
