import flock.Position;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.dunlin.Condition;
import org.dunlin.DdsException;
import org.dunlin.DomainParticipant;
import org.dunlin.GuardCondition;
import org.dunlin.ParticipantConfig;
import org.dunlin.WaitSet;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.DomainParticipantQos;
import org.dunlin.qos.DurabilityKind;
import org.dunlin.qos.HistoryKind;
import org.dunlin.qos.Property;
import org.dunlin.qos.PublisherQos;
import org.dunlin.qos.Qos;
import org.dunlin.qos.ReliabilityKind;
import org.dunlin.qos.Representation;
import org.dunlin.qos.SubscriberQos;
import org.dunlin.qos.TopicQos;
import org.dunlin.status.StatusMask;

/** Participants, QoS, conditions. */
final class EntityTests {
    private EntityTests() {
    }

    public static void qosIsWhatWasGiven() {
        var config = new ParticipantConfig();
        config.name = "Vögel";
        var qos = new DomainParticipantQos().entityName("birds").userData(new byte[] {1, 2})
                .properties(new Property("color", "red", true));
        try (var participant = DomainParticipant.create(3, config, qos, null)) {
            Check.equal(participant.domain(), 3);
            Check.equal(participant.qos().entityName, "birds");
            Check.equal(participant.qos().properties, List.of(new Property("color", "red", true)));
            Check.that(java.util.Arrays.equals(participant.qos().userData, new byte[] {1, 2}));
            var topic = participant.createTopic("Positions", Position.TYPE, new TopicQos().reliable());
            Check.equal(topic.qos().reliability, ReliabilityKind.RELIABLE);
            var writer = participant.createDataWriter(topic, new DataWriterQos().transientLocal().keepLast(7)
                    .deadline(Duration.ofMillis(250)).representation(Representation.XCDR1));
            Check.equal(writer.qos().durability, DurabilityKind.TRANSIENT_LOCAL);
            Check.equal(writer.qos().depth, 7);
            Check.equal(writer.qos().deadline, Duration.ofMillis(250));
            Check.equal(writer.qos().lifespan, Qos.INFINITE);
            Check.equal(writer.qos().representation, Representation.XCDR1);
            var reader = participant.createDataReader(topic,
                    new DataReaderQos().keepAll().representations(Representation.XCDR1));
            Check.equal(reader.qos().history, HistoryKind.KEEP_ALL);
            Check.equal(reader.qos().representations, EnumSet.of(Representation.XCDR1));
            Check.equal(reader.qos().maxSamples, Qos.UNLIMITED);
            var publisher = participant.createPublisher(new PublisherQos().partitions("a", "b"), null);
            Check.equal(publisher.qos().partitions, List.of("a", "b"));
            publisher.setQos(publisher.qos().partitions("c"));
            Check.equal(publisher.qos().partitions, List.of("c"));
            participant.setDefaultQos(new SubscriberQos().partitions("d"));
            Check.equal(participant.createSubscriber().qos().partitions, List.of("d"));
            Check.fails(DdsException.ImmutablePolicy.class, "RELIABILITY",
                    () -> writer.setQos(writer.qos().bestEffort()));
        }
    }

    public static void policiesThatDoNotMatchAreExplained() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var writer = participant.createDataWriter(topic, new DataWriterQos().bestEffort());
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            Check.that(!reader.waitForMatched(1, Duration.ZERO));
            Check.soon(() -> reader.requestedIncompatibleQosStatus().totalCount() == 1);
            Check.equal(writer.offeredIncompatibleQosStatus().lastPolicyId(), 11);
            Check.that(reader.explainMatching().contains("RELIABILITY"));
        }
    }

    public static void topicsOfANameAreTheSame() {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            Check.that(topic == participant.createTopic("Positions", Position.TYPE));
            Check.fails(DdsException.PreconditionNotMet.class, "Positions",
                    () -> participant.createTopic("Positions", flock.Song.TYPE));
        }
    }

    public static void conditionsWakeAWaitSet() {
        try (var participant = DomainParticipant.create(0); var stop = new GuardCondition();
                var waits = new WaitSet()) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var reader = participant.createDataReader(topic);
            var loud = reader.createQueryCondition(null, "x > %0", "10");
            var matched = reader.statusCondition();
            Check.that(matched == reader.statusCondition());
            matched.setEnabledStatuses(StatusMask.SUBSCRIPTION_MATCHED);
            Check.equal(matched.enabledStatuses(), StatusMask.SUBSCRIPTION_MATCHED);
            waits.attach(stop).attach(loud).attach(matched);
            Check.equal(waits.conditions(), List.of(stop, loud, matched));
            Check.that(!waits.await(Duration.ZERO));
            var active = new Condition[3];
            new Thread(() -> stop.set(true)).start();
            Check.equal(waits.await(Check.PATIENCE, active), 1);
            Check.that(active[0] == stop && stop.value());
            stop.set(false);
            var writer = participant.createDataWriter(topic);
            Check.that(waits.await(Check.PATIENCE));
            Check.equal(reader.subscriptionMatchedStatus().currentCount(), 1);
            writer.write(new Position(1, 5, 0));
            Check.that(!loud.value());
            writer.write(new Position(2, 15, 0));
            Check.equal(waits.await(Check.PATIENCE, active), 1);
            Check.that(active[0] == loud);
            waits.detach(loud);
            Check.that(!waits.await(Duration.ZERO));
            Check.that(!waits.await(1, TimeUnit.MILLISECONDS));
            stop.set(true);
            Check.that(waits.await(20, TimeUnit.SECONDS));
        }
    }

    public static void aParticipantCountsWhatItCouldNotUse() {
        try (var participant = DomainParticipant.create(0)) {
            var counters = participant.counters();
            Check.equal(counters.malformed(), 0L);
            Check.equal(counters.implausible(), 0L);
        }
    }

    public static void aPublicAddressHasToBeIpv4() {
        var config = new ParticipantConfig();
        config.tcp = true;
        config.tcpPort = 0;
        config.tcpPublicAddress = new InetSocketAddress("::1", 7400);
        Check.fails(DdsException.BadParameter.class, "tcpPublicAddress",
                () -> DomainParticipant.create(0, config, null, null));
        config.tcpPublicAddress = new InetSocketAddress("203.0.113.7", 7400);
        DomainParticipant.create(0, config, null, null).close();
    }
}
