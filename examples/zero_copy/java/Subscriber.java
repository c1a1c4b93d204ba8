import java.time.Duration;
import org.dunlin.DomainParticipant;
import org.dunlin.WaitSet;
import org.dunlin.qos.DataReaderQos;

/** Looks at three frames where their writer has them, and prints the pixels at both ends. */
final class Subscriber {
    private static final int PIXELS = 1 << 20;

    public static void main(String[] words) {
        try (var participant = DomainParticipant.create(0); var waits = new WaitSet()) {
            var topic = participant.createTopic("Frames", Frame.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable().keepAll());
            waits.attach(reader.createReadCondition(null));
            var frame = new FrameView();
            for (int printed = 0; printed < 3;) {
                if (!waits.await(Duration.ofSeconds(20))) {
                    throw new IllegalStateException("no frame comes");
                }
                try (var samples = reader.takeInPlace()) { // at its end the memory is the writer's again
                    for (int i = 0; i < samples.size(); i++) {
                        if (samples.info(i).validData) {
                            samples.view(i, frame);
                            System.out.println("frame " + frame.number() + ": " + PIXELS + " pixels from "
                                    + frame.pixels(0) + " to " + frame.pixels(PIXELS - 1));
                            printed++;
                        }
                    }
                }
            }
        }
    }
}
