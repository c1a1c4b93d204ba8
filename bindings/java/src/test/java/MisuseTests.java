import flock.Position;
import flock.Song;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.dunlin.DdsException;
import org.dunlin.DomainParticipant;
import org.dunlin.SampleInfo;
import org.dunlin.WaitSet;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;

/** Whatever a program does wrong, it is told. */
final class MisuseTests {
    private MisuseTests() {
    }

    public static void whatIsClosedSaysSo() {
        var participant = DomainParticipant.create(0);
        var topic = participant.createTopic("Positions", Position.TYPE);
        var writer = participant.createDataWriter(topic);
        var reader = participant.createDataReader(topic);
        writer.close();
        writer.close();
        Check.fails(DdsException.AlreadyDeleted.class, "writer", () -> writer.write(new Position()));
        Check.fails(DdsException.PreconditionNotMet.class, "Positions", topic::close);
        participant.close();
        participant.close();
        Check.fails(DdsException.AlreadyDeleted.class, "reader", () -> reader.takeNext(new Position(), null));
        Check.fails(DdsException.AlreadyDeleted.class, "participant",
                () -> participant.createTopic("More", Position.TYPE));
        reader.close();
    }

    public static void valuesThatCannotBeEncodedAreNotSent() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Songs", Song.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            var writer = participant.createDataWriter(topic);
            Check.fails(DdsException.BadParameter.class, "null", () -> writer.write(null));
            bad(writer, "flock::Song.singer: its length is 20, at most 16 is allowed",
                    song -> song.singer = "x".repeat(20));
            bad(writer, "flock::Song.recording: its length is 101, at most 100 is allowed",
                    song -> song.recording.resize(101));
            bad(writer, "flock::Song.words", song -> song.words.add(null));
            bad(writer, "flock::Song.words: the string has a NUL at 1", song -> song.words.add("a\0"));
            bad(writer, "flock::Song.words: the surrogate at 0", song -> song.words.add("\ud800"));
            bad(writer, "flock::Song.mood", song -> song.mood = null);
            bad(writer, "flock::Song.place", song -> song.place = null);
            Check.that(!reader.takeNext(new Song(), null));
            writer.write(SampleTests.song());
            Check.soon(() -> reader.takeNext(new Song(), null));
        }
    }

    private static void bad(org.dunlin.DataWriter<Song> writer, String words,
            java.util.function.Consumer<Song> change) {
        var song = SampleTests.song();
        change.accept(song);
        Check.fails(DdsException.BadParameter.class, words, () -> writer.write(song));
    }

    public static void argumentsAreNamed() {
        try (var participant = DomainParticipant.create(0)) {
            Check.fails(DdsException.BadParameter.class, "name", () -> participant.createTopic("", Position.TYPE));
            Check.fails(DdsException.BadParameter.class, "byte",
                    () -> participant.createTopic("a\0b", Position.TYPE));
            var topic = participant.createTopic("Positions", Position.TYPE);
            Check.fails(DdsException.BadParameter.class, "^",
                    () -> participant.createContentFilteredTopic("f", topic, "x >"));
            Check.fails(DdsException.class, "depth",
                    () -> participant.createDataWriter(topic, new DataWriterQos().keepLast(0)));
            var writer = participant.createDataWriter(topic);
            Check.fails(DdsException.BadParameter.class, "timeout",
                    () -> writer.waitForMatched(1, Duration.ofSeconds(-1)));
            Check.fails(DdsException.PreconditionNotMet.class, "instance", () -> writer.write(new Position(1, 0, 0),
                    null, new org.dunlin.InstanceHandle(1, 2)));
        }
    }

    public static void closedBatchesSaySo() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var reader = participant.createDataReader(topic);
            var samples = reader.take();
            samples.close();
            samples.close();
            try {
                samples.get(0);
                throw new AssertionError("a closed batch has samples");
            } catch (IllegalStateException expected) {
                Check.that(expected.getMessage().contains("closed"));
            }
        }
    }

    /** Entities are closed while other threads write, take and wait. */
    public static void closingMeetsUse() throws InterruptedException {
        var failures = new AtomicInteger();
        for (int round = 0; round < 20; round++) {
            var participant = DomainParticipant.create(0);
            var topic = participant.createTopic("Positions", Position.TYPE);
            var writer = participant.createDataWriter(topic, new DataWriterQos().keepLast(10));
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable(), of ->
                    of.takeEach((data, info) -> { }));
            var waits = new WaitSet();
            waits.attach(reader.createReadCondition(null));
            List<Thread> threads = new ArrayList<>();
            List<Runnable> uses = List.of(() -> writer.write(new Position(1, 0, 0)),
                    () -> reader.takeNext(new Position(), new SampleInfo()), () -> waits.await(Check.PATIENCE),
                    () -> reader.take().close());
            for (Runnable use : uses) {
                var thread = new Thread(() -> {
                    try {
                        while (true) {
                            use.run();
                        }
                    } catch (DdsException.AlreadyDeleted expected) {
                        // So it ends.
                    } catch (RuntimeException error) {
                        failures.incrementAndGet();
                        error.printStackTrace();
                    }
                });
                thread.start();
                threads.add(thread);
            }
            writer.write(new Position(2, 0, 0));
            participant.close();
            waits.close();
            for (Thread thread : threads) {
                thread.join(Check.PATIENCE.toMillis());
                Check.that(!thread.isAlive());
            }
        }
        Check.equal(failures.get(), 0);
    }
}
