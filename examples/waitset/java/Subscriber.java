import java.time.Duration;
import org.dunlin.Condition;
import org.dunlin.DomainParticipant;
import org.dunlin.GuardCondition;
import org.dunlin.SampleInfo;
import org.dunlin.WaitSet;
import org.dunlin.qos.DataReaderQos;
import org.dunlin.status.StatusMask;

/** One thread waits for samples, for a change of a status, and for a word of another thread. */
final class Subscriber {
    public static void main(String[] words) {
        try (var participant = DomainParticipant.create(0);
                var stop = new GuardCondition();
                var waits = new WaitSet()) {
            var topic = participant.createTopic("Counts", Count.TYPE);
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable().keepAll());
            var matched = reader.statusCondition();
            matched.setEnabledStatuses(StatusMask.SUBSCRIPTION_MATCHED);
            waits.attach(reader.createReadCondition(null)).attach(matched).attach(stop);
            var active = new Condition[3];
            var number = new Count();
            var info = new SampleInfo();
            int writers = 0;
            boolean isTold = false;
            while (!isTold) {
                int count = waits.await(Duration.ofSeconds(20), active);
                if (count == 0) {
                    throw new IllegalStateException("nothing happened");
                }
                for (int i = 0; i < count; i++) {
                    if (active[i] == stop) {
                        isTold = true;
                    } else if (active[i] == matched) {
                        // Asking for the status resets the condition.
                        int total = reader.subscriptionMatchedStatus().totalCount();
                        if (total > writers) {
                            System.out.println("writers so far: " + total);
                        }
                        writers = total;
                    } else if (writers > 0) { // else the status is told first, in the next round
                        while (reader.takeNext(number, info)) {
                            if (info.validData) {
                                System.out.println("count " + number.value);
                                if (number.value == 3) {
                                    new Thread(() -> stop.set(true)).start(); // any thread may do this
                                }
                            }
                        }
                    }
                }
            }
            System.out.println("told to stop");
        }
    }
}
