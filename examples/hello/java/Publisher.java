import java.time.Duration;
import org.dunlin.DomainParticipant;
import org.dunlin.qos.DataWriterQos;

/** Writes ten positions of one bird. */
final class Publisher {
    public static void main(String[] words) {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            // Else the next position may take the place of one not yet sent.
            var writer = participant.createDataWriter(topic, new DataWriterQos().keepAll());
            writer.waitForMatched(1, Duration.ofSeconds(20));
            for (int x = 0; x < 10; x++) {
                writer.write(new Position(7, x, 0.5));
            }
            writer.waitForAcknowledgments(Duration.ofSeconds(20));
        }
    }
}
