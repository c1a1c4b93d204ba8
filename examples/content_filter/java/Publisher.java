import java.time.Duration;
import org.dunlin.DomainParticipant;
import org.dunlin.qos.DataWriterQos;

/** Writes five temperatures. The writer does not send its reader those that it does not want. */
final class Publisher {
    public static void main(String[] words) {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Readings", Reading.TYPE);
            var writer = participant.createDataWriter(topic, new DataWriterQos().keepAll());
            writer.waitForMatched(1, Duration.ofSeconds(20));
            for (double celsius : new double[] {20, 35.5, 60, 80.5, 100}) {
                writer.write(new Reading("motor", celsius));
            }
            writer.waitForAcknowledgments(Duration.ofSeconds(20));
        }
    }
}
