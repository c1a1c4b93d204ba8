import java.time.Duration;
import org.dunlin.DomainParticipant;
import org.dunlin.qos.DataWriterQos;

/** Writes three numbers. */
final class Publisher {
    public static void main(String[] words) {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Counts", Count.TYPE);
            var writer = participant.createDataWriter(topic, new DataWriterQos().keepAll());
            writer.waitForMatched(1, Duration.ofSeconds(20));
            for (int value = 1; value <= 3; value++) {
                writer.write(new Count(value));
            }
            writer.waitForAcknowledgments(Duration.ofSeconds(20));
        }
    }
}
