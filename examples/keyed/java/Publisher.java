import java.time.Duration;
import org.dunlin.DomainParticipant;
import org.dunlin.qos.DataWriterQos;

/** Writes positions of two birds, one after the other, and disposes both. */
final class Publisher {
    public static void main(String[] words) {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var writer = participant.createDataWriter(topic, new DataWriterQos().keepAll());
            writer.waitForMatched(1, Duration.ofSeconds(20));
            for (int step = 0; step < 3; step++) {
                for (int bird = 1; bird <= 2; bird++) {
                    writer.write(new Position(bird, step, bird));
                }
            }
            for (int bird = 1; bird <= 2; bird++) {
                writer.dispose(new Position(bird, 0, 0)); // only the key counts
            }
            writer.waitForAcknowledgments(Duration.ofSeconds(20));
        }
    }
}
