import flock.Position;
import java.util.concurrent.CountDownLatch;
import org.dunlin.DomainParticipant;
import org.dunlin.qos.DataReaderQos;

/** Ends while samples stream: by return, by exit, by an exception, by a signal. */
final class Exit {
    private Exit() {
    }

    public static void main(String[] words) throws Exception {
        var participant = DomainParticipant.create(0);
        var topic = participant.createTopic("Positions", Position.TYPE);
        var many = new CountDownLatch(1000);
        participant.createDataReader(topic, new DataReaderQos().reliable(), of ->
                of.takeEach((data, info) -> many.countDown()));
        var writer = participant.createDataWriter(topic);
        var stream = new Thread(() -> {
            while (true) {
                writer.write(new Position(1, 2, 3));
            }
        });
        // What the end of the process throws in it is its own affair.
        stream.setUncaughtExceptionHandler((thread, error) -> { });
        stream.setDaemon(true);
        stream.start();
        many.await();
        System.out.println("streaming");
        switch (words[0]) {
            case "return" -> { }
            case "exit" -> System.exit(0);
            case "throw" -> throw new IllegalStateException("on purpose");
            default -> {
                new ProcessBuilder("kill", "-TERM", Long.toString(ProcessHandle.current().pid())).start();
                Thread.sleep(60_000);
            }
        }
    }
}
