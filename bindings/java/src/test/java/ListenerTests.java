import flock.Position;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.dunlin.DataReader;
import org.dunlin.DataReaderListener;
import org.dunlin.DataWriter;
import org.dunlin.DomainParticipant;
import org.dunlin.DomainParticipantListener;
import org.dunlin.Subscriber;
import org.dunlin.SubscriberListener;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.status.PublicationMatchedStatus;
import org.dunlin.status.SubscriptionMatchedStatus;

/** What is told. */
final class ListenerTests {
    private ListenerTests() {
    }

    public static void aReaderTellsOfDataAndMatches() {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        var listener = new DataReaderListener<Position>() {
            @Override
            public void onDataAvailable(DataReader<Position> reader) {
                reader.takeEach((data, info) -> told.add("bird " + data.bird));
            }

            @Override
            public void onSubscriptionMatched(DataReader<Position> reader, SubscriptionMatchedStatus status) {
                told.add("matched " + status.currentCount());
            }
        };
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable(), listener);
            var writer = participant.createDataWriter(topic);
            writer.write(new Position(4, 0, 0));
            Check.soon(() -> told.size() == 2);
            Check.equal(List.copyOf(told), List.of("matched 1", "bird 4"));
            reader.setListener(null);
            writer.write(new Position(5, 0, 0));
            Check.equal(told.size(), 2);
            Check.equal(reader.takeEach((data, info) -> Check.equal(data.bird, 5)), 1);
        }
    }

    public static void whatAListenerThrowsIsReported() {
        var thrown = new AtomicReference<Throwable>();
        var calls = new AtomicInteger();
        var listener = new DataReaderListener<Position>() {
            @Override
            public void onDataAvailable(DataReader<Position> reader) {
                calls.incrementAndGet();
                reader.takeEach((data, info) -> { });
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void onListenerError(Throwable error) {
                thrown.set(error);
                throw new IllegalStateException("that, too");
            }
        };
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            participant.createDataReader(topic, new DataReaderQos().reliable(), listener);
            var writer = participant.createDataWriter(topic);
            writer.write(new Position(1, 0, 0));
            Check.soon(() -> thrown.get() != null);
            writer.write(new Position(2, 0, 0));
            Check.soon(() -> calls.get() == 2);
        }
    }

    public static void futuresWaitWithoutAThread() throws Exception {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            var writer = participant.createDataWriter(topic);
            var taken = new Position();
            var future = reader.dataAvailable().thenApply(none -> reader.takeNext(taken, null));
            Check.that(!future.isDone());
            writer.write(new Position(6, 0, 0));
            Check.that(future.get(20, java.util.concurrent.TimeUnit.SECONDS));
            Check.equal(taken.bird, 6);
            writer.write(new Position(7, 0, 0));
            reader.dataAvailable().get(20, java.util.concurrent.TimeUnit.SECONDS);
            Check.that(reader.takeNext(taken, null));
            var last = reader.dataAvailable();
            reader.close();
            last.get(20, java.util.concurrent.TimeUnit.SECONDS);
        }
    }

    public static void listenersMayWriteAndClose() {
        try (var participant = DomainParticipant.create(0)) {
            var ping = participant.createTopic("Ping", Position.TYPE);
            var pong = participant.createTopic("Pong", Position.TYPE);
            var there = participant.createDataWriter(ping, new DataWriterQos().keepAll());
            var back = participant.createDataWriter(pong, new DataWriterQos().keepAll());
            var got = new AtomicInteger();
            // Two readers of one sample: what the first one writes must not spoil what the second one sees.
            for (int i = 0; i < 2; i++) {
                participant.createDataReader(ping, new DataReaderQos().reliable().keepAll(), reader ->
                        reader.takeEach((data, info) -> back.write(new Position(data.bird + 100, data.x, data.y))));
            }
            participant.createDataReader(pong, new DataReaderQos().reliable().keepAll(), reader -> {
                reader.takeEach((data, info) -> {
                    Check.equal(data.x, 0.5);
                    got.addAndGet(data.bird);
                });
                if (got.get() == 2 * (107 + 108)) {
                    reader.close();
                }
            });
            there.write(new Position(7, 0.5, 0));
            there.write(new Position(8, 0.5, 0));
            Check.soon(() -> got.get() == 2 * (107 + 108));
        }
    }

    public static void subscribersAndParticipantsHearOfTheirs() {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        var forAll = new DomainParticipantListener() {
            @Override
            public void onPublicationMatched(DataWriter<?> writer, PublicationMatchedStatus status) {
                told.add("writer of " + writer.topic().name());
            }

            @Override
            public void onDataAvailable(DataReader<?> reader) {
                told.add("data of " + reader.topicDescription().name());
            }
        };
        try (var participant = DomainParticipant.create(0, null, null, forAll)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var subscriber = participant.createSubscriber(null, new SubscriberListener() {
                @Override
                public void onDataOnReaders(Subscriber of) {
                    told.add("data on " + of.dataReaders(new org.dunlin.Select()).size());
                }
            });
            subscriber.createDataReader(topic);
            participant.createDataReader(topic);
            participant.createDataWriter(topic).write(new Position(1, 0, 0));
            Check.soon(() -> told.contains("data of Positions") && told.contains("data on 1")
                    && told.contains("writer of Positions"));
        }
    }
}
