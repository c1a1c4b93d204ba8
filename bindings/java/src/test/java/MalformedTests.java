import flock.Half;
import flock.Position;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.dunlin.DataReader;
import org.dunlin.DataReaderListener;
import org.dunlin.DataWriter;
import org.dunlin.DomainParticipant;
import org.dunlin.SampleInfo;
import org.dunlin.Samples;
import org.dunlin.Select;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.Representation;
import org.dunlin.status.SampleLostStatus;
import org.dunlin.type.CdrReader;
import org.dunlin.type.CdrWriter;
import org.dunlin.type.TypeSupport;

/**
 * Payloads that are no values of the reader's type are left out and counted, and what is beside them is taken. Writers
 * must not look at what they write: DUNLIN_CHECK_PAYLOADS is not 1.
 */
final class MalformedTests {
    private MalformedTests() {
    }

    /** Says that it writes positions, and leaves out their end. */
    private static final class Cut extends TypeSupport<Half> {
        Cut() {
            super(Position.TYPE.name(), Position.TYPE.extensibility(), true,
                    HexFormat.of().formatHex(Position.TYPE.typeObjects()));
        }

        @Override
        public Half create() {
            return new Half();
        }

        @Override
        public void reset(Half value) {
            Half.TYPE.reset(value);
        }

        @Override
        public Half copy(Half value) {
            return Half.TYPE.copy(value);
        }

        @Override
        public void write(CdrWriter w, Half value) {
            Half.TYPE.write(w, value);
        }

        @Override
        public void read(CdrReader r, Half value) {
            Half.TYPE.read(r, value);
        }

        @Override
        public void writeKey(CdrWriter w, Half value) {
            Half.TYPE.writeKey(w, value);
        }
    }

    /** A reader, and writers of what is a position and of what is none. */
    private record Three(DomainParticipant one, DomainParticipant other, DataReader<Position> reader,
            DataWriter<Position> whole, DataWriter<Half> cut) implements AutoCloseable {
        static Three of(DataReaderListener<Position> listener) {
            var one = DomainParticipant.create(0);
            var other = DomainParticipant.create(0);
            var qos = new DataWriterQos().keepAll().representation(Representation.XCDR1);
            var reader = one.createDataReader(one.createTopic("Positions", Position.TYPE),
                    new DataReaderQos().reliable().keepAll(), listener);
            var whole = one.createDataWriter(one.createTopic("Positions", Position.TYPE), qos);
            var cut = other.createDataWriter(other.createTopic("Positions", new Cut()), qos);
            Check.that(reader.waitForMatched(2, Check.PATIENCE) && whole.waitForMatched(1, Check.PATIENCE)
                    && cut.waitForMatched(1, Check.PATIENCE));
            return new Three(one, other, reader, whole, cut);
        }

        /** Positions of one bird, so that their order stays; of negative ones the end is missing. */
        void write(int... places) {
            for (int x : places) {
                if (x < 0) {
                    cut.write(new Half(7, x));
                    Check.that(cut.waitForAcknowledgments(Check.PATIENCE));
                } else {
                    whole.write(new Position(7, x, 0));
                    Check.that(whole.waitForAcknowledgments(Check.PATIENCE));
                }
            }
        }

        void lost(int total) {
            Check.equal(reader.sampleLostStatus().totalCount(), total);
        }

        @Override
        public void close() {
            one.close();
            other.close();
        }
    }

    private static List<Integer> places(Samples<Position> samples) {
        var places = new ArrayList<Integer>();
        samples.forEach(sample -> places.add((int) sample.data.x));
        samples.close();
        return places;
    }

    public static void oneByOne() {
        try (var three = Three.of(null)) {
            three.write(-1, 1, -2, 2, -3);
            var position = new Position();
            var info = new SampleInfo();
            Check.that(three.reader.readNext(position, info) && position.x == 1 && info.validData);
            Check.that(three.reader.readNext(position, info) && position.x == 2);
            Check.that(!three.reader.readNext(position, info));
            Check.equal(three.reader.undecodable(), 3L);
            three.lost(3);
            three.write(-4, 4, -5);
            Check.that(three.reader.takeNext(position, info) && position.x == 4);
            Check.that(!three.reader.takeNext(position, info));
            Check.equal(three.reader.undecodable(), 5L);
            three.lost(5);
            // All were given back.
            Check.equal(places(three.reader.take()), List.of(1, 2));
        }
    }

    public static void inBatches() {
        try (var three = Three.of(null)) {
            three.write(1, -1, 2, -2, 3);
            Check.equal(places(three.reader.take()), List.of(1, 2, 3));
            three.lost(2);
            // More than a batch has, before one that is a value.
            for (int i = 0; i < 70; i++) {
                three.write(-1);
            }
            three.write(4);
            Check.equal(places(three.reader.take()), List.of(4));
            Check.equal(three.reader.undecodable(), 72L);
            three.lost(72);
            three.write(-1);
            Check.that(places(three.reader.take()).isEmpty());
            three.write(-1, 5, -1);
            var seen = new ArrayList<Integer>();
            Check.equal(three.reader.takeEach((data, info) -> seen.add((int) data.x)), 1);
            Check.equal(seen, List.of(5));
            three.lost(75);
        }
    }

    /** The library looks at what nobody decodes. */
    public static void inPlace() {
        try (var three = Three.of(null); var arena = Arena.ofConfined()) {
            three.write(1, -1, 2);
            var x = arena.allocate(8, 8);
            try (var samples = three.reader.takeInPlace()) {
                Check.equal(samples.size(), 2);
                for (int i = 0; i < 2; i++) {
                    samples.copy(i, 12, x);
                    Check.equal(x.get(ValueLayout.JAVA_DOUBLE, 0), i + 1.0);
                }
            }
            three.lost(1);
            three.write(-1, -1, 3);
            try (var samples = three.reader.takeInPlace(new Select().max(1))) {
                Check.equal(samples.size(), 1);
            }
            three.lost(3);
            Check.equal(three.reader.undecodable(), 0L);
        }
    }

    public static void inListeners() {
        List<Integer> told = Collections.synchronizedList(new ArrayList<>());
        var lost = new AtomicInteger();
        var listener = new DataReaderListener<Position>() {
            private final Position position = new Position();

            @Override
            public void onDataAvailable(DataReader<Position> reader) {
                while (reader.takeNext(position, null)) {
                    told.add((int) position.x);
                }
            }

            @Override
            public void onSampleLost(DataReader<Position> reader, SampleLostStatus status) {
                lost.set(status.totalCount());
                // What a listener takes does not meet what is being taken.
                reader.take(new Select().sampleStates(SampleInfo.READ)).close();
            }
        };
        try (var three = Three.of(listener)) {
            three.write(-1, 1, -2, -3, 2);
            Check.soon(() -> told.size() == 2 && lost.get() == 3);
            Check.equal(List.copyOf(told), List.of(1, 2));
            Check.equal(three.reader.undecodable(), 3L);
        }
    }
}
