import java.text.DecimalFormat;
import java.time.Duration;
import org.dunlin.DomainParticipant;
import org.dunlin.SampleInfo;
import org.dunlin.WaitSet;
import org.dunlin.qos.DataReaderQos;

/** Prints the temperatures of the motor that are above a limit. */
final class Subscriber {
    public static void main(String[] words) {
        try (var participant = DomainParticipant.create(0); var waits = new WaitSet()) {
            var topic = participant.createTopic("Readings", Reading.TYPE);
            var hot = participant.createContentFilteredTopic("Hot readings", topic,
                    "sensor = 'motor' AND celsius > %0", "50");
            var reader = participant.createDataReader(hot, new DataReaderQos().reliable().keepAll());
            waits.attach(reader.createReadCondition(null));
            var reading = new Reading(); // its text is kept as long as it is the same
            var info = new SampleInfo();
            var format = new DecimalFormat("0.#");
            for (int seen = 0; seen < 3;) {
                if (!waits.await(Duration.ofSeconds(20))) {
                    throw new IllegalStateException("only " + seen + " readings came");
                }
                while (reader.takeNext(reading, info)) {
                    if (info.validData) {
                        System.out.println(reading.sensor + ": " + format.format(reading.celsius));
                        seen++;
                    }
                }
            }
        }
    }
}
