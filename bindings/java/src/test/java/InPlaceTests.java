import flock.Mark;
import flock.MarkView;
import flock.Picture;
import flock.PictureView;
import flock.Song;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.dunlin.DataReader;
import org.dunlin.DataWriter;
import org.dunlin.DdsException;
import org.dunlin.DomainParticipant;
import org.dunlin.Loan;
import org.dunlin.ParticipantConfig;
import org.dunlin.SamplesInPlace;
import org.dunlin.Select;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.Representation;
import org.dunlin.type.TypeSupport;

/** Samples that are read where their writer has them. */
final class InPlaceTests {
    private InPlaceTests() {
    }

    /** A writer and a reader that reach each other by shared memory, as those of two processes do. */
    record Pair<T>(DomainParticipant one, DomainParticipant other, DataWriter<T> writer, DataReader<T> reader)
            implements AutoCloseable {
        static <T> Pair<T> of(TypeSupport<T> type) {
            var config = new ParticipantConfig();
            config.local = false;
            var one = DomainParticipant.create(0, config, null, null);
            var other = DomainParticipant.create(0, config, null, null);
            var reader = other.createDataReader(other.createTopic("Pictures", type), new DataReaderQos().reliable()
                    .keepAll().representations(Representation.XCDR1, Representation.XCDR2));
            var writer = one.createDataWriter(one.createTopic("Pictures", type),
                    new DataWriterQos().representation(Representation.XCDR1).keepAll());
            Check.that(writer.waitForMatched(1, Check.PATIENCE) && reader.waitForMatched(1, Check.PATIENCE));
            return new Pair<>(one, other, writer, reader);
        }

        /** What is there, once there is something. */
        SamplesInPlace<T> take() {
            long end = System.nanoTime() + Check.PATIENCE.toNanos();
            while (true) {
                SamplesInPlace<T> taken = reader.takeInPlace();
                if (!taken.isEmpty()) {
                    return taken;
                }
                taken.close();
                Check.that(System.nanoTime() < end);
                Thread.yield();
            }
        }

        @Override
        public void close() {
            one.close();
            other.close();
        }
    }

    public static void samplesStayWhereTheirWriterHasThem() {
        try (var pair = Pair.of(Picture.TYPE)) {
            var pixels = new byte[64_000];
            for (int i = 0; i < pixels.length; i++) {
                pixels[i] = (byte) (i * 7);
            }
            try (Loan<PictureView> loan = pair.writer.loan(PictureView::new)) {
                Check.that(loan.isShared());
                loan.value().clear();
                loan.value().number(5);
                loan.value().grid(1, 2, -1.25);
                loan.value().pixels(pixels);
                loan.value().spots(1).y(3);
                loan.value().shade((short) -2);
                loan.write();
            }
            var view = new PictureView();
            var samples = pair.take();
            Check.equal(samples.size(), 1);
            Check.that(samples.isInPlace(0) && samples.isIntact(0) && samples.info(0).validData);
            Check.that(samples.length(0) >= 4 + view.size());
            Check.that(samples.view(0, view) == view && view.isOpen());
            Check.equal(view.number(), 5);
            Check.equal(view.grid(1, 2), -1.25);
            Check.equal(view.pixels(63_999), pixels[63_999]);
            Check.equal(view.spots(1).y(), 3.0);
            Check.equal(view.shade(), (short) -2);
            var all = new byte[64_000];
            view.pixelsInto(all);
            Check.that(java.util.Arrays.equals(all, pixels));
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment part = arena.allocate(8);
                samples.copy(0, 4, part);
                Check.equal(part.get(ValueLayout.JAVA_INT, 0), 5);
                Check.fails(DdsException.BadParameter.class, "within", () -> samples.copy(0, samples.length(0) - 7, part));
                Check.fails(DdsException.BadParameter.class, "within", () -> samples.copy(0, -1, part));
            }
            Check.fails(DdsException.BadParameter.class, "native",
                    () -> samples.copy(0, 0, MemorySegment.ofArray(new byte[4])));
            try {
                view.number(6);
                throw new AssertionError("a sample does not change");
            } catch (IllegalStateException said) {
                Check.that(said.getMessage().contains("taken"));
            }
            samples.close();
            samples.close();
            Check.that(!view.isOpen());
            for (Runnable late : new Runnable[] {view::number, () -> samples.info(0), () -> samples.view(0, view)}) {
                try {
                    late.run();
                    throw new AssertionError("the batch is closed");
                } catch (IllegalStateException said) {
                    Check.that(said.getMessage().contains("batch"));
                }
            }
        }
    }

    public static void aValueOfThisProcessIsSeenTheSameWay() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Pictures", Picture.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            var writer = participant.createDataWriter(topic);
            var sent = new Picture();
            sent.number = 8;
            sent.pixels[5] = 7;
            writer.write(sent);
            var view = new PictureView();
            try (var samples = reader.readInPlace(new Select().max(1))) {
                Check.equal(samples.view(0, view).number(), 8);
                Check.equal(view.pixels(5), (byte) 7);
                var all = new byte[64_000];
                view.pixelsInto(all);
                Check.that(java.util.Arrays.equals(all, sent.pixels) && !samples.isInPlace(0));
                try {
                    view.pixels(all);
                    throw new AssertionError("a sample does not change");
                } catch (IllegalStateException said) {
                    Check.that(said.getMessage().contains("taken"));
                }
            }
            // The batch is used again, and an end of an instance has no value.
            writer.dispose(sent);
            try (var samples = reader.takeInPlace()) {
                int last = samples.size() - 1;
                Check.that(!samples.info(last).validData);
                Check.fails(DdsException.Unsupported.class, "value", () -> samples.view(last, view));
            }
            try (var samples = reader.takeInPlace()) {
                Check.that(samples.isEmpty());
            }
        }
    }

    public static void memoryThatIsNotTheEncodingIsRefused() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Marks", Mark.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            participant.createDataWriter(topic, new DataWriterQos().representation(Representation.XCDR2)).write(new Mark());
            try (var samples = reader.takeInPlace()) {
                Check.fails(DdsException.Unsupported.class, "Mark", () -> samples.view(0, new MarkView()));
            }
        }
    }

    /** Of values that are encoded parts are copied. */
    public static void partsOfEncodedValuesAreCopied() {
        try (var participant = DomainParticipant.create(0); var arena = Arena.ofConfined()) {
            var topic = participant.createTopic("Songs", Song.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            participant.createDataWriter(topic, new DataWriterQos().representation(Representation.XCDR1))
                    .write(SampleTests.song());
            var length = arena.allocate(4);
            try (var samples = reader.takeInPlace()) {
                samples.copy(0, 4, length);
                Check.equal(length.get(ValueLayout.JAVA_INT, 0), SampleTests.song().singer.length() + 1);
            }
        }
    }
}
