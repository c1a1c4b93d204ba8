import flock.Position;
import org.dunlin.DomainParticipant;
import org.dunlin.SampleInfo;
import org.dunlin.qos.DataReaderQos;

/** Writes and takes as many samples as it is told: by a listener, by takeNext, and in batches. */
final class Endless {
    private static final int BATCH = 16;

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
            var batches = participant.createDataReader(topic, new DataReaderQos().reliable().keepAll());
            var writer = participant.createDataWriter(topic);
            int batched = 0;
            for (int i = 0; i < samples; i++) {
                position.x = i;
                writer.write(position);
                if (!reader.takeNext(position, info) || position.x != i) {
                    throw new IllegalStateException("sample " + i + " is lost");
                }
                if (i % BATCH == BATCH - 1) {
                    try (var batch = batches.take()) {
                        for (int at = 0; at < batch.size(); at++) {
                            batched += batch.get(at).data.x == i - BATCH + 1 + at ? 1 : 0;
                        }
                    }
                }
            }
            if (batched != samples / BATCH * BATCH) {
                throw new IllegalStateException(batched + " samples came in batches");
            }
        }
        long used = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        System.out.println("java: " + samples + " samples, " + heard[0] + " heard by a listener, " + used
                + " bytes of the heap in all");
    }
}
