import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.dunlin.DomainParticipant;
import org.dunlin.SampleInfo;
import org.dunlin.qos.DataReaderQos;

/** Prints ten positions, as they come. */
final class Subscriber {
    public static void main(String[] words) throws InterruptedException {
        var left = new CountDownLatch(10);
        var position = new Position(); // one object for all samples
        var info = new SampleInfo();
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            // Called on the thread that received.
            participant.createDataReader(topic, new DataReaderQos().reliable().keepAll(), reader -> {
                while (reader.takeNext(position, info)) {
                    if (info.validData) {
                        System.out.printf("%d %.0f %.1f%n", position.bird, position.x, position.y);
                        left.countDown();
                    }
                }
            });
            if (!left.await(20, TimeUnit.SECONDS)) {
                throw new IllegalStateException(left.getCount() + " positions did not come");
            }
        } // from here on the listener is not called any more
    }
}
