import flock.Position;
import flock.Song;
import java.util.concurrent.atomic.AtomicReference;
import org.dunlin.DdsException;
import org.dunlin.DomainParticipant;
import org.dunlin.Select;
import org.dunlin.Topic;
import org.dunlin.TopicListener;
import org.dunlin.qos.DomainParticipantQos;
import org.dunlin.qos.PublisherQos;
import org.dunlin.qos.SubscriberQos;
import org.dunlin.status.InconsistentTopicStatus;

/** Entities know each other. */
final class LookupTests {
    private LookupTests() {
    }

    public static void participantsAreFound() {
        Check.equal(DomainParticipant.lookup(5), null);
        DomainParticipantQos before = DomainParticipant.defaultParticipantQos();
        DomainParticipant.setDefaultParticipantQos(new DomainParticipantQos().entityName("birds"));
        try (var participant = DomainParticipant.create(5)) {
            Check.equal(participant.qos().entityName, "birds");
            Check.that(DomainParticipant.lookup(5) == participant);
        } finally {
            DomainParticipant.setDefaultParticipantQos(before);
        }
        Check.equal(DomainParticipant.lookup(5), null);
        Check.equal(DomainParticipant.defaultParticipantQos().entityName, before.entityName);
    }

    public static void entitiesAreFoundByTheirTopics() {
        try (var participant = DomainParticipant.create(0); var other = DomainParticipant.create(0)) {
            Check.equal(participant.lookupTopic("Positions"), null);
            var topic = participant.createTopic("Positions", Position.TYPE);
            Check.that(participant.lookupTopic("Positions") == topic);
            var publisher = participant.createPublisher();
            Check.equal(publisher.lookupDataWriter("Positions"), null);
            var writer = publisher.createDataWriter(topic);
            Check.that(publisher.lookupDataWriter("Positions") == writer);
            Check.that(writer.publisher() == publisher);
            var subscriber = participant.createSubscriber();
            Check.equal(subscriber.lookupDataReader("Positions"), null);
            var reader = subscriber.createDataReader(topic);
            Check.that(subscriber.lookupDataReader("Positions") == reader);
            Check.that(reader.subscriber() == subscriber);
            Check.that(participant.containsEntity(writer.guid()) && participant.containsEntity(reader.guid()));
            Check.that(!other.containsEntity(writer.guid()));
            var gone = writer.guid();
            writer.close();
            Check.that(!participant.containsEntity(gone));
            Check.equal(publisher.lookupDataWriter("Positions"), null);
        }
    }

    public static void writersOfAParticipantHaveAPublisher() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var writer = participant.createDataWriter(topic);
            var publisher = writer.publisher();
            Check.that(publisher == participant.createDataWriter(topic).publisher());
            Check.that(publisher != participant.createPublisher());
            Check.that(publisher.lookupDataWriter("Positions") != null);
            var reader = participant.createDataReader(topic);
            Check.that(reader.subscriber().lookupDataReader("Positions") == reader);
            Check.that(reader.statusCondition().entity() == reader);
            Check.that(reader.createReadCondition(new Select()).dataReader() == reader);
            Check.that(reader.createQueryCondition(null, "x > 1").dataReader() == reader);
        }
    }

    public static void groupsHaveDefaultsToo() {
        try (var participant = DomainParticipant.create(0)) {
            participant.setDefaultQos(new PublisherQos().partitions("a"));
            participant.setDefaultQos(new SubscriberQos().partitions("b"));
            Check.equal(participant.defaultPublisherQos().partitions, java.util.List.of("a"));
            Check.equal(participant.defaultSubscriberQos().partitions, java.util.List.of("b"));
        }
    }

    public static void whatIsContainedEndsAlone() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var publisher = participant.createPublisher();
            var writer = publisher.createDataWriter(topic);
            publisher.deleteContainedEntities();
            Check.fails(DdsException.AlreadyDeleted.class, "", () -> writer.write(new Position(1, 0, 0)));
            var subscriber = participant.createSubscriber();
            var reader = subscriber.createDataReader(topic);
            var condition = reader.createReadCondition(null);
            reader.dataAvailable();
            reader.deleteContainedEntities();
            Check.fails(DdsException.AlreadyDeleted.class, "", condition::value);
            var taken = new Position();
            var future = reader.dataAvailable().thenApply(none -> reader.takeNext(taken, null));
            publisher.createDataWriter(topic).write(new Position(3, 0, 0));
            Check.that(future.orTimeout(20, java.util.concurrent.TimeUnit.SECONDS).join());
            subscriber.deleteContainedEntities();
            Check.fails(DdsException.AlreadyDeleted.class, "", () -> reader.takeNext(taken, null));
            Check.equal(subscriber.lookupDataReader("Positions"), null);
        }
    }

    public static void aTopicTellsOfAnotherType() {
        var told = new AtomicReference<InconsistentTopicStatus>();
        try (var here = DomainParticipant.create(0); var there = DomainParticipant.create(0)) {
            var topic = here.createTopic("Positions", Position.TYPE);
            topic.setListener(new TopicListener() {
                @Override
                public void onInconsistentTopic(Topic<?> of, InconsistentTopicStatus status) {
                    if (of == topic) {
                        told.set(status);
                    }
                }
            });
            here.createDataReader(topic);
            there.createDataWriter(there.createTopic("Positions", Song.TYPE));
            Check.soon(() -> told.get() != null);
            topic.setListener(null);
            Check.that(told.get().totalCount() > 0);
        }
    }
}
