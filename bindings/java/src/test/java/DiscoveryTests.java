import flock.Position;
import java.time.Duration;
import org.dunlin.DdsException;
import org.dunlin.DomainParticipant;
import org.dunlin.InstanceHandle;
import org.dunlin.ParticipantConfig;
import org.dunlin.discovery.BuiltinTopic;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.qos.DataWriterQos;
import org.dunlin.qos.DomainParticipantQos;
import org.dunlin.qos.DurabilityKind;

/** What others have. */
final class DiscoveryTests {
    private DiscoveryTests() {
    }

    public static void othersAreKnown() {
        var config = new ParticipantConfig();
        config.name = "nest";
        try (var here = DomainParticipant.create(0);
                var there = DomainParticipant.create(0, config, new DomainParticipantQos().userData(new byte[] {9}),
                        null)) {
            var topic = there.createTopic("Positions", Position.TYPE);
            var writer = there.createDataWriter(topic, new DataWriterQos().transientLocal());
            Check.soon(() -> here.discovered(BuiltinTopic.PARTICIPANT).contains(there.guid()));
            var data = here.discoveredData(BuiltinTopic.PARTICIPANT, there.guid());
            Check.equal(data.topic(), BuiltinTopic.PARTICIPANT);
            Check.that(java.util.Arrays.equals(data.userData(), new byte[] {9}));
            var found = here.findTopic("Positions", Position.TYPE, Check.PATIENCE);
            Check.that(found != null && found == here.createTopic("Positions", Position.TYPE));
            Check.equal(here.findTopic("Nobody has it", Position.TYPE, Duration.ZERO), null);
            var publications = here.builtinReader(BuiltinTopic.PUBLICATION);
            Check.soon(() -> publications.read().stream().anyMatch(sample -> sample.info().validData
                    && sample.data().key().equals(writer.guid()) && sample.data().name().equals("Positions")
                    && sample.data().typeName().equals("flock::Position")
                    && sample.data().writerQos().durability == DurabilityKind.TRANSIENT_LOCAL));
            var reader = here.createDataReader(found, new DataReaderQos().reliable());
            Check.that(reader.waitForMatched(1, Check.PATIENCE));
            Check.equal(reader.matchedPublicationData(writer.guid()).participant(), there.guid());
            Check.fails(DdsException.BadParameter.class, "", () -> reader.matchedPublicationData(
                    new InstanceHandle(1, 2)));
            InstanceHandle gone = writer.guid();
            writer.close();
            Check.soon(() -> publications.take().stream().anyMatch(sample -> !sample.info().validData
                    && sample.data().key().equals(gone)));
        }
    }

    public static void whoIsIgnoredIsNotHeard() {
        try (var here = DomainParticipant.create(0); var there = DomainParticipant.create(0)) {
            Check.soon(() -> here.discovered(BuiltinTopic.PARTICIPANT).contains(there.guid()));
            here.ignore(BuiltinTopic.PARTICIPANT, there.guid());
            var writer = there.createDataWriter(there.createTopic("Positions", Position.TYPE));
            var reader = here.createDataReader(here.createTopic("Positions", Position.TYPE));
            Check.that(!writer.waitForMatched(1, Duration.ofMillis(200)));
            Check.that(!reader.waitForMatched(1, Duration.ZERO));
        }
    }

    public static void whySaysWhatIsWrong() {
        try (var here = DomainParticipant.create(0)) {
            var topic = here.createTopic("Positions", Position.TYPE);
            here.createDataWriter(topic, new DataWriterQos().bestEffort());
            here.createDataReader(topic, new DataReaderQos().reliable());
            Check.that(here.why("Positions", Duration.ofSeconds(1)).contains("RELIABILITY"));
        }
    }
}
