import flock.Position;
import org.dunlin.DomainParticipant;
import org.dunlin.SampleInfo;
import org.dunlin.qos.DataReaderQos;

/** Writes and takes as many samples as it is told, in turns by a listener and by takeNext. */
final class Endless {
    private Endless() {
    }

    public static void main(String[] words) {
        int samples = Integer.parseInt(words[0]);
        var heard = new int[1];
        var position = new Position(1, 2, 3);
        var info = new SampleInfo();
        try (var participant = DomainParticipant.create(0)) {
            var topic = participant.createTopic("Positions", Position.TYPE);
            var taken = new Position();
            participant.createDataReader(topic, new DataReaderQos().reliable(), of -> {
                while (of.takeNext(taken, null)) {
                    heard[0]++;
                }
            });
            var reader = participant.createDataReader(topic, new DataReaderQos().reliable());
            var writer = participant.createDataWriter(topic);
            for (int i = 0; i < samples; i++) {
                position.x = i;
                writer.write(position);
                if (!reader.takeNext(position, info) || position.x != i) {
                    throw new IllegalStateException("sample " + i + " is lost");
                }
            }
        }
        long used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        System.out.println("java: " + samples + " samples, " + heard[0] + " heard by a listener, " + used
                + " bytes of the heap in all");
    }
}
