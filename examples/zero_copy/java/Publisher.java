import java.time.Duration;
import java.util.Arrays;
import org.dunlin.DomainParticipant;
import org.dunlin.qos.DataWriterQos;

/** Writes three frames into memory that readers of this host see where it is. */
final class Publisher {
    public static void main(String[] words) {
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Frames", Frame.TYPE);
            var writer = participant.createDataWriter(topic, new DataWriterQos().keepAll());
            writer.waitForMatched(1, Duration.ofSeconds(20));
            var frame = new FrameView();
            var pixels = new byte[1 << 20];
            for (int number = 1; number <= 3; number++) {
                Arrays.fill(pixels, (byte) number);
                try (var loan = writer.loanWith(frame)) {
                    frame.number(number);
                    frame.pixels(pixels);
                    loan.write(); // the frame is the library's now
                }
            }
            writer.waitForAcknowledgments(Duration.ofSeconds(20));
        }
    }
}
