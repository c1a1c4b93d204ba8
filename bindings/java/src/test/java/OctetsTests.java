import flock.Film;
import java.lang.foreign.ValueLayout;
import org.dunlin.DataReader;
import org.dunlin.DataWriter;
import org.dunlin.DomainParticipant;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.Representation;
import org.dunlin.type.Octets;

/** Many octets are written and taken by reference. */
final class OctetsTests {
    private OctetsTests() {
    }

    private static byte[] pattern(int count, int seed) {
        byte[] made = new byte[count];
        for (int i = 0; i < count; i++) {
            made[i] = (byte) (i * 7 + seed);
        }
        return made;
    }

    static Film film(int frames, int sound) {
        var film = new Film();
        film.number = 7;
        film.title = "Trottellumme";
        film.frames.set(pattern(frames, 1));
        film.sound.set(pattern(sound, 2));
        film.last = -3;
        return film;
    }

    /** What is done with a writer and a reader of films. */
    private interface Scene {
        void play(DataWriter<Film> writer, DataReader<Film> reader);
    }

    private static void play(Scene scene) {
        for (Representation representation : Representation.values()) {
            try (var participant = DomainParticipant.create(0)) {
                var topic = participant.createTopic("Films", Film.TYPE);
                var reader = participant.createDataReader(topic, new DataReaderQos().reliable().keepAll());
                var writer = participant.createDataWriter(topic,
                        new DataWriterQos().keepAll().representation(representation));
                scene.play(writer, reader);
            }
        }
    }

    private static void end(Film... films) {
        for (Film film : films) {
            film.frames.clear();
            film.sound.clear();
        }
    }

    public static void manyOctetsAreTakenWhereTheyLie() {
        play((writer, reader) -> {
            var sent = film(63_000, 5);
            writer.write(sent);
            var taken = new Film();
            Check.soon(() -> reader.takeNext(taken, null));
            Check.that(taken.frames.isShared() && !taken.sound.isShared());
            Check.equal(taken, sent);
            Check.equal(taken.hashCode(), sent.hashCode());
            Check.equal(taken.frames.segment().get(ValueLayout.JAVA_BYTE, 62_999), sent.frames.get(62_999));
            Check.that(taken.frames.segment().isReadOnly());
            // A copy keeps them, whatever becomes of the first object.
            Film kept = taken.copy();
            Check.that(kept.frames.isShared());
            writer.write(film(9_000, 0));
            Check.soon(() -> reader.takeNext(taken, null));
            Check.equal(taken, film(9_000, 0));
            Check.equal(kept, sent);
            // What changes has octets of its own.
            var other = kept.copy();
            other.frames.set(1, (byte) 99);
            Check.that(!other.frames.isShared() && kept.frames.isShared());
            Check.equal(kept, sent);
            Check.equal(other.frames.get(1), (byte) 99);
            Check.equal(other.frames.get(62_999), sent.frames.get(62_999));
            Check.equal(kept.frames.array().length, 63_000);
            Check.equal(kept, sent);
            // The object that has an array again takes fewer octets.
            writer.write(film(10, 20));
            Check.soon(() -> reader.takeNext(taken, null));
            Check.equal(taken, film(10, 20));
            end(taken, kept, other);
        });
    }

    public static void fewOctetsDoNotKeepALargeSample() {
        play((writer, reader) -> {
            writer.write(film(40_000, 5_000));
            var taken = new Film();
            Check.soon(() -> reader.takeNext(taken, null));
            Check.that(taken.frames.isShared() && !taken.sound.isShared());
            Check.equal(taken, film(40_000, 5_000));
            end(taken);
        });
    }

    public static void whatIsTakenIsWrittenByReference() {
        play((writer, reader) -> {
            writer.write(film(30_000, 30_000));
            var taken = new Film();
            Check.soon(() -> reader.takeNext(taken, null));
            for (int i = 0; i < 3; i++) {
                taken.number = i;
                writer.write(taken);
            }
            end(taken);
            var again = new Film();
            for (int i = 0; i < 3; i++) {
                Check.soon(() -> reader.takeNext(again, null));
                var expected = film(30_000, 30_000);
                expected.number = i;
                Check.equal(again, expected);
            }
            end(again);
        });
    }

    public static void sharedOctetsAreNotChangedAfterAWrite() {
        play((writer, reader) -> {
            var sent = film(20_001, 6_003);
            sent.frames.share();
            sent.sound.share();
            Check.that(sent.frames.isShared() && sent.sound.isShared());
            Check.equal(sent, film(20_001, 6_003));
            writer.write(sent);
            sent.sound.add((byte) 5);
            Check.that(!sent.sound.isShared());
            writer.write(sent);
            var taken = new Film();
            Check.soon(() -> reader.takeNext(taken, null));
            Check.equal(taken, film(20_001, 6_003));
            Check.soon(() -> reader.takeNext(taken, null));
            Check.equal(taken, sent);
            Check.that(!new Octets(pattern(4_095, 0)).share().isShared());
            end(taken, sent);
        });
    }

    public static void octetsArePlacedWhereReadersSeeThem() {
        play((writer, reader) -> {
            var sent = film(0, 8);
            writer.place(sent.frames, 50_000, at -> at.copyFrom(java.lang.foreign.MemorySegment.ofArray(
                    pattern(50_000, 1))));
            writer.write(sent);
            var taken = new Film();
            Check.soon(() -> reader.takeNext(taken, null));
            Check.equal(taken, film(50_000, 8));
            end(taken, sent);
            try {
                writer.place(sent.frames, 5_000, at -> {
                    throw new IllegalStateException("no");
                });
                throw new AssertionError("it is told");
            } catch (IllegalStateException expected) {
                Check.equal(sent.frames.length(), 0);
            }
        });
    }

    public static void aBoundIsHeeded() {
        play((writer, reader) -> {
            var sent = film(0, 70_001);
            sent.sound.share();
            Check.fails(org.dunlin.DdsException.BadParameter.class, "70001", () -> writer.write(sent));
            end(sent);
        });
    }

    public static void forgottenOctetsAreGivenBack() {
        play((writer, reader) -> {
            writer.write(film(63_000, 0));
            Check.soon(() -> reader.takeNext(new Film(), null));
            long before = EndTests.leaks();
            Check.soon(() -> {
                System.gc();
                return EndTests.leaks() < before;
            });
        });
    }
}
