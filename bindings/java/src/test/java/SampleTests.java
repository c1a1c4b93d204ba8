import flock.Mood;
import flock.Position;
import flock.Song;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.dunlin.DomainParticipant;
import org.dunlin.InstanceHandle;
import org.dunlin.SampleInfo;
import org.dunlin.Select;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.Representation;
import org.dunlin.type.Seq;

/** What is written is taken. */
final class SampleTests {
    private SampleTests() {
    }

    static Song song() {
        Song song = new Song();
        song.singer = "Amsel";
        song.words = Seq.of("tü", "", "\ud83d\udc26");
        song.notes.set(new double[] {1.5, -0.0, Double.NaN});
        song.recording.set(new byte[] {1, -1, 127});
        song.mood = Mood.LOUD;
        song.place = new Position(-1, 0.25, -4);
        return song;
    }

    public static void valuesArriveInBothEncodings() {
        for (Representation representation : Representation.values()) {
            try (var participant = DomainParticipant.create(0)) {
                var topic = participant.createTopic("Songs", Song.TYPE);
                var reader = participant.createDataReader(topic, new DataReaderQos().reliable().keepAll());
                var writer = participant.createDataWriter(topic, new DataWriterQos().representation(representation));
                var sent = song();
                writer.write(sent);
                var taken = new Song();
                var info = new SampleInfo();
                Check.soon(() -> reader.takeNext(taken, info));
                Check.equal(taken, sent);
                Check.that(info.validData && info.sampleState == SampleInfo.NOT_READ);
                Check.equal(info.publication(), writer.guid());
                Check.that(!reader.takeNext(taken, info));
                // Texts that are equal are kept, whatever there was between them.
                String singer = taken.singer;
                writer.write(sent);
                Check.soon(() -> reader.takeNext(taken, info));
                Check.that(singer == taken.singer);
            }
        }
    }

    public static void instancesBeginAndEnd() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable().keepAll());
            var writer = participant.createDataWriter(topic, new DataWriterQos().keepAll());
            var one = new Position(1, 1, 1);
            var two = new Position(2, 2, 2);
            InstanceHandle handle = writer.register(one);
            Check.equal(writer.lookupInstance(one), handle);
            Check.equal(writer.lookupInstance(two), InstanceHandle.NIL);
            Instant time = Instant.ofEpochSecond(1_700_000_000L, 5000);
            writer.write(one, time, handle);
            writer.write(two);
            writer.dispose(two);
            writer.unregister(one);
            var key = new Position();
            Check.soon(() -> reader.keyValue(handle, key));
            Check.equal(key, new Position(1, 0, 0));
            List<String> seen = new ArrayList<>();
            Check.soon(() -> {
                reader.takeEach((data, info) -> seen.add(data.bird + " " + info.validData + " " + info.instanceState));
                return seen.size() >= 3;
            });
            Check.that(seen.contains("2 true 2") || seen.contains("2 true 1"));
            Check.that(seen.contains("2 false 2"));
        }
    }

    public static void batchesAreKeptByCopies() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable().keepAll());
            var writer = participant.createDataWriter(topic, new DataWriterQos().keepAll());
            for (int i = 0; i < 100; i++) {
                writer.write(new Position(i % 4, i, 0));
            }
            var last = reader.lookupInstance(new Position(3, 0, 0));
            int count = 0;
            try (var samples = reader.read(new Select().instance(last).max(10))) {
                Check.equal(samples.size(), 10);
                var kept = samples.get(9).clone();
                Check.that(kept.data != samples.get(9).data);
                Check.equal(kept.data, new Position(3, 39, 0));
            }
            for (boolean isMore = true; isMore;) {
                try (var samples = reader.take()) {
                    for (var sample : samples) {
                        Check.that(sample.info.validData);
                        count++;
                    }
                    isMore = !samples.isEmpty();
                }
            }
            Check.equal(count, 100);
        }
    }

    public static void filtersLeaveOut() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var far = participant.createContentFilteredTopic("far", topic, "x > %0", "5");
            var reader = participant.createDataReader(far, new DataReaderQos().reliable().keepAll());
            var writer = participant.createDataWriter(topic, new DataWriterQos().keepAll());
            writer.write(new Position(1, 4, 0));
            writer.write(new Position(1, 6, 0));
            far.setExpressionParameters("3");
            Check.equal(far.expressionParameters().strip(), "3");
            writer.write(new Position(1, 4, 0));
            Check.equal(reader.takeEach((data, info) -> Check.that(data.x == 6 || data.x == 4)), 2);
        }
    }
}
