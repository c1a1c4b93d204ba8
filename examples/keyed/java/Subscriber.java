import java.time.Duration;
import org.dunlin.DomainParticipant;
import org.dunlin.InstanceHandle;
import org.dunlin.SampleInfo;
import org.dunlin.Select;
import org.dunlin.WaitSet;
import org.dunlin.qos.DataReaderQos;

/** Prints where two birds are, bird by bird, until both are gone. */
final class Subscriber {
    public static void main(String[] words) {
        try (var participant = DomainParticipant.create(0); var waits = new WaitSet()) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable().keepAll());
            waits.attach(reader.createReadCondition(null));
            var key = new Position(1, 0, 0);
            while (key.bird <= 2) {
                if (!waits.await(Duration.ofSeconds(20))) {
                    throw new IllegalStateException("nothing came of bird " + key.bird);
                }
                var bird = reader.lookupInstance(key);
                if (bird.equals(InstanceHandle.NIL)) {
                    continue;
                }
                // The samples of one bird; those of others stay in the reader.
                try (var samples = reader.take(new Select().instance(bird))) {
                    for (var sample : samples) {
                        if (sample.info.validData) {
                            System.out.printf("bird %d: %.0f %.0f%n", sample.data.bird, sample.data.x, sample.data.y);
                        } else if (sample.info.instanceState == SampleInfo.NOT_ALIVE_DISPOSED) {
                            // It has a key, and nothing else.
                            System.out.printf("bird %d is gone%n", sample.data.bird);
                            key.bird++;
                        }
                    }
                }
            }
        }
    }
}
